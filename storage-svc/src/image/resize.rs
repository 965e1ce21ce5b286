//! Scaling and cutting.

use fast_image_resize::{PixelType, ResizeOptions, Resizer, images::Image};
use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};

use super::{ImageError, decode::Pixels};

/// Scaled pixels; print colours are not yet colours of a screen.
pub(super) enum Scaled {
    Screen(DynamicImage),
    Cmyk(u32, u32, Vec<u8>),
}

/// Scales by convolution with Lanczos; colours are weighted by their alpha.
pub(super) fn resize(pixels: Pixels, width: u32, height: u32) -> Result<Scaled, ImageError> {
    let scale = |from: (u32, u32), bytes: Vec<u8>, kind: PixelType, alpha: bool| {
        scale(from, bytes, (width, height), kind, alpha)
    };
    let image = match pixels {
        Pixels::Grey(w, h, bytes) => {
            let bytes = scale((w, h), bytes, PixelType::U8, false)?;
            GrayImage::from_raw(width, height, bytes).map(DynamicImage::ImageLuma8)
        }
        Pixels::GreyAlpha(w, h, bytes) => {
            let bytes = scale((w, h), bytes, PixelType::U8x2, true)?;
            GrayAlphaImage::from_raw(width, height, bytes).map(DynamicImage::ImageLumaA8)
        }
        Pixels::Rgb(w, h, bytes) => {
            let bytes = scale((w, h), bytes, PixelType::U8x3, false)?;
            RgbImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgb8)
        }
        Pixels::Rgba(w, h, bytes) => {
            let bytes = scale((w, h), bytes, PixelType::U8x4, true)?;
            RgbaImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgba8)
        }
        Pixels::Cmyk(w, h, bytes) => {
            let bytes = scale((w, h), bytes, PixelType::U8x4, false)?;
            return Ok(Scaled::Cmyk(width, height, bytes));
        }
    };
    image.map(Scaled::Screen).ok_or(ImageError::Internal)
}

fn scale(
    from: (u32, u32),
    bytes: Vec<u8>,
    to: (u32, u32),
    kind: PixelType,
    alpha: bool,
) -> Result<Vec<u8>, ImageError> {
    if from == to {
        return Ok(bytes);
    }
    let source =
        Image::from_vec_u8(from.0, from.1, bytes, kind).map_err(|_| ImageError::Unsupported)?;
    let mut result = Image::new(to.0, to.1, kind);
    let options = ResizeOptions::new().use_alpha(alpha);
    Resizer::new()
        .resize(&source, &mut result, &options)
        .map_err(|_| ImageError::Internal)?;
    Ok(result.into_vec())
}

/// Cuts a part out, if it is not the whole.
pub(super) fn crop(image: DynamicImage, left: u32, top: u32, size: (u32, u32)) -> DynamicImage {
    if size == (image.width(), image.height()) {
        return image;
    }
    image.crop_imm(left, top, size.0, size.1)
}
