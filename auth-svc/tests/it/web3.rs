//! The grant `web3`, with messages that viem and tweetnacl signed (`tests/fixtures/web3.json`).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration};
use serde_json::{Value, json};

use crate::test_app::{Reply, TestApp, service_token};

const GRANT: &str = "/token?grant_type=web3";
const ON: [(&str, &str); 2] = [
    ("GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED", "true"),
    ("GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED", "true"),
];

fn vectors() -> Value {
    serde_json::from_str(include_str!("../fixtures/web3.json")).unwrap()
}

/// What an app sends for one of the vectors.
fn shown(chain: &str, name: &str) -> Value {
    let mut body = vectors()[chain][name].clone();
    assert!(body.is_object(), "{chain} {name}");
    body["chain"] = chain.into();
    body
}

/// The service, so many seconds after the messages were issued.
async fn start(seconds: i64, more: &[(&str, &str)]) -> TestApp {
    let app = TestApp::start(&[&ON, more].concat()).await;
    turn(&app, seconds);
    app
}

fn turn(app: &TestApp, seconds: i64) {
    let issued_at: DateTime<chrono::Utc> = "2026-01-15T12:00:00Z".parse().unwrap();
    app.pass(issued_at + Duration::seconds(seconds) - app.now());
}

#[track_caller]
fn refused(reply: &Reply, description: &str) {
    let expected = json!({ "error": "invalid_grant", "error_description": description });
    assert_eq!((reply.status, &reply.body), (400, &expected));
}

#[tokio::test]
async fn a_wallet_signs_in_and_again_into_the_same_account() {
    let app = start(10, &[]).await;
    for (chain, network, statement) in [
        ("ethereum", "1", Value::Null),
        ("solana", "solana:mainnet", json!("Sign in to the app")),
    ] {
        let first = app.post(GRANT, shown(chain, "plain")).await.ok();
        let user = &first.body["user"];
        let address = vectors()["addresses"][chain].clone();
        let subject = format!("web3:{chain}:{}", address.as_str().unwrap());
        let identity = &user["identities"][0];
        assert_eq!(
            (&identity["provider"], &identity["id"]),
            (&json!("web3"), &json!(subject))
        );
        assert_eq!(
            identity["identity_data"],
            json!({
                "sub": subject, "email_verified": false, "phone_verified": false,
                "custom_claims": {
                    "address": address, "chain": chain, "network": network, "domain": "app.test",
                    "statement": statement,
                },
            })
        );
        assert_eq!(user["user_metadata"], identity["identity_data"]);
        assert_eq!(
            user["app_metadata"],
            json!({ "provider": "web3", "providers": ["web3"] })
        );
        assert_eq!(
            (&user["email"], &user["is_anonymous"]),
            (&json!(""), &json!(false))
        );
        assert_eq!(
            first.header("sb-auth-user-id"),
            user["id"].as_str().unwrap()
        );
        let session = first.text("refresh_token");
        let again = app.post(GRANT, shown(chain, "plain")).await.ok();
        assert_eq!(again.body["user"]["id"], user["id"]);
        let renewed = app.refresh(&session).await.ok();
        assert_eq!(amr(&renewed.text("access_token"))[0]["method"], "web3");
    }
    let logged = "select count(*) from auth.audit_log_entries where payload->>'action' = 'login' \
        and payload->'traits'->>'uri' = 'https://app.test/login'";
    assert_eq!(app.count(logged).await, 4);
    assert_eq!(app.count("select count(*) from auth.users").await, 2);
}

fn amr(access_token: &str) -> Value {
    let payload = access_token.split('.').nth(1).unwrap();
    let claims = URL_SAFE_NO_PAD.decode(payload).unwrap();
    serde_json::from_slice::<Value>(&claims).unwrap()["amr"].clone()
}

#[tokio::test]
async fn every_form_of_a_signature_that_wallets_make_is_taken() {
    let app = start(0, &[]).await;
    for (chain, names) in [
        (
            "ethereum",
            &["statement", "high_s", "v_from_zero", "localhost"][..],
        ),
        ("solana", &["no_statement", "ledger"]),
    ] {
        for name in names {
            app.post(GRANT, shown(chain, name)).await.ok();
        }
    }
    let mut body = shown("solana", "plain");
    let url_safe = body["signature"].as_str().unwrap().replace('+', "-");
    let url_safe = url_safe.replace('/', "_");
    body["signature"] = url_safe.trim_end_matches('=').into();
    app.post(GRANT, body).await.ok();
    // All of them are of the same two wallets.
    assert_eq!(app.count("select count(*) from auth.users").await, 2);
}

