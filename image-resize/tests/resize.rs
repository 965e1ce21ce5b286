//! Images of another size.

use image_resize::{Channels, resize};

#[test]
fn an_image_of_one_colour_keeps_it_at_any_size() {
    for (channels, pixel) in [
        (Channels::Grey, &[7][..]),
        (Channels::GreyAlpha, &[7, 255]),
        (Channels::Rgb, &[1, 2, 3]),
        (Channels::Rgba, &[1, 2, 3, 255]),
        (Channels::Four, &[1, 2, 3, 0]),
    ] {
        for to in [(3, 2), (16, 9), (8, 6)] {
            let scaled = resize(pixel.repeat(8 * 6), channels, (8, 6), to).unwrap();
            assert_eq!(
                scaled,
                pixel.repeat((to.0 * to.1) as usize),
                "{channels:?} {to:?}"
            );
        }
    }
}

#[test]
fn what_is_not_seen_colours_nothing() {
    let bytes = [[200, 0, 0, 255], [0, 200, 0, 0]].concat();
    let scaled = resize(bytes, Channels::Rgba, (2, 1), (1, 1)).unwrap();
    // Not a mixture of the two; the last bit may go with the weighting.
    assert!(scaled[0] >= 198 && scaled[1] == 0, "{scaled:?}");
}

#[test]
fn bytes_of_another_size_are_no_image() {
    assert_eq!(resize(vec![0; 10], Channels::Rgb, (2, 2), (1, 1)), None);
}
