//! Text messages by way of a carrier.

use auth_svc::domain::outside::StandIns;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::Duration;
use serde_json::{Value, json};

use crate::{
    sms_carrier::{Asked, SmsCarrier},
    test_app::{Reply, TestApp, claims},
};

const PHONE: &str = "919876543210";

async fn start(settings: &[(&str, &str)]) -> (TestApp, SmsCarrier) {
    let carrier = SmsCarrier::start().await;
    let mut vars = vec![("GOTRUE_HOOK_SEND_SMS_ENABLED", "false")];
    vars.extend_from_slice(settings);
    let url = carrier.url.clone();
    let app = TestApp::start_adjusted(&vars, StandIns::default(), |config| {
        config.sms.sending.base = Some(url);
    })
    .await;
    (app, carrier)
}

const TWILIO: &[(&str, &str)] = &[
    ("GOTRUE_SMS_PROVIDER", "twilio"),
    ("GOTRUE_SMS_TWILIO_ACCOUNT_SID", "AC1"),
    ("GOTRUE_SMS_TWILIO_AUTH_TOKEN", "token"),
    ("GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID", "MG1"),
];
const VERIFY: &[(&str, &str)] = &[
    ("GOTRUE_SMS_PROVIDER", "twilio_verify"),
    ("GOTRUE_SMS_TWILIO_VERIFY_ACCOUNT_SID", "AC1"),
    ("GOTRUE_SMS_TWILIO_VERIFY_AUTH_TOKEN", "token"),
    ("GOTRUE_SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID", "VA1"),
];
const MSG91: &[(&str, &str)] = &[
    ("GOTRUE_SMS_PROVIDER", "msg91"),
    ("GOTRUE_SMS_MSG91_AUTH_KEY", "key"),
    ("GOTRUE_SMS_MSG91_TEMPLATE_ID", "flow-1"),
];

async fn ask(app: &TestApp, channel: &str) -> Reply {
    let body = json!({ "phone": PHONE, "channel": channel });
    app.post("/otp", body).await
}

async fn sign_in(app: &TestApp, code: &str) -> Reply {
    let body = json!({ "type": "sms", "phone": PHONE, "token": code });
    app.post("/verify", body).await
}

/// Signs up, so that later messages are answered with their ids.
async fn known_user(
    app: &TestApp,
    carrier: &mut SmsCarrier,
    sent: Value,
    code: fn(&Asked) -> String,
) {
    carrier.will_answer(200, sent);
    ask(app, "sms").await.ok();
    sign_in(app, &code(&carrier.next())).await.ok();
    app.pass(Duration::seconds(61));
}

