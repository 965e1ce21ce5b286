//! What a header says: type, dimensions, orientation, colour profile. No pixel is decoded here.

use std::io::Cursor;

use image::{ImageDecoder, ImageFormat, ImageReader, metadata::Orientation};

use super::{ImageError, Limits, jpeg, svg};

/// Formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFormat {
    /// JPEG.
    Jpeg,
    /// PNG; of an animated one the default image.
    Png,
    /// WebP; of an animated one the first frame.
    Webp,
    /// GIF, the first frame.
    Gif,
    /// Windows bitmap.
    Bmp,
    /// TIFF, the first page.
    Tiff,
    /// Windows icon, the largest image.
    Ico,
    /// SVG, which is passed through without its scripts.
    Svg,
}

/// An image as its header declares it.
#[derive(Debug, Clone)]
pub struct Info {
    /// Format by the first bytes.
    pub format: SourceFormat,
    /// Width as stored; 0 for SVG.
    pub width: u32,
    /// Height as stored; 0 for SVG.
    pub height: u32,
    /// How the stored pixels must be turned.
    pub(super) orientation: Orientation,
    /// Whether pixels can be transparent.
    pub(super) alpha: bool,
    pub(super) animated: bool,
    pub(super) icc: Option<Vec<u8>>,
}

impl Info {
    /// Width and height as seen upright.
    pub fn upright(&self) -> (u32, u32) {
        self.orient(self.width, self.height)
    }

    /// Swaps the sides if upright and stored differ in that.
    pub(super) fn orient(&self, width: u32, height: u32) -> (u32, u32) {
        match self.orientation {
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => (height, width),
            _ => (width, height),
        }
    }
}

/// A profile larger than this is not a profile.
pub(super) const MAX_PROFILE: usize = 4 << 20;

/// The type by its first bytes, whatever a name or a media type claims.
fn sniff(bytes: &[u8]) -> Option<SourceFormat> {
    let brand =
        |at: usize, magic: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if brand(0, b"\xff\xd8\xff") {
        Some(SourceFormat::Jpeg)
    } else if brand(0, b"\x89PNG\r\n\x1a\n") {
        Some(SourceFormat::Png)
    } else if brand(0, b"RIFF") && brand(8, b"WEBP") {
        Some(SourceFormat::Webp)
    } else if brand(0, b"GIF87a") || brand(0, b"GIF89a") {
        Some(SourceFormat::Gif)
    } else if brand(0, b"II*\0") || brand(0, b"MM\0*") {
        Some(SourceFormat::Tiff)
    } else if brand(0, b"\0\0\x01\0") {
        Some(SourceFormat::Ico)
    } else if brand(0, b"BM") {
        Some(SourceFormat::Bmp)
    } else if svg::is_svg(bytes) {
        Some(SourceFormat::Svg)
    } else {
        None
    }
}

/// Reads a header and refuses what is too large.
pub fn inspect(bytes: &[u8], limits: &Limits) -> Result<Info, ImageError> {
    if bytes.len() > limits.source_bytes {
        return Err(ImageError::FileTooLarge);
    }
    let info = match sniff(bytes).ok_or(ImageError::Unsupported)? {
        SourceFormat::Jpeg => jpeg::inspect(bytes)?,
        SourceFormat::Svg => Info {
            format: SourceFormat::Svg,
            width: 0,
            height: 0,
            orientation: Orientation::NoTransforms,
            alpha: true,
            animated: false,
            icc: None,
        },
        format => inspect_with_decoder(bytes, format, limits)?,
    };
    if info.format == SourceFormat::Svg {
        return Ok(info);
    }
    if info.width == 0 || info.height == 0 {
        return Err(ImageError::Unsupported);
    }
    if u64::from(info.width) * u64::from(info.height) > limits.source_pixels {
        return Err(ImageError::ResolutionTooLarge);
    }
    Ok(info)
}

fn inspect_with_decoder(
    bytes: &[u8],
    format: SourceFormat,
    limits: &Limits,
) -> Result<Info, ImageError> {
    let mut decoder = decoder(bytes, format, limits)?;
    let (width, height) = decoder.dimensions();
    let icc = decoder.icc_profile().ok().flatten();
    Ok(Info {
        format,
        width,
        height,
        orientation: decoder.orientation().unwrap_or(Orientation::NoTransforms),
        alpha: decoder.color_type().has_alpha(),
        animated: format == SourceFormat::Webp && is_animated_webp(bytes),
        icc: icc.filter(|icc| !icc.is_empty() && icc.len() <= MAX_PROFILE),
    })
}

/// The decoder for the formats that `image` reads.
pub(super) fn decoder<'a>(
    bytes: &'a [u8],
    format: SourceFormat,
    limits: &Limits,
) -> Result<impl ImageDecoder + 'a, ImageError> {
    let format = match format {
        SourceFormat::Png => ImageFormat::Png,
        SourceFormat::Webp => ImageFormat::WebP,
        SourceFormat::Gif => ImageFormat::Gif,
        SourceFormat::Bmp => ImageFormat::Bmp,
        SourceFormat::Tiff => ImageFormat::Tiff,
        SourceFormat::Ico => ImageFormat::Ico,
        SourceFormat::Jpeg | SourceFormat::Svg => return Err(ImageError::Unsupported),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut allowed = image::Limits::no_limits();
    allowed.max_alloc = Some(limits.decode_bytes as u64);
    reader.limits(allowed);
    reader.into_decoder().map_err(|error| match error {
        image::ImageError::Limits(_) => ImageError::ResolutionTooLarge,
        _ => ImageError::Unsupported,
    })
}

/// The animation flag of the extended header.
fn is_animated_webp(bytes: &[u8]) -> bool {
    bytes.get(12..16) == Some(b"VP8X") && bytes.get(20).is_some_and(|flags| flags & 2 != 0)
}
