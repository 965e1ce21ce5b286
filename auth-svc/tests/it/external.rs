//! Signing in with an external provider, as a browser does it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::Duration;
use serde_json::{Value, json};
use url::Url;

use crate::{
    browser::{Landing, World, landing},
    test_app::{Reply, service_token},
};

const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-0";

async fn me(world: &World, landing: &Landing) -> Value {
    let token = landing.fragment("access_token");
    assert!(!token.is_empty(), "{landing:?}");
    world.app.get("/user", &token).await.ok().body
}

const GITHUB: &str = "/authorize?provider=github";

#[tokio::test]
async fn a_new_user_gets_an_account_and_a_returning_one_the_same() {
    let world = World::start(&[]).await;
    world.provider.github_user(583_231, "Ada@Example.com", true);
    world
        .provider
        .with_tokens(json!({ "refresh_token": "provider-refresh" }));
    let path = format!(
        "{GITHUB}&scopes=repo,gist&login_hint=ada&state=mine&redirect_uri=https://evil.test\
         &redirect_to=https://app.test/in?a=b"
    );
    let first = world.dance(&path).await;
    assert!(
        first
            .url
            .as_str()
            .starts_with("https://app.test/in?a=b#access_token=")
    );
    for (name, value) in [
        ("token_type", "bearer"),
        ("provider_token", "provider-token"),
        ("provider_refresh_token", "provider-refresh"),
        ("expires_in", "3600"),
    ] {
        assert_eq!(first.fragment(name), value, "{name}");
    }
    assert!(first.url.fragment().unwrap().contains("&sb=&"));
    assert_eq!(world.provider.asked("scope"), "user:email repo gist");
    assert_eq!(world.provider.asked("login_hint"), "ada");
    let user = me(&world, &first).await;
    assert_eq!(user["email"], "ada@example.com");
    assert!(user["email_confirmed_at"].is_string());
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "github", "providers": ["github"] })
    );
    let identity = &user["identities"][0];
    assert_eq!(identity["id"], "583231");
    assert_eq!(identity["identity_data"]["user_name"], "ada");
    assert_eq!(identity["identity_data"]["email_verified"], true);
    assert_eq!(user["user_metadata"]["full_name"], "Ada");
    let refreshed = world
        .app
        .refresh(&first.fragment("refresh_token"))
        .await
        .ok();
    assert!(refreshed.body.get("provider_token").is_none());

    world.provider.github_user(583_231, "new@example.com", true);
    let second = world.dance(GITHUB).await;
    let again = me(&world, &second).await;
    assert_eq!(again["id"], user["id"]);
    assert_eq!(again["email"], "ada@example.com");
    assert_eq!(
        again["identities"][0]["identity_data"]["email"],
        "new@example.com"
    );
    assert_eq!(world.app.count("select count(*) from auth.users").await, 1);
    let rows = "select count(*) from auth.flow_state";
    assert_eq!(world.app.count(rows).await, 0);
    let signed_up =
        "select count(*) from auth.audit_log_entries where payload->>'action' = 'user_signedup'";
    assert_eq!(world.app.count(signed_up).await, 1);
}

#[tokio::test]
async fn an_app_with_a_verifier_gets_a_code() {
    let world = World::start(&[]).await;
    world.provider.github_user(1, "ada@example.com", true);
    let challenge = URL_SAFE_NO_PAD.encode(aws_lc_rs::digest::digest(
        &aws_lc_rs::digest::SHA256,
        VERIFIER.as_bytes(),
    ));
    let path = format!("{GITHUB}&code_challenge={challenge}&code_challenge_method=S256");
    let back = world.visit(&path).await;
    // The app's challenge is between it and us.
    assert_eq!(world.provider.asked("code_challenge"), "");
    let landed = landing(&world.app.get(&back, "").await);
    assert!(landed.url.fragment().is_none(), "{landed:?}");
    let replay = world.app.get(&back, "").await;
    assert_eq!(replay.status, 303);
    let location: Url = replay.header("location").parse().unwrap();
    assert!(
        location
            .query()
            .unwrap()
            .contains("error_code=flow_state_already_used")
    );
    let exchange =
        |verifier: &str| json!({ "auth_code": landed.query("code"), "code_verifier": verifier });
    let grant = "/token?grant_type=pkce";
    let wrong = exchange("another-verifier-of-at-least-forty-three-chars");
    world
        .app
        .post(grant, wrong)
        .await
        .refused(400, "bad_code_verifier");
    let session = world.app.post(grant, exchange(VERIFIER)).await.ok();
    assert_eq!(session.text("provider_token"), "provider-token");
    assert!(session.body.get("provider_refresh_token").is_none());
    assert_eq!(session.body["user"]["email"], "ada@example.com");
    world
        .app
        .post(grant, exchange(VERIFIER))
        .await
        .refused(404, "flow_state_not_found");
}

