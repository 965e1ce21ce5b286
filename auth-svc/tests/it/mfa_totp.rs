//! A second factor by authenticator app, and what all kinds of factors have in common.

use chrono::Duration;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::test_app::{Reply, TestApp, claims};

/// The code that an app shows now.
fn code(app: &TestApp, secret: &str) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let now = u64::try_from(app.now().timestamp()).unwrap();
    totp.generate(now).to_string()
}

/// A new factor: its path and its secret.
pub(crate) async fn enroll(app: &TestApp, token: &str, name: &str) -> (String, String) {
    let body = json!({ "factor_type": "totp", "friendly_name": name });
    let enrolled = app.post_as("/factors", token, body).await.ok();
    let path = format!("/factors/{}", enrolled.text("id"));
    let secret = enrolled.body["totp"]["secret"].as_str().unwrap().to_owned();
    (path, secret)
}

async fn challenge(app: &TestApp, token: &str, factor: &str) -> String {
    let path = format!("{factor}/challenge");
    app.post_as(&path, token, json!({})).await.ok().text("id")
}

pub(crate) async fn verify(app: &TestApp, token: &str, factor: &str, secret: &str) -> Reply {
    let body = json!({
        "challenge_id": challenge(app, token, factor).await,
        "code": code(app, secret),
    });
    app.post_as(&format!("{factor}/verify"), token, body).await
}

/// A session after the proof of a new factor.
pub(crate) async fn lift(app: &TestApp, token: &str) -> Reply {
    let (factor, secret) = enroll(app, token, "app").await;
    verify(app, token, &factor, &secret).await.ok()
}

async fn member(app: &mut TestApp) -> String {
    let session = app.member("ada@example.com", "secret12").await;
    session.text("access_token")
}

#[tokio::test]
async fn the_right_code_lifts_the_session_to_aal2() {
    let mut app = TestApp::start(&[]).await;
    let first = app.member("ada@example.com", "secret12").await;
    let token = first.text("access_token");
    let other = app.sign_in("ada@example.com", "secret12").await.ok();
    let body = json!({ "factor_type": "totp", "friendly_name": "app", "issuer": "Nilam" });
    let enrolled = app.post_as("/factors", &token, body).await.ok();
    assert_eq!(enrolled.text("type"), "totp");
    let totp = &enrolled.body["totp"];
    assert!(totp["qr_code"].as_str().unwrap().contains("<svg"));
    let uri = totp["uri"].as_str().unwrap();
    assert!(
        uri.starts_with("otpauth://totp/Nilam:ada@example.com?"),
        "{uri}"
    );
    let factor = format!("/factors/{}", enrolled.text("id"));
    let (forgotten, _) = enroll(&app, &token, "forgotten").await;

    let secret = totp["secret"].as_str().unwrap().to_owned();
    let lifted = verify(&app, &token, &factor, &secret).await.ok();
    let lifted_token = lifted.text("access_token");
    let (before, after) = (claims(&token), claims(&lifted_token));
    assert_eq!(after.text("aal"), Some("aal2"));
    assert_eq!(after.text("session_id"), before.text("session_id"));
    let amr = after.get("amr").unwrap().as_array().unwrap();
    let methods: Vec<&str> = amr.iter().filter_map(|m| m["method"].as_str()).collect();
    assert_eq!(methods, ["totp", "otp"]);
    let factors = lifted.body["user"]["factors"].as_array().unwrap();
    assert_eq!(factors.len(), 1, "the unverified one is gone");
    assert_eq!(factors[0]["status"], "verified");
    assert!(factors[0]["last_challenged_at"].is_string());
    assert_eq!(factors[0]["phone"], "");
    app.delete(&forgotten, &lifted_token, None)
        .await
        .refused(404, "mfa_factor_not_found");

    // Sessions without the factor end, and the lifted one goes on.
    app.get("/user", &other.text("access_token"))
        .await
        .refused(403, "session_not_found");
    let refreshed = app.refresh(&lifted.text("refresh_token")).await.ok();
    assert_eq!(
        claims(&refreshed.text("access_token")).text("aal"),
        Some("aal2")
    );
    let row = "select count(*) from auth.sessions where aal = 'aal2' and factor_id is not null";
    assert_eq!(app.count(row).await, 1);
    for action in [
        "factor_in_progress",
        "challenge_created",
        "verification_attempted",
    ] {
        let seen: i64 = sqlx::query_scalar(
            "select count(*) from auth.audit_log_entries
             where payload->>'action' = $1 and payload->>'log_type' = 'factor'",
        )
        .bind(action)
        .fetch_one(&app.db.pool())
        .await
        .unwrap();
        assert!(seen >= 1, "{action}");
    }
}

