use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

fn refused(bytes: &[u8]) -> ImageError {
    render(bytes, &sized(10, 10), false, &Limits::default()).unwrap_err()
}

fn chunk(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let mut chunk = u32::try_from(content.len()).unwrap().to_be_bytes().to_vec();
    let body = [&kind[..], content].concat();
    chunk.extend(&body);
    chunk.extend(crc32fast::hash(&body).to_be_bytes());
    chunk
}

fn png(width: u32, height: u32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let header = [
        &width.to_be_bytes()[..],
        &height.to_be_bytes(),
        &[8, 2, 0, 0, 0],
    ]
    .concat();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.extend(chunk(*b"IHDR", &header));
    png.extend(chunks.concat());
    png
}

/// A DEFLATE stream of zeros, a thousandth of what it stands for.
fn deflated_zeros(mebibytes: usize) -> Vec<u8> {
    let zeros = vec![0; mebibytes << 20];
    let grey =
        image::GrayImage::from_raw(1 << 20, u32::try_from(mebibytes).unwrap(), zeros).unwrap();
    let png = as_png(grey);
    let start = png.windows(4).position(|at| at == b"IDAT").unwrap();
    let length = u32::from_be_bytes(png[start - 4..start].try_into().unwrap());
    png[start + 4..start + 4 + length as usize].to_vec()
}

#[test]
fn declared_pixels_are_refused_before_decoding() {
    let none = chunk(*b"IDAT", &[]);
    assert_eq!(
        refused(&png(100_000, 100_000, std::slice::from_ref(&none))),
        ImageError::ResolutionTooLarge
    );
    assert_eq!(
        refused(&png(7_072, 7_072, std::slice::from_ref(&none))),
        ImageError::ResolutionTooLarge
    );
    assert_eq!(refused(&png(0, 5, &[none])), ImageError::Unsupported);

    let mut jpeg = as_jpeg(&quarters(16, 16), |_| {});
    let frame = jpeg.windows(2).position(|at| at == b"\xff\xc0").unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff; 4]);
    assert_eq!(refused(&jpeg), ImageError::ResolutionTooLarge);

    let mut gif = as_format(quarters(16, 16), ImageFormat::Gif);
    gif[6..10].copy_from_slice(&[0xff; 4]);
    assert_eq!(refused(&gif), ImageError::ResolutionTooLarge);

    let mut bmp = as_format(quarters(16, 16), ImageFormat::Bmp);
    bmp[18..22].copy_from_slice(&60_000_u32.to_le_bytes());
    bmp[22..26].copy_from_slice(&60_000_u32.to_le_bytes());
    assert_eq!(refused(&bmp), ImageError::ResolutionTooLarge);

    let webp = [&b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"[..], &[0xff; 6]].concat();
    assert!(matches!(
        refused(&webp),
        ImageError::ResolutionTooLarge | ImageError::Unsupported
    ));
}

#[test]
fn limits_are_those_given() {
    let limits = Limits {
        source_pixels: 16 * 16,
        ..Limits::default()
    };
    let render =
        |side, limits: &Limits| render(&as_png(quarters(side, side)), &sized(8, 8), false, limits);
    assert!(render(16, &limits).is_ok());
    assert_eq!(render(17, &limits), Err(ImageError::ResolutionTooLarge));
    let limits = Limits {
        source_bytes: 60,
        ..Limits::default()
    };
    assert_eq!(render(64, &limits), Err(ImageError::FileTooLarge));
}

#[test]
fn chunks_that_blow_up_are_not_blown_up() {
    let bomb = deflated_zeros(16);
    let profile = chunk(*b"iCCP", &[b"p\0\0", &bomb[..]].concat());
    let text = chunk(*b"zTXt", &[b"t\0\0", &bomb[..]].concat());
    let pixels = chunk(*b"IDAT", &deflated_zeros(1)[..]);
    let many = vec![text; 500].concat();
    // What remains is an image of black pixels, or a refusal; never gigabytes.
    for chunks in [vec![profile, pixels.clone()], vec![many, pixels]] {
        let limits = Limits {
            decode_bytes: 64 << 20,
            ..Limits::default()
        };
        let _ = render(&png(300, 300, &chunks), &sized(10, 10), false, &limits);
    }
}

#[test]
fn pixel_data_beyond_the_declared_size_is_left_alone() {
    let bytes = png(
        10,
        10,
        &[chunk(*b"IDAT", &deflated_zeros(16)), chunk(*b"IEND", &[])],
    );
    let output = render(&bytes, &sized(5, 5), false, &Limits::default());
    assert!(output.is_ok_and(|output| output.bytes.len() < 1000));
}

#[test]
fn a_frame_larger_than_its_canvas_is_bounded_by_the_canvas() {
    let mut gif = as_format(quarters(16, 16), ImageFormat::Gif);
    let frame = gif.windows(5).position(|at| at == b"\x2c\0\0\0\0").unwrap();
    gif[frame + 5..frame + 9].copy_from_slice(&[0xff; 4]);
    let limits = Limits {
        decode_bytes: 16 << 20,
        ..Limits::default()
    };
    let _ = render(&gif, &sized(5, 5), false, &limits);
}

