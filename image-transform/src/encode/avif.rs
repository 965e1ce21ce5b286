//! AVIF. Its encoder is the slow part of the whole module, so it is held to a few choices.

use avif_serialize::{Aviffy, constants};
use image::{DynamicImage, RgbaImage};
use rav1e::{
    config::SpeedSettings,
    prelude::{
        BlockSize, ChromaSampling, ColorDescription, ColorPrimaries, Config, Context,
        EncoderConfig, EncoderStatus, MatrixCoefficients, PartitionRange, PixelRange,
        SceneDetectionSpeed, TransferCharacteristics, Tune,
    },
};

use super::{ImageError, Output, shrink_to};

const FASTEST: u8 = 10;
const MAX_SIDE: u32 = 16_384;
/// Up to here there is time to choose between two sizes of blocks, which makes smaller files.
const UNHURRIED_PIXELS: usize = 500_000;

/// Samples of one picture: brightness alone, or with two planes of colour at half the resolution.
struct Planes {
    width: usize,
    height: usize,
    luma: Vec<u8>,
    chroma: Option<[Vec<u8>; 2]>,
}

pub(super) fn encode(
    image: DynamicImage,
    quality: u8,
    max_pixels: u64,
) -> Result<Output, ImageError> {
    let image = shrink_to(image, |width, height| {
        #[expect(clippy::cast_precision_loss, reason = "a bound, not a count")]
        let area = max_pixels as f64 / (f64::from(width) * f64::from(height));
        area.sqrt()
            .min(f64::from(MAX_SIDE) / f64::from(width.max(height)))
    });
    let has_alpha = image.color().has_alpha();
    let rgba = image.into_rgba8();
    let (width, height) = rgba.dimensions();
    let colour = av1(&planes(&rgba), quality)?;
    let alpha = if has_alpha {
        Some(av1(&alpha_plane(&rgba), quality)?)
    } else {
        None
    };
    let bytes = Aviffy::new()
        .set_chroma_subsampling((true, true))
        .set_matrix_coefficients(constants::MatrixCoefficients::Bt601)
        .to_vec(&colour, alpha.as_deref(), width, height, 8);
    Ok(Output {
        bytes,
        content_type: "image/avif",
    })
}

fn alpha_plane(image: &RgbaImage) -> Planes {
    Planes {
        width: image.width() as usize,
        height: image.height() as usize,
        luma: image.pixels().map(|pixel| pixel.0[3]).collect(),
        chroma: None,
    }
}

/// Brightness and colour by BT.601 in full range; each colour sample is the mean of four pixels.
fn planes(image: &RgbaImage) -> Planes {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let half_width = width.div_ceil(2);
    let mut luma = Vec::with_capacity(width * height);
    // Sums of blue and red and the number of pixels in them, for one pair of rows.
    let mut sums = vec![[0_i32; 3]; half_width];
    let mut blue = Vec::with_capacity(half_width * height.div_ceil(2));
    let mut red = Vec::with_capacity(half_width * height.div_ceil(2));
    for (row, pixels) in image.rows().enumerate() {
        for (column, pixel) in pixels.enumerate() {
            let [r, g, b] = [pixel.0[0], pixel.0[1], pixel.0[2]].map(i32::from);
            // In 65,536ths.
            let y = 19_595 * r + 38_470 * g + 7_471 * b;
            luma.push(sample(y));
            if let Some(sum) = sums.get_mut(column / 2) {
                sum[0] += (-11_059 * r - 21_709 * g + 32_768 * b) >> 4;
                sum[1] += (32_768 * r - 27_439 * g - 5_329 * b) >> 4;
                sum[2] += 1;
            }
        }
        if row % 2 == 1 || row + 1 == height {
            for sum in &mut sums {
                let count = sum[2].max(1);
                blue.push(sample((sum[0] / count * 16) + (128 << 16)));
                red.push(sample((sum[1] / count * 16) + (128 << 16)));
                *sum = [0; 3];
            }
        }
    }
    Planes {
        width,
        height,
        luma,
        chroma: Some([blue, red]),
    }
}

fn sample(fixed: i32) -> u8 {
    u8::try_from(((fixed + (1 << 15)) >> 16).clamp(0, 255)).unwrap_or(u8::MAX)
}

fn config(planes: &Planes, quality: u8) -> EncoderConfig {
    let mut speed = SpeedSettings::from_preset(FASTEST);
    speed.rdo_lookahead_frames = 1;
    speed.scene_detection_mode = SceneDetectionSpeed::None;
    // Cheaper by a fifth, but the files are larger by half.
    speed.transform.tx_domain_rate = false;
    let unhurried = planes.width * planes.height <= UNHURRIED_PIXELS;
    speed.partition.partition_range = PartitionRange::new(
        BlockSize::BLOCK_16X16,
        if unhurried {
            BlockSize::BLOCK_32X32
        } else {
            BlockSize::BLOCK_16X16
        },
    );
    // As libaom spreads qualities over quantizers; 0 would mean lossless, which is another thing.
    let quantizer = (u16::from(100 - quality.min(100)) * 255 / 100).max(4);
    EncoderConfig {
        width: planes.width,
        height: planes.height,
        bit_depth: 8,
        chroma_sampling: match planes.chroma {
            Some(_) => ChromaSampling::Cs420,
            None => ChromaSampling::Cs400,
        },
        pixel_range: PixelRange::Full,
        color_description: planes.chroma.as_ref().map(|_| ColorDescription {
            color_primaries: ColorPrimaries::BT709,
            transfer_characteristics: TransferCharacteristics::SRGB,
            matrix_coefficients: MatrixCoefficients::BT601,
        }),
        still_picture: true,
        quantizer: quantizer.into(),
        min_quantizer: u8::try_from(quantizer).unwrap_or(u8::MAX),
        // The other choice takes three times as long without assembly.
        tune: Tune::Psnr,
        speed_settings: speed,
        ..EncoderConfig::default()
    }
}

fn av1(planes: &Planes, quality: u8) -> Result<Vec<u8>, ImageError> {
    // One thread: the pool has one transformation running for each core already.
    let config = Config::new()
        .with_encoder_config(config(planes, quality))
        .with_threads(1);
    let mut context: Context<u8> = config.new_context().map_err(|_| ImageError::Internal)?;
    let mut frame = context.new_frame();
    let [luma, blue, red] = &mut frame.planes;
    luma.copy_from_raw_u8(&planes.luma, planes.width, 1);
    if let Some([blue_samples, red_samples]) = &planes.chroma {
        let width = planes.width.div_ceil(2);
        blue.copy_from_raw_u8(blue_samples, width, 1);
        red.copy_from_raw_u8(red_samples, width, 1);
    }
    context
        .send_frame(frame)
        .map_err(|_| ImageError::Internal)?;
    context.flush();
    let mut bytes = Vec::new();
    loop {
        match context.receive_packet() {
            Ok(packet) => bytes.extend(packet.data),
            Err(EncoderStatus::Encoded) => {}
            Err(EncoderStatus::LimitReached) => return Ok(bytes),
            Err(_) => return Err(ImageError::Internal),
        }
    }
}