#[tokio::test]
async fn a_verified_address_leads_to_the_account_that_has_it() {
    let mut world = World::start(&[]).await;
    let member = world.app.member("ada@example.com", "secret12").await;
    world.provider.github_user(7, "ADA@example.com", true);
    let user = me(&world, &world.dance(GITHUB).await).await;
    assert_eq!(user["id"], member.body["user"]["id"]);
    assert_eq!(
        user["app_metadata"]["providers"],
        json!(["email", "github"])
    );
    world.app.sign_in("ada@example.com", "secret12").await.ok();
    let linked =
        "select count(*) from auth.audit_log_entries where payload->>'action' = 'identity_linked'";
    assert_eq!(world.app.count(linked).await, 1);
}

#[tokio::test]
async fn whoever_waits_for_the_owner_of_an_address_is_locked_out() {
    let world = World::start(&[]).await;
    let body = json!({ "email": "ada@example.com", "password": "attacker", "data": { "evil": 1 } });
    world.app.post("/signup", body).await.ok();
    world.provider.github_user(7, "ada@example.com", true);
    let user = me(&world, &world.dance(GITHUB).await).await;
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
    assert!(user["user_metadata"].get("evil").is_none());
    world
        .app
        .sign_in("ada@example.com", "attacker")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn an_unverified_address_leads_nowhere_and_is_confirmed_by_mail() {
    let mut world = World::start(&[]).await;
    world.app.member("taken@example.com", "secret12").await;
    world.provider.github_user(8, "taken@example.com", false);
    let landed = world.dance(GITHUB).await;
    landed.refused("access_denied", "provider_email_needs_verification");
    let own = "select count(*) from auth.users where email is null";
    assert_eq!(world.app.count(own).await, 1);

    world.provider.github_user(9, "free@example.com", false);
    let landed = world.dance(GITHUB).await;
    landed.refused("access_denied", "provider_email_needs_verification");
    assert_eq!(
        landed.query("error_description"),
        "Unverified email with github. A confirmation email has been sent to your github email"
    );
    let hash = world.app.mails.next().link_parameter("token");
    let body = json!({ "type": "signup", "token_hash": hash });
    world.app.post("/verify", body).await.ok();
    let user = me(&world, &world.dance(GITHUB).await).await;
    assert_eq!(user["email"], "free@example.com");
}

#[tokio::test]
async fn an_identity_that_nobody_vouches_for_collects_no_sign_ins() {
    let world = World::start(&[("GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", "true")]).await;
    // Somebody has an account with an address of their own, and then names another's at the provider.
    world.provider.github_user(1, "eve@example.com", true);
    let eve = me(&world, &world.dance(GITHUB).await).await;
    world.provider.github_user(1, "ada@example.com", false);
    world.dance(GITHUB).await;
    world.provider.github_user(2, "ada@example.com", true);
    let ada = me(&world, &world.dance(GITHUB).await).await;
    assert_ne!(ada["id"], eve["id"]);
    assert_eq!(ada["email"], "ada@example.com");
}

#[tokio::test]
async fn sign_ups_can_be_closed_and_users_banned() {
    let world = World::start(&[("GOTRUE_DISABLE_SIGNUP", "true")]).await;
    world.provider.github_user(7, "ada@example.com", true);
    let landed = world.dance(GITHUB).await;
    landed.refused("access_denied", "signup_disabled");
    assert_eq!(world.app.count("select count(*) from auth.users").await, 0);

    let body = json!({ "email": "ada@example.com", "email_confirm": true });
    let user = world
        .app
        .post_as("/admin/users", &service_token(), body)
        .await
        .ok();
    let first = me(&world, &world.dance(GITHUB).await).await;
    assert_eq!(first["id"], user.body["id"]);
    let path = format!("/admin/users/{}", user.text("id"));
    let ban = json!({ "ban_duration": "1h" });
    world.app.put(&path, &service_token(), ban).await.ok();
    world
        .dance(GITHUB)
        .await
        .refused("access_denied", "user_banned");
}

#[tokio::test]
async fn a_state_serves_once_and_not_for_long() {
    let world = World::start(&[]).await;
    world.provider.github_user(7, "ada@example.com", true);
    let told = |reply: &Reply| {
        assert_eq!(reply.status, 303, "{reply:?}");
        let url: Url = reply.header("location").parse().unwrap();
        assert!(
            url.as_str()
                .starts_with("http://localhost:3000/?error=invalid_request"),
            "{url}"
        );
        assert!(url.fragment().is_none());
        Landing { url }.query("error_code")
    };
    let back = world.visit(GITHUB).await;
    landing(&world.app.get(&back, "").await);
    assert_eq!(told(&world.app.get(&back, "").await), "bad_oauth_state");
    for (path, code) in [
        ("/callback?code=x", "bad_oauth_callback"),
        ("/callback?code=x&state=no-uuid", "bad_oauth_state"),
        (
            "/callback?code=x&state=8fb0c1d2-0000-4000-8000-000000000000",
            "bad_oauth_state",
        ),
    ] {
        assert_eq!(told(&world.app.get(path, "").await), code, "{path}");
    }
    let back = world.visit(GITHUB).await;
    world.app.pass(Duration::seconds(301));
    assert_eq!(told(&world.app.get(&back, "").await), "bad_oauth_state");
}

#[tokio::test]
async fn what_goes_wrong_at_the_provider_is_told_to_the_app() {
    let world = World::start(&[]).await;
    let state = |back: &str| back.split_once("state=").unwrap().1.to_owned();
    let back = world
        .visit(&format!("{GITHUB}&redirect_to=https://app.test/in"))
        .await;
    let path = format!(
        "/callback?error=access_denied&error_description=The+user+said+no&state={}",
        state(&back)
    );
    let landed = landing(&world.app.get(&path, "").await);
    assert!(
        landed
            .url
            .as_str()
            .starts_with("https://app.test/in?error=access_denied")
    );
    landed.refused("access_denied", "");
    assert_eq!(landed.query("error_description"), "The user said no");
    let path = format!("/callback?state={}", state(&back));
    landing(&world.app.get(&path, "").await).refused("invalid_request", "bad_oauth_callback");
    let path = format!("/callback?code=forged&state={}", state(&back));
    let landed = landing(&world.app.get(&path, "").await);
    landed.refused("server_error", "unexpected_failure");
    assert_eq!(
        landed.query("error_description"),
        "Unable to exchange external code: forg"
    );
    // The code is fine, but there is no profile behind it.
    let landed = world.dance(GITHUB).await;
    landed.refused("server_error", "unexpected_failure");
    let message = "Error getting user profile from external provider";
    assert_eq!(landed.query("error_description"), message);
    world.provider.github_user(1, "", true);
    let message = "Error getting user email from external provider";
    let landed = world.dance(GITHUB).await;
    assert_eq!(landed.query("error_description"), message);
}

#[tokio::test]
async fn a_provider_that_is_down_fails_the_sign_in_only() {
    let world = World::start(&[("GOTRUE_EXTERNAL_GITHUB_URL", "http://127.0.0.1:1")]).await;
    let reply = world.app.get(GITHUB, "").await;
    let url: Url = reply.header("location").parse().unwrap();
    let state = Landing { url }.query("state");
    let path = format!("/callback?code=abcdef&state={state}");
    landing(&world.app.get(&path, "").await).refused("server_error", "unexpected_failure");
}

#[tokio::test]
async fn users_are_sent_only_where_the_project_allows() {
    let world = World::start(&[]).await;
    world.provider.github_user(1, "ada@example.com", true);
    let landed = world
        .dance(&format!("{GITHUB}&redirect_to=https://evil.test/"))
        .await;
    assert!(
        landed.url.as_str().starts_with("http://localhost:3000"),
        "{landed:?}"
    );
    // At the callback nobody can name another place any more.
    let back = world
        .visit(&format!("{GITHUB}&redirect_to=https://app.test/in"))
        .await;
    let back = format!("{back}&redirect_to=https://evil.test/");
    let landed = landing(&world.app.get(&back, "").await);
    assert!(landed.url.as_str().starts_with("https://app.test/in#"));
}

#[tokio::test]
async fn what_is_wrong_with_the_request_is_told_at_once() {
    let world = World::start(&[]).await;
    for (query, message) in [
        ("", "Unsupported provider: Provider  could not be found"),
        (
            "provider=nobody",
            "Unsupported provider: Provider nobody could not be found",
        ),
        (
            "provider=google",
            "Unsupported provider: provider is not enabled",
        ),
        (
            "provider=github&code_challenge_method=s256",
            "PKCE flow requires code_challenge_method and code_challenge",
        ),
    ] {
        let reply = world.app.get(&format!("/authorize?{query}"), "").await;
        let reply = reply.refused(400, "validation_failed");
        assert_eq!(reply.text("msg"), message);
    }
    world
        .app
        .get(&format!("{GITHUB}&invite_token=nothing"), "")
        .await
        .refused(404, "user_not_found");
    let settings = world.app.get("/settings", "").await.ok();
    let external = &settings.body["external"];
    assert_eq!(
        (&external["github"], &external["google"]),
        (&json!(true), &json!(false))
    );
    assert!(external.get("x").is_none());
}

#[tokio::test]
async fn an_invitation_is_accepted_with_the_invited_address_only() {
    let mut world = World::start(&[("GOTRUE_DISABLE_SIGNUP", "true")]).await;
    let body = json!({ "email": "ada@example.com" });
    let invited = world
        .app
        .post_as("/invite", &service_token(), body)
        .await
        .ok();
    let token = world.app.mails.next().link_parameter("token");
    let path = format!("{GITHUB}&invite_token={token}");
    world.provider.github_user(1, "eve@example.com", true);
    world
        .dance(&path)
        .await
        .refused("invalid_request", "validation_failed");
    world.provider.github_user(2, "Ada@example.com", false);
    let user = me(&world, &world.dance(&path).await).await;
    assert_eq!(user["id"], invited.body["id"]);
    assert!(user["email_confirmed_at"].is_string());
    world
        .app
        .get(&path, "")
        .await
        .refused(404, "user_not_found");
}

#[tokio::test]
async fn a_provider_that_wants_a_challenge_gets_one() {
    let world = World::start(&[]).await;
    world.provider.serve(
        "/2/users/me",
        json!({ "data": { "id": "5", "name": "Ada", "username": "ada", "confirmed_email": "ada@example.com" } }),
    );
    let user = me(&world, &world.dance("/authorize?provider=x").await).await;
    assert_eq!(user["identities"][0]["provider"], "x");
    assert_eq!(world.provider.asked("code_challenge").len(), 43);
    let rows = "select count(*) from auth.oauth_client_states";
    assert_eq!(world.app.count(rows).await, 0);
}

#[tokio::test]
async fn a_provider_may_want_the_secret_in_the_body() {
    let world = World::start(&[]).await;
    world.provider.body_only();
    world.provider.github_user(1, "ada@example.com", true);
    me(&world, &world.dance(GITHUB).await).await;
    let wrong = ("GOTRUE_EXTERNAL_GITHUB_SECRET", "another");
    let world = World::start(&[wrong]).await;
    world.provider.github_user(1, "ada@example.com", true);
    world
        .dance(GITHUB)
        .await
        .refused("server_error", "unexpected_failure");
}

#[tokio::test]
async fn two_callbacks_at_once_make_one_session() {
    let world = World::start(&[]).await;
    world.provider.github_user(1, "ada@example.com", true);
    let challenge = format!(
        "{GITHUB}&code_challenge_method=plain&code_challenge={}",
        "c".repeat(43)
    );
    world.dance(GITHUB).await;
    // It is on us to notice, even if the provider does not.
    world.provider.careless();
    for (path, token) in [(GITHUB, "access_token="), (challenge.as_str(), "?code=")] {
        let back = world.visit(path).await;
        let (one, two) = tokio::join!(world.app.get(&back, ""), world.app.get(&back, ""));
        let landed = [one, two].map(|reply| reply.header("location").contains(token));
        assert_eq!(landed.iter().filter(|landed| **landed).count(), 1, "{path}");
    }
    let sessions = "select count(*) from auth.sessions";
    assert_eq!(world.app.count(sessions).await, 2);
}

#[tokio::test]
async fn an_account_without_an_address_is_taken_where_that_is_allowed() {
    let optional = ("GOTRUE_EXTERNAL_GITHUB_EMAIL_OPTIONAL", "true");
    let world = World::start(&[optional]).await;
    world.provider.github_user(1, "", true);
    let user = me(&world, &world.dance(GITHUB).await).await;
    assert_eq!(user["email"], "");
    assert!(user.get("email_confirmed_at").is_none());
}

#[tokio::test]
async fn a_provider_that_is_slow_does_not_keep_the_user() {
    let world = World::start(&[("GOTRUE_API_MAX_REQUEST_DURATION", "5s")]).await;
    world.provider.github_user(1, "ada@example.com", true);
    world.provider.hang();
    let landed = world.dance(GITHUB).await;
    landed.refused("server_error", "unexpected_failure");
    assert_eq!(
        landed.query("error_description"),
        "Unable to exchange external code: code"
    );
}
