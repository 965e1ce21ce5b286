use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

use super::*;

mod geometry;
mod hostile;

const RED: [u8; 3] = [220, 30, 30];
const GREEN: [u8; 3] = [30, 200, 40];
const BLUE: [u8; 3] = [30, 40, 210];
const WHITE: [u8; 3] = [250, 250, 250];

/// Red, green / blue, white.
fn quarters(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb(match (x < width / 2, y < height / 2) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => WHITE,
        })
    })
}

fn as_format(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn as_png(image: impl Into<DynamicImage>) -> Vec<u8> {
    as_format(image, ImageFormat::Png)
}

fn as_jpeg(image: &RgbImage, change: impl Fn(&mut jpeg_encoder::Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 95);
    change(&mut encoder);
    let (width, height) = (
        image.width().try_into().unwrap(),
        image.height().try_into().unwrap(),
    );
    encoder
        .encode(image, width, height, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    bytes
}

/// The result as bytes of the type its content type names.
fn decoded(output: &Output) -> DynamicImage {
    if output.content_type == "image/jpeg" {
        let mut decoder = jpeg_decoder::Decoder::new(&output.bytes[..]);
        let pixels = decoder.decode().unwrap();
        let info = decoder.info().unwrap();
        let (width, height) = (info.width.into(), info.height.into());
        return match info.pixel_format {
            jpeg_decoder::PixelFormat::L8 => image::GrayImage::from_raw(width, height, pixels)
                .unwrap()
                .into(),
            _ => RgbImage::from_raw(width, height, pixels).unwrap().into(),
        };
    }
    let format = ImageFormat::from_mime_type(output.content_type).unwrap();
    image::load_from_memory_with_format(&output.bytes, format).unwrap()
}

fn rendered(bytes: &[u8], wanted: &Transform) -> DynamicImage {
    decoded(&render(bytes, wanted, false, &Limits::default()).unwrap())
}

fn sized(width: impl Into<Option<u32>>, height: impl Into<Option<u32>>) -> Transform {
    Transform {
        width: width.into(),
        height: height.into(),
        ..Transform::default()
    }
}

/// Colours survive encoders only roughly.
#[track_caller]
fn assert_colour(image: &DynamicImage, x: u32, y: u32, expected: [u8; 3]) {
    let Rgb(seen) = *image.to_rgb8().get_pixel(x, y);
    let near = seen.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 24);
    assert!(near, "{seen:?} at {x},{y}, not {expected:?}");
}

#[track_caller]
fn assert_corners(image: &DynamicImage, expected: [[u8; 3]; 4]) {
    let (right, bottom) = (image.width() - 2, image.height() - 2);
    let corners = [(1, 1), (right, 1), (1, bottom), (right, bottom)];
    for ((x, y), colour) in corners.into_iter().zip(expected) {
        assert_colour(image, x, y, colour);
    }
}

fn exif(orientation: u8) -> Vec<u8> {
    // Big-endian, one entry: tag 0x112, a short.
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    exif
}

#[test]
fn every_orientation_is_turned_upright() {
    let stored = quarters(96, 64);
    let seen = [
        [RED, GREEN, BLUE, WHITE],
        [GREEN, RED, WHITE, BLUE],
        [WHITE, BLUE, GREEN, RED],
        [BLUE, WHITE, RED, GREEN],
        [RED, BLUE, GREEN, WHITE],
        [BLUE, RED, WHITE, GREEN],
        [WHITE, GREEN, BLUE, RED],
        [GREEN, WHITE, RED, BLUE],
    ];
    for (orientation, corners) in (1..=8).zip(seen) {
        let jpeg = as_jpeg(&stored, |encoder| {
            encoder.add_app_segment(1, exif(orientation)).unwrap();
        });
        let upright = if orientation < 5 { (96, 64) } else { (64, 96) };
        let info = inspect(&jpeg, &Limits::default()).unwrap();
        assert_eq!(info.upright(), upright, "{orientation}");
        let whole = rendered(&jpeg, &Transform::default());
        assert_eq!((whole.width(), whole.height()), upright, "{orientation}");
        assert_corners(&whole, corners);
        // Width is width as seen, not as stored.
        let half = rendered(&jpeg, &sized(upright.0 / 2, None));
        assert_eq!(
            (half.width(), half.height()),
            (upright.0 / 2, upright.1 / 2)
        );
        assert_corners(&half, corners);
    }
}

#[test]
fn orientation_beyond_the_eight_is_ignored() {
    for orientation in [0, 9, 255] {
        let jpeg = as_jpeg(&quarters(96, 64), |encoder| {
            encoder.add_app_segment(1, exif(orientation)).unwrap();
        });
        assert_corners(
            &rendered(&jpeg, &sized(48, None)),
            [RED, GREEN, BLUE, WHITE],
        );
    }
}

#[test]
fn every_source_format_is_read_and_written_as_its_kind() {
    let image = quarters(64, 32);
    let lossless_webp = webp::Encoder::from_rgb(&image, 64, 32)
        .encode_lossless()
        .to_vec();
    for (bytes, content_type) in [
        (as_jpeg(&image, |_| {}), "image/jpeg"),
        (as_png(image.clone()), "image/png"),
        (as_format(image.clone(), ImageFormat::Gif), "image/gif"),
        (as_format(image.clone(), ImageFormat::Bmp), "image/jpeg"),
        (as_format(image.clone(), ImageFormat::Tiff), "image/jpeg"),
        (
            as_format(
                DynamicImage::from(image.clone()).to_rgba8(),
                ImageFormat::Ico,
            ),
            "image/png",
        ),
        (lossless_webp, "image/jpeg"),
    ] {
        let wanted = sized(32, None);
        let output = render(&bytes, &wanted, false, &Limits::default()).unwrap();
        assert_eq!(output.content_type, content_type);
        let image = decoded(&output);
        assert_eq!((image.width(), image.height()), (32, 16));
        assert_corners(&image, [RED, GREEN, BLUE, WHITE]);
        let negotiated = render(&bytes, &wanted, true, &Limits::default()).unwrap();
        assert_eq!(negotiated.content_type, "image/webp");
        assert_corners(&decoded(&negotiated), [RED, GREEN, BLUE, WHITE]);
    }
}

#[test]
fn avif_is_written_but_not_below_sixteen_pixels() {
    let png = as_png(quarters(64, 32));
    let avif = |wanted: Transform| {
        let wanted = Transform {
            format: Format::Avif,
            ..wanted
        };
        render(&png, &wanted, true, &Limits::default()).unwrap()
    };
    let output = avif(sized(32, None));
    assert_eq!(output.content_type, "image/avif");
    assert_eq!(output.bytes.get(4..12), Some(&b"ftypavif"[..]));
    assert_eq!(avif(sized(20, 10)).content_type, "image/jpeg");
}

#[test]
fn transparency_lasts_where_it_can_and_lies_on_white_elsewhere() {
    let mut image = RgbaImage::from_pixel(40, 40, Rgba([200, 0, 0, 0]));
    for (x, _, pixel) in image.enumerate_pixels_mut() {
        if x < 20 {
            *pixel = Rgba([0, 0, 200, 255]);
        }
    }
    let png = as_png(image.clone());
    let kept = rendered(&png, &sized(20, None)).to_rgba8();
    assert_eq!(kept.get_pixel(18, 5).0[3], 0);
    assert_eq!(kept.get_pixel(2, 5).0, [0, 0, 200, 255]);
    // No red of the invisible part bleeds into the visible one.
    assert!(
        kept.pixels().all(|p| p.0[3] < 8 || p.0[0] < 8),
        "invisible colours shine through"
    );
    let webp = Transform {
        format: Format::Webp,
        ..sized(20, None)
    };
    assert_eq!(rendered(&png, &webp).to_rgba8().get_pixel(18, 5).0[3], 0);
    // A file of transparent pixels that must become a JPEG.
    let jpeg = encode::encode(image.into(), encode::Target::Jpeg, None, &Limits::default());
    let jpeg = decoded(&jpeg.unwrap());
    assert_colour(&jpeg, 35, 20, [255, 255, 255]);
    assert_colour(&jpeg, 5, 20, [0, 0, 200]);
}

#[test]
fn grey_stays_grey() {
    let grey =
        image::GrayImage::from_fn(64, 64, |x, _| image::Luma([if x < 32 { 40 } else { 200 }]));
    let png = rendered(&as_png(grey.clone()), &sized(32, 32));
    assert_eq!(png.color(), image::ColorType::L8);
    assert_colour(&png, 4, 4, [40; 3]);
    let mut jpeg = Vec::new();
    jpeg_encoder::Encoder::new(&mut jpeg, 90)
        .encode(&grey, 64, 64, jpeg_encoder::ColorType::Luma)
        .unwrap();
    let jpeg = rendered(&jpeg, &sized(32, 32));
    assert_eq!(jpeg.color(), image::ColorType::L8);
    assert_colour(&jpeg, 28, 4, [200; 3]);
}

#[test]
fn print_colours_become_screen_colours() {
    // Cyan ink in the left half, black ink in the right one.
    let ink: Vec<u8> = (0..64 * 64)
        .flat_map(|at| {
            if at % 64 < 32 {
                [255, 0, 0, 0]
            } else {
                [0, 0, 0, 255]
            }
        })
        .collect();
    for kind in [
        jpeg_encoder::ColorType::Cmyk,
        jpeg_encoder::ColorType::CmykAsYcck,
    ] {
        let mut jpeg = Vec::new();
        jpeg_encoder::Encoder::new(&mut jpeg, 95)
            .encode(&ink, 64, 64, kind)
            .unwrap();
        let image = rendered(&jpeg, &sized(32, 32));
        assert_colour(&image, 4, 16, [0, 255, 255]);
        assert_colour(&image, 28, 16, [0, 0, 0]);
    }
}

#[test]
fn a_wide_gamut_profile_is_converted_and_dropped() {
    let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    let image = RgbImage::from_pixel(64, 64, Rgb([200, 120, 90]));
    let jpeg = as_jpeg(&image, |encoder| encoder.add_icc_profile(&profile).unwrap());
    let output = render(&jpeg, &sized(32, 32), false, &Limits::default()).unwrap();
    assert!(!output.bytes.windows(11).any(|part| part == b"ICC_PROFILE"));
    let Rgb(seen) = *decoded(&output).to_rgb8().get_pixel(16, 16);
    // By the matrices of the two colour spaces.
    for (seen, expected) in seen.into_iter().zip([211, 117, 85]) {
        assert!(seen.abs_diff(expected) <= 5, "{seen} is not {expected}");
    }
    let broken = as_jpeg(&image, |encoder| {
        encoder.add_icc_profile(&profile[..200]).unwrap();
    });
    assert_colour(&rendered(&broken, &sized(32, 32)), 16, 16, [200, 120, 90]);
}

#[test]
fn metadata_does_not_leave() {
    let jpeg = as_jpeg(&quarters(64, 64), |encoder| {
        encoder.add_app_segment(1, exif(1)).unwrap();
        encoder
            .add_app_segment(13, b"where I live".to_vec())
            .unwrap();
    });
    let output = render(&jpeg, &Transform::default(), false, &Limits::default()).unwrap();
    for secret in [&b"Exif"[..], b"where I live"] {
        assert!(
            !output
                .bytes
                .windows(secret.len())
                .any(|part| part == secret)
        );
    }
}

#[test]
fn quality_is_what_the_size_follows() {
    let noisy = RgbImage::from_fn(200, 200, |x, y| {
        Rgb([(x * 7) ^ (y * 13), x * y, x * 3 + y * 5].map(|value| value.to_le_bytes()[0]))
    });
    let png = as_png(noisy);
    for format in [Format::Webp, Format::Avif] {
        let size = |quality| {
            let wanted = Transform {
                quality: Some(quality),
                format,
                ..Transform::default()
            };
            render(&png, &wanted, false, &Limits::default())
                .unwrap()
                .bytes
                .len()
        };
        assert!(size(20) < size(60) && size(60) < size(95), "{format:?}");
    }
}

#[test]
fn a_png_with_wrong_checksums_is_shown_all_the_same() {
    let mut bytes = as_png(quarters(40, 40));
    let data = bytes.windows(4).position(|at| at == b"IDAT").unwrap();
    let length = u32::from_be_bytes(*bytes[data - 4..].first_chunk().unwrap());
    bytes[data + 4 + length as usize] ^= 1;
    let image = rendered(&bytes, &sized(20, 20));
    assert_corners(&image, [RED, GREEN, BLUE, WHITE]);
}

#[test]
fn svg_passes_whatever_was_asked() {
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script/><path/></svg>";
    for accepts_webp in [false, true] {
        let output = render(svg, &sized(10, 10), accepts_webp, &Limits::default()).unwrap();
        assert_eq!(output.content_type, "image/svg+xml");
        assert!(!String::from_utf8(output.bytes).unwrap().contains("script"));
    }
}
