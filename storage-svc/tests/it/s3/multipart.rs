use serde_json::json;

use super::client::{S3Call, refusal, start, start_with};
use crate::{Service, service::Answer};

const KEY: &str = "/s3/private/mine/big.bin";

async fn begin(service: &Service, path: &str) -> String {
    let answer = service
        .s3("POST", &format!("{path}?uploads"))
        .header("content-type", "image/png")
        .header("cache-control", "max-age=9")
        .header("x-amz-meta-colour", "blue")
        .send()
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.one("UploadId")
}

fn part<'a>(service: &'a Service, id: &str, number: u32, body: &str) -> S3Call<'a> {
    service
        .s3("PUT", &format!("{KEY}?partNumber={number}&uploadId={id}"))
        .body(body)
}

async fn sent(call: S3Call<'_>) -> String {
    let answer = call.send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("access-control-expose-headers"), "etag");
    answer.header("etag").to_owned()
}

async fn complete(service: &Service, id: &str, parts: &[(u32, &str)]) -> Answer {
    let parts: Vec<String> = parts
        .iter()
        .map(|(number, etag)| {
            format!("<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>")
        })
        .collect();
    service
        .s3("POST", &format!("{KEY}?uploadId={id}"))
        .body(format!(
            "<CompleteMultipartUpload xmlns=\"x\">{}</CompleteMultipartUpload>",
            parts.concat()
        ))
        .send()
        .await
}