#[tokio::test]
async fn a_challenge_is_good_once_in_time_and_from_one_address() {
    let mut app = TestApp::start(&[]).await;
    let token = member(&mut app).await;
    let (factor, secret) = enroll(&app, &token, "app").await;
    let path = format!("{factor}/verify");
    let id = challenge(&app, &token, &factor).await;
    let wrong = json!({ "challenge_id": id, "code": "abcdef" });
    let refused = app.post_as(&path, &token, wrong).await;
    assert_eq!(
        refused.refused(422, "mfa_verification_failed").text("msg"),
        "Invalid TOTP code entered"
    );
    let empty = json!({ "challenge_id": id, "code": "" });
    app.post_as(&path, &token, empty)
        .await
        .refused(400, "validation_failed");
    let right = json!({ "challenge_id": id, "code": code(&app, &secret) });
    app.post_from("192.0.2.1", &path, &token, right.clone())
        .await
        .refused(422, "mfa_ip_address_mismatch");
    let unknown = json!({ "challenge_id": "8a7c1c0e-1111-4222-8333-444455556666", "code": "1" });
    app.post_as(&path, &token, unknown)
        .await
        .refused(422, "mfa_factor_not_found");

    let lifted = app.post_as(&path, &token, right.clone()).await.ok();
    let token = lifted.text("access_token");
    app.post_as(&path, &token, right)
        .await
        .refused(422, "mfa_ip_address_mismatch");

    let id = challenge(&app, &token, &factor).await;
    app.pass(Duration::seconds(301));
    let late = json!({ "challenge_id": id, "code": code(&app, &secret) });
    app.post_as(&path, &token, late.clone())
        .await
        .refused(422, "mfa_challenge_expired");
    app.post_as(&path, &token, late)
        .await
        .refused(422, "mfa_factor_not_found");
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts() {
    let mut app = TestApp::start(&[]).await;
    let token = member(&mut app).await;
    let (one, secret) = enroll(&app, &token, "one").await;
    let (two, other) = enroll(&app, &token, "two").await;
    let body = json!({
        "challenge_id": challenge(&app, &token, &one).await,
        "code": code(&app, &secret),
    });
    let path = format!("{one}/verify");
    let (first, second) = tokio::join!(
        app.post_as(&path, &token, body.clone()),
        app.post_as(&path, &token, body),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
    // The other factor went when the first was proved, whoever asks and however soon.
    verify_gone(&app, &token, &two, &other).await;
}

async fn verify_gone(app: &TestApp, token: &str, factor: &str, secret: &str) {
    let body = json!({ "challenge_id": uuid::Uuid::nil(), "code": code(app, secret) });
    app.post_as(&format!("{factor}/verify"), token, body)
        .await
        .refused(404, "mfa_factor_not_found");
}

#[tokio::test]
async fn two_factors_proved_at_once_do_not_wait_for_each_other() {
    for _ in 0..5 {
        let mut app = TestApp::start(&[]).await;
        let token = member(&mut app).await;
        let (one, secret) = enroll(&app, &token, "one").await;
        let (two, other) = enroll(&app, &token, "two").await;
        let mut answers = Vec::new();
        for (factor, secret) in [(&one, &secret), (&two, &other)] {
            let body = json!({
                "challenge_id": challenge(&app, &token, factor).await,
                "code": code(&app, secret),
            });
            answers.push((format!("{factor}/verify"), body));
        }
        let (first, second) = tokio::join!(
            app.post_as(&answers[0].0, &token, answers[0].1.clone()),
            app.post_as(&answers[1].0, &token, answers[1].1.clone()),
        );
        let statuses = [first.status, second.status];
        assert!(statuses.contains(&200), "{statuses:?}");
        assert!(!statuses.contains(&500), "{first:?} {second:?}");
    }
}

#[tokio::test]
async fn a_verified_factor_protects_the_others() {
    let mut app = TestApp::start(&[]).await;
    let token = member(&mut app).await;
    let (factor, secret) = enroll(&app, &token, "app").await;
    let lifted = verify(&app, &token, &factor, &secret).await.ok();
    let low = app.sign_in("ada@example.com", "secret12").await.ok();
    let low = low.text("access_token");
    let body = json!({ "factor_type": "totp", "friendly_name": "second" });
    app.post_as("/factors", &low, body.clone())
        .await
        .refused(403, "insufficient_aal");
    app.delete(&factor, &low, None)
        .await
        .refused(422, "insufficient_aal");

    let high = lifted.text("access_token");
    app.post_as("/factors", &high, body).await.ok();
    let removed = app.delete(&factor, &high, None).await.ok();
    assert_eq!(factor, format!("/factors/{}", removed.text("id")));
    let again = app.refresh(&lifted.text("refresh_token")).await.ok();
    let after = claims(&again.text("access_token"));
    assert_eq!(after.text("aal"), Some("aal1"));
    let amr = after.get("amr").unwrap().to_string();
    assert!(!amr.contains("totp"), "{amr}");
}

#[tokio::test]
async fn a_session_without_the_second_factor_may_be_short() {
    let mut app = TestApp::start(&[("GOTRUE_SESSIONS_ALLOW_LOW_AAL", "10m")]).await;
    let token = member(&mut app).await;
    let (factor, secret) = enroll(&app, &token, "app").await;
    let lifted = verify(&app, &token, &factor, &secret).await.ok();
    let low = app.sign_in("ada@example.com", "secret12").await.ok();
    // Counted from the session's beginning, a moment before the token's.
    let left = low.body["expires_in"].as_i64().unwrap();
    assert!((595..=600).contains(&left), "{left}");
    assert_eq!(lifted.body["expires_in"].as_i64().unwrap(), 3600);
    app.pass(Duration::seconds(601));
    let refused = app.refresh(&low.text("refresh_token")).await;
    assert_eq!(
        refused.refused(400, "session_expired").text("msg"),
        "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)"
    );
    app.refresh(&lifted.text("refresh_token")).await.ok();
}

#[tokio::test]
async fn a_factor_belongs_to_one_user() {
    let mut app = TestApp::start(&[]).await;
    let token = member(&mut app).await;
    let (factor, _) = enroll(&app, &token, "app").await;
    let eve = app.member("eve@example.com", "secret12").await;
    let eve = eve.text("access_token");
    for path in [format!("{factor}/challenge"), format!("{factor}/verify")] {
        app.post_as(&path, &eve, json!({ "code": "1" }))
            .await
            .refused(404, "mfa_factor_not_found");
        app.post_as(&path, "", json!({}))
            .await
            .refused(401, "no_authorization");
    }
    app.delete(&factor, &eve, None)
        .await
        .refused(404, "mfa_factor_not_found");
    app.delete("/factors/none", &eve, None)
        .await
        .refused(404, "validation_failed");
}

#[tokio::test]
async fn factors_have_names_of_their_own_and_are_limited() {
    let mut app = TestApp::start(&[("GOTRUE_MFA_MAX_ENROLLED_FACTORS", "2")]).await;
    let token = member(&mut app).await;
    enroll(&app, &token, "one").await;
    let wish = |name: &str| json!({ "factor_type": "totp", "friendly_name": name });
    app.post_as("/factors", &token, wish("one"))
        .await
        .refused(422, "mfa_factor_name_conflict");
    enroll(&app, &token, "two").await;
    app.post_as("/factors", &token, wish("three"))
        .await
        .refused(422, "too_many_enrolled_mfa_factors");
    // What was never challenged makes way after a while.
    app.pass(Duration::seconds(301));
    enroll(&app, &token, "three").await;
    for body in [
        json!({ "factor_type": "smell" }),
        json!({ "factor_type": "totp", "friendly_name": "x".repeat(256) }),
        json!({ "factor_type": "totp", "friendly_name": "y", "issuer": "x".repeat(256) }),
    ] {
        app.post_as("/factors", &token, body)
            .await
            .refused(400, "validation_failed");
    }
}

#[tokio::test]
async fn what_is_switched_off_is_refused_under_its_own_code() {
    let mut app = TestApp::start(&[
        ("GOTRUE_MFA_TOTP_VERIFY_ENABLED", "false"),
        ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true"),
    ])
    .await;
    let token = member(&mut app).await;
    let (factor, _) = enroll(&app, &token, "app").await;
    app.post_as(&format!("{factor}/challenge"), &token, json!({}))
        .await
        .refused(422, "mfa_totp_verify_not_enabled");
    for (kind, code) in [
        ("phone", "mfa_phone_enroll_not_enabled"),
        ("webauthn", "mfa_webauthn_enroll_not_enabled"),
    ] {
        app.post_as("/factors", &token, json!({ "factor_type": kind }))
            .await
            .refused(422, code);
    }
    let nobody = app.post("/signup", json!({})).await.ok();
    let body = json!({ "factor_type": "totp" });
    app.post_as("/factors", &nobody.text("access_token"), body)
        .await
        .refused(403, "no_authorization");
}

#[tokio::test]
async fn challenges_and_answers_are_limited_per_client() {
    let mut app = TestApp::start(&[("GOTRUE_RATE_LIMIT_HEADER", "x-forwarded-for")]).await;
    let token = member(&mut app).await;
    let (factor, _) = enroll(&app, &token, "app").await;
    let path = format!("{factor}/verify");
    let body = json!({ "challenge_id": "8a7c1c0e-1111-4222-8333-444455556666", "code": "1" });
    for _ in 0..30 {
        app.post_from("192.0.2.1", &path, &token, body.clone())
            .await
            .refused(422, "mfa_factor_not_found");
    }
    app.post_from("192.0.2.1", &path, &token, body.clone())
        .await
        .refused(429, "over_request_rate_limit");
    app.post_from("192.0.2.2", &path, &token, body)
        .await
        .refused(422, "mfa_factor_not_found");
}

#[tokio::test]
async fn a_function_of_the_project_may_reject_an_attempt() {
    let mut app = TestApp::start(&[
        ("GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_ENABLED", "true"),
        (
            "GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_URI",
            "pg-functions://postgres/public/watch",
        ),
    ])
    .await;
    sqlx::raw_sql(
        "create table public.attempts (event jsonb);
         create function public.watch(event jsonb) returns jsonb language plpgsql as $$
         begin
             insert into public.attempts values (event);
             if (select count(*) from public.attempts) > 1 then
                 return '{\"decision\": \"reject\", \"message\": \"enough\"}';
             end if;
             return '{\"decision\": \"continue\"}';
         end $$;
         grant usage on schema public to supabase_auth_admin;
         grant all on public.attempts to supabase_auth_admin;
         grant execute on function public.watch to supabase_auth_admin;",
    )
    .execute(&app.db.pool())
    .await
    .unwrap();
    let token = member(&mut app).await;
    let (factor, secret) = enroll(&app, &token, "app").await;
    let path = format!("{factor}/verify");
    let id = challenge(&app, &token, &factor).await;
    let body = json!({ "challenge_id": id, "code": "000000x" });
    app.post_as(&path, &token, body)
        .await
        .refused(422, "mfa_verification_failed");
    let event: Value = sqlx::query_scalar("select event from public.attempts")
        .fetch_one(&app.db.pool())
        .await
        .unwrap();
    assert_eq!(event["valid"], false);
    assert_eq!(event["factor_type"], "totp");
    assert_eq!(event["metadata"]["name"], "mfa-verification");

    let rejected = verify(&app, &token, &factor, &secret).await;
    let rejected = rejected.refused(403, "mfa_verification_rejected");
    assert_eq!(rejected.text("msg"), "enough");
    app.get("/user", &token)
        .await
        .refused(403, "session_not_found");
}
