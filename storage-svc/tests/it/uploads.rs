use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::Method;
use serde_json::{Value, json};

use super::{Service, service::refused};

/// A form as browsers send it.
fn form(fields: &[(&str, &str)], file: Option<(&str, &str)>) -> (String, String) {
    use std::fmt::Write as _;
    let mut body = String::new();
    for (name, value) in fields {
        let _ = write!(
            body,
            "--edge\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
    }
    if let Some((kind, content)) = file {
        let _ = write!(
            body,
            "--edge\r\ncontent-disposition: form-data; name=\"\"; filename=\"blob\"\r\n\
             content-type: {kind}\r\n\r\n{content}\r\n"
        );
    }
    body.push_str("--edge--\r\n");
    ("multipart/form-data; boundary=edge".to_owned(), body)
}

async fn row(service: &Service, name: &str) -> (Value, Option<Value>, Option<String>) {
    sqlx::query_as("select metadata, user_metadata, owner_id from storage.objects where name = $1")
        .bind(name)
        .fetch_one(&service.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn what_was_stored_is_what_is_read() {
    let service = Service::start().await;
    let metadata = STANDARD.encode(r#"{"a":"b"}"#);
    let answer = service
        .post("/object/private/mine/a%20b.txt")
        .user()
        .header("content-type", "text/plain")
        .header("cache-control", "max-age=60")
        .header("x-metadata", &metadata)
        .body("hello")
        .send()
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.json());
    assert_eq!(answer.json()["Key"], "private/mine/a b.txt");
    let (metadata, user, owner) = row(&service, "mine/a b.txt").await;
    assert_eq!(metadata["eTag"], "\"5d41402abc4b2a76b9719d911017c592\"");
    assert_eq!(metadata["size"], 5);
    assert_eq!(metadata["contentLength"], 5);
    assert_eq!(metadata["mimetype"], "text/plain");
    assert_eq!(metadata["cacheControl"], "max-age=60");
    assert_eq!(user, Some(json!({ "a": "b" })));
    assert_eq!(owner.as_deref(), Some(super::service::USER));
    let read = service
        .get("/object/private/mine/a%20b.txt")
        .user()
        .send()
        .await;
    assert_eq!(
        (read.status, read.bytes.as_slice()),
        (200, b"hello".as_slice())
    );
    assert_eq!(read.header("content-type"), "text/plain");
    assert_eq!(read.header("cache-control"), "max-age=60");
    assert_eq!(read.header("etag"), "\"5d41402abc4b2a76b9719d911017c592\"");
}

#[tokio::test]
async fn user_metadata_is_an_object_or_nothing() {
    let service = Service::start().await;
    let syntax = |answer: &super::service::Answer| {
        (answer.status, answer.json()["message"].clone())
            == (400, json!("invalid input syntax for type json"))
    };
    for (name, said, is_taken) in [
        ("array", "[1]", false),
        ("text", "\"x\"", false),
        ("number", "5", true),
        ("null", "null", true),
        ("none", "{", true),
    ] {
        let path = format!("/object/private/mine/{name}");
        let (kind, body) = form(&[("metadata", said)], Some(("text/plain", "f")));
        let plain = service.post(&format!("{path}-header")).user();
        let plain = plain.header("x-metadata", &STANDARD.encode(said)).body("f");
        let formed = service.post(&path).user();
        let formed = formed.header("content-type", &kind).body(body);
        for answer in [plain.send().await, formed.send().await] {
            assert_eq!(answer.status == 200, is_taken, "{name}");
            assert!(is_taken || syntax(&answer), "{:?}", answer.json());
        }
        let read = service.get(&path).user().send().await;
        assert_eq!(read.status == 200, is_taken, "{name}");
    }
}

#[tokio::test]
async fn forms_say_in_fields_what_headers_say_otherwise() {
    let service = Service::start().await;
    let fields = [("cacheControl", "3600"), ("metadata", r#"{"k":1}"#)];
    let (kind, body) = form(&fields, Some(("image/png", "not really")));
    let post = || {
        service
            .post("/object/closed/f.png")
            .service()
            .header("content-type", &kind)
    };
    let answer = post().body(body).send().await;
    assert_eq!(answer.status, 200, "{:?}", answer.json());
    let (metadata, user, _) = row(&service, "f.png").await;
    assert_eq!(metadata["cacheControl"], "max-age=3600");
    assert_eq!(metadata["mimetype"], "image/png");
    assert_eq!(user, Some(json!({ "k": 1 })));

    let (_, empty) = form(&fields, None);
    for nothing in [empty.as_str(), ""] {
        let answer = post().body(nothing.to_owned()).send().await;
        assert_eq!(answer.json()["message"], "No content provided");
    }
}

#[tokio::test]
async fn a_cache_control_is_kept_as_the_bytes_it_came_as() {
    let service = Service::start().await;
    for (sent, kept) in [
        (b"a=\xC3\xA9".as_slice(), b"a=\xC3\xA9".as_slice()),
        (b"", b"no-cache"),
    ] {
        let post = service
            .call(http::Method::PUT, "/object/public/c")
            .service();
        let post = post.bytes_header("cache-control", sent).body("x");
        assert_eq!(post.send().await.status, 200);
        let read = service.get("/object/public/public/c").send().await;
        assert_eq!(read.headers["cache-control"].as_bytes(), kept);
    }
}

#[tokio::test]
async fn a_key_is_taken_once_unless_it_may_be_replaced() {
    let service = Service::start().await;
    service.put("closed/a", "first").await;
    let post = || service.post("/object/closed/a").service();
    let answer = post().body("second").send().await;
    assert_eq!(answer.refusal(), refused(400, 409, "KeyAlreadyExists"));
    assert_eq!(answer.json()["error"], "Duplicate");
    let answer = post().header("x-upsert", "true").body("third").send().await;
    assert_eq!(answer.status, 200);
    let read = service.get("/object/closed/a").service().send().await;
    assert_eq!(read.bytes, b"third");
    assert_eq!(service.files().len(), 1, "the older version is gone");
}

#[tokio::test]
async fn of_many_who_create_one_key_exactly_one_does() {
    let service = Service::start().await;
    let other = service.copy(&[]).await;
    let tries = (0..24).map(|number: u32| {
        // Two copies of the service, and bodies of which each is another.
        let app = if number.is_multiple_of(2) {
            &service.app
        } else {
            &other
        };
        super::service::call(app, Method::POST, "/object/closed/once")
            .service()
            .body(number.to_string())
            .send()
    });
    let answers = futures_util::future::join_all(tries).await;
    let winners: Vec<_> = (0..)
        .zip(&answers)
        .filter(|(_, answer)| answer.status == 200)
        .collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    let read = service.get("/object/closed/once").service().send().await;
    assert_eq!(read.bytes, winners[0].0.to_string().as_bytes());
    let losers = answers.iter().filter(|answer| answer.status != 200);
    for answer in losers {
        assert_eq!(answer.json()["statusCode"], "409");
    }
    assert_eq!(service.files().len(), 1, "losers leave nothing");
}

#[tokio::test]
async fn policies_decide_before_anything_is_stored() {
    let service = Service::start().await;
    let denied = refused(400, 403, "AccessDenied");
    let post = |path: &str| service.post(path);
    let answer = post("/object/private/theirs/a")
        .user()
        .body("x")
        .send()
        .await;
    assert_eq!(answer.refusal(), denied);
    assert_eq!(
        answer.json()["message"],
        "new row violates row-level security policy"
    );
    // An INSERT policy is enough to create, and not enough to replace.
    let inbox = "/object/private/inbox/a";
    assert_eq!(post(inbox).role("anon").body("x").send().await.status, 200);
    let answer = post(inbox)
        .role("anon")
        .header("x-upsert", "true")
        .body("y")
        .send()
        .await;
    assert_eq!(answer.refusal(), denied);
    assert_eq!(service.files().len(), 1);
}

#[tokio::test]
async fn policies_may_look_at_type_and_length() {
    let service = Service::start().await;
    sqlx::raw_sql(
        "create policy small_text on storage.objects for insert to anon with check (
            bucket_id = 'closed' and metadata->>'mimetype' = 'text/plain' and (metadata->>'contentLength')::int < 4)",
    )
    .execute(&service.pool())
    .await
    .unwrap();
    let post = |name: &str, kind: &str, body: &'static str| {
        let call = service.post(&format!("/object/closed/{name}")).role("anon");
        let call = call.header("content-type", kind);
        call.header("content-length", &body.len().to_string())
            .body(body)
            .send()
    };
    assert_eq!(post("a", "text/plain", "abc").await.status, 200);
    assert_eq!(post("b", "text/plain", "abcd").await.status, 400);
    assert_eq!(post("c", "image/png", "abc").await.status, 400);
}

#[tokio::test]
async fn limits_hold_for_each_way_a_body_may_come() {
    let service = Service::start().await;
    sqlx::raw_sql(
        "update storage.buckets set file_size_limit = 4, allowed_mime_types = '{text/*}' where id = 'closed'",
    )
    .execute(&service.pool())
    .await
    .unwrap();
    let large = refused(400, 413, "EntityTooLarge");
    let post = || {
        service
            .post("/object/closed/a")
            .service()
            .header("content-type", "text/plain")
    };
    let announced = post()
        .header("content-length", "5")
        .body("hello")
        .send()
        .await;
    assert_eq!(announced.refusal(), large);
    assert_eq!(announced.header("connection"), "close");
    // Nobody said how long it would be.
    let chunks = futures_util::stream::iter(["he", "ll", "o"].map(Ok::<_, std::io::Error>));
    let answer = post()
        .body(axum::body::Body::from_stream(chunks))
        .send()
        .await;
    assert_eq!(answer.refusal(), large);
    let (kind, body) = form(&[], Some(("text/plain", "hello")));
    let call = service.post("/object/closed/a").service();
    let answer = call.header("content-type", &kind).body(body).send().await;
    assert_eq!(answer.refusal(), large);
    let call = service.post("/object/closed/a").service();
    let answer = call
        .header("content-type", "image/png")
        .body("abc")
        .send()
        .await;
    assert_eq!(answer.refusal(), refused(400, 415, "InvalidMimeType"));
    assert!(service.files().is_empty(), "{:?}", service.files());
    let folder = service
        .post("/object/closed/f/.emptyFolderPlaceholder")
        .service();
    let answer = folder
        .header("content-type", "image/png")
        .body("")
        .send()
        .await;
    assert_eq!(answer.status, 200, "no type is wrong for an empty folder");
}

#[tokio::test]
async fn keys_are_the_originals_unless_widened() {
    let service = Service::start().await;
    for key in ["caf%C3%A9", "a%25b", "a%23b", "~a", "..%2Fx", "a/../b"] {
        let call = service.post(&format!("/object/closed/{key}")).service();
        let answer = call.body("x").send().await;
        assert_eq!(answer.refusal(), refused(400, 400, "InvalidKey"), "{key}");
    }
    let wide = service.copy(&[("STORAGE_KEY_CHARACTERS", "unicode")]).await;
    for key in [
        "caf%C3%A9/%E6%BC%A2%E5%AD%97",
        "a%25b%23c%3Fd",
        "%5Bx%5D~%5C",
    ] {
        let path = format!("/object/closed/{key}");
        let put = super::service::call(&wide, Method::POST, &path).service();
        assert_eq!(put.body(key.to_owned()).send().await.status, 200, "{key}");
        let get = super::service::call(&wide, Method::GET, &path).service();
        assert_eq!(get.send().await.bytes, key.as_bytes());
        let sign = super::service::call(&wide, Method::POST, &format!("/object/sign/closed/{key}"));
        let signed = sign
            .service()
            .json(&json!({ "expiresIn": 60 }))
            .send()
            .await
            .json();
        let url = signed["signedURL"].as_str().unwrap();
        // A client sends what a URL cannot hold percent-encoded.
        let url = url::Url::parse("http://h").unwrap().join(url).unwrap();
        let path = format!("{}?{}", url.path(), url.query().unwrap());
        let get = super::service::call(&wide, Method::GET, &path);
        assert_eq!(get.send().await.bytes, key.as_bytes(), "{path}");
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_leaves_nothing() {
    let service = Service::start().await;
    let big = vec![b'x'; 600_000];
    let chunks = futures_util::stream::iter([
        Ok(axum::body::Bytes::from(big)),
        Err(std::io::Error::other("gone")),
    ]);
    let call = service.post("/object/closed/a").service();
    let answer = call
        .body(axum::body::Body::from_stream(chunks))
        .send()
        .await;
    assert_eq!(answer.status, 500);
    assert!(service.files().is_empty(), "{:?}", service.files());
    let read = service.get("/object/closed/a").service().send().await;
    assert_eq!(read.refusal(), refused(400, 404, "NoSuchKey"));
}

#[tokio::test]
async fn triggers_see_the_service_and_columns_the_user() {
    let service = Service::start().await;
    sqlx::raw_sql(
        "create table public.seen (role text, claims text);
         grant insert on public.seen to service_role;
         create function public.see() returns trigger language plpgsql as $$ begin
            insert into public.seen values (current_user, current_setting('request.jwt.claim.role', true));
            return new; end $$;
         create trigger see after insert on storage.objects for each row execute function public.see();",
    )
    .execute(&service.pool())
    .await
    .unwrap();
    let _ = service
        .post("/object/private/mine/a")
        .service()
        .body("x")
        .send()
        .await;
    let seen: Vec<(String, String)> = sqlx::query_as("select role, claims from public.seen")
        .fetch_all(&service.pool())
        .await
        .unwrap();
    assert_eq!(
        seen,
        [("service_role".to_owned(), "service_role".to_owned())]
    );
}
