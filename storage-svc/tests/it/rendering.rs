use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::json;

use super::{
    Service,
    service::{Answer, refused},
};

const ON: [(&str, &str); 1] = [("ENABLE_IMAGE_TRANSFORMATION", "true")];

/// Red to the left, blue to the right.
fn picture() -> Vec<u8> {
    let image = RgbImage::from_fn(400, 200, |x, _| {
        if x < 200 {
            Rgb([255, 0, 0])
        } else {
            Rgb([0, 0, 255])
        }
    });
    let mut bytes = Cursor::new(Vec::new());
    let image = DynamicImage::ImageRgb8(image);
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

async fn with_picture() -> Service {
    let service = Service::start_with(&ON).await;
    for path in ["public/p.png", "private/mine/p.png", "private/theirs/p.png"] {
        let post = service.post(&format!("/object/{path}")).service();
        let post = post
            .header("content-type", "image/png")
            .header("cache-control", "max-age=60");
        assert_eq!(post.body(picture()).send().await.status, 200);
    }
    service
}

fn decoded(answer: &Answer) -> RgbImage {
    assert_eq!(answer.status, 200, "{:?}", answer.json());
    image::load_from_memory(&answer.bytes).unwrap().to_rgb8()
}

#[tokio::test]
async fn an_image_takes_the_size_and_format_asked_for() {
    let service = with_picture().await;
    let get = |query: &str| service.get(&format!("/render/image/public/public/p.png?{query}"));
    let small = get("width=100").send().await;
    assert_eq!(decoded(&small).dimensions(), (100, 50));
    assert_eq!(small.header("content-type"), "image/png");
    assert_eq!(small.header("cache-control"), "max-age=60");
    assert_eq!(
        small.header("x-transformations"),
        "width:100,resizing_type:fill"
    );
    let original = service.get("/object/public/public/p.png").send().await;
    assert_eq!(small.header("etag"), original.header("etag"));
    let square = decoded(&get("width=100&height=100&gravity=we").send().await);
    assert_eq!(square.dimensions(), (100, 100));
    assert_eq!(square.get_pixel(90, 50).0, [255, 0, 0], "the west is red");
    let fitted = get("width=100&height=100&resize=contain").send().await;
    assert_eq!(decoded(&fitted).dimensions(), (100, 50));
    let webp = get("width=100")
        .header("accept", "image/avif,image/webp,*/*")
        .send()
        .await;
    assert_eq!(webp.header("content-type"), "image/webp");
    assert_eq!(webp.header("vary"), "Accept");
    let origin = get("width=100&format=origin")
        .header("accept", "image/webp")
        .send()
        .await;
    assert_eq!(origin.header("content-type"), "image/png");
    let same = get("width=100")
        .header("if-none-match", small.header("etag"))
        .send()
        .await;
    assert_eq!(same.status, 304);
    let wrong = get("quality=3").send().await;
    assert_eq!(wrong.json()["message"], "querystring/quality must be >= 20");
}

#[tokio::test]
async fn images_are_shown_to_whom_the_object_is() {
    let service = with_picture().await;
    let get = |path: &str| service.get(&format!("/render/image/{path}?width=10"));
    let own = get("authenticated/private/mine/p.png").user().send().await;
    assert_eq!(decoded(&own).dimensions(), (10, 5));
    let other = get("authenticated/private/theirs/p.png")
        .user()
        .send()
        .await;
    assert_eq!(other.refusal(), refused(400, 404, "NoSuchKey"));
    let hidden = get("public/private/mine/p.png").send().await;
    assert_eq!(hidden.refusal(), refused(400, 404, "NoSuchBucket"));
    let nobody = get("authenticated/private/mine/p.png").send().await;
    assert_eq!(nobody.refusal(), refused(400, 403, "AccessDenied"));
}

#[tokio::test]
async fn a_signed_image_is_what_was_signed() {
    let service = with_picture().await;
    let sign = service.post("/object/sign/private/mine/p.png").user();
    let body = json!({ "expiresIn": 60, "transform": { "width": 40, "format": "webp" } });
    let answer = sign.json(&body).send().await.json();
    let url = answer["signedURL"].as_str().unwrap();
    assert!(
        url.starts_with("/render/image/sign/private/mine/p.png?token="),
        "{url}"
    );
    let image = service.get(&format!("{url}&width=300")).send().await;
    assert_eq!(decoded(&image).dimensions(), (40, 20));
    assert_eq!(image.header("content-type"), "image/webp");
    let upload = url.replacen("/render/image/sign", "/object/sign", 1);
    assert_eq!(
        service.get(&upload).send().await.status,
        200,
        "the object itself may be read too"
    );
}

#[tokio::test]
async fn what_is_no_image_is_refused_and_nothing_is_rendered_unless_it_is_on() {
    let service = with_picture().await;
    service.put("public/text.png", "not an image").await;
    let answer = service
        .get("/render/image/public/public/text.png?width=10")
        .send()
        .await;
    assert_eq!(answer.refusal(), refused(400, 400, "InvalidRequest"));
    assert_eq!(
        answer.json()["message"],
        "The source image is invalid or unsupported for rendering"
    );
    let off = service.copy(&[]).await;
    let path = "/render/image/public/public/p.png";
    let answer = super::service::call(&off, http::Method::GET, path)
        .send()
        .await;
    assert_eq!(answer.status, 404);
}
