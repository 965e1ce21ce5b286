//! Mails that tell a user what changed.

use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::{
    browser::{World, landing},
    hook_receiver::{self, HookReceiver},
    mail_sink::Mail,
    test_app::TestApp,
};

const ALL: &[(&str, &str)] = &[
    (
        "GOTRUE_MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED",
        "true",
    ),
    ("GOTRUE_MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED", "true"),
    ("GOTRUE_MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED", "true"),
    (
        "GOTRUE_MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED",
        "true",
    ),
    (
        "GOTRUE_MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED",
        "true",
    ),
    (
        "GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED",
        "true",
    ),
    (
        "GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED",
        "true",
    ),
    (
        "GOTRUE_SMTP_HEADERS",
        r#"{"X-Kind": ["$messageType", ""], "X-Fixed": ["a", "b"]}"#,
    ),
];

/// The mail is of this kind, went to this address, and says all of this.
#[track_caller]
fn is_told(mail: &Mail, kind: &str, to: &str, said: &[&str]) {
    assert_eq!(mail.to, to);
    let header = format!("X-Kind: {kind}\r\n");
    assert_eq!(mail.text.matches("X-Kind:").count(), 1, "{}", mail.text);
    for one in said.iter().chain([&&*header]) {
        assert!(mail.text.contains(one), "{one}: {}", mail.text);
    }
}

async fn token_of(app: &mut TestApp) -> String {
    let session = app.member("ada@example.com", "secret12").await;
    session.text("access_token")
}

#[tokio::test]
async fn a_new_password() {
    let mut app = TestApp::start(ALL).await;
    let token = token_of(&mut app).await;
    app.put("/user", &token, json!({ "data": { "a": 1 } }))
        .await
        .ok();
    assert!(app.mails.is_empty());
    app.put("/user", &token, json!({ "password": "another-one" }))
        .await
        .ok();
    let mail = app.mails.next();
    let said = [
        "Subject: Your password was changed\r\n",
        "X-Fixed: a, b\r\n",
    ];
    let kind = "password_changed_notification";
    is_told(&mail, kind, "ada@example.com", &said);
}

#[tokio::test]
async fn a_new_address_is_told_to_the_old_one() {
    let mut app = TestApp::start(ALL).await;
    let token = token_of(&mut app).await;
    let wish = json!({ "email": "new@example.com" });
    app.put("/user", &token, wish).await.ok();
    let (first, second) = (app.mails.next(), app.mails.next());
    let hash = first.link_parameter("token");
    let link = format!("/verify?type=email_change&token={hash}");
    assert_eq!(app.get(&link, "").await.status, 303);
    assert!(app.mails.is_empty());
    let hash = second.link_parameter("token");
    let link = format!("/verify?type=email_change&token={hash}");
    assert_eq!(app.get(&link, "").await.status, 303);
    let said = ["ada@example.com", "new@example.com"];
    let mail = app.mails.next();
    is_told(&mail, "email_changed_notification", said[0], &said);
    assert!(app.mails.is_empty());
}

async fn change_phone(app: &mut TestApp, token: &str, phone: &str) {
    app.put("/user", token, json!({ "phone": phone }))
        .await
        .ok();
    let code = app.texts.next()["sms"]["otp"].clone();
    let body = json!({ "type": "phone_change", "phone": phone, "token": code });
    app.post("/verify", body).await.ok();
}

#[tokio::test]
async fn a_first_number_is_a_way_to_sign_in_and_a_second_one_a_change() {
    let mut app = TestApp::start(ALL).await;
    let token = token_of(&mut app).await;
    change_phone(&mut app, &token, "919876543210").await;
    let mail = app.mails.next();
    let kind = "identity_linked_notification";
    is_told(&mail, kind, "ada@example.com", &["with phone now"]);
    assert!(app.mails.is_empty());
    app.pass(chrono::Duration::seconds(61));
    change_phone(&mut app, &token, "919999999999").await;
    let mail = app.mails.next();
    let said = ["919876543210", "919999999999"];
    is_told(
        &mail,
        "phone_changed_notification",
        "ada@example.com",
        &said,
    );
    assert!(app.mails.is_empty());
}

#[tokio::test]
async fn a_number_that_needs_no_confirmation_is_told_as_well() {
    let mut settings = ALL.to_vec();
    settings.push(("GOTRUE_SMS_AUTOCONFIRM", "true"));
    let mut app = TestApp::start(&settings).await;
    let token = token_of(&mut app).await;
    for phone in ["919876543210", "919999999999"] {
        app.put("/user", &token, json!({ "phone": phone }))
            .await
            .ok();
    }
    let kinds = ["identity_linked_notification", "phone_changed_notification"];
    for kind in kinds {
        is_told(&app.mails.next(), kind, "ada@example.com", &[]);
    }
}

