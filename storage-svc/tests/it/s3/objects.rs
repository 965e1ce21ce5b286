use super::client::{S3Call, refusal, start, start_with};
use crate::{Service, service::Answer};

const ETAG: &str = "\"5d41402abc4b2a76b9719d911017c592\"";

async fn put(call: S3Call<'_>) -> Answer {
    let answer = call.body("hello").send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

#[tokio::test]
async fn an_object_comes_back_with_what_was_said_of_it() {
    let service = start().await;
    let path = "/s3/private/a/b%20c.txt";
    let made = put(service
        .s3("PUT", path)
        .header("content-type", "text/html")
        .header("cache-control", "max-age=60")
        .header("x-amz-meta-colour", "blue"))
    .await;
    assert_eq!(made.header("etag"), ETAG);
    for method in ["GET", "HEAD"] {
        let answer = service.s3(method, path).send().await;
        assert_eq!(answer.status, 200);
        let header = |name| answer.header(name);
        assert_eq!(header("content-type"), "text/html");
        assert_eq!(header("cache-control"), "max-age=60");
        assert_eq!(header("content-length"), "5");
        assert_eq!(header("etag"), ETAG);
        assert_eq!(header("x-amz-meta-colour"), "blue");
        assert!(header("last-modified").ends_with(" GMT"));
        assert_eq!(answer.text(), if method == "GET" { "hello" } else { "" });
    }
    put(service.s3("PUT", path)).await;
    let plain = service.s3("GET", path).send().await;
    assert_eq!(plain.header("content-type"), "application/octet-stream");
    assert_eq!(plain.header("cache-control"), "no-cache");
    assert_eq!(plain.header("x-amz-meta-colour"), "");
    assert_eq!(service.files().len(), 1, "the old version is gone");
}

#[tokio::test]
async fn a_part_of_an_object_may_be_read() {
    let service = start().await;
    put(service.s3("PUT", "/s3/private/a")).await;
    let get = |range: &'static str| {
        service
            .s3("GET", "/s3/private/a")
            .header("range", range)
            .send()
    };
    let middle = get("bytes=1-3").await;
    assert_eq!((middle.status, middle.text().as_str()), (206, "ell"));
    assert_eq!(middle.header("content-range"), "bytes 1-3/5");
    assert_eq!(middle.header("content-length"), "3");
    assert_eq!(get("bytes=-2").await.text(), "lo");
    assert_eq!(
        get("bytes=5-").await.refused(),
        refusal(416, "InvalidRange")
    );
}