/// The message was refused with these words of the carrier, and nobody was signed up.
async fn is_refused(
    app: &TestApp,
    carrier: &mut SmsCarrier,
    status: u16,
    answer: Value,
    words: &str,
) {
    carrier.will_answer(status, answer);
    let refused = ask(app, "sms").await.refused(422, "sms_send_failed");
    let message = format!("Error sending confirmation OTP to provider: {words}");
    assert_eq!(refused.text("msg"), message);
    carrier.next();
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

fn last_word(text: &str) -> String {
    text.split(' ').next_back().unwrap().to_owned()
}

fn is_twilios(asked: &Asked, path: &str) {
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", path));
    let basic = format!("Basic {}", STANDARD.encode("AC1:token"));
    assert_eq!(asked.headers["authorization"], basic);
}

#[tokio::test]
async fn twilio_sends_our_text() {
    let mut settings = TWILIO.to_vec();
    settings.push(("GOTRUE_SMS_TEMPLATE", "Namaste: {{ .Code }}"));
    let (app, mut carrier) = start(&settings).await;
    let code = |asked: &Asked| last_word(&asked.form()["Body"]);
    known_user(&app, &mut carrier, json!({ "sid": "SM0" }), code).await;
    carrier.will_answer(
        201,
        json!({ "sid": "SM1", "status": "queued", "error_code": null }),
    );
    let asked = ask(&app, "").await.ok();
    assert_eq!(asked.text("message_id"), "SM1");
    let asked = carrier.next();
    is_twilios(&asked, "/2010-04-01/Accounts/AC1/Messages.json");
    let form = asked.form();
    assert_eq!(form["To"], "+919876543210");
    assert_eq!(
        (form["From"].as_str(), form["Channel"].as_str()),
        ("MG1", "sms")
    );
    assert!(form["Body"].starts_with("Namaste: "), "{form:?}");
    sign_in(&app, &last_word(&form["Body"])).await.ok();
}

#[tokio::test]
async fn twilio_sends_by_whatsapp_with_an_approved_template_or_our_text() {
    for (sender, from, content) in [
        ("MG1", "MG1", ""),
        ("+15551230000", "whatsapp:+15551230000", "HX1"),
    ] {
        let mut settings = TWILIO.to_vec();
        settings[3].1 = sender;
        settings.push(("GOTRUE_SMS_TWILIO_CONTENT_SID", content));
        let (app, mut carrier) = start(&settings).await;
        carrier.will_answer(200, json!({ "sid": "SM1" }));
        ask(&app, "whatsapp").await.ok();
        let form = carrier.next().form();
        assert_eq!(form["To"], "whatsapp:+919876543210");
        assert_eq!(
            (form["From"].as_str(), form["Channel"].as_str()),
            (from, "whatsapp")
        );
        let code = if content.is_empty() {
            last_word(&form["Body"])
        } else {
            assert_eq!(form["ContentSid"], content);
            assert!(!form.contains_key("Body"));
            let variables: Value = serde_json::from_str(&form["ContentVariables"]).unwrap();
            variables["1"].as_str().unwrap().to_owned()
        };
        sign_in(&app, &code).await.ok();
    }
}

#[tokio::test]
async fn what_twilio_says_no_to_is_told() {
    let (app, mut carrier) = start(TWILIO).await;
    let refusal = json!({ "code": 21211, "message": "Not a number.", "more_info": "https://t.test/21211", "status": 400 });
    let words = "Not a number. More information: https://t.test/21211";
    is_refused(&app, &mut carrier, 400, refusal, words).await;
    let failed = json!({ "sid": "SM1", "status": "failed", "error_code": 30006, "error_message": "Landline" });
    let words = "twilio error: Landline 30006 for message SM1";
    is_refused(&app, &mut carrier, 201, failed, words).await;
    let words = "the provider's answer cannot be read (status 502)";
    is_refused(&app, &mut carrier, 502, json!("gateway"), words).await;
}

#[tokio::test]
async fn verify_makes_and_checks_the_codes() {
    let (app, mut carrier) = start(VERIFY).await;
    // Without a message there is nothing to check.
    sign_in(&app, "123456").await.refused(403, "otp_expired");
    carrier.will_answer(
        201,
        json!({ "sid": "VE1", "status": "pending", "valid": false }),
    );
    ask(&app, "whatsapp").await.ok();
    let asked = carrier.next();
    is_twilios(&asked, "/v2/Services/VA1/Verifications");
    let form = asked.form();
    assert_eq!(form.len(), 2, "{form:?}");
    assert_eq!(
        (form["To"].as_str(), form["Channel"].as_str()),
        ("+919876543210", "whatsapp")
    );

    for (status, answer) in [
        (404, json!({ "message": "not found", "more_info": "" })),
        (200, json!({ "status": "pending", "valid": false })),
        (200, json!({ "status": "approved", "valid": false })),
    ] {
        carrier.will_answer(status, answer);
        sign_in(&app, "123456").await.refused(403, "otp_expired");
        carrier.next();
    }
    sign_in(&app, "12345a").await.refused(403, "otp_expired");
    assert!(carrier.is_empty());
    carrier.will_answer(200, json!({ "status": "approved", "valid": true }));
    let session = sign_in(&app, "123456").await.ok();
    assert!(session.body["user"]["phone_confirmed_at"].is_string());
    let asked = carrier.next();
    is_twilios(&asked, "/v2/Services/VA1/VerificationCheck");
    let form = asked.form();
    assert_eq!(
        (form["To"].as_str(), form["Code"].as_str()),
        ("+919876543210", "123456")
    );
    // What was asked for is used up.
    sign_in(&app, "123456").await.refused(403, "otp_expired");
    assert!(carrier.is_empty());
}

#[tokio::test]
async fn verify_checks_what_a_new_password_asks_for() {
    let mut settings = VERIFY.to_vec();
    let setting = "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION";
    settings.push((setting, "true"));
    let (app, mut carrier) = start(&settings).await;
    carrier.will_answer(201, json!({ "sid": "VE1" }));
    ask(&app, "sms").await.ok();
    carrier.next();
    carrier.will_answer(200, json!({ "status": "approved", "valid": true }));
    let session = sign_in(&app, "123456").await.ok();
    carrier.next();
    let refresh = session.text("refresh_token");
    app.pass(Duration::days(2));
    let token = app.refresh(&refresh).await.ok().text("access_token");
    carrier.will_answer(201, json!({ "sid": "VE2" }));
    let asked = app.get("/reauthenticate", &token).await.ok();
    assert_eq!(asked.text("message_id"), "VE2");
    carrier.next();
    let wish = json!({ "password": "another-one", "nonce": "654321" });
    carrier.will_answer(404, json!({ "message": "not found", "more_info": "" }));
    app.put("/user", &token, wish.clone())
        .await
        .refused(403, "otp_expired");
    carrier.next();
    carrier.will_answer(200, json!({ "status": "approved", "valid": true }));
    app.put("/user", &token, wish).await.ok();
    assert_eq!(carrier.next().form()["Code"], "654321");
}

#[tokio::test]
async fn verify_checks_second_factors() {
    let mut settings = VERIFY.to_vec();
    settings.push(("GOTRUE_MFA_PHONE_ENROLL_ENABLED", "true"));
    settings.push(("GOTRUE_MFA_PHONE_VERIFY_ENABLED", "true"));
    let (mut app, mut carrier) = start(&settings).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let factor = enroll(&app, &token).await;
    carrier.will_answer(201, json!({ "sid": "VE1" }));
    let challenge = app
        .post_as(&format!("{factor}/challenge"), &token, json!({}))
        .await
        .ok();
    assert_eq!(carrier.next().path, "/v2/Services/VA1/Verifications");
    let path = format!("{factor}/verify");
    let answer = json!({ "challenge_id": challenge.body["id"], "code": "123456" });
    carrier.will_answer(200, json!({ "status": "pending", "valid": false }));
    app.post_as(&path, &token, answer.clone())
        .await
        .refused(403, "otp_expired");
    carrier.next();
    carrier.will_answer(200, json!({ "status": "approved", "valid": true }));
    let lifted = app.post_as(&path, &token, answer).await.ok();
    assert_eq!(
        claims(&lifted.text("access_token")).text("aal"),
        Some("aal2")
    );
    assert_eq!(carrier.next().form()["To"], "+919876543210");
}

async fn enroll(app: &TestApp, token: &str) -> String {
    let wish = json!({ "factor_type": "phone", "phone": PHONE, "friendly_name": "mine" });
    let enrolled = app.post_as("/factors", token, wish).await.ok();
    format!("/factors/{}", enrolled.text("id"))
}

#[tokio::test]
async fn a_second_factor_has_a_text_of_its_own() {
    let mut settings = TWILIO.to_vec();
    settings.push(("GOTRUE_MFA_PHONE_ENROLL_ENABLED", "true"));
    settings.push(("GOTRUE_MFA_PHONE_VERIFY_ENABLED", "true"));
    settings.push(("GOTRUE_MFA_PHONE_TEMPLATE", "Second: {{ .Code }}"));
    let (mut app, mut carrier) = start(&settings).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let factor = enroll(&app, &token).await;
    let path = format!("{factor}/challenge");
    app.post_as(&path, &token, json!({ "channel": "pigeon" }))
        .await
        .refused(400, "validation_failed");
    carrier.will_answer(400, json!({ "message": "no", "more_info": "" }));
    let failed = app.post_as(&path, &token, json!({})).await;
    let failed = failed.refused(500, "unexpected_failure");
    assert_eq!(failed.text("msg"), "error sending message");
    carrier.next();
    carrier.will_answer(201, json!({ "sid": "SM1" }));
    let challenge = app
        .post_as(&path, &token, json!({ "channel": "whatsapp" }))
        .await
        .ok();
    let form = carrier.next().form();
    assert!(form["Body"].starts_with("Second: "), "{form:?}");
    assert_eq!(form["To"], "whatsapp:+919876543210");
    let answer = json!({
        "challenge_id": challenge.body["id"],
        "code": last_word(&form["Body"]),
    });
    app.post_as(&format!("{factor}/verify"), &token, answer)
        .await
        .ok();
}

#[tokio::test]
async fn messagebird() {
    let (app, mut carrier) = start(&[
        ("GOTRUE_SMS_PROVIDER", "messagebird"),
        ("GOTRUE_SMS_MESSAGEBIRD_ACCESS_KEY", "key"),
        ("GOTRUE_SMS_MESSAGEBIRD_ORIGINATOR", "Nilam"),
    ])
    .await;
    let refusal = json!({ "errors": [{ "code": 2, "description": "Request not allowed", "parameter": "access_key" }] });
    is_refused(&app, &mut carrier, 401, refusal, "Request not allowed").await;
    let unsent = json!({ "id": "mb1", "recipients": { "totalSentCount": 0 } });
    let words = "messagebird error: total sent count is 0";
    is_refused(&app, &mut carrier, 201, unsent, words).await;

    let sent = json!({ "id": "mb2", "recipients": { "totalSentCount": 1 } });
    let code = |asked: &Asked| last_word(&asked.form()["body"]);
    known_user(&app, &mut carrier, sent.clone(), code).await;
    carrier.will_answer(201, sent);
    assert_eq!(ask(&app, "sms").await.ok().text("message_id"), "mb2");
    let asked = carrier.next();
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/messages")
    );
    assert_eq!(asked.headers["authorization"], "AccessKey key");
    let form = asked.form();
    for (name, value) in [
        ("originator", "Nilam"),
        ("recipients", PHONE),
        ("type", "sms"),
        ("datacoding", "unicode"),
    ] {
        assert_eq!(form[name], value);
    }
    assert!(form["body"].starts_with("Your code is "), "{form:?}");
}

