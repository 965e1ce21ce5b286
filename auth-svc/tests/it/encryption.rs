//! Columns that are kept encrypted, from the first key to the next.

use crate::{
    mfa_totp,
    test_app::{TestApp, claims},
};

const SIGNED: (&str, &str) = ("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", "2");
const ON: (&str, &str) = ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT", "true");
const KEY_ID: &str = "GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID";
const KEY: &str = "GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY";
const KEYS: &str = "GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS";
const FIRST: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const SECOND: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";

async fn count_with_key(app: &TestApp, key: &str) -> (i64, i64) {
    let sql = "select
        (select count(*) from auth.sessions where refresh_token_hmac_key like '{\"key_id\":\"' || $1 || '\"%'),
        (select count(*) from auth.mfa_factors where secret like '{\"key_id\":\"' || $1 || '\"%')";
    let row: (i64, i64) = sqlx::query_as(sql)
        .bind(key)
        .fetch_one(&app.db.pool())
        .await
        .unwrap();
    row
}

#[tokio::test]
async fn secrets_follow_the_key_when_they_are_used() {
    let mut plain = TestApp::start(&[SIGNED]).await;
    let member = plain.member("ada@example.com", "secret12").await;
    let (path, secret) = mfa_totp::enroll(&plain, &member.text("access_token"), "app").await;

    let (one, both) = (format!("one:{FIRST}"), format!("one:{FIRST},two:{SECOND}"));
    let first = plain
        .with(&[SIGNED, ON, (KEY_ID, "one"), (KEY, FIRST), (KEYS, &one)])
        .await;
    let session = first.sign_in("ada@example.com", "secret12").await.ok();
    mfa_totp::verify(&first, &session.text("access_token"), &path, &secret)
        .await
        .ok();
    assert_eq!(count_with_key(&first, "one").await, (1, 1));

    let second = plain
        .with(&[SIGNED, ON, (KEY_ID, "two"), (KEY, SECOND), (KEYS, &both)])
        .await;
    let session = second.sign_in("ada@example.com", "secret12").await.ok();
    let refreshed = second.refresh(&session.text("refresh_token")).await.ok();
    let lifted = mfa_totp::verify(&second, &refreshed.text("access_token"), &path, &secret)
        .await
        .ok();
    assert_eq!(
        claims(&lifted.text("access_token")).text("aal"),
        Some("aal2")
    );
    assert_eq!(count_with_key(&second, "two").await, (1, 1));

    // Without the keys nothing is taken for what it is not.
    plain
        .refresh(&lifted.text("refresh_token"))
        .await
        .refused(500, "unexpected_failure");
}