async fn progress(service: &Service, id: &str) -> i64 {
    sqlx::query_scalar("select in_progress_size from storage.s3_multipart_uploads where id = $1")
        .bind(id)
        .fetch_one(&service.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn parts_become_one_object() {
    let service = start().await;
    let id = begin(&service, KEY).await;
    let second = sent(part(&service, &id, 2, "world")).await;
    let first = sent(part(&service, &id, 1, "hello ")).await;
    let listed = service
        .s3("GET", &format!("{KEY}?uploadId={id}&max-parts=1"))
        .send()
        .await;
    assert_eq!(
        (listed.one("PartNumber"), listed.one("ETag")),
        ("1".into(), first.clone())
    );
    assert_eq!(
        (
            listed.one("IsTruncated"),
            listed.one("NextPartNumberMarker")
        ),
        ("true".into(), "1".into())
    );
    let rest = service
        .s3("GET", &format!("{KEY}?uploadId={id}&part-number-marker=1"))
        .send()
        .await;
    assert_eq!(
        (rest.one("PartNumber"), rest.one("IsTruncated")),
        ("2".into(), "false".into())
    );
    let done = complete(&service, &id, &[(2, &second), (1, &first)]).await;
    assert_eq!(done.status, 200, "{}", done.text());
    assert_eq!(
        done.one("ETag"),
        "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"",
        "of the whole"
    );
    assert_eq!(done.one("Location"), "private/mine/big.bin");
    let object = service.s3("GET", KEY).send().await;
    assert_eq!(object.text(), "hello world");
    assert_eq!(object.header("content-type"), "image/png");
    assert_eq!(object.header("cache-control"), "max-age=9");
    assert_eq!(object.header("x-amz-meta-colour"), "blue");
    assert_eq!(service.files().len(), 1, "the parts are gone");
    let again = complete(&service, &id, &[(1, &first)]).await;
    assert_eq!(again.refused(), refusal(404, "NoSuchUpload"));
}

#[tokio::test]
async fn a_part_that_is_sent_again_replaces_the_first() {
    let service = start_with(&[("FILE_SIZE_LIMIT", "10")]).await;
    let id = begin(&service, KEY).await;
    let first = sent(part(&service, &id, 1, "1234")).await;
    let again = sent(part(&service, &id, 1, "abcdef")).await;
    assert_eq!(progress(&service, &id).await, 6);
    assert_eq!(service.files().len(), 1);
    let old = complete(&service, &id, &[(1, &first)]).await;
    assert_eq!(old.refused(), refusal(400, "InvalidChecksum"));
    assert_eq!(old.one("Message"), "Invalid ETag for part 1");
    let done = complete(&service, &id, &[(1, &again)]).await;
    assert_eq!(done.status, 200, "{}", done.text());
    assert_eq!(service.s3("GET", KEY).send().await.text(), "abcdef");
}

#[tokio::test]
async fn all_parts_count_if_none_is_named() {
    let service = start().await;
    let id = begin(&service, KEY).await;
    let none = complete(&service, &id, &[]).await;
    assert_eq!(none.refused(), refusal(400, "MissingPart"));
    sent(part(&service, &id, 3, "c")).await;
    sent(part(&service, &id, 1, "a")).await;
    let done = service
        .s3("POST", &format!("{KEY}?uploadId={id}"))
        .send()
        .await;
    assert_eq!(done.status, 200, "{}", done.text());
    assert_eq!(service.s3("GET", KEY).send().await.text(), "ac");
}

#[tokio::test]
async fn what_cannot_be_completed_stays_as_it_is() {
    let service = start().await;
    let id = begin(&service, KEY).await;
    let etag = sent(part(&service, &id, 1, "a")).await;
    let missing = complete(&service, &id, &[(1, &etag), (2, &etag)]).await;
    assert_eq!(missing.refused(), refusal(400, "MissingPart"));
    assert_eq!(
        missing.one("Message"),
        format!("Part 2 is missing for upload id {id}")
    );
    let twice = complete(&service, &id, &[(1, &etag), (1, &etag)]).await;
    assert_eq!(twice.refused(), refusal(400, "InvalidPartOrder"));
    let wrong = complete(&service, &id, &[(0, &etag)]).await;
    assert_eq!(wrong.refused(), refusal(400, "InvalidRequest"));
    let post = |kind: &'static str, body: &'static str| {
        service
            .s3("POST", &format!("{KEY}?uploadId={id}"))
            .header("content-type", kind)
            .body(body)
            .send()
    };
    let broken = post(
        "application/xml",
        "<CompleteMultipartUpload><Part></CompleteMultipartUpload>",
    )
    .await;
    assert_eq!(broken.refused(), refusal(400, "MalformedXML"));
    assert_eq!(
        post("application/json", "").await.refused(),
        refusal(400, "InvalidRequest")
    );
    let nowhere = service
        .s3("POST", KEY)
        .header("content-type", "application/json")
        .send()
        .await;
    assert_eq!(nowhere.refused(), refusal(400, "InvalidRequest"));
    assert_eq!(service.s3("HEAD", KEY).send().await.status, 404);
    assert_eq!(complete(&service, &id, &[(1, &etag)]).await.status, 200);
}

#[tokio::test]
async fn an_upload_belongs_to_its_key() {
    let service = start().await;
    let id = begin(&service, "/s3/private/mine/other.bin").await;
    for answer in [
        part(&service, &id, 1, "a").send().await,
        complete(&service, &id, &[]).await,
        service
            .s3("DELETE", &format!("{KEY}?uploadId={id}"))
            .send()
            .await,
        service
            .s3("GET", &format!("{KEY}?uploadId={id}"))
            .send()
            .await,
        part(&service, "nothing", 1, "a").send().await,
    ] {
        assert_eq!(answer.refused(), refusal(404, "NoSuchUpload"));
    }
    for number in ["0", "10001", "x", ""] {
        let path = format!("{KEY}?partNumber={number}&uploadId={id}");
        let answer = service.s3("PUT", &path).body("a").send().await;
        assert_eq!(answer.refused(), refusal(400, "InvalidRequest"), "{number}");
    }
}

#[tokio::test]
async fn to_abort_removes_everything() {
    let service = start().await;
    let id = begin(&service, KEY).await;
    sent(part(&service, &id, 1, "a")).await;
    assert_eq!(service.files().len(), 1);
    let aborted = service
        .s3("DELETE", &format!("{KEY}?uploadId={id}"))
        .send()
        .await;
    assert_eq!(aborted.status, 200);
    assert_eq!(service.files(), [] as [&str; 0]);
    assert_eq!(
        part(&service, &id, 1, "a").send().await.refused(),
        refusal(404, "NoSuchUpload")
    );
}

#[tokio::test]
async fn the_whole_upload_has_a_limit() {
    let service = start_with(&[("FILE_SIZE_LIMIT", "10")]).await;
    let id = begin(&service, KEY).await;
    sent(part(&service, &id, 1, "123456")).await;
    let more = part(&service, &id, 2, "12345").send().await;
    assert_eq!(more.refused(), refusal(413, "EntityTooLarge"));
    assert_eq!(progress(&service, &id).await, 6);
    sent(part(&service, &id, 2, "1234")).await;
    let chunked = part(&service, &id, 3, "1").send_chunked(1, |_| {}).await;
    assert_eq!(chunked.refused(), refusal(413, "EntityTooLarge"));
    sqlx::query("update storage.s3_multipart_uploads set in_progress_size = 0")
        .execute(&service.pool())
        .await
        .unwrap();
    let tampered = part(&service, &id, 3, "12345").send().await;
    assert_eq!(tampered.refused(), refusal(400, "InvalidUploadSignature"));
}

#[tokio::test]
async fn a_part_that_breaks_off_gives_its_room_back() {
    let service = start().await;
    let id = begin(&service, KEY).await;
    let broken = part(&service, &id, 1, "0123456789")
        .send_chunked(4, |body| body.truncate(100))
        .await;
    assert_eq!(broken.status, 400);
    let short = part(&service, &id, 1, "0123456789")
        .header("content-length", "11")
        .send()
        .await;
    assert_eq!(short.refused(), refusal(400, "IncompleteBody"));
    assert_eq!(progress(&service, &id).await, 0);
    assert_eq!(service.files(), [] as [&str; 0]);
    let listed = service
        .s3("GET", &format!("{KEY}?uploadId={id}"))
        .send()
        .await;
    assert_eq!(listed.all("Part").len(), 0);
}

#[tokio::test]
async fn policies_are_asked_at_every_step() {
    let service = start().await;
    let elsewhere = service
        .s3("POST", "/s3/private/theirs?uploads")
        .user()
        .send()
        .await;
    assert_eq!(elsewhere.refused(), refusal(403, "AccessDenied"));
    let id = begin(&service, KEY).await;
    let etag = sent(part(&service, &id, 1, "a").user()).await;
    sqlx::query("drop policy own_folder on storage.objects")
        .execute(&service.pool())
        .await
        .unwrap();
    let target = format!("{KEY}?uploadId={id}");
    for answer in [
        part(&service, &id, 2, "b").user().send().await,
        service.s3("POST", &target).user().send().await,
        service.s3("DELETE", &target).user().send().await,
    ] {
        assert_eq!(answer.refused(), refusal(403, "AccessDenied"));
    }
    assert_eq!(progress(&service, &id).await, 1);
    // Rows of uploads are nobody's without a policy on their tables.
    let parts = service.s3("GET", &target).user().send().await;
    assert_eq!((parts.status, parts.all("Part").len()), (200, 0));
    assert_eq!(complete(&service, &id, &[(1, &etag)]).await.status, 200);
}

#[tokio::test]
async fn what_was_said_at_the_start_is_kept_with_the_upload() {
    let service = start().await;
    let id = begin(&service, KEY).await;
    let (metadata, user): (serde_json::Value, serde_json::Value) = sqlx::query_as(
        "select metadata, user_metadata from storage.s3_multipart_uploads where id = $1",
    )
    .bind(&id)
    .fetch_one(&service.pool())
    .await
    .unwrap();
    assert_eq!(
        metadata,
        json!({ "mimetype": "image/png", "cacheControl": "max-age=9" })
    );
    assert_eq!(user, json!({ "colour": "blue" }));
}

#[tokio::test]
async fn parts_may_come_from_objects() {
    let service = start().await;
    service.put("private/mine/source", "0123456789").await;
    let id = begin(&service, KEY).await;
    let copy = |number: u32, range: Option<&'static str>| {
        let call = service
            .s3("PUT", &format!("{KEY}?partNumber={number}&uploadId={id}"))
            .user()
            .header("x-amz-copy-source", "private/mine/source");
        match range {
            Some(range) => call.header("x-amz-copy-source-range", range).send(),
            None => call.send(),
        }
    };
    let whole = copy(1, None).await;
    assert_eq!(whole.status, 200, "{}", whole.text());
    assert_eq!(whole.one("ETag"), "\"781e5e245d69b566979b86e28d23f2c7\"");
    assert_eq!(copy(2, Some("bytes=2-4")).await.status, 200);
    assert_eq!(
        copy(3, Some("bytes=2-10")).await.refused(),
        refusal(400, "InvalidRange")
    );
    assert_eq!(progress(&service, &id).await, 13);
    assert_eq!(complete(&service, &id, &[]).await.status, 200);
    assert_eq!(service.s3("GET", KEY).send().await.text(), "0123456789234");
    let id = begin(&service, KEY).await;
    service.put("private/theirs", "x").await;
    let unseen = part(&service, &id, 1, "")
        .user()
        .header("x-amz-copy-source", "private/theirs")
        .send()
        .await;
    assert_eq!(unseen.refused(), refusal(404, "NoSuchKey"));
}

#[tokio::test]
async fn uploads_are_listed_in_pages() {
    let service = start().await;
    let mut ids = Vec::new();
    for key in ["b", "a%20x", "folder/1", "folder/2", "b"] {
        ids.push(begin(&service, &format!("/s3/private/{key}")).await);
    }
    let list = async |query: &str| {
        let answer = service
            .s3("GET", &format!("/s3/private?uploads&{query}"))
            .send()
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer
    };
    let all = list("encoding-type=url").await;
    assert_eq!(
        all.all("Key"),
        ["a%20x", "b", "b", "folder%2F1", "folder%2F2"]
    );
    assert_eq!(list("prefix=folder/").await.all("UploadId"), ids[2..4]);
    assert_eq!(list("prefix=_").await.all("Upload").len(), 0);
    let folders = list("delimiter=/").await;
    assert_eq!(folders.all("Key"), ["a x", "b", "b"]);
    assert!(
        folders
            .text()
            .contains("<CommonPrefixes><Prefix>folder/</Prefix></CommonPrefixes>")
    );
    let mut marker = String::new();
    let mut keys = Vec::new();
    for _ in 0..10 {
        let page = list(&format!("delimiter=/&max-uploads=1{marker}")).await;
        keys.extend(page.all("Key"));
        if page.one("IsTruncated") == "false" {
            assert!(page.text().contains("<CommonPrefixes>"));
            break;
        }
        marker = format!(
            "&key-marker={}&upload-id-marker={}",
            super::client::escape(&page.one("NextKeyMarker")),
            page.one("NextUploadIdMarker")
        );
    }
    assert_eq!(keys, ["a x", "b", "b"]);
    // Without the id of an upload, its key is done with.
    assert_eq!(
        list("key-marker=b").await.all("Key"),
        ["folder/1", "folder/2"]
    );
}

#[tokio::test]
async fn a_name_that_no_file_can_have_is_refused_before_the_bytes_are_sent() {
    let service = start().await;
    let path = |length| format!("/s3/private/mine/{}?uploads", "k".repeat(length));
    let longest = service.s3("POST", &path(255)).send().await;
    assert_eq!(longest.status, 200, "{}", longest.text());
    let long = service.s3("POST", &path(256)).send().await;
    assert_eq!(long.refused(), refusal(400, "InvalidKey"));
}
