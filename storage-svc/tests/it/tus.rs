//! The protocol of resumable uploads.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::Method;
use serde_json::{Value, json};
use storage_svc::App;

use super::{
    Service,
    service::{Answer, Call, call},
};

pub(crate) const PATH: &str = "/upload/resumable";
pub(crate) const BYTES: &str = "application/offset+octet-stream";

pub(crate) fn metadata(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{name} {}", STANDARD.encode(value)));
    pairs.collect::<Vec<_>>().join(",")
}

pub(crate) fn tus<'a>(app: &'a App, method: Method, path: &str) -> Call<'a> {
    call(app, method, path).header("tus-resumable", "1.0.0")
}

/// A request that makes an upload of so many bytes.
pub(crate) fn post<'a>(service: &'a Service, bucket: &str, key: &str, length: usize) -> Call<'a> {
    let named = metadata(&[("bucketName", bucket), ("objectName", key)]);
    tus(&service.app, Method::POST, PATH)
        .header("upload-length", &length.to_string())
        .header("upload-metadata", &named)
}

/// The path of an upload that was made.
pub(crate) fn place(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{}", text(answer));
    let location = answer.header("location");
    location[location.find(PATH).unwrap()..].to_owned()
}

/// An upload that the service makes.
pub(crate) async fn begin(service: &Service, key: &str, length: usize) -> String {
    place(&post(service, "closed", key, length).service().send().await)
}

pub(crate) fn patch<'a>(app: &'a App, path: &str, offset: usize) -> Call<'a> {
    tus(app, Method::PATCH, path)
        .header("content-type", BYTES)
        .header("upload-offset", &offset.to_string())
}

pub(crate) async fn head(service: &Service, path: &str) -> Answer {
    tus(&service.app, Method::HEAD, path).service().send().await
}

pub(crate) fn text(answer: &Answer) -> &str {
    std::str::from_utf8(&answer.bytes).unwrap()
}

pub(crate) async fn content(service: &Service, path: &str) -> Answer {
    let call = service.get(&format!("/object/{path}")).service();
    call.send().await
}

async fn row(service: &Service, name: &str) -> (Value, Option<Value>, Option<String>) {
    sqlx::query_as("select metadata, user_metadata, owner_id from storage.objects where name = $1")
        .bind(name)
        .fetch_one(&service.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn an_upload_is_made_filled_and_found() {
    let service = Service::start().await;
    let named = metadata(&[
        ("bucketName", "private"),
        ("objectName", "mine/a b.txt"),
        ("contentType", "text/plain"),
        ("cacheControl", "3600"),
        ("metadata", r#"{"k":1}"#),
    ]);
    let answer = tus(&service.app, Method::POST, PATH)
        .user()
        .header("host", "files.example:5000")
        .header("upload-length", "11")
        .header("upload-metadata", &named)
        .send()
        .await;
    let path = place(&answer);
    assert_eq!(
        answer.header("location"),
        format!("http://files.example:5000{path}")
    );
    assert_eq!(answer.header("tus-resumable"), "1.0.0");
    assert_eq!(answer.header("content-type"), "text/plain;charset=UTF-8");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let exposed = answer.header("access-control-expose-headers");
    assert!(exposed.contains("Location"), "{exposed}");
    assert!(exposed.contains("Upload-Offset"), "{exposed}");

    let answer = patch(&service.app, &path, 0)
        .user()
        .body("hello ")
        .send()
        .await;
    assert_eq!((answer.status, answer.header("upload-offset")), (204, "6"));
    assert_eq!(answer.header("tus-complete"), "");
    let answer = tus(&service.app, Method::HEAD, &path).user().send().await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "6"));
    assert_eq!(answer.header("upload-length"), "11");
    assert_eq!(answer.header("cache-control"), "no-store");
    let kept = answer.header("upload-metadata");
    let expected = named.replace(&STANDARD.encode("3600"), &STANDARD.encode("max-age=3600"));
    assert_eq!(kept, expected);

    let answer = patch(&service.app, &path, 6)
        .user()
        .body("world")
        .send()
        .await;
    assert_eq!((answer.status, answer.header("upload-offset")), (204, "11"));
    assert_eq!(answer.header("tus-complete"), "1");
    let (metadata, user, owner) = row(&service, "mine/a b.txt").await;
    assert_eq!(metadata["eTag"], "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"");
    assert_eq!(metadata["size"], 11);
    assert_eq!(metadata["mimetype"], "text/plain");
    assert_eq!(metadata["cacheControl"], "max-age=3600");
    assert_eq!(user, Some(json!({ "k": 1 })));
    assert_eq!(owner.as_deref(), Some(super::service::USER));
    let read = content(&service, "private/mine/a%20b.txt").await;
    assert_eq!(read.bytes, b"hello world");

    // Who did not hear of the end asks again, and sends nothing twice.
    let answer = tus(&service.app, Method::HEAD, &path).user().send().await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "11"));
    let pieces = service.files().into_iter();
    let pieces = pieces.filter(|file| file.contains("__uploads") && file.contains("/0000"));
    assert_eq!(pieces.count(), 0, "pieces are gone");
}

