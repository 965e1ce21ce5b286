//! PNG files whose chunks have wrong checksums: libvips shows them, and so do browsers.

/// The chunks' bytes in front of their data: length and name.
const HEAD: usize = 8;
const SUM: usize = 4;

/// The file with the checksums that its chunks should have, or nothing if they are right already. What follows a chunk
/// that is cut off stays as it is.
pub(super) fn with_right_checksums(png: &[u8]) -> Option<Vec<u8>> {
    let mut mended = None;
    let mut at = 8;
    while let Some(chunk) = chunk(png, at) {
        let end = at + chunk.len();
        let (covered, said) = chunk.split_at(chunk.len() - SUM);
        let right = crc32fast::hash(covered.get(4..)?).to_be_bytes();
        if said != right {
            let mended = mended.get_or_insert_with(|| png.to_vec());
            mended.get_mut(end - SUM..end)?.copy_from_slice(&right);
        }
        at = end;
    }
    mended
}

/// A whole chunk: length, name, data and checksum.
fn chunk(png: &[u8], at: usize) -> Option<&[u8]> {
    let rest = png.get(at..)?;
    let length = u32::from_be_bytes(*rest.first_chunk()?);
    let length = usize::try_from(length).ok()?;
    rest.get(..length.checked_add(HEAD + SUM)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_checksums_are_mended_and_right_ones_left() {
        let mut right = Vec::new();
        let image = image::GrayImage::new(3, 2);
        image
            .write_to(
                &mut std::io::Cursor::new(&mut right),
                image::ImageFormat::Png,
            )
            .unwrap();
        assert_eq!(with_right_checksums(&right), None);
        let mut wrong = right.clone();
        // Of the header and of the end.
        wrong[8 + HEAD + 13] ^= 1;
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(with_right_checksums(&wrong).unwrap(), right);
        for length in 0..wrong.len() {
            with_right_checksums(&wrong[..length]);
        }
        assert_eq!(with_right_checksums(&[255; 64]), None);
    }
}