#[tokio::test]
async fn vonage() {
    let vars = [
        ("GOTRUE_SMS_PROVIDER", "vonage"),
        ("GOTRUE_SMS_VONAGE_API_KEY", "key"),
        ("GOTRUE_SMS_VONAGE_API_SECRET", "secret"),
        ("GOTRUE_SMS_VONAGE_FROM", "Nilam"),
        ("GOTRUE_SMS_TEMPLATE", "आपका कोड {{ .Code }}"),
    ];
    let (app, mut carrier) = start(&vars).await;
    let refusal = json!({ "messages": [{ "message-id": "v1", "status": "4", "error-text": "Bad Credentials" }] });
    let words = "vonage error: Bad Credentials (status: 4) for message v1";
    is_refused(&app, &mut carrier, 200, refusal, words).await;
    let words = "vonage error: Internal Error";
    is_refused(&app, &mut carrier, 200, json!({ "messages": [] }), words).await;

    let sent = json!({ "messages": [{ "message-id": "v2", "status": "0" }] });
    let code = |asked: &Asked| last_word(&asked.form()["text"]);
    known_user(&app, &mut carrier, sent.clone(), code).await;
    carrier.will_answer(200, sent.clone());
    assert_eq!(ask(&app, "sms").await.ok().text("message_id"), "v2");
    let asked = carrier.next();
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/sms/json")
    );
    assert!(!asked.headers.contains_key("authorization"));
    let form = asked.form();
    for (name, value) in [
        ("api_key", "key"),
        ("api_secret", "secret"),
        ("from", "Nilam"),
        ("to", PHONE),
        ("type", "unicode"),
    ] {
        assert_eq!(form[name], value);
    }
    let (app, mut carrier) = start(&vars[..4]).await;
    carrier.will_answer(200, sent);
    ask(&app, "sms").await.ok();
    assert!(!carrier.next().form().contains_key("type"));
}

