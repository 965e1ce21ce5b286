//! Scaling and cutting.

use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};
use image_resize::Channels;

use super::{ImageError, decode::Pixels};

/// Scaled pixels; print colours are not yet colours of a screen.
pub(super) enum Scaled {
    Screen(DynamicImage),
    Cmyk(u32, u32, Vec<u8>),
}

/// Scales by convolution with Lanczos; colours are weighted by their alpha.
pub(super) fn resize(pixels: Pixels, width: u32, height: u32) -> Result<Scaled, ImageError> {
    let scale = |from: (u32, u32), bytes: Vec<u8>, channels: Channels| {
        image_resize::resize(bytes, channels, from, (width, height)).ok_or(ImageError::Unsupported)
    };
    let image = match pixels {
        Pixels::Grey(w, h, bytes) => {
            let bytes = scale((w, h), bytes, Channels::Grey)?;
            GrayImage::from_raw(width, height, bytes).map(DynamicImage::ImageLuma8)
        }
        Pixels::GreyAlpha(w, h, bytes) => {
            let bytes = scale((w, h), bytes, Channels::GreyAlpha)?;
            GrayAlphaImage::from_raw(width, height, bytes).map(DynamicImage::ImageLumaA8)
        }
        Pixels::Rgb(w, h, bytes) => {
            let bytes = scale((w, h), bytes, Channels::Rgb)?;
            RgbImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgb8)
        }
        Pixels::Rgba(w, h, bytes) => {
            let bytes = scale((w, h), bytes, Channels::Rgba)?;
            RgbaImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgba8)
        }
        Pixels::Cmyk(w, h, bytes) => {
            let bytes = scale((w, h), bytes, Channels::Four)?;
            return Ok(Scaled::Cmyk(width, height, bytes));
        }
    };
    image.map(Scaled::Screen).ok_or(ImageError::Internal)
}

/// Cuts a part out, if it is not the whole.
pub(super) fn crop(image: DynamicImage, left: u32, top: u32, size: (u32, u32)) -> DynamicImage {
    if size == (image.width(), image.height()) {
        return image;
    }
    image.crop_imm(left, top, size.0, size.1)
}