#[test]
fn scans_without_end_are_refused() {
    for progressive in [true, false] {
        let mut jpeg = as_jpeg(&quarters(32, 32), |encoder| {
            encoder.set_progressive(progressive);
        });
        let end = jpeg.len() - 2;
        let last = jpeg.windows(2).rposition(|at| at == b"\xff\xda").unwrap();
        let scan = jpeg[last..end].to_vec();
        jpeg.truncate(end);
        for _ in 0..5_000 {
            jpeg.extend(&scan);
        }
        jpeg.extend(b"\xff\xd9");
        assert_eq!(refused(&jpeg), ImageError::Unsupported);
    }
}

#[test]
fn a_second_frame_header_cannot_change_the_size() {
    let small = as_jpeg(&quarters(16, 16), |_| {});
    let frame = small.windows(2).position(|at| at == b"\xff\xc0").unwrap();
    let mut large = small[frame..frame + 19].to_vec();
    large[5..9].copy_from_slice(&[0xff; 4]);
    // Before the true one, and after it.
    let before = [&small[..frame], &large, &small[frame..]].concat();
    let after = [&small[..frame + 19], &large, &small[frame + 19..]].concat();
    for jpeg in [before, after] {
        assert!(matches!(
            refused(&jpeg),
            ImageError::Unsupported | ImageError::ResolutionTooLarge
        ));
    }
}

#[test]
fn only_the_first_frame_of_many_is_decoded() {
    let mut bytes = Vec::new();
    {
        let mut encoder = image::codecs::gif::GifEncoder::new_with_speed(&mut bytes, 30);
        let frame = |colour| image::Frame::new(RgbaImage::from_pixel(40, 40, Rgba(colour)));
        encoder.encode_frame(frame([200, 0, 0, 255])).unwrap();
        for _ in 0..200 {
            encoder.encode_frame(frame([0, 0, 200, 255])).unwrap();
        }
    }
    let image = rendered(&bytes, &sized(20, 20));
    assert_colour(&image, 10, 10, [200, 0, 0]);
    // Even if what follows the first frame is broken.
    bytes.truncate(bytes.len() / 2);
    assert_colour(&rendered(&bytes, &sized(20, 20)), 10, 10, [200, 0, 0]);
}

#[test]
fn an_animated_webp_is_its_first_frame() {
    let frames: Vec<_> = [[200, 0, 0], [0, 0, 200], [0, 200, 0]]
        .map(|colour| RgbImage::from_pixel(40, 40, Rgb(colour)))
        .into();
    let config = webp::WebPConfig::new().unwrap();
    let mut encoder = webp::AnimEncoder::new(40, 40, &config);
    for (at, frame) in (0..).zip(&frames) {
        encoder.add_frame(webp::AnimFrame::from_rgb(frame, 40, 40, at * 100));
    }
    let webp = encoder.try_encode().unwrap();
    let image = rendered(&webp, &sized(20, 20));
    assert_eq!((image.width(), image.height()), (20, 20));
    assert_colour(&image, 10, 10, [200, 0, 0]);
}

#[test]
fn the_first_bytes_decide_not_what_comes_after() {
    let html = b"<html><script>alert(1)</script></html>";
    let png = as_png(quarters(16, 16));
    assert_eq!(
        refused(&[&html[..], &png].concat()),
        ImageError::Unsupported
    );
    let output = render(
        &[&png[..], html].concat(),
        &sized(8, 8),
        false,
        &Limits::default(),
    );
    let output = output.unwrap();
    assert_eq!(output.content_type, "image/png");
    assert!(!output.bytes.windows(6).any(|part| part == b"script"));
    for other in [
        &b""[..],
        b"%PDF-1.4",
        b"PK\x03\x04",
        b"\0\0\0\x20ftypheic",
        b"GIF89",
        b"\xff\xd8\xff",
    ] {
        assert_eq!(refused(other), ImageError::Unsupported);
    }
}

static VALID_FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let image = quarters(40, 24);
    let rgba = DynamicImage::from(image.clone()).to_rgba8();
    let webp = webp::Encoder::from_rgba(&rgba, 40, 24);
    vec![
        as_jpeg(&image, |encoder| {
            encoder.add_app_segment(1, exif(6)).unwrap();
        }),
        as_jpeg(&image, |encoder| encoder.set_progressive(true)),
        as_png(image.clone()),
        as_png(rgba.clone()),
        as_format(image.clone(), ImageFormat::Gif),
        as_format(image.clone(), ImageFormat::Bmp),
        as_format(image, ImageFormat::Tiff),
        as_format(rgba.clone(), ImageFormat::Ico),
        webp.encode(60.0).to_vec(),
        webp.encode_lossless().to_vec(),
        b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><g a='b'>c</g></svg>"
            .to_vec(),
    ]
});

#[test]
fn half_a_file_is_refused() {
    for file in VALID_FILES.iter() {
        let half = &file[..file.len() / 2];
        assert_eq!(refused(half), ImageError::Unsupported, "{:?}", &file[..4]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Not `transform`, which would catch it.
    #[test]
    fn no_damage_makes_a_decoder_panic(
        file in 0..VALID_FILES.len(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..12),
        length in 10_usize..110,
    ) {
        let mut bytes = VALID_FILES[file].clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes.truncate(bytes.len() * length / 100);
        let limits = Limits { source_pixels: 1 << 20, decode_bytes: 32 << 20, ..Limits::default() };
        let _ = render(&bytes, &sized(20, 20), false, &limits);
    }
}
