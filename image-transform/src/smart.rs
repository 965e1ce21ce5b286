//! The part of an image that draws the eye: where edges, strong colours and skin tones gather.
//!
//! A small copy is scored pixel by pixel, and the window with the highest sum wins; of equals, the one
//! nearest to the middle.

use image::{DynamicImage, imageops::FilterType};

const SIDE: u32 = 96;
const SKIN: [f64; 3] = [0.78, 0.57, 0.44];

/// The left and top edge of a window of `size`, which fits into the image.
pub(super) fn position(image: &DynamicImage, size: (u32, u32)) -> (u32, u32) {
    let (width, height) = (image.width(), image.height());
    let factor = f64::from(SIDE) / f64::from(width.max(height).max(SIDE));
    let small = |length: u32| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not larger than the length"
        )]
        let length = (f64::from(length) * factor).round() as u32;
        length.max(1)
    };
    let (columns, rows) = (small(width), small(height));
    let window = (small(size.0).min(columns), small(size.1).min(rows));
    let copy = image
        .resize_exact(columns, rows, FilterType::Triangle)
        .to_rgb8();
    let sums = summed(&copy, columns, rows);
    let mut best = (f64::MIN, 0, 0);
    for top in 0..=rows - window.1 {
        for left in 0..=columns - window.0 {
            let sum = window_sum(&sums, columns, (left, top), window);
            let off = f64::from((2 * left).abs_diff(columns - window.0))
                + f64::from((2 * top).abs_diff(rows - window.1));
            let score = sum - off * 1e-3;
            if score > best.0 {
                best = (score, left, top);
            }
        }
    }
    let large = |at: u32, range: u32, free: u32| {
        if range == 0 {
            return free / 2;
        }
        u32::try_from(u64::from(at) * u64::from(free) / u64::from(range)).unwrap_or(free)
    };
    (
        large(best.1, columns - window.0, width.saturating_sub(size.0)),
        large(best.2, rows - window.1, height.saturating_sub(size.1)),
    )
}

/// Sums of the scores above and to the left, with a zero row and column before.
fn summed(image: &image::RgbImage, columns: u32, rows: u32) -> Vec<f64> {
    let stride = columns as usize + 1;
    let mut sums = vec![0.0; stride * (rows as usize + 1)];
    for y in 0..rows {
        let mut row = 0.0;
        for x in 0..columns {
            row += score(image, x, y);
            let at = (y as usize + 1) * stride + x as usize + 1;
            sums[at] = sums[at - stride] + row;
        }
    }
    sums
}

fn window_sum(sums: &[f64], columns: u32, at: (u32, u32), size: (u32, u32)) -> f64 {
    let stride = columns as usize + 1;
    let corner = |x: u32, y: u32| {
        let index = y as usize * stride + x as usize;
        sums.get(index).copied().unwrap_or_default()
    };
    let (right, bottom) = (at.0 + size.0, at.1 + size.1);
    corner(right, bottom) + corner(at.0, at.1) - corner(right, at.1) - corner(at.0, bottom)
}

fn score(image: &image::RgbImage, x: u32, y: u32) -> f64 {
    let here = image.get_pixel(x, y).0.map(f64::from);
    let luma = |x: u32, y: u32| {
        let weights = [0.2126, 0.7152, 0.0722];
        let pixel = image.get_pixel(x, y).0.map(f64::from);
        pixel
            .into_iter()
            .zip(weights)
            .map(|(a, w)| a * w)
            .sum::<f64>()
    };
    let light = luma(x, y);
    let right = luma((x + 1).min(image.width() - 1), y);
    let below = luma(x, (y + 1).min(image.height() - 1));
    let edge = (light - right).abs() + (light - below).abs();
    let strongest = here.into_iter().fold(0.0, f64::max);
    let weakest = here.into_iter().fold(255.0, f64::min);
    // Skin of any shade has its red, green and blue in about these proportions.
    let length = here.into_iter().map(|c| c * c).sum::<f64>().sqrt().max(1.0);
    let off = here
        .into_iter()
        .zip(SKIN)
        .map(|(c, skin)| (c / length - skin).powi(2));
    let skin = if light > 20.0 {
        (1.0 - off.sum::<f64>().sqrt() * 5.0).max(0.0)
    } else {
        0.0
    };
    edge + 0.3 * (strongest - weakest) + 40.0 * skin
}
