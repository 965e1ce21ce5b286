//! How passwords are hashed, and that hashing keeps nobody else waiting.

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use serde_json::json;

use crate::test_app::{TestApp, service_token};

const ARGON2ID: (&str, &str) = ("NILAM_AUTH_PASSWORD_HASH", "argon2id");
/// Of "correct horse", by argon2-cffi.
const BY_ARGON2I: &str = "$argon2i$v=19$m=256,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$BrUsllZA4ImdTPqwHI7P3WZCwiVVBBXuuTIuEbrDn+4";
const BY_ARGON2ID: &str = "$argon2id$v=19$m=256,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$USEex5GkBPi8iVdvcybwmsgcBlH/R42wvXzlHd+3IB0";
/// Of "user1password", as Firebase publishes it.
const BY_FIREBASE: &str = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";

async fn import(app: &TestApp, email: &str, hash: &str) {
    let body = json!({ "email": email, "password_hash": hash, "email_confirm": true });
    app.post_as("/admin/users", &service_token(), body)
        .await
        .ok();
}

async fn stored(app: &TestApp, email: &str) -> String {
    sqlx::query_scalar("select encrypted_password from auth.users where email = $1")
        .bind(email)
        .fetch_one(&app.db.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn users_of_other_systems_keep_their_passwords() {
    let app = TestApp::start(&[]).await;
    for (email, password, hash) in [
        ("a@example.com", "correct horse", BY_ARGON2I),
        ("b@example.com", "correct horse", BY_ARGON2ID),
        ("c@example.com", "user1password", BY_FIREBASE),
    ] {
        import(&app, email, hash).await;
        app.sign_in(email, "wrong password")
            .await
            .refused(400, "invalid_credentials");
        app.sign_in(email, password).await.ok();
        // As in the original, they stay as they are.
        assert_eq!(stored(&app, email).await, hash);
    }
    let body = json!({ "email": "d@example.com", "password_hash": "$argon2d$v=19$m=256,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$0H6hCaKdR3lvhGk6GrlxIQKxCu8aipO6pTRBGZQeAzw" });
    app.post_as("/admin/users", &service_token(), body)
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn new_passwords_are_hashed_with_bcrypt_unless_argon2id_was_chosen() {
    for (settings, prefix) in [
        (&[][..], "$2b$10$"),
        (&[ARGON2ID][..], "$argon2id$v=19$m=19456,t=2,p=1$"),
    ] {
        let mut app = TestApp::start(settings).await;
        let session = app.member("ada@example.com", "secret12").await;
        let first = stored(&app, "ada@example.com").await;
        let body = json!({ "password": "another-one" });
        app.put("/user", &session.text("access_token"), body)
            .await
            .ok();
        let second = stored(&app, "ada@example.com").await;
        assert!(first.starts_with(prefix) && second.starts_with(prefix));
        assert_ne!(first, second);
        app.sign_in("ada@example.com", "another-one").await.ok();
        app.sign_in("ada@example.com", "secret12")
            .await
            .refused(400, "invalid_credentials");
        app.sign_in("nobody@example.com", "secret12")
            .await
            .refused(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn with_argon2id_a_sign_in_replaces_a_weaker_hash() {
    let app = TestApp::start(&[ARGON2ID, ("NILAM_AUTH_ARGON2ID", "m=512,t=2,p=1")]).await;
    let bcrypt = bcrypt::hash("correct horse", 4).unwrap();
    let strong = "$argon2id$v=19$m=512,t=2,p=1$";
    for (email, password, hash) in [
        ("a@example.com", "correct horse", bcrypt.as_str()),
        ("b@example.com", "correct horse", BY_ARGON2I),
        ("c@example.com", "correct horse", BY_ARGON2ID),
        ("d@example.com", "user1password", BY_FIREBASE),
    ] {
        import(&app, email, hash).await;
        app.sign_in(email, "wrong password")
            .await
            .refused(400, "invalid_credentials");
        assert_eq!(stored(&app, email).await, hash);
        let session = app.sign_in(email, password).await.ok();
        let replaced = stored(&app, email).await;
        assert!(replaced.starts_with(strong), "{hash}: {replaced}");
        // It is no new password: the session goes on, and the next sign-in changes nothing.
        app.refresh(&session.text("refresh_token")).await.ok();
        app.sign_in(email, password).await.ok();
        assert_eq!(stored(&app, email).await, replaced);
    }
}

#[tokio::test]
async fn a_password_that_bcrypt_saw_the_beginning_of_stays_as_it_is() {
    let app = TestApp::start(&[ARGON2ID, ("NILAM_AUTH_ARGON2ID", "m=64,t=1,p=1")]).await;
    let long = "x".repeat(80);
    let hash = bcrypt::hash(&long[..72], 4).unwrap();
    import(&app, "ada@example.com", &hash).await;
    app.sign_in("ada@example.com", &long).await.ok();
    assert_eq!(stored(&app, "ada@example.com").await, hash);
    app.sign_in("ada@example.com", &long[..72]).await.ok();
    assert_ne!(stored(&app, "ada@example.com").await, hash);
}

#[tokio::test]
async fn a_flood_of_sign_ins_does_not_hold_up_refreshes() {
    // Two connections for forty sign-ins: they must not keep one while they wait.
    let mut app = TestApp::start(&[
        ("GOTRUE_DB_MAX_POOL_SIZE", "2"),
        ("GOTRUE_API_MAX_REQUEST_DURATION", "10m"),
    ])
    .await;
    let mut session = app.member("ada@example.com", "secret12").await;
    let places = app.app.hasher().occupy().await.unwrap();
    let mut flood: FuturesUnordered<_> = (0..40)
        .map(|_| app.sign_in("ada@example.com", "secret12"))
        .collect();
    for _ in 0..5 {
        // All hashing stands still, so nobody signs in; who is signed in goes on.
        session = tokio::select! {
            biased;
            early = flood.next() => panic!("signed in without a place: {early:?}"),
            refreshed = async {
                let refreshed = app.refresh(&session.text("refresh_token")).await.ok();
                app.get("/user", &refreshed.text("access_token")).await.ok();
                refreshed
            } => refreshed,
        };
    }
    drop(places);
    let mut count = 0;
    while let Some(reply) = flood.next().await {
        reply.ok();
        count += 1;
    }
    assert_eq!(count, 40);
}
