use http::Method;
use serde_json::json;

use super::{Service, service::refused};

async fn with_objects() -> Service {
    let service = Service::start().await;
    service.put("public/a.txt", "0123456789").await;
    service.put("private/mine/b.txt", "mine").await;
    service.put("private/theirs/c.txt", "theirs").await;
    service
}

#[tokio::test]
async fn each_door_lets_in_whom_it_should() {
    let service = with_objects().await;
    let get = |path: &str| service.get(path);
    let no_bucket = refused(400, 404, "NoSuchBucket");
    let no_key = refused(400, 404, "NoSuchKey");
    // Public: anybody, whatever they say of themselves.
    let public = "/object/public/public/a.txt";
    assert_eq!(get(public).send().await.status, 200);
    assert_eq!(get(public).token("nonsense").send().await.status, 200);
    let closed = "/object/public/private/mine/b.txt";
    assert_eq!(get(closed).user().send().await.refusal(), no_bucket);
    assert_eq!(
        get("/object/public/none/x").send().await.refusal(),
        no_bucket
    );
    // With a token: policies, unless the bucket is public.
    let own = "/object/authenticated/private/mine/b.txt";
    assert_eq!(get(own).user().send().await.bytes, b"mine");
    let other = "/object/authenticated/private/theirs/c.txt";
    assert_eq!(get(other).user().send().await.refusal(), no_key);
    assert_eq!(get(other).service().send().await.bytes, b"theirs");
    let answer = get("/object/authenticated/public/a.txt")
        .role("anon")
        .send()
        .await;
    assert_eq!(answer.status, 200);
    let answer = get(own).send().await;
    assert_eq!(
        answer.json()["message"],
        "headers must have required property 'authorization'"
    );
    assert_eq!(
        get(own).token("x.y.z").send().await.refusal(),
        refused(400, 403, "AccessDenied")
    );
    // Either: without a token only what is public.
    assert_eq!(get("/object/public/a.txt").send().await.status, 200);
    assert_eq!(
        get("/object/private/mine/b.txt").send().await.refusal(),
        no_bucket
    );
    let bad = get("/object/private/mine/b.txt")
        .token("x.y.z")
        .send()
        .await;
    assert_eq!(bad.refusal(), no_bucket);
    assert_eq!(
        get("/object/private/mine/b.txt").user().send().await.status,
        200
    );
    let head = service.call(Method::HEAD, "/object/public/public/nothing");
    let head = head.send().await;
    assert_eq!(head.status, 400);
}

#[tokio::test]
async fn a_range_is_sent_alone() {
    let service = with_objects().await;
    let get = |range: &str| {
        service
            .get("/object/public/public/a.txt")
            .header("range", range)
            .send()
    };
    let part = get("bytes=2-4").await;
    assert_eq!(
        (part.status, part.bytes.as_slice()),
        (206, b"234".as_slice())
    );
    assert_eq!(part.header("content-range"), "bytes 2-4/10");
    assert_eq!(part.header("content-length"), "3");
    assert_eq!(get("bytes=-2").await.bytes, b"89");
    assert_eq!(get("bytes=8-100").await.bytes, b"89");
    for range in ["bytes=10-", "bytes=0-1,4-5", "lines=1-2"] {
        assert_eq!(
            get(range).await.refusal(),
            refused(416, 416, "InvalidRange"),
            "{range}"
        );
    }
}

#[tokio::test]
async fn a_copy_that_is_still_good_is_not_sent_again() {
    let service = with_objects().await;
    let get = || service.get("/object/public/public/a.txt");
    let first = get().send().await;
    let etag = first.header("etag").to_owned();
    let same = get().header("if-none-match", &etag).send().await;
    assert_eq!((same.status, same.bytes.len()), (304, 0));
    assert_eq!(same.header("etag"), etag);
    let other = get().header("if-none-match", "\"x\"").send().await;
    assert_eq!(other.status, 200);
    assert_eq!(
        other.header("cache-control"),
        "no-cache, stale-while-revalidate=30"
    );
    let since = first.header("last-modified").to_owned();
    assert_eq!(
        get()
            .header("if-modified-since", &since)
            .send()
            .await
            .status,
        304
    );
    for (date, status) in [
        ("Mon, 01 Jan 2024 00:00:00 GMT", 200),
        ("2024-01-01T00:00:00.000Z", 200),
        ("2999-01-01T00:00:00.000Z", 304),
    ] {
        let answer = get().header("if-modified-since", date).send().await;
        assert_eq!(answer.status, status, "{date}");
    }
    let head = service.call(Method::HEAD, "/object/public/public/a.txt");
    let head = head.header("if-none-match", &etag).send().await;
    assert_eq!((head.status, head.header("content-length")), (200, "10"));
}