#[tokio::test]
async fn who_has_an_object_is_told_so() {
    let service = start().await;
    put(service.s3("PUT", "/s3/private/a")).await;
    let get = |name: &str, value: &str| {
        service
            .s3("GET", "/s3/private/a")
            .header(name, value)
            .send()
    };
    let same = get("if-none-match", ETAG).await;
    assert_eq!((same.status, same.header("etag")), (304, ETAG));
    assert_eq!(get("if-none-match", "\"other\"").await.status, 200);
    assert_eq!(
        get("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT")
            .await
            .status,
        304
    );
    assert_eq!(
        get("if-modified-since", "Fri, 01 Jan 2010 00:00:00 GMT")
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn only_a_new_object_can_be_asked_for() {
    let service = start().await;
    let only_new = || {
        service
            .s3("PUT", "/s3/private/a")
            .header("if-none-match", "*")
    };
    put(only_new()).await;
    let answer = only_new().body("other").send().await;
    assert_eq!(answer.refused(), refusal(412, "PreconditionFailed"));
    assert_eq!(
        service.s3("GET", "/s3/private/a").send().await.text(),
        "hello"
    );
}

#[tokio::test]
async fn an_empty_folder_has_a_placeholder() {
    let service = start().await;
    assert_eq!(
        service.s3("PUT", "/s3/private/folder/").send().await.status,
        200
    );
    let names: Vec<String> = sqlx::query_scalar("select name from storage.objects")
        .fetch_all(&service.pool())
        .await
        .unwrap();
    assert_eq!(names, ["folder/.emptyFolderPlaceholder"]);
}

#[tokio::test]
async fn limits_hold_before_and_while_a_body_is_read() {
    let service = start_with(&[("FILE_SIZE_LIMIT", "4")]).await;
    let told = service
        .s3("PUT", "/s3/private/a")
        .body("hello")
        .send()
        .await;
    assert_eq!(told.refused(), refusal(413, "EntityTooLarge"));
    let chunked = service
        .s3("PUT", "/s3/private/a")
        .body("hello")
        .send_chunked(2, |_| {})
        .await;
    assert_eq!(chunked.refused(), refusal(413, "EntityTooLarge"));
    sqlx::query("update storage.buckets set allowed_mime_types = '{image/*}', file_size_limit = 0 where id = 'private'")
        .execute(&service.pool())
        .await
        .unwrap();
    let image = |kind| {
        service
            .s3("PUT", "/s3/private/a")
            .header("content-type", kind)
            .body("ok")
            .send()
    };
    assert_eq!(
        image("text/plain").await.refused(),
        refusal(415, "InvalidMimeType")
    );
    assert_eq!(
        image("image/png").await.status,
        200,
        "a limit of 0 is none here"
    );
    assert_eq!(service.files().len(), 1);
}

#[tokio::test]
async fn names_that_cannot_be_are_refused() {
    let service = start().await;
    for path in [
        "/s3/private/a%23b",
        "/s3/private/%C3%A9",
        "/s3/private/a/../b",
        "/s3/private/%2e%2e/b",
    ] {
        let answer = service.s3("PUT", path).body("x").send().await;
        assert_eq!(answer.refused(), refusal(400, "InvalidKey"), "{path}");
    }
    let answer = service.s3("PUT", "/s3/nothing/a").body("x").send().await;
    assert_eq!(answer.refused(), refusal(404, "NoSuchBucket"));
    for path in ["/s3/private/%C3%A9", "/s3/private/a%00"] {
        let answer = service.s3("GET", path).send().await;
        assert_eq!(answer.refused(), refusal(400, "InvalidKey"), "{path}");
    }
}

#[tokio::test]
async fn tags_are_none_and_missing_objects_are_missing() {
    let service = start().await;
    put(service.s3("PUT", "/s3/private/a")).await;
    let tags = service.s3("GET", "/s3/private/a?tagging").send().await;
    assert!(
        tags.text().ends_with("<TagSet/></Tagging>"),
        "{}",
        tags.text()
    );
    for target in ["/s3/private/b", "/s3/private/b?tagging"] {
        let missing = service.s3("GET", target).send().await;
        assert_eq!(missing.refused(), refusal(404, "NoSuchKey"));
    }
    let head = service.s3("HEAD", "/s3/private/b").send().await;
    assert_eq!(head.status, 404);
}

#[tokio::test]
async fn to_delete_what_is_not_there_is_no_error() {
    let service = start().await;
    put(service.s3("PUT", "/s3/private/a")).await;
    let delete = |path: &'static str| service.s3("DELETE", path).send();
    assert_eq!(delete("/s3/private/a").await.status, 204);
    assert_eq!(service.files(), [] as [&str; 0]);
    assert_eq!(delete("/s3/private/a").await.status, 204);
    assert_eq!(
        delete("/s3/nothing/a").await.refused(),
        refusal(404, "NoSuchBucket")
    );
    service.put("private/theirs", "x").await;
    let refused = service
        .s3("DELETE", "/s3/private/theirs")
        .user()
        .send()
        .await;
    assert_eq!(refused.refused(), refusal(403, "AccessDenied"));
}

async fn delete_many(service: &Service, as_user: bool, bucket: &str, keys: &str) -> Answer {
    let call = service.s3("POST", &format!("/s3/{bucket}?delete"));
    let call = if as_user { call.user() } else { call };
    call.body(format!(
        "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{keys}</Delete>"
    ))
    .send()
    .await
}

#[tokio::test]
async fn many_are_deleted_as_far_as_policies_allow() {
    let service = start().await;
    for name in ["private/mine/a", "private/theirs", "private/mine/v"] {
        service.put(name, "x").await;
    }
    let keys = "<Object><Key>mine/a</Key></Object><Object><Key>theirs</Key></Object>\
                <Object><Key>mine/nothing</Key></Object><Object><Key>mine/v</Key><VersionId>1</VersionId></Object>";
    let answer = delete_many(&service, true, "private", keys).await;
    assert_eq!(answer.status, 200);
    let body = answer.text();
    assert!(
        body.contains(
            "<Deleted><Key>mine/a</Key></Deleted><Deleted><Key>mine/nothing</Key></Deleted>\
         <Error><Key>theirs</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error>\
         <Error><Key>mine/v</Key><Code>NoSuchVersion</Code>"
        ),
        "{body}"
    );
    assert_eq!(service.files().len(), 2);
    let nowhere = delete_many(&service, false, "nothing", keys).await;
    assert_eq!(nowhere.refused(), refusal(404, "NoSuchBucket"));
    let empty = delete_many(&service, false, "private", "").await;
    assert_eq!(empty.refused(), refusal(400, "InvalidRequest"));
    let broken = delete_many(&service, false, "private", "<Object>").await;
    assert_eq!(broken.refused(), refusal(400, "MalformedXML"));
}
