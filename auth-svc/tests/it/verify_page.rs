//! The page between a link in a mail and what it does.

use std::collections::BTreeMap;

use axum::{body::Body, extract::Request};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use crate::test_app::{Reply, TestApp};

const ON: (&str, &str) = ("NILAM_AUTH_VERIFY_INTERSTITIAL", "true");
/// The challenge and the verifier of RFC 7636, appendix B.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// What a browser would send when the button is pressed.
fn fields(page: &Reply) -> BTreeMap<String, String> {
    assert_eq!(page.status, 200, "{page:?}");
    let html = page.body.as_str().unwrap();
    html.split("<input type=\"hidden\" name=\"")
        .skip(1)
        .map(|rest| {
            let (name, rest) = rest.split_once("\" value=\"").unwrap();
            let value = rest.split('"').next().unwrap();
            (name.to_owned(), value.replace("&amp;", "&"))
        })
        .collect()
}

async fn submit(app: &TestApp, fields: &BTreeMap<String, String>) -> Reply {
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let request = Request::post("/verify?")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("referer", "http://auth.test/verify")
        .body(Body::from(body))
        .unwrap();
    app.request(request).await
}

async fn press(app: &TestApp, page: &Reply) -> Reply {
    submit(app, &fields(page)).await
}

/// Signs up; gives the path of the link.
async fn sign_up(app: &mut TestApp, email: &str, more: Value, redirect_to: &str) -> String {
    let mut body = json!({ "email": email, "password": "secret12" });
    let fields = body.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let escaped: String = form_urlencoded::byte_serialize(redirect_to.as_bytes()).collect();
    let path = format!("/signup?redirect_to={escaped}");
    app.post(&path, body).await.ok();
    let mail = app.mails.next();
    let escape =
        |text: String| -> String { form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    format!(
        "/verify?token={}&type=signup&redirect_to={}",
        escape(mail.link_parameter("token")),
        escape(mail.link_parameter("redirect_to")),
    )
}

#[tokio::test]
async fn a_link_stays_good_until_the_button_is_pressed() {
    let mut app = TestApp::start(&[ON]).await;
    let goal = "https://app.test/in?a=1&b=2";
    let link = sign_up(&mut app, "ada@example.com", json!({}), goal).await;
    let mut page = app.get(&link, "").await;
    for _ in 0..2 {
        page = app.get(&link, "").await;
    }
    let confirmed = "select count(*) from auth.users where email_confirmed_at is not null";
    assert_eq!(app.count(confirmed).await, 0);

    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow"),
        ("x-frame-options", "DENY"),
    ] {
        assert_eq!(page.header(name), value, "{name}");
    }
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    let html = page.body.as_str().unwrap();
    assert!(
        html.contains("<form method=\"post\" action=\"?\">"),
        "{html}"
    );
    for loaded in ["<script", " src=", "<link", "url("] {
        assert!(!html.contains(loaded), "{loaded}: {html}");
    }
    assert_eq!(fields(&page)["redirect_to"], goal);

    let pressed = press(&app, &page).await;
    assert_eq!(pressed.status, 303, "{pressed:?}");
    let location = pressed.header("location").to_owned();
    let fragment = location.strip_prefix("https://app.test/in?a=1&b=2#");
    let pairs: BTreeMap<String, String> =
        form_urlencoded::parse(fragment.expect(&location).as_bytes())
            .into_owned()
            .collect();
    assert_eq!(
        (pairs["type"].as_str(), pairs["sb"].as_str()),
        ("signup", "")
    );
    let user = app.get("/user", &pairs["access_token"]).await.ok();
    assert_eq!(user.text("email"), "ada@example.com");

    let again = press(&app, &page).await;
    assert_eq!(again.status, 303);
    assert_eq!(
        again.header("location"),
        "https://app.test/in?a=1&b=2#error=access_denied&error_code=otp_expired\
         &error_description=Email+link+is+invalid+or+has+expired&sb="
    );
}

#[tokio::test]
async fn the_style_is_the_one_that_the_policy_names() {
    let app = TestApp::start(&[ON]).await;
    let page = app.get("/verify?type=recovery&token=abc", "").await;
    let html = page.body.as_str().unwrap();
    let (_, rest) = html.split_once("<style>").unwrap();
    let (style, _) = rest.split_once("</style>").unwrap();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, style.as_bytes());
    let hash = base64::engine::general_purpose::STANDARD.encode(digest);
    let named = format!("style-src 'sha256-{hash}'");
    let policy = page.header("content-security-policy");
    assert!(policy.contains(&named), "{policy}");
}

