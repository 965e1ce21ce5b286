//! Everything leaves as sRGB, so that it needs no profile.

use image::{DynamicImage, Rgb, RgbImage};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::resize::Scaled;

/// Converts by the embedded profile; without one, or with one that does not fit, screen colours are taken
/// for sRGB and print colours for plain ink.
pub(super) fn to_srgb(image: Scaled, icc: Option<&[u8]>) -> DynamicImage {
    let profile = icc.and_then(|icc| ColorProfile::new_from_slice(icc).ok());
    match image {
        Scaled::Cmyk(width, height, ink) => cmyk(width, height, &ink, profile.as_ref()),
        Scaled::Screen(image) => match profile {
            Some(profile) => screen(&image, &profile).unwrap_or(image),
            None => image,
        },
    }
}

fn convert(
    pixels: &[u8],
    profile: &ColorProfile,
    (space, from): (DataColorSpace, Layout),
    (to, channels): (Layout, usize),
    count: usize,
) -> Option<Vec<u8>> {
    if profile.color_space != space {
        return None;
    }
    let transform = profile
        .create_transform_8bit(
            from,
            &ColorProfile::new_srgb(),
            to,
            TransformOptions::default(),
        )
        .ok()?;
    let mut converted = vec![0; count * channels];
    transform.transform(pixels, &mut converted).ok()?;
    Some(converted)
}

fn screen(image: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
    let count = image.width() as usize * image.height() as usize;
    let (width, height) = (image.width(), image.height());
    match image {
        DynamicImage::ImageRgb8(rgb) => {
            let layouts = ((DataColorSpace::Rgb, Layout::Rgb), (Layout::Rgb, 3));
            let bytes = convert(rgb, profile, layouts.0, layouts.1, count)?;
            RgbImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgb8)
        }
        DynamicImage::ImageRgba8(rgba) => {
            let layouts = ((DataColorSpace::Rgb, Layout::Rgba), (Layout::Rgba, 4));
            let bytes = convert(rgba, profile, layouts.0, layouts.1, count)?;
            image::RgbaImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgba8)
        }
        DynamicImage::ImageLuma8(grey) => {
            let layouts = ((DataColorSpace::Gray, Layout::Gray), (Layout::Rgb, 3));
            let bytes = convert(grey, profile, layouts.0, layouts.1, count)?;
            RgbImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgb8)
        }
        _ => None,
    }
}

fn cmyk(width: u32, height: u32, ink: &[u8], profile: Option<&ColorProfile>) -> DynamicImage {
    let count = width as usize * height as usize;
    let layouts = ((DataColorSpace::Cmyk, Layout::Rgba), (Layout::Rgb, 3));
    let converted = profile
        .and_then(|profile| convert(ink, profile, layouts.0, layouts.1, count))
        .and_then(|bytes| RgbImage::from_raw(width, height, bytes));
    let image = converted.unwrap_or_else(|| {
        let mut image = RgbImage::new(width, height);
        for (pixel, ink) in image.pixels_mut().zip(ink.chunks_exact(4)) {
            let white = u16::from(255 - ink[3]);
            let light =
                |ink: u8| u8::try_from(u16::from(255 - ink) * white / 255).unwrap_or(u8::MAX);
            *pixel = Rgb([light(ink[0]), light(ink[1]), light(ink[2])]);
        }
        image
    });
    DynamicImage::ImageRgb8(image)
}
