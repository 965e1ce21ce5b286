//! Sizes and positions, with the renderer's rules and roundings: never larger than the source, shapes kept
//! where enlarging would be needed to reach them.

use image::DynamicImage;

use super::{
    params::{Gravity, Resize, Transform},
    smart,
};

/// What will become of an image, seen upright.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The size to scale to.
    pub(super) scaled: (u32, u32),
    /// The size to cut to afterwards.
    pub(super) result: (u32, u32),
}

/// Rounds to pixels, at least one.
fn pixels(length: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "lengths are positive, and saturate"
    )]
    let length = length.round() as u32;
    length.max(1)
}

/// Plans the transformation of an upright source.
pub(super) fn plan(source: (u32, u32), wanted: &Transform) -> Plan {
    let (source_width, source_height) = (f64::from(source.0), f64::from(source.1));
    let ratio =
        |source: f64, wanted: Option<u32>| wanted.map_or(1.0, |side| source / f64::from(side));
    let mut horizontal = ratio(source_width, wanted.width);
    let mut vertical = ratio(source_height, wanted.height);
    match (
        wanted.width,
        wanted.height,
        wanted.resize.unwrap_or_default(),
    ) {
        (_, _, Resize::Fill) => {}
        (None, _, _) => horizontal = vertical,
        (_, None, _) => vertical = horizontal,
        (_, _, Resize::Contain) => {
            horizontal = horizontal.max(vertical);
            vertical = horizontal;
        }
        (_, _, Resize::Cover) => {
            horizontal = horizontal.min(vertical);
            vertical = horizontal;
        }
    }
    // Nothing is enlarged: the side that would be keeps its length, the other follows in proportion.
    let enlarging = horizontal.min(vertical).min(1.0);
    horizontal = (horizontal / enlarging).min(source_width);
    vertical = (vertical / enlarging).min(source_height);
    let scaled = (
        pixels(source_width / horizontal),
        pixels(source_height / vertical),
    );
    Plan {
        scaled,
        result: (
            wanted.width.unwrap_or(scaled.0).min(scaled.0),
            wanted.height.unwrap_or(scaled.1).min(scaled.1),
        ),
    }
}

impl Plan {
    /// How many source pixels come together in one, along the side where they are fewer.
    pub(super) fn shrink(&self, source: (u32, u32)) -> f64 {
        let horizontal = f64::from(source.0) / f64::from(self.scaled.0);
        let vertical = f64::from(source.1) / f64::from(self.scaled.1);
        horizontal.min(vertical)
    }

    /// The left and top edge of the part that stays.
    pub(super) fn position(&self, scaled: &DynamicImage, gravity: Option<Gravity>) -> (u32, u32) {
        let free = (
            self.scaled.0.saturating_sub(self.result.0),
            self.scaled.1.saturating_sub(self.result.1),
        );
        if free == (0, 0) {
            return (0, 0);
        }
        match gravity.unwrap_or_default() {
            Gravity::Centre => (
                along(self.scaled.0, free.0, 0, 0.0),
                along(self.scaled.1, free.1, 0, 0.0),
            ),
            Gravity::Edge {
                horizontal,
                vertical,
                x,
                y,
            } => (
                along(self.scaled.0, free.0, horizontal, x.unwrap_or_default()),
                along(self.scaled.1, free.1, vertical, y.unwrap_or_default()),
            ),
            Gravity::Focus { x, y } => (
                around(self.scaled.0, self.result.0, free.0, x),
                around(self.scaled.1, self.result.1, free.1, y),
            ),
            Gravity::Smart => smart::position(scaled, self.result),
        }
    }
}

/// Rounds half to even and keeps within the free space.
fn within(position: f64, free: u32) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a range of u32"
    )]
    let position = position.round_ties_even().clamp(0.0, f64::from(free)) as u32;
    position
}

fn along(length: u32, free: u32, edge: i8, offset: f64) -> u32 {
    let offset = if offset.abs() >= 1.0 {
        offset
    } else {
        offset * f64::from(length)
    };
    let offset = offset.round_ties_even();
    let free_length = f64::from(free);
    let position = match edge {
        -1 => offset,
        1 => free_length - offset,
        _ => (f64::midpoint(free_length, 1.0)).round_ties_even() + offset,
    };
    within(position, free)
}

fn around(length: u32, inner: u32, free: u32, point: f64) -> u32 {
    let point = (f64::from(length) * point).round_ties_even();
    within(point - f64::from(inner / 2), free)
}