#[tokio::test]
async fn a_flow_with_a_challenge_ends_with_its_code() {
    let mut app = TestApp::start(&[ON]).await;
    let more = json!({ "code_challenge": CHALLENGE, "code_challenge_method": "s256" });
    let link = sign_up(&mut app, "ada@example.com", more, "https://app.test/in").await;
    let page = app.get(&link, "").await;
    assert!(fields(&page)["token"].starts_with("pkce_"));
    let pressed = press(&app, &page).await;
    assert_eq!(pressed.status, 303);
    let url = Url::parse(pressed.header("location")).unwrap();
    let (key, code) = url.query_pairs().next().unwrap();
    assert_eq!((url.path(), key.as_ref()), ("/in", "code"));
    let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
    app.post("/token?grant_type=pkce", body).await.ok();
    // What goes wrong in such a flow is in the query as well.
    let again = press(&app, &page).await;
    let url = Url::parse(again.header("location")).unwrap();
    let said = url.query_pairs().find(|(key, _)| key == "error_code");
    assert_eq!(said.unwrap().1, "otp_expired");
    assert!(url.fragment().unwrap().contains("error_code=otp_expired"));
}

#[tokio::test]
async fn both_letters_of_a_new_address_have_their_button() {
    let mut app = TestApp::start(&[ON]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let wish = json!({ "email": "new@example.com" });
    app.put("/user", &token, wish).await.ok();
    let hashes = [app.mails.next(), app.mails.next()].map(|mail| mail.link_parameter("token"));
    for (hash, fragment) in hashes
        .iter()
        .zip(["#message=Confirmation+link+", "#access_token="])
    {
        let link = format!("/verify?type=email_change&token={hash}");
        let page = app.get(&link, "").await;
        let pressed = press(&app, &page).await;
        let location = pressed.header("location");
        let expected = format!("http://localhost:3000{fragment}");
        assert!(location.starts_with(&expected), "{location}");
    }
}

#[tokio::test]
async fn nobody_is_led_to_where_the_project_does_not_allow() {
    let mut app = TestApp::start(&[ON]).await;
    let link = sign_up(
        &mut app,
        "ada@example.com",
        json!({}),
        "https://app.test/in",
    )
    .await;
    let elsewhere = link.replace("app.test", "evil.test");
    let page = app.get(&elsewhere, "").await;
    assert!(!page.body.as_str().unwrap().contains("evil.test"));
    let mut sent = fields(&page);
    assert_eq!(sent["redirect_to"], "http://localhost:3000");
    sent.insert("redirect_to".to_owned(), "https://evil.test/".to_owned());
    let pressed = submit(&app, &sent).await;
    let location = pressed.header("location");
    assert!(
        location.starts_with("http://localhost:3000#access_token="),
        "{location}"
    );
}

#[tokio::test]
async fn what_a_link_says_cannot_become_part_of_the_page() {
    let app = TestApp::start(&[ON]).await;
    let path = "/verify?type=%22%3E%3Cb%3E&token=%3Cscript%3Ealert(1)%3C%2Fscript%3E\
                &redirect_to=javascript:alert(1)";
    let page = app.get(path, "").await;
    let html = page.body.as_str().unwrap();
    for bad in ["<b>", "<script", "javascript:"] {
        assert!(!html.contains(bad), "{html}");
    }
    // Pressing it is what following such a link is without the page.
    let off = TestApp::start(&[]).await;
    let (pressed, followed) = (press(&app, &page).await, off.get(path, "").await);
    assert_eq!(pressed.status, followed.status);
    assert_eq!(pressed.headers["location"], followed.headers["location"]);
}

#[tokio::test]
async fn what_no_link_says_is_refused_at_once() {
    let app = TestApp::start(&[ON]).await;
    for path in ["/verify?token=x", "/verify?type=signup"] {
        app.get(path, "").await.refused(400, "validation_failed");
    }
    let empty = BTreeMap::new();
    submit(&app, &empty).await.refused(400, "validation_failed");
}

#[tokio::test]
async fn apps_post_json_as_ever_of_whatever_type() {
    let mut app = TestApp::start(&[ON]).await;
    let link = sign_up(&mut app, "ada@example.com", json!({}), "").await;
    let page = app.get(&link, "").await;
    let body = json!({ "type": "signup", "token_hash": fields(&page)["token"] });
    let request = Request::post("/verify")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(body.to_string()))
        .unwrap();
    let session = app.request(request).await.ok();
    let token = session.text("access_token");
    assert!(
        URL_SAFE_NO_PAD
            .decode(token.split('.').next().unwrap())
            .is_ok()
    );
}

#[tokio::test]
async fn without_the_setting_a_form_is_no_json_and_a_look_uses_nothing_up() {
    let mut app = TestApp::start(&[]).await;
    let link = sign_up(&mut app, "ada@example.com", json!({}), "").await;
    let request = Request::head(&link).body(Body::empty()).unwrap();
    assert_eq!(app.request(request).await.status, 405);
    let fields = [("type", "signup"), ("token", "x")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    submit(&app, &fields.into()).await.refused(400, "bad_json");
    assert_eq!(app.get(&link, "").await.status, 303);
}
