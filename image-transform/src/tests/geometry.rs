use super::*;

fn plan(source: (u32, u32), width: u32, height: u32, resize: Resize) -> [(u32, u32); 2] {
    let wanted = Transform {
        resize: Some(resize),
        ..sized((width > 0).then_some(width), (height > 0).then_some(height))
    };
    let plan = super::super::geometry::plan(source, &wanted);
    [plan.scaled, plan.result]
}

#[test]
fn sizes_follow_the_renderer() {
    use Resize::{Contain, Cover, Fill};
    for (source, (width, height), resize, scaled, result) in [
        ((4000, 3000), (0, 0), Cover, (4000, 3000), (4000, 3000)),
        ((4000, 3000), (640, 0), Cover, (640, 480), (640, 480)),
        ((4000, 3000), (0, 300), Contain, (400, 300), (400, 300)),
        ((4000, 3000), (400, 400), Cover, (533, 400), (400, 400)),
        ((3000, 4000), (400, 400), Cover, (400, 533), (400, 400)),
        ((4000, 3000), (400, 400), Contain, (400, 300), (400, 300)),
        ((4000, 3000), (400, 400), Fill, (400, 400), (400, 400)),
        ((4000, 3000), (400, 0), Fill, (400, 3000), (400, 3000)),
        // Never enlarged: cover cuts what it can, fill keeps the shape asked for.
        ((400, 400), (800, 600), Cover, (400, 400), (400, 400)),
        ((400, 400), (300, 600), Cover, (400, 400), (300, 400)),
        ((400, 400), (800, 600), Contain, (400, 400), (400, 400)),
        ((400, 400), (300, 600), Contain, (300, 300), (300, 300)),
        ((400, 400), (800, 400), Fill, (400, 200), (400, 200)),
        ((400, 400), (300, 600), Fill, (200, 400), (200, 400)),
        ((400, 400), (800, 0), Cover, (400, 400), (400, 400)),
        // Nothing vanishes.
        ((10_000, 1), (10, 0), Cover, (10, 1), (10, 1)),
        ((1, 10_000), (0, 1), Contain, (1, 1), (1, 1)),
        ((3, 2), (2, 0), Cover, (2, 1), (2, 1)),
    ] {
        assert_eq!(
            plan(source, width, height, resize),
            [scaled, result],
            "{source:?} to {width}x{height} {resize:?}"
        );
    }
}

/// Nine fields, told apart by brightness.
fn fields() -> Vec<u8> {
    as_png(RgbImage::from_fn(90, 90, |x, y| {
        let field = u8::try_from(y / 30 * 3 + x / 30).unwrap();
        Rgb([field * 25 + 20; 3])
    }))
}

fn seen_field(image: &DynamicImage) -> u8 {
    let middle = image
        .to_luma8()
        .get_pixel(image.width() / 2, image.height() / 2)
        .0[0];
    (middle - 8) / 25
}

fn edge(horizontal: i8, vertical: i8) -> Gravity {
    Gravity::Edge {
        horizontal,
        vertical,
        x: None,
        y: None,
    }
}

#[test]
fn gravity_says_which_part_stays() {
    // Cut from a wide and from a tall source, so that each direction has something to lose.
    for (name, gravity, wide, tall) in [
        ("default", None, 4, 4),
        ("ce", Some(edge(0, 0)), 4, 4),
        ("no", Some(edge(0, -1)), 4, 1),
        ("so", Some(edge(0, 1)), 4, 7),
        ("we", Some(edge(-1, 0)), 3, 4),
        ("ea", Some(edge(1, 0)), 5, 4),
        ("nowe", Some(edge(-1, -1)), 3, 1),
        ("noea", Some(edge(1, -1)), 5, 1),
        ("sowe", Some(edge(-1, 1)), 3, 7),
        ("soea", Some(edge(1, 1)), 5, 7),
        ("fp", Some(Gravity::Focus { x: 0.1, y: 0.9 }), 3, 7),
        ("fp", Some(Gravity::Focus { x: 0.9, y: 0.5 }), 5, 4),
    ] {
        let cut = |width, height| {
            let wanted = Transform {
                gravity,
                ..sized(width, height)
            };
            let image = rendered(&fields(), &wanted);
            assert_eq!((image.width(), image.height()), (width, height));
            seen_field(&image)
        };
        assert_eq!((cut(30, 90), cut(90, 30)), (wide, tall), "{name}");
    }
}

#[test]
fn offsets_move_inwards_in_pixels_or_in_parts() {
    let cut = |horizontal, x| {
        let wanted = Transform {
            gravity: Some(Gravity::Edge {
                horizontal,
                vertical: 0,
                x: Some(x),
                y: None,
            }),
            ..sized(30, 90)
        };
        seen_field(&rendered(&fields(), &wanted))
    };
    assert_eq!(cut(-1, 30.0), 4);
    assert_eq!(cut(1, 30.0), 4);
    assert_eq!(cut(-1, 0.34), 4);
    assert_eq!(cut(0, 30.0), 5);
    assert_eq!(cut(0, -30.0), 3);
    // Never out of the image.
    assert_eq!(cut(-1, -500.0), 3);
    assert_eq!(cut(-1, 1e300), 5);
    assert_eq!(cut(1, f64::NAN), 3);
}

#[test]
fn smart_gravity_finds_what_stands_out() {
    for (at, name) in [(10, "left"), (330, "right")] {
        let image = RgbImage::from_fn(400, 100, |x, y| {
            let inside = x.abs_diff(at + 30) < 28 && y.abs_diff(50) < 28;
            if inside && (x / 4 + y / 4) % 2 == 0 {
                Rgb([230, 60, 30])
            } else {
                Rgb([128, 130, 128])
            }
        });
        let wanted = Transform {
            gravity: Some(Gravity::Smart),
            ..sized(100, 100)
        };
        let part = rendered(&as_png(image), &wanted).to_rgb8();
        assert_eq!((part.width(), part.height()), (100, 100));
        let red = part.pixels().filter(|p| p.0[0] > 200).count();
        assert!(red > 1300, "{name}: only {red} pixels of it");
    }
}

#[test]
fn scaled_decoding_keeps_sizes_exact_and_colours_in_place() {
    let jpeg = as_jpeg(&quarters(1003, 757), |_| {});
    for width in [1003, 700, 501, 333, 250, 126, 100, 63, 9] {
        let image = rendered(&jpeg, &sized(width, None));
        let height = (757.0 * f64::from(width) / 1003.0).round();
        assert_eq!((image.width(), f64::from(image.height())), (width, height));
        assert_corners(&image, [RED, GREEN, BLUE, WHITE]);
    }
}
