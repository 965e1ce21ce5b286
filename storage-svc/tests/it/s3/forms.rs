use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::client::{Keys, refusal, start, start_with};
use crate::{Service, service::Answer};

/// A form with a file, whose policy is signed by the service's key pair.
async fn post(
    service: &Service,
    conditions: &Value,
    fields: &[(&str, &str)],
    file: &str,
) -> Answer {
    post_as(
        service,
        &Keys::service(),
        "2999-01-01T00:00:00Z",
        conditions,
        fields,
        file,
    )
    .await
}

async fn post_as(
    service: &Service,
    keys: &Keys,
    expiration: &str,
    conditions: &Value,
    fields: &[(&str, &str)],
    file: &str,
) -> Answer {
    let scope = keys.scope();
    let policy =
        STANDARD.encode(json!({ "expiration": expiration, "conditions": conditions }).to_string());
    let credential = format!("{}/{}", keys.access_key, scope.text);
    let signature = scope.sign(&policy);
    let mut all = vec![
        ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        ("X-Amz-Credential", &credential),
        ("X-Amz-Date", &scope.date),
        ("Policy", &policy),
        ("X-Amz-Signature", &signature),
    ];
    all.extend(
        keys.token
            .as_deref()
            .map(|token| ("X-Amz-Security-Token", token)),
    );
    all.extend(fields);
    let mut body = Vec::new();
    for (name, value) in all {
        body.push(format!(
            "--line\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        ));
    }
    body.push(format!(
        "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"cat.png\"\r\n\
         Content-Type: text/plain\r\n\r\n{file}\r\n--line--\r\n"
    ));
    service
        .s3("POST", "/s3/private")
        .header("content-type", "multipart/form-data; boundary=line")
        .body(body.concat())
        .send_as_it_is()
        .await
}

fn conditions() -> Value {
    json!([{ "bucket": "private" }, ["starts-with", "$key", "mine/"], ["starts-with", "$Content-Type", "image/"],
        ["starts-with", "$x-amz-meta-colour", ""]])
}

const FIELDS: [(&str, &str); 3] = [
    ("key", "mine/${filename}"),
    ("Content-Type", "image/png"),
    ("x-amz-meta-colour", "blue"),
];

#[tokio::test]
async fn a_form_uploads_what_its_policy_allows() {
    let service = start().await;
    let answer = post(&service, &conditions(), &FIELDS, "hello").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(
        answer.header("etag"),
        "\"5d41402abc4b2a76b9719d911017c592\""
    );
    let object = service.s3("GET", "/s3/private/mine/cat.png").send().await;
    assert_eq!(object.text(), "hello");
    assert_eq!(object.header("content-type"), "image/png");
    assert_eq!(object.header("x-amz-meta-colour"), "blue");
}

#[tokio::test]
async fn a_form_cannot_do_more_than_its_policy() {
    let service = start().await;
    let fields = |index: usize, field: (&'static str, &'static str)| {
        let mut fields = FIELDS;
        fields[index] = field;
        fields
    };
    let elsewhere = post(
        &service,
        &conditions(),
        &fields(0, ("key", "theirs/a")),
        "x",
    )
    .await;
    assert_eq!(elsewhere.refused(), refusal(403, "AccessDenied"));
    let text = post(
        &service,
        &conditions(),
        &fields(1, ("Content-Type", "text/html")),
        "x",
    )
    .await;
    assert_eq!(text.refused(), refusal(403, "AccessDenied"));
    let more = post(
        &service,
        &conditions(),
        &fields(2, ("x-amz-meta-size", "1")),
        "x",
    )
    .await;
    assert_eq!(more.refused(), refusal(403, "AccessDenied"));
    let other = json!([{ "bucket": "public" }, ["starts-with", "$key", ""]]);
    let bucket = post(&service, &other, &FIELDS[..1], "x").await;
    assert_eq!(bucket.refused(), refusal(403, "AccessDenied"));
    let late = "2020-01-01T00:00:00Z";
    let expired = post_as(
        &service,
        &Keys::service(),
        late,
        &conditions(),
        &FIELDS,
        "x",
    )
    .await;
    assert_eq!(expired.refused(), refusal(400, "ExpiredToken"));
    let mut forged = Keys::service();
    forged.secret = "another".into();
    let forged = post_as(
        &service,
        &forged,
        "2999-01-01T00:00:00Z",
        &conditions(),
        &FIELDS,
        "x",
    )
    .await;
    assert_eq!(forged.refused(), refusal(403, "SignatureDoesNotMatch"));
    assert_eq!(service.files(), [] as [&str; 0]);
}

#[tokio::test]
async fn the_length_of_a_files_is_limited_by_policy_and_settings() {
    let service = start_with(&[("FILE_SIZE_LIMIT", "8")]).await;
    let mut conditions = conditions();
    conditions
        .as_array_mut()
        .unwrap()
        .push(json!(["content-length-range", 3, 6]));
    for (file, expected) in [
        ("12", refusal(400, "EntityTooSmall")),
        ("1234567", refusal(413, "EntityTooLarge")),
        ("123456", refusal(200, "")),
    ] {
        let answer = post(&service, &conditions, &FIELDS, file).await;
        assert_eq!(answer.refused(), expected, "{file}");
    }
    let answer = post(&service, &super::forms::conditions(), &FIELDS, "123456789").await;
    assert_eq!(answer.refused(), refusal(413, "EntityTooLarge"));
    assert_eq!(service.files().len(), 1);
}

#[tokio::test]
async fn a_user_may_sign_a_form_too() {
    let service = start().await;
    let claims =
        json!({ "role": "authenticated", "sub": crate::service::USER, "exp": crate::now() + 60 });
    let keys = Keys::session(crate::signed(&claims, crate::SECRET));
    let until = "2999-01-01T00:00:00Z";
    let mine = post_as(&service, &keys, until, &conditions(), &FIELDS, "x").await;
    assert_eq!(mine.status, 200, "{}", mine.text());
    let any = json!([{ "bucket": "private" }, ["starts-with", "$key", ""]]);
    let theirs = post_as(&service, &keys, until, &any, &[("key", "theirs/a")], "x").await;
    assert_eq!(theirs.refused(), refusal(403, "AccessDenied"));
}

#[tokio::test]
async fn a_form_without_a_policy_is_refused() {
    let service = start().await;
    let send = |kind: &'static str, body: &'static str| {
        service
            .s3("POST", "/s3/private")
            .header("content-type", kind)
            .body(body)
            .send_as_it_is()
    };
    let empty = send("multipart/form-data; boundary=line", "--line--\r\n").await;
    assert_eq!(empty.refused(), refusal(400, "InvalidSignature"));
    let unbounded = send("multipart/form-data", "x").await;
    assert_eq!(unbounded.refused(), refusal(400, "InvalidRequest"));
    let broken = send("multipart/form-data; boundary=line", "--line\r\nnonsense").await;
    assert_eq!(broken.refused(), refusal(400, "InvalidRequest"));
}
