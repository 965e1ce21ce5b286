use proptest::prelude::*;
use serde_json::json;

use super::*;

fn query(text: &str) -> Result<Transform, String> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    Transform::from_query(pairs, SizeLimits::default()).map_err(|error| error.0)
}

/// Texts seen from the original's validator with the original's schema.
#[test]
fn violations_read_as_the_schema_says_them() {
    for (text, message) in [
        ("width=abc", "querystring/width must be integer"),
        ("width=", "querystring/width must be integer"),
        ("width=-1", "querystring/width must be >= 0"),
        ("width=1.5", "querystring/width must be integer"),
        ("width=1&width=2", "querystring/width must be integer"),
        ("width=1_0", "querystring/width must be integer"),
        ("width=-0x5", "querystring/width must be integer"),
        ("width=true", "querystring/width must be integer"),
        ("width=NaN", "querystring/width must be integer"),
        ("width=inf", "querystring/width must be integer"),
        (
            "width=Infinity",
            "querystring/width must pass \"finite\" keyword validation",
        ),
        ("width=-1&height=-1", "querystring/height must be >= 0"),
        ("quality=10&width=-1", "querystring/width must be >= 0"),
        ("quality=19", "querystring/quality must be >= 20"),
        ("quality=101", "querystring/quality must be <= 100"),
        ("quality=20.5", "querystring/quality must be integer"),
        (
            "resize=x",
            "querystring/resize must be equal to one of the allowed values",
        ),
        (
            "resize=cover&resize=fill",
            "querystring/resize must be string",
        ),
        (
            "format=jpg",
            "querystring/format must be equal to one of the allowed values",
        ),
        (
            "gravity=xx",
            "querystring/gravity must be equal to one of the allowed values",
        ),
        (
            "gravity=fp",
            "querystring must have required property 'x_offset'",
        ),
        (
            "gravity=fp&x_offset=a",
            "querystring must have required property 'y_offset'",
        ),
        (
            "gravity=fp&x_offset=2&y_offset=0",
            "querystring/x_offset must be <= 1",
        ),
        (
            "gravity=fp&x_offset=0.2&y_offset=-7",
            "querystring/y_offset must be >= 0",
        ),
        (
            "gravity=fp&x_offset=Infinity&y_offset=0",
            "querystring/x_offset must be number",
        ),
        (
            "gravity=fp&width=-1",
            "querystring must have required property 'x_offset'",
        ),
        ("x_offset=abc", "querystring/x_offset must be number"),
        (
            "x_offset=1e999",
            "querystring/x_offset must pass \"finite\" keyword validation",
        ),
    ] {
        assert_eq!(query(text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn sizes_are_clamped_and_zero_is_absent() {
    let sizes = |text| query(text).map(|read| (read.width, read.height));
    assert_eq!(sizes(""), Ok((None, None)));
    assert_eq!(sizes("width=0&height=0"), Ok((None, None)));
    assert_eq!(
        sizes("width=5000&height=2001"),
        Ok((Some(2000), Some(2000)))
    );
    assert_eq!(sizes("width=1e300"), Ok((Some(2000), None)));
    assert_eq!(
        sizes("width= 5&height=%2B5"),
        Err("querystring/height must be integer".into())
    );
    assert_eq!(sizes("width=0x10&height=1e2"), Ok((Some(16), Some(100))));
    assert_eq!(sizes("width=5.0&height=+7"), Ok((Some(5), Some(7))));
    let pairs = [("width", "3")];
    let limits = SizeLimits { min: 10, max: 20 };
    assert_eq!(
        Transform::from_query(pairs, limits).unwrap().width,
        Some(10)
    );
}

#[test]
fn a_json_body_is_coerced_as_the_validator_coerces() {
    let read = |body| Transform::from_json(&body, SizeLimits::default()).map_err(|e| e.0);
    assert_eq!(read(json!({"width": true})).unwrap().width, Some(1));
    assert_eq!(read(json!({"width": null})).unwrap().width, None);
    assert_eq!(read(json!({"width": "12"})).unwrap().width, Some(12));
    assert_eq!(read(json!({"width": [5]})).unwrap().width, Some(5));
    for (body, message) in [
        (
            json!({"width": [5, 6]}),
            "body/transform/width must be integer",
        ),
        (json!({"width": {}}), "body/transform/width must be integer"),
        (
            json!({"quality": 5}),
            "body/transform/quality must be >= 20",
        ),
        (
            json!({"resize": null}),
            "body/transform/resize must be equal to one of the allowed values",
        ),
        (
            json!({"gravity": "fp"}),
            "body/transform must have required property 'x_offset'",
        ),
        (json!(5), "body/transform must be object"),
        (json!([]), "body/transform must be object"),
    ] {
        assert_eq!(read(body), Err(message.to_owned()));
    }
}

#[test]
fn claim_and_header_differ_in_how_they_name_the_resize() {
    let read = query(
        "width=100&height=50&resize=contain&quality=70&format=webp&gravity=noea&x_offset=0.25",
    );
    let read = read.unwrap();
    assert_eq!(
        read.claim(),
        "height:50,width:100,resize:contain,quality:70,format:webp,gravity:noea:0.25:0"
    );
    assert_eq!(
        read.header(),
        "height:50,width:100,resizing_type:fit,quality:70,format:webp,gravity:noea:0.25:0"
    );
    let bare = query("width=100").unwrap();
    assert_eq!(bare.claim(), "width:100,resize:undefined");
    assert_eq!(bare.header(), "width:100,resizing_type:fill");
    assert_eq!(query("format=origin").unwrap().claim(), "");
    assert_eq!(
        query("gravity=sm&x_offset=3").unwrap().header(),
        "gravity:sm"
    );
    assert_eq!(query("gravity=ce").unwrap().header(), "gravity:ce");
}

#[test]
fn a_claim_keeps_what_can_be_read_of_it() {
    let read = |claim| Transform::from_claim(claim, SizeLimits::default());
    let partly = read("height:12px,width:,resize:undefined,quality:70,gravity:no:3,colour:red,x");
    assert_eq!(partly.height, Some(12));
    assert_eq!(partly.width, None);
    assert_eq!(partly.resize, None);
    assert_eq!(partly.quality, Some(70));
    assert_eq!(
        partly.gravity,
        Some(Gravity::Edge {
            horizontal: 0,
            vertical: -1,
            x: Some(3.0),
            y: None
        })
    );
    assert_eq!(read(""), Transform::default());
    assert_eq!(read("gravity:fp:2:0").gravity, None);
    assert_eq!(read("width:99999").width, Some(2000));
}

#[test]
fn webp_is_negotiated_only_where_the_format_is_open() {
    let accept = Some("text/html,image/avif,image/webp,*/*");
    assert!(query("").unwrap().accepts_webp(accept));
    assert!(!query("").unwrap().accepts_webp(Some("image/*")));
    assert!(!query("").unwrap().accepts_webp(None));
    assert!(!query("format=origin").unwrap().accepts_webp(accept));
    assert!(!query("format=avif").unwrap().accepts_webp(accept));
}

proptest! {
    #[test]
    fn a_written_claim_reads_back(
        width in proptest::option::of(1_u32..2000),
        quality in proptest::option::of(20_u8..=100),
        resize in 0_usize..3,
        gravity in 0_usize..11,
        x in -500.0..500.0_f64,
        y in 0.0..1.0_f64,
    ) {
        let resize = [Resize::Cover, Resize::Contain, Resize::Fill][resize];
        let names = ["no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp"];
        let x = if names[gravity] == "fp" { y } else { x };
        let asked = Transform {
            width,
            height: Some(7),
            resize: Some(resize),
            quality,
            format: Format::Avif,
            gravity: Gravity::parse(names[gravity], Some(x), Some(y)),
        };
        prop_assert_eq!(Transform::from_claim(&asked.claim(), SizeLimits::default()), asked);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,60}", name in "width|quality|x_offset|gravity|resize") {
        let _ = Transform::from_query([(name.as_str(), text.as_str())], SizeLimits::default());
        let _ = Transform::from_claim(&text, SizeLimits::default());
        let _ = Transform::from_claim(&format!("{name}:{text}"), SizeLimits::default());
    }
}