#[tokio::test]
async fn textlocal() {
    let (app, mut carrier) = start(&[
        ("GOTRUE_SMS_PROVIDER", "textlocal"),
        ("GOTRUE_SMS_TEXTLOCAL_API_KEY", "key"),
        ("GOTRUE_SMS_TEXTLOCAL_SENDER", "NILAM"),
    ])
    .await;
    // The code of the message is nowhere in the answer.
    let refusal =
        json!({ "status": "failure", "errors": [{ "code": 80, "message": "Invalid template" }] });
    let words = "textlocal error: Invalid template (code: 80) message ";
    is_refused(&app, &mut carrier, 200, refusal, words).await;
    let sent = json!({ "status": "success", "messages": [{ "id": 17, "recipient": PHONE }] });
    let code = |asked: &Asked| last_word(&asked.form()["message"]);
    known_user(&app, &mut carrier, sent.clone(), code).await;
    carrier.will_answer(200, sent);
    assert_eq!(ask(&app, "sms").await.ok().text("message_id"), "17");
    let asked = carrier.next();
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/send")
    );
    let form = asked.form();
    assert_eq!(form["apikey"], "key");
    assert_eq!(
        (form["sender"].as_str(), form["numbers"].as_str()),
        ("NILAM", PHONE)
    );
}

