use super::client::{Keys, refusal, start, start_with};
use crate::{now, signed, token};

#[tokio::test]
async fn a_wrong_signature_is_refused_in_xml() {
    let service = start().await;
    let mut keys = Keys::service();
    keys.secret = "another".into();
    let answer = service
        .s3("GET", "/s3/private/a%20b?x=1")
        .keys(keys)
        .send()
        .await;
    assert_eq!(
        answer.header("content-type"),
        "application/xml; charset=utf-8"
    );
    assert_eq!(answer.status, 403);
    assert_eq!(
        answer.text(),
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\
         <Error xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Resource>private/a%20b</Resource>\
         <Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match \
         the signature you provided. Check your key and signing method.</Message></Error>"
    );
}

#[tokio::test]
async fn who_does_not_sign_or_has_no_key_is_refused() {
    let service = start().await;
    let unsigned = service.s3("GET", "/s3/").send_as_it_is().await;
    assert_eq!(unsigned.refused(), refusal(403, "AccessDenied"));
    assert_eq!(unsigned.one("Message"), "Missing signature");
    let mut keys = Keys::service();
    keys.access_key = "nobody".into();
    let unknown = service.s3("GET", "/s3/").keys(keys).send().await;
    assert_eq!(unknown.one("Message"), "Invalid Access Key");
    let without_keys = crate::Service::start().await;
    let answer = without_keys.s3("GET", "/s3/").send().await;
    assert_eq!(
        answer.one("Message"),
        "Missing S3 Protocol Access Key ID or Secret Key Environment variables"
    );
    let off = start_with(&[("S3_PROTOCOL_ENABLED", "false")]).await;
    assert_eq!(off.s3("GET", "/s3/").send().await.status, 404);
}

#[tokio::test]
async fn a_session_token_makes_the_caller_a_user() {
    let service = start().await;
    let path = "/s3/private/mine/a.txt";
    assert_eq!(
        service.s3("PUT", path).user().body("x").send().await.status,
        200
    );
    let elsewhere = service
        .s3("PUT", "/s3/private/yours/a.txt")
        .user()
        .body("x")
        .send()
        .await;
    assert_eq!(elsewhere.refused(), refusal(403, "AccessDenied"));
    assert_eq!(
        elsewhere.one("Message"),
        "new row violates row-level security policy"
    );
    assert_eq!(service.s3("GET", path).user().send().await.text(), "x");
    service.put("private/yours/b.txt", "y").await;
    let unseen = service
        .s3("GET", "/s3/private/yours/b.txt")
        .user()
        .send()
        .await;
    assert_eq!(unseen.refused(), refusal(404, "NoSuchKey"));
    let owner: String =
        sqlx::query_scalar("select owner_id from storage.objects where name = 'mine/a.txt'")
            .fetch_one(&service.pool())
            .await
            .unwrap();
    assert_eq!(owner, crate::service::USER);
}

#[tokio::test]
async fn a_session_needs_a_valid_token() {
    let service = start().await;
    let claims = serde_json::json!({ "role": "authenticated", "exp": now() - 60 });
    let expired = Keys::session(signed(&claims, crate::SECRET));
    let answer = service.s3("GET", "/s3/").keys(expired).send().await;
    assert_eq!(answer.refused(), refusal(403, "AccessDenied"));
    let forged = Keys::session(signed(
        &claims,
        "another secret of the same length, for HMAC",
    ));
    let answer = service.s3("GET", "/s3/").keys(forged).send().await;
    assert_eq!(answer.one("Message"), "signature verification failed");
    let mut keys = Keys::session(token("authenticated"));
    keys.secret = "another".into();
    let answer = service.s3("GET", "/s3/").keys(keys).send().await;
    assert!(
        answer
            .one("Message")
            .ends_with("The session token should be a valid JWT token")
    );
}

#[tokio::test]
async fn another_body_than_the_signed_one_is_not_kept() {
    let service = start().await;
    let hash = super::client::sha256(b"signed");
    let answer = service
        .s3("PUT", "/s3/private/a.txt")
        .payload_hash(&hash)
        .body("sent")
        .send()
        .await;
    assert_eq!(answer.refused(), refusal(400, "XAmzContentSHA256Mismatch"));
    assert_eq!(
        service.s3("GET", "/s3/private/a.txt").send().await.status,
        404
    );
    assert_eq!(service.files(), [] as [&str; 0]);
    let unsigned = service
        .s3("PUT", "/s3/private/a.txt")
        .payload_hash("UNSIGNED-PAYLOAD")
        .body("sent")
        .send()
        .await;
    assert_eq!(unsigned.status, 200);
}

