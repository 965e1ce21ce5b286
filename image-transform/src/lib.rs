//! Image transformation: what a separate renderer does beside the original, as a library of the storage service.
//!
//! Bytes in, bytes out; nothing in here knows of HTTP, of the database or of blobs. The order of work is
//! the renderer's: look at the header, refuse what is too big, decode (scaled where the format can),
//! resize, convert to sRGB, turn upright, crop, encode. Metadata is dropped on the way.
//!
//! The images come from strangers. Their type is decided by their first bytes alone, their dimensions are
//! checked before a pixel is decoded, and of the decoders only libwebp is not memory-safe Rust.

mod cache;
mod checksum;
mod colour;
mod decode;
mod encode;
mod geometry;
mod header;
mod jpeg;
mod params;
mod pool;
mod renderer;
mod resize;
mod smart;
mod svg;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use cache::{Cache, Key};
pub use header::{Info, SourceFormat, inspect};
pub use params::{Format, Gravity, InvalidParameter, Resize, SizeLimits, Transform};
pub use pool::{Place, Pool, Turn};
pub use renderer::Renderer;

/// What a source image may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most bytes of a source.
    pub source_bytes: usize,
    /// The most pixels of a source, as its header declares them.
    pub source_pixels: u64,
    /// The most memory that one decoder may take.
    pub decode_bytes: usize,
    /// The most pixels of an AVIF result: its encoder takes seconds for what others do in a blink.
    pub avif_pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 50 << 20,
            source_pixels: 50_000_000,
            decode_bytes: 512 << 20,
            avif_pixels: 4_000_000,
        }
    }
}

/// A transformed image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The encoded image.
    pub bytes: Vec<u8>,
    /// Its media type.
    pub content_type: &'static str,
}

/// Why there is no transformed image; the text is what the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Not an image, a broken one, or of a kind that is not rendered.
    #[error("The source image is invalid or unsupported for rendering")]
    Unsupported,
    /// More pixels than are decoded.
    #[error("The source image resolution is too large to process")]
    ResolutionTooLarge,
    /// More bytes than are read.
    #[error("The source image file is too large to process")]
    FileTooLarge,
    /// Too much is waiting already.
    #[error("Too many requests")]
    Busy,
    /// It took too long.
    #[error("Image request timed out")]
    TimedOut,
    /// A fault of ours, an encoder's for instance.
    #[error("Internal error")]
    Internal,
}

impl ImageError {
    /// The `statusCode` of the answer; its `code` is `InternalError` from 500 on, else `InvalidRequest`.
    pub fn status(self) -> u16 {
        match self {
            Self::Unsupported | Self::ResolutionTooLarge | Self::FileTooLarge => 400,
            Self::TimedOut => 408,
            Self::Busy => 429,
            Self::Internal => 500,
        }
    }
}

/// Transforms an image. `accepts_webp` says whether the client takes WebP, which decides where the
/// parameters leave the format open.
pub fn transform(
    bytes: &[u8],
    wanted: &Transform,
    accepts_webp: bool,
    limits: &Limits,
) -> Result<Output, ImageError> {
    // A decoder that trips over hostile bytes must not take the request's thread with it.
    catch_unwind(AssertUnwindSafe(|| {
        render(bytes, wanted, accepts_webp, limits)
    }))
    .unwrap_or_else(|_| {
        tracing::error!("an image decoder panicked");
        Err(ImageError::Unsupported)
    })
}

fn render(
    bytes: &[u8],
    wanted: &Transform,
    accepts_webp: bool,
    limits: &Limits,
) -> Result<Output, ImageError> {
    let info = inspect(bytes, limits)?;
    if info.format == SourceFormat::Svg {
        return svg::sanitise(bytes);
    }
    let target = encode::target(wanted.format, accepts_webp, &info);
    let plan = geometry::plan(info.upright(), wanted);
    let decoded = decode::decode(bytes, &info, plan.shrink(info.upright()), limits)?;
    let (scaled_width, scaled_height) = info.orient(plan.scaled.0, plan.scaled.1);
    let scaled = resize::resize(decoded.pixels, scaled_width, scaled_height)?;
    let mut upright = colour::to_srgb(scaled, decoded.icc.as_deref());
    upright.apply_orientation(info.orientation);
    let (left, top) = plan.position(&upright, wanted.gravity);
    let cropped = resize::crop(upright, left, top, plan.result);
    encode::encode(cropped, target, wanted.quality, limits)
}
