//! JPEG: the segments before the pixels, and decoding at an eighth, a quarter or half the size.

use image::metadata::Orientation;
use jpeg_decoder::{Decoder, PixelFormat};

use super::{
    ImageError, Limits,
    decode::Pixels,
    header::{Info, MAX_PROFILE, SourceFormat},
};

/// Each scan of a file passes over all its pixels, and a file can have as many as it likes; ordinary ones
/// have about ten. This many pixels are passed over, in at least and at most so many scans.
const SCANNED_PIXELS: u64 = 800_000_000;
const SCANS: std::ops::RangeInclusive<u64> = 16..=64;

struct Segments<'a> {
    bytes: &'a [u8],
}

impl<'a> Iterator for Segments<'a> {
    /// Marker and content.
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let [0xff, marker, ..] = *self.bytes else {
                return None;
            };
            match marker {
                // Padding, and markers without content.
                0xff => self.bytes = self.bytes.get(1..)?,
                0x01 | 0xd0..=0xd8 => self.bytes = self.bytes.get(2..)?,
                0xd9 => return None,
                _ => {
                    let length = u16::from_be_bytes([*self.bytes.get(2)?, *self.bytes.get(3)?]);
                    let content = self.bytes.get(4..2 + usize::from(length))?;
                    self.bytes = self.bytes.get(2 + usize::from(length)..)?;
                    return Some((marker, content));
                }
            }
        }
    }
}

/// Reads the segments up to the first scan.
pub(super) fn inspect(bytes: &[u8]) -> Result<Info, ImageError> {
    let mut size = None;
    let mut orientation = None;
    let mut profile = Vec::new();
    for (marker, content) in (Segments { bytes }) {
        match marker {
            // Start of scan.
            0xda => break,
            // Start of frame, of whichever coding; the gaps are tables.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let [_, h0, h1, w0, w1, ..] = *content else {
                    return Err(ImageError::Unsupported);
                };
                size = Some((u16::from_be_bytes([w0, w1]), u16::from_be_bytes([h0, h1])));
            }
            0xe1 => {
                if let Some(exif) = content.strip_prefix(b"Exif\0\0") {
                    orientation = orientation.or_else(|| Orientation::from_exif_chunk(exif));
                }
            }
            0xe2 => {
                if let Some([number, _, part @ ..]) = content.strip_prefix(b"ICC_PROFILE\0") {
                    profile.push((*number, part));
                }
            }
            _ => {}
        }
    }
    let (width, height) = size.ok_or(ImageError::Unsupported)?;
    profile.sort_by_key(|(number, _)| *number);
    let icc: Vec<u8> = profile
        .iter()
        .flat_map(|(_, part)| *part)
        .copied()
        .collect();
    Ok(Info {
        format: SourceFormat::Jpeg,
        width: width.into(),
        height: height.into(),
        orientation: orientation.unwrap_or(Orientation::NoTransforms),
        alpha: false,
        animated: false,
        icc: (!icc.is_empty() && icc.len() <= MAX_PROFILE).then_some(icc),
    })
}

/// Decodes at 1/8, 1/4, 1/2 or the full size, whichever is the smallest that `shrink` leaves.
pub(super) fn decode(
    bytes: &[u8],
    info: &Info,
    shrink: f64,
    limits: &Limits,
) -> Result<Pixels, ImageError> {
    let mut decoder = Decoder::new(bytes);
    decoder.set_max_decoding_buffer_size(limits.decode_bytes);
    let broken = |_| ImageError::Unsupported;
    decoder.read_info().map_err(broken)?;
    let seen = decoder.info().ok_or(ImageError::Unsupported)?;
    // Two frames would be two sizes, of which only one was measured.
    if (u32::from(seen.width), u32::from(seen.height)) != (info.width, info.height) {
        return Err(ImageError::Unsupported);
    }
    let pixels = u64::from(info.width) * u64::from(info.height);
    let allowed = SCANNED_PIXELS / pixels.max(1);
    if scans(bytes) > allowed.clamp(*SCANS.start(), *SCANS.end()) {
        return Err(ImageError::Unsupported);
    }
    let scaled = |side: u32| u16::try_from(side.div_ceil(divisor(shrink))).unwrap_or(u16::MAX);
    let (width, height) = decoder
        .scale(scaled(info.width), scaled(info.height))
        .map_err(broken)?;
    let format = decoder.info().ok_or(ImageError::Unsupported)?.pixel_format;
    let bytes = decoder.decode().map_err(broken)?;
    let (width, height) = (u32::from(width), u32::from(height));
    let pixels = match format {
        PixelFormat::L8 => Pixels::Grey(width, height, bytes),
        // Twelve bits travel in sixteen, the high ones lost to nobody's eye.
        PixelFormat::L16 => {
            let high = bytes
                .chunks_exact(2)
                .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
            let bytes = high.map(|value| u8::try_from(value >> 8).unwrap_or(u8::MAX));
            Pixels::Grey(width, height, bytes.collect())
        }
        PixelFormat::RGB24 => Pixels::Rgb(width, height, bytes),
        PixelFormat::CMYK32 => Pixels::Cmyk(width, height, bytes),
    };
    Ok(pixels)
}

/// Counts the starts of scans, those of embedded previews too; in coded pixels the marker cannot occur.
fn scans(bytes: &[u8]) -> u64 {
    // Without a branch, so that the compiler can take many bytes at a time.
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    pairs
        .map(|(first, second)| u64::from(u16::from_be_bytes([*first, *second]) == 0xffda))
        .sum()
}

fn divisor(shrink: f64) -> u32 {
    match shrink {
        shrink if shrink >= 8.0 => 8,
        shrink if shrink >= 4.0 => 4,
        shrink if shrink >= 2.0 => 2,
        _ => 1,
    }
}
