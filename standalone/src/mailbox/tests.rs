//! The whole mailbox from outside: a real client over SMTP, a signed hook, the API and the page.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use axum::body::{Body, to_bytes};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{Request, Response};
use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor, message::MultiPart,
    transport::smtp::authentication::Credentials,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::Mailbox;

const KEY: &[u8] = b"the key of the tests";

async fn smtp(mailbox: &Mailbox) -> (u16, CancellationToken, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = CancellationToken::new();
    let (mailbox, stopped) = (mailbox.clone(), stop.clone());
    let server = tokio::spawn(async move { mailbox.serve_smtp(listener, stopped).await });
    (port, stop, server)
}

async fn send(mailbox: &Mailbox, request: Request<Body>) -> (u16, Value) {
    let response = mailbox.router().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let text = body(response).await;
    let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    (status, value)
}

async fn body(response: Response<Body>) -> String {
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn get(mailbox: &Mailbox, path: &str) -> (u16, Value) {
    let request = Request::builder().uri(path).body(Body::empty()).unwrap();
    send(mailbox, request).await
}

#[tokio::test]
async fn a_mail_goes_in_over_smtp_and_out_over_the_api() {
    let mailbox = Mailbox::new(None);
    let (port, stop, server) = smtp(&mailbox).await;
    let client = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous("127.0.0.1")
        .port(port)
        .credentials(Credentials::new("any".to_owned(), "body".to_owned()))
        .build();
    for (to, code) in [("ada@example.org", "111111"), ("eve@example.org", "222222")] {
        let message = Message::builder()
            .from("Nilam <no-reply@nilam.example>".parse().unwrap())
            .to(to.parse().unwrap())
            .subject("Your code – здесь")
            .multipart(MultiPart::alternative_plain_html(
                format!("Code: {code}\r\n.\r\n.dotted"),
                format!("<p>Code: <b>{code}</b></p><script>alert(1)</script>"),
            ))
            .unwrap();
        client.send(message).await.unwrap();
    }

    let (_, list) = get(&mailbox, "/api/v1/messages?limit=1").await;
    assert_eq!((&list["total"], &list["count"]), (&json!(2), &json!(1)));
    assert_eq!(list["messages"][0]["To"][0]["Address"], "eve@example.org");
    assert_eq!(list["messages"][0]["Subject"], "Your code – здесь");

    let (_, found) = get(&mailbox, "/api/v1/search?query=to:ada@example.org").await;
    assert_eq!(found["messages_count"], 1);
    let id = found["messages"][0]["ID"].as_str().unwrap().to_owned();
    let (_, mail) = get(&mailbox, &format!("/api/v1/message/{id}")).await;
    let text = mail["Text"].as_str().unwrap().replace("\r\n", "\n");
    assert!(text.contains("Code: 111111\n.\n.dotted"), "{text}");
    let (_, latest) = get(&mailbox, "/api/v1/message/latest").await;
    assert!(latest["HTML"].as_str().unwrap().contains("222222"));
    let (_, raw) = get(&mailbox, &format!("/api/v1/message/{id}/raw")).await;
    assert!(raw.as_str().unwrap().contains("To: ada@example.org"));
    let (_, headers) = get(&mailbox, &format!("/api/v1/message/{id}/headers")).await;
    assert_eq!(headers["To"], json!(["ada@example.org"]));

    let request = Request::builder()
        .method("DELETE")
        .uri("/api/v1/messages")
        .header("content-type", "application/json")
        .body(Body::from(json!({ "IDs": [id] }).to_string()))
        .unwrap();
    assert_eq!(send(&mailbox, request).await.0, 200);
    let (status, _) = get(&mailbox, &format!("/api/v1/message/{id}")).await;
    assert_eq!(status, 404);
    assert_eq!(get(&mailbox, "/api/v1/info").await.1["Messages"], 1);

    stop.cancel();
    server.await.unwrap();
}

#[tokio::test]
async fn commands_out_of_order_are_refused_and_stopping_ends_a_conversation() {
    let mailbox = Mailbox::new(None);
    let (port, stop, server) = smtp(&mailbox).await;
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut buffer = [0; 1024];
    let mut answers = Vec::new();
    for line in [
        "",
        "HELO me",
        "DATA",
        "RCPT TO:<a@b.example>",
        "MAIL FROM:<> SIZE=99999999",
        "FISH",
        "RSET",
        "NOOP",
    ] {
        if !line.is_empty() {
            let line = format!("{line}\r\n");
            client.write_all(line.as_bytes()).await.unwrap();
        }
        let count = client.read(&mut buffer).await.unwrap();
        answers.push(String::from_utf8_lossy(&buffer[..3.min(count)]).into_owned());
    }
    assert_eq!(
        answers,
        ["220", "250", "503", "503", "552", "500", "250", "250"]
    );
    stop.cancel();
    server.await.unwrap();
    assert_eq!(client.read(&mut buffer).await.unwrap(), 0);
}

fn hook(body: &str, age: u64, key: &[u8]) -> Request<Body> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let timestamp = now - age;
    let message = format!("msg_1.{timestamp}.{body}");
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message.as_bytes());
    Request::builder()
        .method("POST")
        .uri("/hooks/send-sms")
        .header("content-type", "application/json")
        .header("webhook-id", "msg_1")
        .header("webhook-timestamp", timestamp.to_string())
        .header("webhook-signature", format!("v1,{}", STANDARD.encode(tag)))
        .body(Body::from(body.to_owned()))
        .unwrap()
}

