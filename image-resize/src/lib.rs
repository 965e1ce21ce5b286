//! Scaling of pixels, and nothing else: a crate of its own because the convolutions are compiled where they are used, and a
//! development build has only this much optimised (see the profiles in the workspace's `Cargo.toml`).

use fast_image_resize::{
    PixelTrait, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::{U8, U8x2, U8x3, U8x4},
};

/// What the bytes of a pixel are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    /// One byte of grey.
    Grey,
    /// Grey, and how much of it is seen.
    GreyAlpha,
    /// Red, green and blue.
    Rgb,
    /// Red, green and blue, and how much of them is seen.
    Rgba,
    /// Four bytes of which none says how much is seen, such as inks.
    Four,
}

/// Scales an image of `from` (width, height; rows from the top) to `to` by convolution with Lanczos; colours are weighted by their
/// alpha. Nothing if the bytes are not those of an image of that size.
pub fn resize(
    bytes: Vec<u8>,
    channels: Channels,
    from: (u32, u32),
    to: (u32, u32),
) -> Option<Vec<u8>> {
    if from == to {
        return Some(bytes);
    }
    match channels {
        Channels::Grey => scale::<U8>(&bytes, from, to, false),
        Channels::GreyAlpha => scale::<U8x2>(&bytes, from, to, true),
        Channels::Rgb => scale::<U8x3>(&bytes, from, to, false),
        Channels::Rgba => scale::<U8x4>(&bytes, from, to, true),
        Channels::Four => scale::<U8x4>(&bytes, from, to, false),
    }
}

fn scale<P: PixelTrait>(
    bytes: &[u8],
    from: (u32, u32),
    to: (u32, u32),
    alpha: bool,
) -> Option<Vec<u8>> {
    let source = TypedImageRef::<P>::from_buffer(from.0, from.1, bytes).ok()?;
    let size = usize::try_from(to.0).ok()?.checked_mul(to.1 as usize)?;
    let mut result = vec![0; size.checked_mul(P::size())?];
    let mut scaled = TypedImage::<P>::from_buffer(to.0, to.1, &mut result).ok()?;
    let options = ResizeOptions::new().use_alpha(alpha);
    Resizer::new()
        .resize_typed(&source, &mut scaled, &options)
        .ok()?;
    drop(scaled);
    Some(result)
}
