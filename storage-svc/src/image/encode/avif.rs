//! AVIF. The encoder is the slow part of the whole module, so it runs at its fastest setting.

use image::DynamicImage;
use ravif::{BitDepth, Encoder, Img, RGB8, RGBA8};

use super::{ImageError, Output, shrink_to};

const SPEED: u8 = 10;
const MAX_SIDE: u32 = 16_384;

pub(super) fn encode(
    image: DynamicImage,
    quality: u8,
    max_pixels: u64,
) -> Result<Output, ImageError> {
    let image = shrink_to(image, |width, height| {
        #[expect(clippy::cast_precision_loss, reason = "a bound, not a count")]
        let area = max_pixels as f64 / (f64::from(width) * f64::from(height));
        area.sqrt()
            .min(f64::from(MAX_SIDE) / f64::from(width.max(height)))
    });
    let encoder = Encoder::new()
        .with_quality(f32::from(quality))
        .with_alpha_quality(f32::from(quality))
        .with_bit_depth(BitDepth::Eight)
        .with_speed(SPEED)
        .with_num_threads(Some(1));
    let (width, height) = (image.width() as usize, image.height() as usize);
    let encoded = if image.color().has_alpha() {
        let rgba = image.into_rgba8();
        let pixels: Vec<RGBA8> = rgba.pixels().map(|p| RGBA8::from(p.0)).collect();
        encoder.encode_rgba(Img::new(&pixels, width, height))
    } else {
        let rgb = image.into_rgb8();
        let pixels: Vec<RGB8> = rgb.pixels().map(|p| RGB8::from(p.0)).collect();
        encoder.encode_rgb(Img::new(&pixels, width, height))
    };
    Ok(Output {
        bytes: encoded.map_err(|_| ImageError::Internal)?.avif_file,
        content_type: "image/avif",
    })
}
