use super::client::{refusal, start};
use crate::Service;

async fn source(service: &Service) {
    let answer = service
        .s3("PUT", "/s3/private/mine/a%20b.txt")
        .header("content-type", "text/plain")
        .header("cache-control", "max-age=60")
        .header("x-amz-meta-colour", "blue")
        .body("hello")
        .send()
        .await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_copy_has_the_metadata_of_its_source_unless_told_otherwise() {
    let service = start().await;
    source(&service).await;
    for source in ["private/mine/a%20b.txt", "/private/mine/a b.txt"] {
        let copied = service
            .s3("PUT", "/s3/private/mine/copy")
            .user()
            .header("x-amz-copy-source", source)
            .header("content-type", "image/png")
            .send()
            .await;
        assert_eq!(copied.status, 200, "{}", copied.text());
        assert_eq!(copied.one("ETag"), "\"5d41402abc4b2a76b9719d911017c592\"");
        let copy = service.s3("GET", "/s3/private/mine/copy").send().await;
        assert_eq!(copy.text(), "hello");
        assert_eq!(copy.header("content-type"), "text/plain");
        assert_eq!(copy.header("x-amz-meta-colour"), "blue");
    }
    let replaced = service
        .s3("PUT", "/s3/private/mine/a%20b.txt")
        .header("x-amz-copy-source", "private/mine/a%20b.txt")
        .header("x-amz-metadata-directive", "REPLACE")
        .header("content-type", "image/png")
        .header("x-amz-meta-size", "5")
        .send()
        .await;
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    let onto_itself = service.s3("GET", "/s3/private/mine/a%20b.txt").send().await;
    assert_eq!(onto_itself.text(), "hello");
    assert_eq!(onto_itself.header("content-type"), "image/png");
    assert_eq!(onto_itself.header("cache-control"), "no-cache");
    assert_eq!(onto_itself.header("x-amz-meta-size"), "5");
    assert_eq!(onto_itself.header("x-amz-meta-colour"), "");
}

#[tokio::test]
async fn a_copy_needs_a_source_that_the_caller_sees_and_a_place_it_may_write() {
    let service = start().await;
    source(&service).await;
    service.put("private/theirs", "x").await;
    let copy = |to: &'static str, from: &'static str| {
        service
            .s3("PUT", to)
            .user()
            .header("x-amz-copy-source", from)
            .send()
    };
    let unseen = copy("/s3/private/mine/c", "private/theirs").await;
    assert_eq!(unseen.refused(), refusal(404, "NoSuchKey"));
    let elsewhere = copy("/s3/private/theirs", "private/mine/a b.txt").await;
    assert_eq!(elsewhere.refused(), refusal(403, "AccessDenied"));
    let nowhere = service
        .s3("PUT", "/s3/nothing/c")
        .header("x-amz-copy-source", "private/mine/a b.txt")
        .send()
        .await;
    assert_eq!(nowhere.refused(), refusal(404, "InvalidRequest"));
    let version = copy("/s3/private/mine/c", "private/mine/a b.txt?versionId=1").await;
    assert_eq!(version.refused(), refusal(501, "NotImplemented"));
}

#[tokio::test]
async fn conditions_are_about_the_source() {
    let service = start().await;
    source(&service).await;
    let copy = |name: &str, value: &str| {
        service
            .s3("PUT", "/s3/private/mine/c")
            .header("x-amz-copy-source", "private/mine/a b.txt")
            .header(name, value)
            .send()
    };
    let other = copy("x-amz-copy-source-if-match", "\"other\"").await;
    assert_eq!(other.refused(), refusal(412, "PreconditionFailed"));
    let same = copy(
        "x-amz-copy-source-if-match",
        "\"5d41402abc4b2a76b9719d911017c592\"",
    )
    .await;
    assert_eq!(same.status, 200);
}
