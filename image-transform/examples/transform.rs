//! Times transformations of a file: `cargo run --release -p image-transform --example transform -- photo.jpg …`.
//!
//! Prints the best of several runs in milliseconds and the size of the result, each to 640 pixels of width.

use std::time::Instant;

use image_transform::{Format, Limits, Transform, transform};

fn main() -> anyhow::Result<()> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        for (name, format) in [
            ("origin", Format::Origin),
            ("webp", Format::Webp),
            ("avif", Format::Avif),
        ] {
            let wanted = Transform {
                width: Some(640),
                format,
                ..Transform::default()
            };
            let mut best = f64::MAX;
            let mut size = 0;
            for _ in 0..7 {
                let start = Instant::now();
                size = transform(&bytes, &wanted, false, &Limits::default())?
                    .bytes
                    .len();
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            println!("{path} -> {name}: {best:.1} ms, {size} bytes");
        }
    }
    Ok(())
}
