//! Encoded bytes to pixels of eight bits a channel.

use image::DynamicImage;

use super::{
    ImageError, Limits,
    checksum::with_right_checksums,
    header::{self, Info, SourceFormat},
    jpeg,
};

/// Pixels with their width and height, rows from the top.
pub(super) enum Pixels {
    Grey(u32, u32, Vec<u8>),
    GreyAlpha(u32, u32, Vec<u8>),
    Rgb(u32, u32, Vec<u8>),
    Rgba(u32, u32, Vec<u8>),
    /// 255 is full ink.
    Cmyk(u32, u32, Vec<u8>),
}

/// Pixels and the profile that says which colours they are.
pub(super) struct Decoded {
    pub(super) pixels: Pixels,
    pub(super) icc: Option<Vec<u8>>,
}

/// Decodes, to as little as `shrink` allows where the format can do that cheaply.
pub(super) fn decode(
    bytes: &[u8],
    info: &Info,
    shrink: f64,
    limits: &Limits,
) -> Result<Decoded, ImageError> {
    let pixels = match info.format {
        SourceFormat::Jpeg => jpeg::decode(bytes, info, shrink, limits)?,
        SourceFormat::Webp if !info.animated => webp(bytes, info)?,
        SourceFormat::Png => png(bytes, limits)?,
        format => with_image(bytes, format, limits)?,
    };
    Ok(Decoded {
        pixels,
        icc: info.icc.clone(),
    })
}

/// libwebp: several times faster than the decoder in Rust, which reads what libwebp's own reader of
/// single images does not.
fn webp(bytes: &[u8], info: &Info) -> Result<Pixels, ImageError> {
    let features = webp::BitstreamFeatures::new(bytes).ok_or(ImageError::Unsupported)?;
    if (features.width(), features.height()) != (info.width, info.height) {
        return Err(ImageError::Unsupported);
    }
    let image = webp::Decoder::new(bytes)
        .decode()
        .ok_or(ImageError::Unsupported)?;
    let (width, height) = (image.width(), image.height());
    Ok(if image.is_alpha() {
        Pixels::Rgba(width, height, image.to_vec())
    } else {
        Pixels::Rgb(width, height, image.to_vec())
    })
}

/// A file whose checksums are wrong is decoded all the same, as libvips does.
fn png(bytes: &[u8], limits: &Limits) -> Result<Pixels, ImageError> {
    with_image(bytes, SourceFormat::Png, limits).or_else(|error| {
        let mended = matches!(error, ImageError::Unsupported)
            .then(|| with_right_checksums(bytes))
            .flatten();
        with_image(&mended.ok_or(error)?, SourceFormat::Png, limits)
    })
}

fn with_image(bytes: &[u8], format: SourceFormat, limits: &Limits) -> Result<Pixels, ImageError> {
    let decoder = header::decoder(bytes, format, limits)?;
    let image = DynamicImage::from_decoder(decoder).map_err(|error| match error {
        image::ImageError::Limits(_) => ImageError::ResolutionTooLarge,
        _ => ImageError::Unsupported,
    })?;
    let (width, height) = (image.width(), image.height());
    let colour = image.color();
    Ok(match (colour.has_color(), colour.has_alpha()) {
        (false, false) => Pixels::Grey(width, height, image.into_luma8().into_raw()),
        (false, true) => Pixels::GreyAlpha(width, height, image.into_luma_alpha8().into_raw()),
        (true, false) => Pixels::Rgb(width, height, image.into_rgb8().into_raw()),
        (true, true) => Pixels::Rgba(width, height, image.into_rgba8().into_raw()),
    })
}
