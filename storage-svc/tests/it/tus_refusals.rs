//! What resumable uploads refuse, and how.

use http::Method;
use serde_json::json;

use super::{
    Service,
    service::call,
    tus::{BYTES, PATH, begin, head, metadata, patch, post, text, tus},
};

#[tokio::test]
async fn what_is_wrong_is_said_in_the_protocols_words() {
    let service = Service::start().await;
    let path = begin(&service, "k", 5).await;
    let app = &service.app;
    let named = metadata(&[("bucketName", "closed"), ("objectName", "k")]);
    let create = || tus(app, Method::POST, PATH).service();
    let outside = metadata(&[("bucketName", "closed"), ("objectName", "../k")]);
    let nowhere = metadata(&[("bucketName", "none"), ("objectName", "k")]);
    let long = metadata(&[("bucketName", "closed"), ("objectName", &"k".repeat(256))]);
    let unnamed = metadata(&[("objectName", "k")]);
    let listed = metadata(&[
        ("bucketName", "closed"),
        ("objectName", "k2"),
        ("metadata", "[1]"),
    ]);
    let bare = call(app, Method::PATCH, &path).service();
    let unknown = "/upload/resumable/Y2xvc2VkL2svbWlzc2luZw";
    for (call, status, message) in [
        (bare, 412, "Tus-Resumable Required\n"),
        (
            create().header("upload-metadata", &named),
            400,
            "Upload-Length or Upload-Defer-Length header required\n",
        ),
        (
            create().header("upload-length", "1"),
            400,
            "Metadata header is required",
        ),
        (
            create().header("upload-length", "-1"),
            400,
            "Invalid upload-length\n",
        ),
        (
            create()
                .header("upload-length", "1")
                .header("upload-metadata", &unnamed),
            400,
            "Bucket name invalid",
        ),
        (
            create()
                .header("upload-length", "1")
                .header("upload-metadata", &listed),
            400,
            "invalid input syntax for type json",
        ),
        (
            create()
                .header("upload-length", "1")
                .header("upload-metadata", &outside),
            400,
            "Invalid key: ../k",
        ),
        (
            create()
                .header("upload-length", "1")
                .header("upload-metadata", &long),
            400,
            &format!("Invalid key: {}", "k".repeat(256)),
        ),
        (
            create()
                .header("upload-length", "1")
                .header("upload-metadata", &nowhere),
            404,
            "Bucket not found",
        ),
        (
            post(&service, "closed", "k", 1_000_001).service(),
            413,
            "Maximum size exceeded\n",
        ),
        (
            post(&service, "closed", "k", 1)
                .service()
                .header("upload-concat", "partial"),
            501,
            "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n",
        ),
        (
            patch(app, &path, 1).service().body("x"),
            409,
            "Upload-Offset conflict\n",
        ),
        (
            patch(app, &path, 0)
                .service()
                .header("content-length", "6")
                .body("123456"),
            413,
            "upload's size exceeded\n",
        ),
        (
            patch(app, &path, 0).service().body("123456"),
            413,
            "Maximum size exceeded\n",
        ),
        (
            patch(app, &path, 0).service().header("upload-length", "5"),
            400,
            "Upload-Length or Upload-Defer-Length header required\n",
        ),
        (
            tus(app, Method::PATCH, &path)
                .service()
                .header("content-type", BYTES),
            403,
            "Upload-Offset header required\n",
        ),
        (
            tus(app, Method::PATCH, &path)
                .service()
                .header("upload-offset", "0"),
            403,
            "Content-Type header required\n",
        ),
        (
            tus(app, Method::PATCH, &path)
                .service()
                .header("content-type", "text/plain"),
            400,
            "Invalid content-type\n",
        ),
        (tus(app, Method::PUT, &path).service(), 404, "Not found\n"),
        (
            patch(app, unknown, 0).service(),
            404,
            "The file for this url was not found\n",
        ),
        (
            patch(app, "/upload/resumable/", 0).service(),
            404,
            "The file for this url was not found\n",
        ),
        (
            patch(app, "/upload/resumable/YWJj", 0).service(),
            400,
            "Invalid upload id",
        ),
    ] {
        let answer = call.send().await;
        assert_eq!((answer.status, text(&answer)), (status, message));
        assert_eq!(answer.header("content-type"), "text/plain;charset=UTF-8");
        assert_eq!(answer.header("tus-resumable"), "1.0.0");
    }
    assert_eq!(head(&service, &path).await.header("upload-offset"), "0");
    let answer = service.get(PATH).service().send().await;
    assert_eq!(
        (answer.status, answer.json()["statusCode"].clone()),
        (404, json!(404))
    );
}
