//! Pixels to bytes: which format, and how hard its encoder tries.

use image::{
    DynamicImage, ExtendedColorType, ImageEncoder, Rgba, RgbaImage,
    codecs::{
        gif::GifEncoder,
        png::{CompressionType, FilterType, PngEncoder},
    },
};
use jpeg_encoder::{ColorType, SamplingFactor};

use super::{
    ImageError, Limits, Output,
    header::{Info, SourceFormat},
    params::Format,
};

mod avif;

/// Formats that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Jpeg,
    Png,
    Gif,
    Webp,
    Avif,
}

/// The renderer's own qualities, where the client names none.
const QUALITY: u8 = 80;
const AVIF_QUALITY: u8 = 65;
/// Below this, colour is stored at half the resolution.
const FULL_CHROMA_QUALITY: u8 = 90;
const WEBP_SIDE: u32 = 16_383;
/// Smaller ones are written as something else, which every decoder reads.
const AVIF_MIN_SIDE: u32 = 16;

/// Decides on the output format. Unasked, only JPEG, PNG and GIF are written; the rest becomes PNG where
/// transparency is possible, else JPEG.
pub(super) fn target(wanted: Format, accepts_webp: bool, source: &Info) -> Target {
    match (wanted, source.format) {
        (Format::Avif, _) => Target::Avif,
        (Format::Webp, _) => Target::Webp,
        (Format::Negotiated, _) if accepts_webp => Target::Webp,
        (_, SourceFormat::Jpeg) => Target::Jpeg,
        (_, SourceFormat::Png) => Target::Png,
        (_, SourceFormat::Gif) => Target::Gif,
        _ if source.alpha => Target::Png,
        _ => Target::Jpeg,
    }
}

/// Encodes.
pub(super) fn encode(
    image: DynamicImage,
    target: Target,
    quality: Option<u8>,
    limits: &Limits,
) -> Result<Output, ImageError> {
    let quality_or = |default| quality.unwrap_or(default).clamp(1, 100);
    match target {
        Target::Jpeg => jpeg(image, quality_or(QUALITY)),
        Target::Png => png(&image),
        Target::Gif => gif(&image),
        Target::Webp => webp(image, quality_or(QUALITY)),
        Target::Avif if image.width() < AVIF_MIN_SIDE || image.height() < AVIF_MIN_SIDE => {
            if image.color().has_alpha() {
                png(&image)
            } else {
                jpeg(image, quality_or(QUALITY))
            }
        }
        Target::Avif => avif::encode(image, quality_or(AVIF_QUALITY), limits.avif_pixels),
    }
}

/// Puts the image on white.
fn flatten(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image;
    }
    let rgba = image.into_rgba8();
    let mut white = RgbaImage::from_pixel(rgba.width(), rgba.height(), Rgba([255; 4]));
    image::imageops::overlay(&mut white, &rgba, 0, 0);
    DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(white).into_rgb8())
}

fn jpeg(image: DynamicImage, quality: u8) -> Result<Output, ImageError> {
    let image = flatten(image);
    let side = |length: u32| u16::try_from(length).map_err(|_| ImageError::Internal);
    let (width, height) = (side(image.width())?, side(image.height())?);
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, quality);
    encoder.set_optimized_huffman_tables(true);
    encoder.set_sampling_factor(if quality < FULL_CHROMA_QUALITY {
        SamplingFactor::F_2_2
    } else {
        SamplingFactor::F_1_1
    });
    let encoded = match image {
        DynamicImage::ImageLuma8(grey) => encoder.encode(&grey, width, height, ColorType::Luma),
        image => encoder.encode(&image.into_rgb8(), width, height, ColorType::Rgb),
    };
    encoded.map_err(|_| ImageError::Internal)?;
    Ok(Output {
        bytes,
        content_type: "image/jpeg",
    })
}

fn png(image: &DynamicImage) -> Result<Output, ImageError> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    encoder
        .write_image(
            image.as_bytes(),
            image.width(),
            image.height(),
            ExtendedColorType::from(image.color()),
        )
        .map_err(|_| ImageError::Internal)?;
    Ok(Output {
        bytes,
        content_type: "image/png",
    })
}

fn gif(image: &DynamicImage) -> Result<Output, ImageError> {
    let rgba = image.to_rgba8();
    let mut bytes = Vec::new();
    GifEncoder::new_with_speed(&mut bytes, 10)
        .encode(&rgba, rgba.width(), rgba.height(), ExtendedColorType::Rgba8)
        .map_err(|_| ImageError::Internal)?;
    Ok(Output {
        bytes,
        content_type: "image/gif",
    })
}

fn webp(image: DynamicImage, quality: u8) -> Result<Output, ImageError> {
    let image = shrink_to(image, |width, height| {
        f64::from(WEBP_SIDE) / f64::from(width.max(height))
    });
    let mut config = webp::WebPConfig::new().map_err(|()| ImageError::Internal)?;
    config.quality = f32::from(quality);
    let (width, height) = (image.width(), image.height());
    let encoded = if image.color().has_alpha() {
        let rgba = image.into_rgba8();
        webp::Encoder::from_rgba(&rgba, width, height).encode_advanced(&config)
    } else {
        let rgb = image.into_rgb8();
        webp::Encoder::from_rgb(&rgb, width, height).encode_advanced(&config)
    };
    Ok(Output {
        bytes: encoded.map_err(|_| ImageError::Internal)?.to_vec(),
        content_type: "image/webp",
    })
}

/// Scales down by what a format's bounds demand, if they demand it.
fn shrink_to(image: DynamicImage, scale: impl Fn(u32, u32) -> f64) -> DynamicImage {
    let (width, height) = (image.width(), image.height());
    let scale = scale(width, height);
    if scale >= 1.0 {
        return image;
    }
    let side = |length: u32| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "smaller than it was"
        )]
        let length = (f64::from(length) * scale).floor() as u32;
        length.max(1)
    };
    image.thumbnail_exact(side(width), side(height))
}
