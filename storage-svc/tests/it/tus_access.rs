//! Who may make, fill and give up resumable uploads.

use http::Method;
use serde_json::json;

use super::{
    SECRET, Service, now,
    service::refused,
    signed,
    tus::{BYTES, PATH, begin, content, head, metadata, patch, place, post, text, tus},
};

#[tokio::test]
async fn tokens_are_refused_as_everywhere_else() {
    let service = Service::start().await;
    let path = begin(&service, "k", 5).await;
    let expected = refused(400, 403, "AccessDenied");
    for method in [Method::POST, Method::PATCH, Method::DELETE, Method::PUT] {
        let answer = tus(&service.app, method.clone(), &path).send().await;
        assert_eq!(answer.refusal(), expected, "{method}");
        assert_eq!(answer.json()["message"], "Invalid Compact JWS");
        let answer = tus(&service.app, method, &path).token("abc").send().await;
        assert_eq!(answer.refusal(), expected);
    }
    assert_eq!(
        tus(&service.app, Method::HEAD, &path).send().await.status,
        400
    );
}

#[tokio::test]
async fn policies_decide_at_the_beginning_and_with_each_part() {
    let service = Service::start().await;
    let denied = "new row violates row-level security policy";
    let answer = post(&service, "private", "theirs/k", 5).user().send().await;
    assert_eq!((answer.status, text(&answer)), (403, denied));
    assert_eq!(service.files(), Vec::<String>::new(), "nothing was made");

    let path = place(&post(&service, "private", "mine/k", 5).user().send().await);
    let answer = patch(&service.app, &path, 0).user().body("ab").send().await;
    assert_eq!(answer.status, 204);
    for method in [Method::PATCH, Method::DELETE] {
        let answer = tus(&service.app, method, &path)
            .role("anon")
            .header("content-type", BYTES)
            .header("upload-offset", "2")
            .body("cde")
            .send()
            .await;
        assert_eq!((answer.status, text(&answer)), (403, denied));
    }
    sqlx::raw_sql("drop policy own_folder on storage.objects")
        .execute(&service.pool())
        .await
        .unwrap();
    let answer = patch(&service.app, &path, 2)
        .user()
        .body("cde")
        .send()
        .await;
    assert_eq!((answer.status, text(&answer)), (403, denied));
    assert_eq!(head(&service, &path).await.header("upload-offset"), "2");
}

