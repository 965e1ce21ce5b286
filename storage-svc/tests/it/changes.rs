use http::Method;
use serde_json::{Value, json};

use super::{Service, service::refused};

async fn with_objects() -> Service {
    let service = Service::start().await;
    for name in ["mine/a", "mine/b", "theirs/c"] {
        service.put(&format!("private/{name}"), name).await;
    }
    service
}

fn names(body: &Value) -> Vec<&str> {
    let rows = body.as_array().unwrap().iter();
    let mut names: Vec<_> = rows.map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_move_takes_the_bytes_along() {
    let service = with_objects().await;
    let rename = |from: &str, to: &str| {
        let body = json!({ "bucketId": "private", "sourceKey": from, "destinationKey": to });
        service.post("/object/move").user().json(&body).send()
    };
    let answer = rename("mine/a", "mine/deep/moved").await;
    assert_eq!(answer.json(), json!({ "message": "Successfully moved" }));
    let read = service
        .get("/object/private/mine/deep/moved")
        .user()
        .send()
        .await;
    assert_eq!(read.bytes, b"mine/a");
    assert_eq!(read.header("content-type"), "text/plain");
    let gone = service.get("/object/private/mine/a").user().send().await;
    assert_eq!(gone.refusal(), refused(400, 404, "NoSuchKey"));
    assert_eq!(service.files().len(), 3);
    assert_eq!(rename("mine/b", "mine/b").await.status, 200, "to itself");
    let taken = rename("mine/b", "mine/deep/moved").await;
    assert_eq!(taken.refusal(), refused(400, 409, "ResourceAlreadyExists"));
    let away = rename("mine/b", "theirs/x").await;
    assert_eq!(away.refusal(), refused(400, 403, "AccessDenied"));
    let unseen = rename("theirs/c", "mine/c").await;
    assert_eq!(unseen.refusal(), refused(400, 404, "NoSuchKey"));
    assert_eq!(service.files().len(), 3, "refusals leave nothing");
}

#[tokio::test]
async fn a_move_between_buckets_takes_what_both_allow() {
    let service = with_objects().await;
    let body = json!({
        "bucketId": "private", "sourceKey": "mine/a",
        "destinationBucket": "public", "destinationKey": "shown",
    });
    let answer = service.post("/object/move").user().json(&body).send().await;
    assert_eq!(answer.refusal(), refused(400, 403, "AccessDenied"));
    let answer = service
        .post("/object/move")
        .service()
        .json(&body)
        .send()
        .await;
    assert_eq!(answer.status, 200);
    let read = service.get("/object/public/public/shown").send().await;
    assert_eq!(read.bytes, b"mine/a");
}

#[tokio::test]
async fn a_copy_has_a_life_of_its_own() {
    let service = with_objects().await;
    let body =
        json!({ "bucketId": "private", "sourceKey": "mine/a", "destinationKey": "mine/copy" });
    let copy = || service.post("/object/copy").user();
    let answer = copy().json(&body).send().await;
    let row = answer.json();
    assert_eq!(
        (answer.status, &row["Key"]),
        (200, &json!("private/mine/copy")),
        "{row}"
    );
    assert_eq!(row["Id"], row["id"]);
    assert_eq!(row["owner_id"], super::service::USER);
    let again = copy().json(&body).send().await;
    assert_eq!(again.refusal(), refused(400, 409, "KeyAlreadyExists"));
    let again = copy().header("x-upsert", "true").json(&body).send().await;
    assert_eq!(again.status, 200);
    service.put("private/mine/a", "changed").await;
    let read = service.get("/object/private/mine/copy").user().send().await;
    assert_eq!(read.bytes, b"mine/a");
    assert_eq!(service.files().len(), 4);

    let other = json!({
        "bucketId": "private", "sourceKey": "mine/copy", "destinationKey": "mine/other",
        "copyMetadata": false, "metadata": { "cacheControl": "max-age=9", "mimetype": "image/png" },
    });
    assert_eq!(copy().json(&other).send().await.status, 200);
    let read = service
        .get("/object/private/mine/other")
        .user()
        .send()
        .await;
    assert_eq!(read.header("content-type"), "image/png");
    assert_eq!(read.header("cache-control"), "max-age=9");
    let read = service.get("/object/private/mine/copy").user().send().await;
    assert_eq!(
        read.header("content-type"),
        "text/plain",
        "the source keeps its own"
    );
}

#[tokio::test]
async fn what_is_removed_is_gone_and_what_may_not_be_stays() {
    let service = with_objects().await;
    let delete = |path: &str| service.call(Method::DELETE, path);
    let answer = delete("/object/private/mine/a").user().send().await;
    assert_eq!(answer.json(), json!({ "message": "Successfully deleted" }));
    assert_eq!(service.files().len(), 2);
    let gone = delete("/object/private/mine/a").user().send().await;
    assert_eq!(gone.refusal(), refused(400, 404, "NoSuchKey"));
    let denied = delete("/object/private/theirs/c").user().send().await;
    assert_eq!(denied.refusal(), refused(400, 403, "AccessDenied"));
    let many = json!({ "prefixes": ["mine/b", "theirs/c", "mine/none"] });
    let answer = delete("/object/private").user().json(&many).send().await;
    assert_eq!(names(&answer.json()), ["mine/b"]);
    assert_eq!(service.files().len(), 1);
    let none = delete("/object/private").user().json(&many).send().await;
    assert_eq!((none.status, none.json()), (200, json!([])));
    let wrong = delete("/object/private")
        .user()
        .json(&json!({ "prefixes": [] }))
        .send()
        .await;
    assert_eq!(
        wrong.json()["message"],
        "body/prefixes must NOT have fewer than 1 items"
    );
}

#[tokio::test]
async fn buckets_are_made_changed_emptied_and_removed() {
    let service = with_objects().await;
    let make = |body: Value| service.post("/bucket").service().json(&body).send();
    let answer = make(json!({ "name": "new", "public": true, "file_size_limit": "20KB" })).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "name": "new" }))
    );
    let again = make(json!({ "name": "new" })).await;
    assert_eq!(again.refusal(), refused(400, 409, "BucketAlreadyExists"));
    let large = make(json!({ "name": "large", "file_size_limit": "2MB" })).await;
    assert_eq!(large.refusal(), refused(400, 413, "EntityTooLarge"));
    for name in ["a/b", " a", "a--table-s3", "é", ""] {
        let answer = make(json!({ "name": name })).await;
        assert_eq!(
            answer.refusal(),
            refused(400, 400, "InvalidBucketName"),
            "{name}"
        );
    }
    let denied = service
        .post("/bucket")
        .user()
        .json(&json!({ "name": "x" }))
        .send()
        .await;
    assert_eq!(denied.refusal(), refused(400, 403, "AccessDenied"));

    let change =
        json!({ "public": false, "file_size_limit": null, "allowed_mime_types": ["image/*"] });
    let put = service.call(Method::PUT, "/bucket/new").service();
    assert_eq!(
        put.json(&change).send().await.json(),
        json!({ "message": "Successfully updated" })
    );
    let bucket = service.get("/bucket/new").service().send().await.json();
    assert_eq!(bucket["public"], false);
    assert_eq!(bucket["file_size_limit"], Value::Null);
    assert_eq!(bucket["allowed_mime_types"], json!(["image/*"]));
    let put = service.call(Method::PUT, "/bucket/new").user();
    assert_eq!(
        put.json(&change).send().await.refusal(),
        refused(400, 404, "NoSuchBucket")
    );

    let delete = || {
        service
            .call(Method::DELETE, "/bucket/private")
            .service()
            .send()
    };
    assert_eq!(
        delete().await.refusal(),
        refused(400, 409, "ResourceNotEmpty")
    );
    let empty = || service.post("/bucket/private/empty");
    assert_eq!(empty().user().send().await.status, 403);
    assert_eq!(empty().service().send().await.status, 200);
    assert!(service.files().is_empty());
    assert_eq!(delete().await.status, 200);
    assert_eq!(delete().await.refusal(), refused(400, 404, "NoSuchBucket"));
}