#[tokio::test]
async fn chunks_are_read_and_their_signatures_count() {
    let service = start().await;
    let content: Vec<u8> = (0..20_000_u32).flat_map(u32::to_le_bytes).collect();
    let put = |path| service.s3("PUT", path).body(content.clone());
    let good = put("/s3/private/good").send_chunked(8192, |_| {}).await;
    assert_eq!(good.status, 200);
    assert_eq!(
        service.s3("GET", "/s3/private/good").send().await.bytes,
        content
    );
    let files = service.files().len();
    let spoilt = put("/s3/private/spoilt")
        .send_chunked(8192, |body| body[70_000] ^= 1)
        .await;
    assert_eq!(spoilt.refused(), refusal(403, "SignatureDoesNotMatch"));
    assert_eq!(spoilt.header("connection"), "close");
    let cut = put("/s3/private/cut")
        .send_chunked(8192, |body| body.truncate(70_000))
        .await;
    assert_eq!(cut.refused(), refusal(400, "InvalidRequest"));
    assert_eq!(service.files().len(), files);
}

#[tokio::test]
async fn unsigned_chunks_end_with_their_trailer() {
    let service = start().await;
    let put = |body: &str| {
        service
            .s3("PUT", "/s3/private/a.txt")
            .header("x-amz-decoded-content-length", "5")
            .header("x-amz-trailer", "x-amz-checksum-crc32")
            .header("content-encoding", "aws-chunked")
            .payload_hash("STREAMING-UNSIGNED-PAYLOAD-TRAILER")
            .body(body)
            .send()
    };
    let bare = put("5\r\nhello\r\n0\r\n\r\n").await;
    assert_eq!(bare.refused(), refusal(400, "InvalidRequest"));
    assert_eq!(
        service.s3("HEAD", "/s3/private/a.txt").send().await.status,
        404
    );
    let whole = put("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n").await;
    assert_eq!(whole.status, 200);
    assert_eq!(
        service.s3("GET", "/s3/private/a.txt").send().await.text(),
        "hello"
    );
}

#[tokio::test]
async fn a_presigned_url_needs_no_header() {
    let service = start().await;
    let put = service
        .s3("PUT", "/s3/private/mine/a.txt")
        .user()
        .presigned(60);
    let answer = service
        .s3("PUT", &put)
        .body("x")
        .header("authorization", "Bearer other");
    assert_eq!(answer.send_as_it_is().await.status, 200);
    let get = service
        .s3("GET", "/s3/private/mine/a.txt?response-content-type=a%2Fb")
        .presigned(60);
    let answer = service.s3("GET", &get).send_as_it_is().await;
    assert_eq!(
        (answer.text().as_str(), answer.header("content-type")),
        ("x", "a/b")
    );
    let changed = get.replace("a%2Fb", "a%2Fc");
    let answer = service.s3("GET", &changed).send_as_it_is().await;
    assert_eq!(answer.refused(), refusal(403, "SignatureDoesNotMatch"));
    let old = service.s3("GET", "/s3/private/mine/a.txt").presigned(-1);
    let answer = service.s3("GET", &old).send_as_it_is().await;
    assert_eq!(answer.refused(), refusal(400, "InvalidSignature"));
}

#[tokio::test]
async fn the_path_and_host_that_the_client_saw_are_signed() {
    let forwarded = start_with(&[("REQUEST_ALLOW_X_FORWARDED_PATH", "true")]).await;
    let list = |service, host: &str| {
        let service: &crate::Service = service;
        service
            .s3("GET", "/s3/?x=1")
            .signed_path("/storage/v1/s3/")
            .header("x-forwarded-prefix", "/storage/v1")
            .header("x-forwarded-host", host)
            .send()
    };
    // The client signs the host under its own name.
    let answer = list(&forwarded, "storage.test").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(list(&forwarded, "other.test").await.status, 403);
    let public = start_with(&[
        ("S3_PROTOCOL_PREFIX", "/storage/v1"),
        ("STORAGE_PUBLIC_URL", "http://storage.test"),
    ])
    .await;
    assert_eq!(list(&public, "other.test").await.status, 200);
    let unaware = start().await;
    assert_eq!(list(&unaware, "storage.test").await.status, 403);
}