#[tokio::test]
async fn a_text_is_taken_only_when_it_is_signed() {
    let mailbox = Mailbox::new(Some(format!("v1,whsec_{}", STANDARD.encode(KEY))));
    let body = r#"{"user":{"phone":"77010000001"},"sms":{"otp":"123456"}}"#;
    let elsewhere = r#"{"user":{"phone":""},"sms":{"otp":"654321","phone":"+77010000002"}}"#;
    assert_eq!(send(&mailbox, hook(body, 0, KEY)).await, (200, json!({})));
    assert_eq!(send(&mailbox, hook(elsewhere, 299, KEY)).await.0, 200);

    let mut changed = hook(body, 0, KEY);
    *changed.body_mut() = Body::from(body.replace("123456", "000000"));
    let mut unsigned = hook(body, 0, KEY);
    unsigned.headers_mut().remove("webhook-signature");
    for refused in [
        changed,
        unsigned,
        hook(body, 400, KEY),
        hook(body, 0, b"another key"),
    ] {
        let (status, answer) = send(&mailbox, refused).await;
        assert_eq!(status, 401, "{answer}");
        assert_eq!(answer["error"]["http_code"], 401);
    }
    assert_eq!(send(&mailbox, hook("{}", 0, KEY)).await.0, 400);

    let (_, all) = get(&mailbox, "/api/v1/sms").await;
    assert_eq!(all["messages"].as_array().unwrap().len(), 2);
    let (_, one) = get(&mailbox, "/api/v1/sms/latest?phone=%2B77010000001").await;
    assert_eq!(
        (&one["OTP"], &one["Phone"]),
        (&json!("123456"), &json!("77010000001"))
    );
    let (status, _) = get(&mailbox, "/api/v1/sms/latest?phone=1").await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_lets_nothing_in() {
    let mailbox = Mailbox::new(Some("not base64!".to_owned()));
    let body = r#"{"user":{"phone":"1"},"sms":{"otp":"123456"}}"#;
    assert_eq!(send(&mailbox, hook(body, 0, b"")).await.0, 401);
}

#[tokio::test]
async fn a_mail_is_shown_where_it_can_do_nothing() {
    let mailbox = Mailbox::new(None);
    let raw = "Content-Type: text/html\r\n\r\n<script>alert(1)</script>";
    let mail = super::mail::Mail::new(String::new(), Vec::new(), raw.into());
    mailbox.store().add_mail(mail);
    for (path, policy) in [
        ("/view/latest", "sandbox allow-popups "),
        ("/view/latest.html", "sandbox allow-popups "),
        ("/view/latest.txt", "sandbox allow-popups "),
        ("/", "default-src 'none'; script-src 'self'"),
    ] {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = mailbox.router().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let sent = response.headers()["content-security-policy"]
            .to_str()
            .unwrap();
        assert!(sent.starts_with(policy), "{path}: {sent}");
        assert!(!sent.contains("allow-scripts") && !sent.contains("allow-same-origin"));
    }
}