#[tokio::test]
async fn ways_to_sign_in_come_and_go() {
    let mut settings = ALL.to_vec();
    settings.push(("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "true"));
    let mut world = World::start(&settings).await;
    let token = token_of(&mut world.app).await;
    world.provider.github_user(7, "work@example.com", true);
    let link = "/user/identities/authorize?provider=github&skip_http_redirect=true";
    let told = world.app.get(link, &token).await.ok();
    let back = world.at_provider(&told.text("url")).await;
    let linked = landing(&world.app.get(&back, "").await).fragment("access_token");
    let mail = world.app.mails.next();
    let kind = "identity_linked_notification";
    is_told(&mail, kind, "ada@example.com", &["with github now"]);

    // Without its mail identity the account moves; its old address is told.
    let user = world.app.get("/user", &linked).await.ok();
    let id = user.body["identities"][0]["identity_id"].as_str().unwrap();
    let path = format!("/user/identities/{id}");
    world.app.delete(&path, &linked, None).await.ok();
    let user = world.app.get("/user", &linked).await.ok();
    assert_eq!(user.text("email"), "work@example.com");
    let mail = world.app.mails.next();
    let kind = "identity_unlinked_notification";
    let said = ["account ada@example.com", "with email."];
    is_told(&mail, kind, "ada@example.com", &said);
    assert!(world.app.mails.is_empty());
}

async fn lift(app: &TestApp, token: &str) -> (String, String) {
    let body = json!({ "factor_type": "totp", "friendly_name": "app" });
    let enrolled = app.post_as("/factors", token, body).await.ok();
    let path = format!("/factors/{}", enrolled.text("id"));
    let secret = enrolled.body["totp"]["secret"].as_str().unwrap();
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let mut token = token.to_owned();
    // The second time the factor is not new.
    for _ in 0..2 {
        let to = format!("{path}/challenge");
        let challenge = app.post_as(&to, &token, json!({})).await.ok().text("id");
        let now = u64::try_from(app.now().timestamp()).unwrap();
        let code = totp.generate(now).to_string();
        let body = json!({ "challenge_id": challenge, "code": code });
        let lifted = app.post_as(&format!("{path}/verify"), &token, body).await;
        token = lifted.ok().text("access_token");
    }
    (path, token)
}

#[tokio::test]
async fn second_factors_come_and_go() {
    let mut app = TestApp::start(ALL).await;
    let token = token_of(&mut app).await;
    let (path, token) = lift(&app, &token).await;
    let kind = "mfa_factor_enrolled_notification";
    is_told(&app.mails.next(), kind, "ada@example.com", &["totp"]);
    assert!(app.mails.is_empty());
    app.delete(&path, &token, None).await.ok();
    let kind = "mfa_factor_unenrolled_notification";
    is_told(&app.mails.next(), kind, "ada@example.com", &["totp"]);
    assert!(app.mails.is_empty());
}

#[tokio::test]
async fn nobody_is_told_unless_it_is_switched_on() {
    let mut app = TestApp::start(&[]).await;
    let token = token_of(&mut app).await;
    app.put("/user", &token, json!({ "password": "another-one" }))
        .await
        .ok();
    change_phone(&mut app, &token, "919876543210").await;
    let (path, token) = lift(&app, &token).await;
    app.delete(&path, &token, None).await.ok();
    assert!(app.mails.is_empty());
}

#[tokio::test]
async fn that_a_change_cannot_be_told_does_not_undo_it() {
    let gone = pg_embed::free_port().unwrap().to_string();
    let mut settings = ALL.to_vec();
    settings.push(("GOTRUE_SMTP_PORT", &gone));
    settings.push(("GOTRUE_MAILER_AUTOCONFIRM", "true"));
    let app = TestApp::start(&settings).await;
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    let token = app.post("/signup", body).await.ok().text("access_token");
    app.put("/user", &token, json!({ "password": "another-one" }))
        .await
        .ok();
    app.sign_in("ada@example.com", "another-one").await.ok();
}

#[tokio::test]
async fn a_text_of_the_projects_own_can_say_it() {
    let mut settings = ALL.to_vec();
    let subject = "GOTRUE_MAILER_SUBJECTS_PASSWORD_CHANGED_NOTIFICATION";
    settings.push((subject, "{{ .Email }} at {{ .SiteURL }}, {{ .Data.name }}"));
    let mut app = TestApp::start(&settings).await;
    let token = token_of(&mut app).await;
    let wish = json!({ "data": { "name": "Ada" } });
    app.put("/user", &token, wish).await.ok();
    app.put("/user", &token, json!({ "password": "another-one" }))
        .await
        .ok();
    let mail = app.mails.next();
    let expected = "Subject: ada@example.com at http://localhost:3000, Ada\r\n";
    assert!(mail.text.contains(expected), "{}", mail.text);
}

/// What the hook was told, without what is empty.
fn email_data(call: &Value) -> Value {
    let data = call["email_data"].as_object().unwrap().iter();
    data.filter(|(_, value)| *value != "")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[tokio::test]
async fn the_hook_for_mails_gets_them_instead() {
    let mut hook = HookReceiver::start().await;
    let uri = format!("http://127.0.0.1:{}/sms", hook.port);
    let mut settings = ALL.to_vec();
    settings.extend([
        ("GOTRUE_HOOK_SEND_EMAIL_ENABLED", "true"),
        ("GOTRUE_HOOK_SEND_EMAIL_URI", uri.as_str()),
        ("GOTRUE_HOOK_SEND_EMAIL_SECRETS", hook_receiver::SECRET),
        ("GOTRUE_MAILER_AUTOCONFIRM", "true"),
    ]);
    let mut app = TestApp::start(&settings).await;
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    let token = app.post("/signup", body).await.ok().text("access_token");
    app.put("/user", &token, json!({ "password": "another-one" }))
        .await
        .ok();
    let call = hook.next();
    assert_eq!(call["user"]["email"], "ada@example.com");
    let expected = json!({
        "email_action_type": "password_changed_notification",
        "redirect_to": "http://localhost:3000",
        "site_url": "http://auth.test",
    });
    assert_eq!(email_data(&call), expected);
    change_phone(&mut app, &token, "919876543210").await;
    assert_eq!(email_data(&hook.next())["provider"], "phone");
    app.pass(chrono::Duration::seconds(61));
    change_phone(&mut app, &token, "919999999999").await;
    assert_eq!(email_data(&hook.next())["old_phone"], "919876543210");
    lift(&app, &token).await;
    assert_eq!(email_data(&hook.next())["factor_type"], "totp");
    assert!(hook.is_empty() && app.mails.is_empty());
}