#[tokio::test]
async fn bytes_may_come_with_the_creation() {
    let service = Service::start().await;
    let answer = post(&service, "closed", "whole", 5)
        .service()
        .header("content-type", BYTES)
        .body("12345")
        .send()
        .await;
    assert_eq!((answer.status, answer.header("upload-offset")), (201, "5"));
    assert_eq!(answer.header("tus-complete"), "1");
    assert_eq!(content(&service, "closed/whole").await.bytes, b"12345");
    let (metadata, user, _) = row(&service, "whole").await;
    assert_eq!(metadata["eTag"], "\"827ccb0eea8a706c4c34a16891f84e7b\"");
    assert_eq!(metadata["mimetype"], "application/octet-stream");
    assert_eq!(metadata["cacheControl"], "no-cache");
    assert_eq!(user, None, "nothing was said");

    let answer = post(&service, "closed", "part", 5)
        .service()
        .header("content-type", BYTES)
        .body("123")
        .send()
        .await;
    assert_eq!(answer.header("upload-offset"), "3");
    assert_eq!(answer.header("tus-complete"), "");
    let path = place(&answer);
    let answer = patch(&service.app, &path, 3)
        .service()
        .body("45")
        .send()
        .await;
    assert_eq!(answer.status, 204);
    assert_eq!(content(&service, "closed/part").await.bytes, b"12345");

    let answer = post(&service, "closed", "empty", 0).service().send().await;
    assert_eq!((answer.status, answer.header("tus-complete")), (201, "1"));
    assert_eq!(content(&service, "closed/empty").await.bytes, b"");
}

#[tokio::test]
async fn a_length_may_be_said_later() {
    let service = Service::start().await;
    let named = metadata(&[("bucketName", "closed"), ("objectName", "later")]);
    let answer = tus(&service.app, Method::POST, PATH)
        .service()
        .header("upload-defer-length", "1")
        .header("upload-metadata", &named)
        .send()
        .await;
    let path = place(&answer);
    let answer = patch(&service.app, &path, 0)
        .service()
        .body("abc")
        .send()
        .await;
    assert_eq!((answer.status, answer.header("upload-offset")), (204, "3"));
    let answer = head(&service, &path).await;
    assert_eq!(answer.header("upload-defer-length"), "1");
    assert_eq!(answer.header("upload-length"), "");
    let short = patch(&service.app, &path, 3).service();
    let answer = short.header("upload-length", "2").send().await;
    assert_eq!(answer.status, 400);
    let last = patch(&service.app, &path, 3).service();
    let answer = last.header("upload-length", "5").body("de").send().await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
    assert_eq!(content(&service, "closed/later").await.bytes, b"abcde");
    assert_eq!(head(&service, &path).await.header("upload-length"), "5");
}

#[tokio::test]
async fn an_upload_may_be_given_up_until_it_is_complete() {
    let service = Service::start().await;
    let path = begin(&service, "gone", 5).await;
    let delete = || tus(&service.app, Method::DELETE, &path).service();
    assert_eq!(
        patch(&service.app, &path, 0)
            .service()
            .body("ab")
            .send()
            .await
            .status,
        204
    );
    assert_eq!(delete().send().await.status, 204);
    assert_eq!(service.files(), Vec::<String>::new());
    for answer in [
        head(&service, &path).await,
        patch(&service.app, &path, 2)
            .service()
            .body("c")
            .send()
            .await,
        delete().send().await,
    ] {
        assert_eq!(answer.status, 404, "{}", text(&answer));
    }
    let path = begin(&service, "stays", 2).await;
    assert_eq!(
        patch(&service.app, &path, 0)
            .service()
            .body("ab")
            .send()
            .await
            .status,
        204
    );
    let answer = tus(&service.app, Method::DELETE, &path)
        .service()
        .header("x-upsert", "true")
        .send()
        .await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        text(&answer),
        "Cannot terminate an already completed upload"
    );
    assert_eq!(content(&service, "closed/stays").await.bytes, b"ab");
}

#[tokio::test]
async fn browsers_may_ask_without_a_token() {
    let service = Service::start_with(&[("FILE_SIZE_LIMIT", "300000")]).await;
    for path in [
        PATH,
        "/upload/resumable/",
        "/upload/resumable/sign",
        "/upload/resumable/x",
    ] {
        let answer = service.call(Method::OPTIONS, path).send().await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("tus-version"), "1.0.0");
        assert_eq!(answer.header("tus-max-size"), "300000");
        assert_eq!(
            answer.header("tus-extension"),
            "creation,creation-with-upload,creation-defer-length,termination,expiration"
        );
        let allowed = answer.header("access-control-allow-headers");
        for name in [
            "Authorization",
            "X-Upsert",
            "ApiKey",
            "x-signature",
            "Upload-Offset",
        ] {
            assert!(allowed.contains(name), "{allowed}");
        }
        assert_eq!(
            answer.header("access-control-allow-methods"),
            "POST, HEAD, PATCH, OPTIONS, DELETE"
        );
        assert_eq!(answer.header("access-control-max-age"), "86400");
    }
}

#[tokio::test]
async fn the_address_is_the_one_that_clients_see() {
    let settings = [
        ("STORAGE_PUBLIC_URL", "https://api.example"),
        ("REQUEST_ALLOW_X_FORWARDED_PATH", "true"),
    ];
    let service = Service::start_with(&settings).await;
    let answer = post(&service, "closed", "k", 3)
        .service()
        .header("host", "127.0.0.1:5000")
        .header("x-forwarded-prefix", "/storage/v1")
        .send()
        .await;
    let location = answer.header("location");
    let expected = "https://api.example/storage/v1/upload/resumable/";
    assert!(location.starts_with(expected), "{location}");
}