#[tokio::test]
async fn downloads_get_a_name_and_pages_are_shown_as_text() {
    let service = with_objects().await;
    let get = |query: &str| {
        service
            .get(&format!("/object/public/public/a.txt{query}"))
            .send()
    };
    assert_eq!(
        get("?download").await.header("content-disposition"),
        "attachment;"
    );
    assert_eq!(
        get("?download=a%20%C3%A9.txt")
            .await
            .header("content-disposition"),
        "attachment; filename=a%20%C3%A9.txt; filename*=UTF-8''a%20%C3%A9.txt"
    );
    let headers = get("?download=%FF").await;
    let disposition = "attachment; filename=%25FF; filename*=UTF-8''%25FF";
    assert_eq!(headers.header("content-disposition"), disposition);
    let post = service.post("/object/public/page.html").service();
    let post = post.header("content-type", "text/html; charset=utf-8");
    let stored = post
        .header("x-robots-tag", "noindex")
        .body("<p>")
        .send()
        .await;
    assert_eq!(stored.status, 200);
    let page = service.get("/object/public/public/page.html").send().await;
    assert_eq!(page.header("content-type"), "text/plain");
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert_eq!(get("").await.header("x-robots-tag"), "none");
}

#[tokio::test]
async fn info_tells_what_the_row_says() {
    let service = with_objects().await;
    let answer = service.get("/object/info/public/public/a.txt").send().await;
    let mut body = answer.json();
    assert_eq!(body["last_modified"].as_str().unwrap().len(), 24);
    for name in ["id", "version", "last_modified", "created_at"] {
        body[name] = "?".into();
    }
    let expected = json!({
        "id": "?",
        "name": "a.txt",
        "version": "?",
        "bucket_id": "public",
        "size": 10,
        "content_type": "text/plain",
        "cache_control": "no-cache",
        "etag": "\"781e5e245d69b566979b86e28d23f2c7\"",
        "metadata": {},
        "last_modified": "?",
        "created_at": "?",
    });
    assert_eq!(body, expected);
    let other = service
        .get("/object/info/private/theirs/c.txt")
        .user()
        .send()
        .await;
    assert_eq!(other.refusal(), refused(400, 404, "NoSuchKey"));
}

#[tokio::test]
async fn a_row_without_its_blob_is_a_resource_that_is_not_found() {
    let service = with_objects().await;
    for file in service.files() {
        std::fs::remove_file(service.folder.path().join(file)).unwrap();
    }
    let answer = service.get("/object/public/public/a.txt").send().await;
    assert_eq!(answer.refusal(), refused(400, 404, "NoSuchKey"));
    assert_eq!(answer.json()["message"], "The resource was not found");
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[tokio::test]
async fn rows_that_others_wrote_are_completed_from_the_store() {
    let service = with_objects().await;
    // A release before versions: the blob is the key itself, and the row says nothing.
    let path = service.folder.path().join("stub/tenant/public/old.txt");
    std::fs::write(path, "from before").unwrap();
    sqlx::raw_sql("insert into storage.objects (bucket_id, name) values ('public', 'old.txt')")
        .execute(&service.pool())
        .await
        .unwrap();
    let answer = service.get("/object/public/public/old.txt").send().await;
    assert_eq!(
        (answer.status, answer.bytes.as_slice()),
        (200, b"from before".as_slice())
    );
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert!(!answer.header("etag").is_empty());
}

#[tokio::test]
async fn a_list_is_the_same_whichever_way_it_is_made() {
    let service = Service::start().await;
    for name in [
        "B.txt", "a.txt", "flat/1", "flat/2", "flat/3", "deep/x/1", "deep/y", "Flat/4",
    ] {
        service.put(&format!("closed/{name}"), name).await;
    }
    let list = async |body: serde_json::Value| {
        let call = service.post("/object/list/closed").service().json(&body);
        let body = call.send().await.json();
        let names = body.as_array().unwrap().iter();
        let names = names.map(|entry| {
            let folder = if entry["id"].is_null() { "/" } else { "" };
            format!("{}{folder}", entry["name"].as_str().unwrap())
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        list(json!({ "prefix": "" })).await,
        ["a.txt", "B.txt", "deep/", "flat/"]
    );
    assert_eq!(
        list(json!({ "prefix": "flat" })).await,
        ["1", "2", "3", "4"]
    );
    let page = json!({ "prefix": "flat", "limit": 2, "offset": 1 });
    assert_eq!(list(page).await, ["2", "3"]);
    assert_eq!(
        list(json!({ "prefix": "flat", "search": "3" })).await,
        ["3"]
    );
    assert_eq!(list(json!({ "prefix": "deep" })).await, ["x/", "y"]);
    assert_eq!(
        list(json!({ "prefix": "", "search": "FLAT/2" })).await,
        ["flat/2"]
    );
    assert_eq!(
        list(json!({ "prefix": "none" })).await,
        Vec::<String>::new()
    );
}