#[tokio::test]
async fn msg91_sends_a_registered_template() {
    let mut settings = MSG91.to_vec();
    settings.extend([
        ("GOTRUE_SMS_MSG91_SENDER_ID", "NILAMX"),
        ("GOTRUE_SMS_MSG91_DLT_TEMPLATE_ID", "1107000000000000001"),
        ("GOTRUE_SMS_MSG91_DLT_ENTITY_ID", "1101000000000000001"),
        ("GOTRUE_SMS_MSG91_CODE_VARIABLE", "VAR1"),
    ]);
    let (app, mut carrier) = start(&settings).await;
    let refusal = json!({ "type": "error", "message": "template id missing" });
    let words = "msg91 error: template id missing";
    is_refused(&app, &mut carrier, 200, refusal.clone(), words).await;
    is_refused(&app, &mut carrier, 401, refusal, words).await;
    ask(&app, "whatsapp")
        .await
        .refused(400, "validation_failed");
    let sent = json!({ "type": "success", "message": "5762846b4f8d" });
    let code = |asked: &Asked| {
        let code = asked.json()["recipients"][0]["VAR1"].clone();
        code.as_str().unwrap().to_owned()
    };
    known_user(&app, &mut carrier, sent.clone(), code).await;
    carrier.will_answer(200, sent);
    assert_eq!(
        ask(&app, "sms").await.ok().text("message_id"),
        "5762846b4f8d"
    );
    let asked = carrier.next();
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/api/v5/flow/")
    );
    assert_eq!(asked.headers["authkey"], "key");
    let expected = json!({
        "template_id": "flow-1",
        "short_url": "0",
        "sender": "NILAMX",
        "DLT_TE_ID": "1107000000000000001",
        "PE_ID": "1101000000000000001",
        "recipients": [{ "mobiles": PHONE, "VAR1": code(&asked) }],
    });
    assert_eq!(asked.json(), expected);
}

#[tokio::test]
async fn msg91_may_have_a_template_for_second_factors() {
    let mut settings = MSG91.to_vec();
    settings.extend([
        ("GOTRUE_SMS_MSG91_MFA_TEMPLATE_ID", "flow-2"),
        ("GOTRUE_MFA_PHONE_ENROLL_ENABLED", "true"),
        ("GOTRUE_MFA_PHONE_VERIFY_ENABLED", "true"),
    ]);
    let (mut app, mut carrier) = start(&settings).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let factor = enroll(&app, &token).await;
    carrier.will_answer(200, json!({ "type": "success", "message": "id" }));
    app.post_as(&format!("{factor}/challenge"), &token, json!({}))
        .await
        .ok();
    let asked = carrier.next().json();
    assert_eq!(asked["template_id"], "flow-2");
    assert!(asked["recipients"][0]["otp"].is_string(), "{asked}");
    assert!(asked.get("sender").is_none(), "{asked}");
}

#[tokio::test]
async fn an_incomplete_account_fails_the_sending_alone() {
    let (app, carrier) = start(&TWILIO[..3]).await;
    app.get("/health", "").await.ok();
    let failed = ask(&app, "sms").await.refused(500, "unexpected_failure");
    assert_eq!(failed.text("msg"), "Unable to get SMS provider");
    assert!(carrier.is_empty());
}

#[tokio::test]
async fn a_carrier_that_is_not_there_is_no_outage_of_ours() {
    let gone = format!("http://127.0.0.1:{}", pg_embed::free_port().unwrap());
    let vars = [&[("GOTRUE_HOOK_SEND_SMS_ENABLED", "false")], TWILIO].concat();
    let app = TestApp::start_adjusted(&vars, StandIns::default(), |config| {
        config.sms.sending.base = Some(gone.parse().unwrap());
    })
    .await;
    let refused = ask(&app, "sms").await.refused(422, "sms_send_failed");
    let message = refused.text("msg");
    assert!(
        message.ends_with("the provider cannot be reached"),
        "{message}"
    );
}

#[tokio::test]
async fn the_hook_goes_before_the_carrier_and_takes_any_channel() {
    let carrier = SmsCarrier::start().await;
    let url = carrier.url.clone();
    let mut app = TestApp::start_adjusted(VERIFY, StandIns::default(), |config| {
        config.sms.sending.base = Some(url);
    })
    .await;
    ask(&app, "pigeon").await.ok();
    let code = app.texts.next()["sms"]["otp"].clone();
    sign_in(&app, code.as_str().unwrap()).await.ok();
    assert!(carrier.is_empty());
}

#[tokio::test]
async fn a_test_number_needs_no_carrier() {
    let mut settings = VERIFY.to_vec();
    settings.push(("GOTRUE_SMS_TEST_OTP", "919876543210:123456"));
    let (app, carrier) = start(&settings).await;
    ask(&app, "sms").await.ok();
    sign_in(&app, "123456").await.ok();
    assert!(carrier.is_empty());
}
