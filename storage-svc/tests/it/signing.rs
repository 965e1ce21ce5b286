use http::Method;
use serde_json::json;

use super::{Service, service::refused};

#[tokio::test]
async fn a_signed_url_reads_one_object_and_no_other() {
    let service = Service::start().await;
    service.put("private/mine/a%20b.txt", "mine").await;
    service.put("private/mine/c.txt", "other").await;
    let sign = |path: &str| service.post(&format!("/object/sign/private/{path}"));
    let body = json!({ "expiresIn": 60 });
    let signed = sign("mine/a%20b.txt")
        .user()
        .json(&body)
        .send()
        .await
        .json();
    let url = signed["signedURL"].as_str().unwrap();
    assert!(
        url.starts_with("/object/sign/private/mine/a b.txt?token="),
        "{url}"
    );
    let url = url.replace(' ', "%20");
    let read = service.get(&format!("{url}&download=x")).send().await;
    assert_eq!(read.bytes, b"mine");
    assert_eq!(read.header("cache-control"), "");
    assert!(read.header("expires").ends_with("GMT"));
    let other = url.replace("a%20b", "c");
    assert_eq!(
        service.get(&other).send().await.refusal(),
        refused(400, 400, "InvalidSignature")
    );
    let upload = url.replacen("/object/sign", "/object/upload/sign", 1);
    let put = service
        .call(Method::PUT, &upload)
        .body("stolen")
        .send()
        .await;
    assert_eq!(put.json()["message"], "Token is not scoped for upload");
    let cut = &url[..url.len() - 2];
    assert_eq!(
        service.get(cut).send().await.refusal(),
        refused(400, 400, "InvalidJWT")
    );
    let unseen = service
        .post("/object/sign/private/theirs/x")
        .user()
        .json(&body)
        .send()
        .await;
    assert_eq!(unseen.refusal(), refused(400, 404, "NoSuchKey"));
    let zero = sign("mine/c.txt")
        .user()
        .json(&json!({ "expiresIn": 0 }))
        .send()
        .await;
    assert_eq!(zero.json()["message"], "body/expiresIn must be >= 1");
}

#[tokio::test]
async fn many_urls_come_in_the_order_asked_for() {
    let service = Service::start().await;
    service.put("private/mine/a", "1").await;
    service.put("private/theirs/b", "2").await;
    let body = json!({ "expiresIn": 60, "paths": ["mine/none", "mine/a", "theirs/b"] });
    let answer = service
        .post("/object/sign/private")
        .user()
        .json(&body)
        .send()
        .await
        .json();
    let paths: Vec<_> = (0..3).map(|index| answer[index]["path"].clone()).collect();
    assert_eq!(paths, ["mine/none", "mine/a", "theirs/b"]);
    assert_eq!(answer[0]["signedURL"], json!(null));
    assert_eq!(
        answer[2]["error"],
        "Either the object does not exist or you do not have access to it"
    );
    let read = service
        .get(answer[1]["signedURL"].as_str().unwrap())
        .send()
        .await;
    assert_eq!(read.bytes, b"1");
}

#[tokio::test]
async fn an_upload_url_writes_once_for_its_owner() {
    let service = Service::start().await;
    let sign = |path: &str| service.post(&format!("/object/upload/sign/private/{path}"));
    let signed = sign("mine/new").user().send().await.json();
    let url = signed["url"].as_str().unwrap();
    assert!(url.ends_with(signed["token"].as_str().unwrap()), "{signed}");
    let put = || {
        service
            .call(Method::PUT, url)
            .header("content-type", "text/plain")
            .body("x")
    };
    let answer = put().send().await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "Key": "private/mine/new" }))
    );
    let owner: String = sqlx::query_scalar("select owner_id from storage.objects")
        .fetch_one(&service.pool())
        .await
        .unwrap();
    assert_eq!(owner, super::service::USER);
    assert_eq!(
        put().send().await.refusal(),
        refused(400, 409, "KeyAlreadyExists")
    );
    let read = service.get(&url.replacen("upload/", "", 1)).send().await;
    assert_eq!(read.json()["message"], "Token is not scoped for download");
    let denied = sign("theirs/new").user().send().await;
    assert_eq!(denied.refusal(), refused(400, 403, "AccessDenied"));
    let upsert = sign("mine/new")
        .user()
        .header("x-upsert", "true")
        .send()
        .await
        .json();
    let url = upsert["url"].as_str().unwrap();
    let answer = service.call(Method::PUT, url).body("y").send().await;
    assert_eq!(answer.status, 200);
}