#[tokio::test]
async fn policies_see_what_is_uploaded_and_how() {
    let service = Service::start().await;
    sqlx::raw_sql(
        "create policy told on storage.objects for insert to anon with check (
            bucket_id = 'closed'
            and storage.operation() in ('storage.tus.upload.create', 'storage.tus.upload.part')
            and (name <> 'typed' or metadata = '{\"mimetype\": \"text/x\", \"contentLength\": 5}')
            and (name <> 'untyped' or metadata = '{\"contentLength\": 5}')
            and (name <> 'said' or user_metadata = '{\"c\": 3}'))",
    )
    .execute(&service.pool())
    .await
    .unwrap();
    let send = async |key: &str, pairs: &[(&str, &str)]| {
        let mut all = vec![("bucketName", "closed"), ("objectName", key)];
        all.extend_from_slice(pairs);
        let call = tus(&service.app, Method::POST, PATH).role("anon");
        let call = call.header("upload-length", "5");
        let call = call.header("upload-metadata", &metadata(&all));
        call.send().await
    };
    let typed = ("contentType", "text/x");
    assert_eq!(send("typed", &[typed]).await.status, 201);
    assert_eq!(send("typed", &[]).await.status, 403);
    assert_eq!(send("untyped", &[typed]).await.status, 403);
    assert_eq!(
        send("said", &[("metadata", r#"{"c":3}"#)]).await.status,
        201
    );
    assert_eq!(send("said", &[]).await.status, 403);
    let path = place(&send("untyped", &[]).await);
    let answer = patch(&service.app, &path, 0)
        .role("anon")
        .body("12345")
        .send()
        .await;
    assert_eq!(answer.status, 204, "{}", text(&answer));
}

#[tokio::test]
async fn a_bucket_has_limits_of_its_own() {
    let service = Service::start().await;
    sqlx::raw_sql(
        "update storage.buckets set file_size_limit = 3, allowed_mime_types = '{text/*}' where id = 'closed'",
    )
    .execute(&service.pool())
    .await
    .unwrap();
    let answer = post(&service, "closed", "k", 4).service().send().await;
    assert_eq!(
        (answer.status, text(&answer)),
        (413, "Maximum size exceeded\n")
    );
    let typed = |kind| {
        let named = metadata(&[
            ("bucketName", "closed"),
            ("objectName", kind),
            ("contentType", kind),
        ]);
        let call = tus(&service.app, Method::POST, PATH).service();
        call.header("upload-defer-length", "1")
            .header("upload-metadata", &named)
    };
    let answer = typed("image/png").send().await;
    assert_eq!(
        (answer.status, text(&answer)),
        (415, "mime type image/png is not supported")
    );
    let path = place(&typed("text/css").send().await);
    let send = || patch(&service.app, &path, 0).service();
    let answer = send().header("upload-length", "4").body("1").send().await;
    assert_eq!(
        (answer.status, text(&answer)),
        (413, "Maximum size exceeded\n")
    );
    let answer = send().body("1234").send().await;
    assert_eq!(answer.status, 413);
    let answer = send().header("upload-length", "3").body("123").send().await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
}

#[tokio::test]
async fn a_key_that_appears_meanwhile_is_replaced_only_on_request() {
    let service = Service::start().await;
    let path = begin(&service, "k", 4).await;
    service.put("closed/k", "first").await;
    let taken = "The resource already exists";
    let answer = patch(&service.app, &path, 0)
        .service()
        .body("next")
        .send()
        .await;
    assert_eq!((answer.status, text(&answer)), (409, taken));
    let answer = post(&service, "closed", "k", 4).service().send().await;
    assert_eq!((answer.status, text(&answer)), (409, taken));
    assert_eq!(content(&service, "closed/k").await.bytes, b"first");
    let upsert = patch(&service.app, &path, 0)
        .service()
        .header("x-upsert", "true");
    assert_eq!(upsert.body("next").send().await.status, 204);
    assert_eq!(content(&service, "closed/k").await.bytes, b"next");
    let objects = service.files();
    let objects = objects
        .iter()
        .filter(|file| file.starts_with("stub/tenant/"));
    assert_eq!(objects.count(), 1, "the older version is gone");
}

#[tokio::test]
async fn one_upload_is_not_reached_under_the_name_of_another() {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let service = Service::start().await;
    let path = begin(&service, "secret", 5).await;
    let id = URL_SAFE_NO_PAD
        .decode(path.rsplit('/').next().unwrap())
        .unwrap();
    let id = String::from_utf8(id).unwrap();
    let version = id.rsplit('/').next().unwrap();
    let other = URL_SAFE_NO_PAD.encode(format!("private/mine/k/{version}"));
    let other = format!("{PATH}/{other}");
    for method in [Method::HEAD, Method::PATCH, Method::DELETE] {
        let answer = tus(&service.app, method, &other)
            .user()
            .header("content-type", BYTES)
            .header("upload-offset", "0")
            .send()
            .await;
        assert_eq!(answer.status, 404);
    }
    assert_eq!(head(&service, &path).await.status, 200);
}

#[tokio::test]
async fn a_signed_url_lends_the_services_rights_for_one_key() {
    let service = Service::start().await;
    let token = |key: &str, upsert: bool, expiry: u64| {
        let claims = json!({
            "owner": "somebody", "url": format!("closed/{key}"), "upsert": upsert,
            "scope": "upload", "exp": expiry,
        });
        signed(&claims, SECRET)
    };
    let named = metadata(&[("bucketName", "closed"), ("objectName", "k")]);
    let path = format!("{PATH}/sign");
    let create = || {
        let call = tus(&service.app, Method::POST, &path);
        call.header("upload-length", "2")
            .header("upload-metadata", &named)
    };
    let late = token("k", false, now() - 5);
    for (call, message) in [
        (create(), "Missing x-signature header"),
        (
            create().header("x-signature", "invalid"),
            "Invalid Compact JWS",
        ),
        (
            create().header("x-signature", &late),
            "\"exp\" claim timestamp check failed",
        ),
        (
            create().header("x-signature", &token("other", false, now() + 60)),
            "Invalid signature",
        ),
        // A token of a user is none of a URL.
        (
            create().header("x-signature", &super::token("service_role")),
            "Token is not scoped for upload",
        ),
    ] {
        let answer = call.send().await;
        assert_eq!((answer.status, text(&answer)), (400, message));
    }
    let good = token("k", false, now() + 60);
    let answer = create().header("x-signature", &good).send().await;
    let upload = place(&answer);
    assert!(upload.starts_with("/upload/resumable/sign/"), "{upload}");
    let send = |offset: usize| patch(&service.app, &upload, offset);
    assert_eq!(
        send(0).body("ab").send().await.status,
        400,
        "each request needs it"
    );
    assert_eq!(
        tus(&service.app, Method::HEAD, &upload).send().await.status,
        400
    );
    let answer = send(0).header("x-signature", &good).body("a").send().await;
    assert_eq!(answer.status, 204, "{}", text(&answer));
    let answer = tus(&service.app, Method::HEAD, &upload);
    let answer = answer.header("x-signature", &good).send().await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, "1"));
    let answer = send(1).header("x-signature", &good).body("b").send().await;
    assert_eq!((answer.status, answer.header("tus-complete")), (204, "1"));
    assert_eq!(content(&service, "closed/k").await.bytes, b"ab");
    let owner: Option<String> = sqlx::query_scalar("select owner_id from storage.objects")
        .fetch_one(&service.pool())
        .await
        .unwrap();
    assert_eq!(owner.as_deref(), Some("somebody"));

    // The token says whether a key may be replaced, not the request.
    let answer = create()
        .header("x-signature", &good)
        .header("x-upsert", "true");
    assert_eq!(answer.send().await.status, 409);
    let answer = create().header("x-signature", &token("k", true, now() + 60));
    assert_eq!(answer.send().await.status, 201);
}