#[tokio::test]
async fn only_the_key_of_the_address_signs_for_it() {
    let app = start(0, &[]).await;
    for chain in ["ethereum", "solana"] {
        let fine = shown(chain, "plain");
        let mut changed = fine.clone();
        let text = changed["message"].as_str().unwrap();
        changed["message"] = text.replace("Version: 1", "Version:  1").into();
        let mut borrowed = fine.clone();
        borrowed["signature"] = shown(chain, "other_uri")["signature"].clone();
        for body in [changed, borrowed] {
            let reply = app.post(GRANT, body).await;
            refused(&reply, "Signature does not match address in message");
        }
    }
    let plain = shown("ethereum", "plain");
    let digits = plain["signature"].as_str().unwrap().to_owned();
    for signature in [
        digits.replace("0x", ""),
        format!("0x{}", "0".repeat(130)),
        format!("0x{}", "z".repeat(130)),
        format!("{}1f", &digits[..130]),
        format!("0x{}", "f".repeat(130)),
    ] {
        let mut body = plain.clone();
        body["signature"] = signature.into();
        let reply = app.post(GRANT, body).await;
        refused(&reply, "Signature does not match address in message");
    }
    // An address that is 34 letters long, but no key.
    let mut body = shown("solana", "plain");
    let address = vectors()["addresses"]["solana"]
        .as_str()
        .unwrap()
        .to_owned();
    let text = body["message"].as_str().unwrap();
    body["message"] = text.replace(&address, &"1".repeat(34)).into();
    let reply = app.post(GRANT, body).await;
    refused(&reply, "Signature does not match address in message");
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_message_for_another_app_is_worth_nothing_here() {
    let app = start(0, &[]).await;
    for (chain, title) in [("ethereum", "Ethereum"), ("solana", "Solana")] {
        for (name, reason) in [
            ("http", "URI which does not use HTTPS"),
            (
                "other_uri",
                "URI which is not allowed on this server, message was signed for another app",
            ),
            (
                "other_domain",
                "a Domain that does not match the one in URI which is not allowed on this server",
            ),
        ] {
            let reply = app.post(GRANT, shown(chain, name)).await;
            refused(&reply, &format!("Signed {title} message is using {reason}"));
        }
    }
}

#[tokio::test]
async fn messages_are_good_for_a_while() {
    let app = start(0, &[]).await;
    for (chain, title) in [("ethereum", "Ethereum"), ("solana", "Solana")] {
        for (seconds, name, reason) in [
            (
                299,
                "not_before",
                "Signed # message becomes valid in the future",
            ),
            (301, "expires", "Signed # message is expired"),
            (602, "plain", "# message was issued too long ago"),
            (-602, "plain", "# message was issued too far in the future"),
        ] {
            turn(&app, seconds);
            let reply = app.post(GRANT, shown(chain, name)).await;
            refused(&reply, &reason.replace('#', title));
        }
        for (seconds, name) in [
            (301, "not_before"),
            (298, "expires"),
            (598, "plain"),
            (-598, "plain"),
        ] {
            turn(&app, seconds);
            app.post(GRANT, shown(chain, name)).await.ok();
        }
    }
    let name = "GOTRUE_EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION";
    let longer = app.with(&[(name, "20m")]).await;
    turn(&app, 1190);
    longer.post(GRANT, shown("ethereum", "plain")).await.ok();
    let reply = longer.post(GRANT, shown("solana", "plain")).await;
    refused(&reply, "Solana message was issued too long ago");
}

#[tokio::test]
async fn what_has_no_form_is_refused_before_anything_is_computed() {
    let app = start(0, &[]).await;
    let invalid = |chain: &str, field: &str, value: String| {
        let mut body = shown(chain, "plain");
        body[field] = value.into();
        body
    };
    for (body, message) in [
        (
            invalid("ethereum", "message", "x".repeat(63)),
            "message is too short",
        ),
        (
            invalid("solana", "message", "x".repeat(20 * 1024 + 1)),
            "message must not exceed 20KB",
        ),
        (
            invalid("ethereum", "signature", "0x12".into()),
            "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string",
        ),
        (
            invalid("solana", "signature", "A".repeat(87)),
            "signature must be 64 bytes encoded as base64 with or without padding",
        ),
        (
            invalid("solana", "signature", "*".repeat(86)),
            "signature does not contain valid base64 characters",
        ),
        (
            invalid("ethereum", "message", "x".repeat(64)),
            "siwe: message needs at least 6 lines",
        ),
    ] {
        let reply = app
            .post(GRANT, body)
            .await
            .refused(400, "validation_failed");
        assert_eq!(reply.text("msg"), message);
    }
    let body = invalid("ethereum", "chain", "bitcoin".into());
    let reply = app.post(GRANT, body).await;
    reply.refused(400, "web3_unsupported_chain");
}

#[tokio::test]
async fn chains_that_are_off_say_so() {
    let off = TestApp::start(&[]).await;
    let reply = off.post(GRANT, shown("solana", "plain")).await;
    let reply = reply.refused(422, "web3_provider_disabled");
    assert_eq!(reply.text("msg"), "Web3 provider is disabled");
    let half = off.with(&ON[..1]).await;
    let reply = half.post(GRANT, shown("ethereum", "plain")).await;
    let reply = reply.refused(422, "web3_provider_disabled");
    assert_eq!(reply.text("msg"), "Ethereum Web3 provider is disabled");
}

#[tokio::test]
async fn wallets_have_a_limit_and_bans_of_their_own() {
    let app = start(
        0,
        &[
            ("GOTRUE_RATE_LIMIT_HEADER", "x-forwarded-for"),
            ("GOTRUE_DISABLE_SIGNUP", "true"),
        ],
    )
    .await;
    let body = shown("ethereum", "plain");
    let stranger = app.post_from("192.0.2.1", GRANT, "", body.clone()).await;
    stranger.refused(422, "signup_disabled");
    let open = app.with(&[("GOTRUE_DISABLE_SIGNUP", "false")]).await;
    let member = open.post(GRANT, body.clone()).await.ok();
    let id = member.body["user"]["id"].as_str().unwrap();
    let service = service_token();
    let ban = json!({ "ban_duration": "1h" });
    open.put(&format!("/admin/users/{id}"), &service, ban)
        .await
        .ok();
    open.post(GRANT, body.clone())
        .await
        .refused(403, "user_banned");
    for _ in 0..29 {
        let reply = app.post_from("192.0.2.1", GRANT, "", body.clone()).await;
        assert_ne!(reply.status, 429);
    }
    let reply = app.post_from("192.0.2.1", GRANT, "", body.clone()).await;
    reply.refused(429, "over_request_rate_limit");
    // The other grants count elsewhere.
    let body = json!({ "email": "a@example.com", "password": "x" });
    let reply = app.post_from("192.0.2.1", "/token?grant_type=password", "", body);
    reply.await.refused(400, "invalid_credentials");
}
