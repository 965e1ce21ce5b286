//! Ways to sign in that users add and remove themselves.

use serde_json::json;

use crate::{
    browser::{World, landing},
    test_app::Reply,
};

const ON: (&str, &str) = ("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "true");
const LINK: &str = "/user/identities/authorize?provider=github&skip_http_redirect=true";

async fn link(world: &World, token: &str) -> Reply {
    let told = world.app.get(LINK, token).await.ok();
    let back = world.at_provider(&told.text("url")).await;
    world.app.get(&back, "").await
}

#[tokio::test]
async fn linking_must_be_switched_on_and_signed_in_for() {
    let mut world = World::start(&[]).await;
    let token = world
        .app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    world
        .app
        .get(LINK, &token)
        .await
        .refused(404, "manual_linking_disabled");
    let world = World::start(&[ON]).await;
    world
        .app
        .get(LINK, "")
        .await
        .refused(401, "no_authorization");
}

#[tokio::test]
async fn a_user_adds_an_identity_and_removes_it() {
    let mut world = World::start(&[ON]).await;
    let token = world
        .app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    // Another address than the user's, and not even verified: the user shows both sides.
    world.provider.github_user(7, "other@example.com", false);
    let landed = landing(&link(&world, &token).await);
    let linked = landed.fragment("access_token");
    let user = world.app.get("/user", &linked).await.ok();
    assert_eq!(user.text("email"), "ada@example.com");
    assert_eq!(
        user.body["app_metadata"]["providers"],
        json!(["email", "github"])
    );
    landing(&link(&world, &token).await).refused("server_error", "identity_already_exists");

    let eve = world
        .app
        .member("eve@example.com", "secret12")
        .await
        .text("access_token");
    let refused = landing(&link(&world, &eve).await);
    refused.refused("server_error", "identity_already_exists");
    let message = "Identity is already linked to another user";
    assert_eq!(refused.query("error_description"), message);

    let identities = user.body["identities"].as_array().unwrap();
    let path = |provider: &str| {
        let one = identities
            .iter()
            .find(|one| one["provider"] == provider)
            .unwrap();
        format!("/user/identities/{}", one["identity_id"].as_str().unwrap())
    };
    world
        .app
        .delete(&path("github"), &eve, None)
        .await
        .refused(422, "single_identity_not_deletable");
    world.app.delete(&path("github"), &token, None).await.ok();
    world
        .app
        .delete(&path("email"), &token, None)
        .await
        .refused(422, "single_identity_not_deletable");
    let user = world.app.get("/user", &token).await.ok();
    assert_eq!(user.body["app_metadata"]["providers"], json!(["email"]));
}

#[tokio::test]
async fn without_its_mail_identity_an_account_moves_to_another_address() {
    let mut world = World::start(&[ON]).await;
    let token = world
        .app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    world.provider.github_user(7, "work@example.com", true);
    let linked = landing(&link(&world, &token).await).fragment("access_token");
    let user = world.app.get("/user", &linked).await.ok();
    let email = &user.body["identities"][0];
    assert_eq!(email["provider"], "email");
    let path = format!(
        "/user/identities/{}",
        email["identity_id"].as_str().unwrap()
    );
    world.app.delete(&path, &linked, None).await.ok();
    let user = world.app.get("/user", &linked).await.ok();
    assert_eq!(user.text("email"), "work@example.com");
    assert!(user.body["email_confirmed_at"].is_string());
    assert_eq!(user.body["app_metadata"]["provider"], "github");
}

#[tokio::test]
async fn an_anonymous_user_becomes_permanent_with_a_verified_identity() {
    let anonymous = ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true");
    let mut world = World::start(&[ON, anonymous]).await;
    let session = world.app.post("/signup", json!({})).await.ok();
    world.provider.github_user(7, "ada@example.com", true);
    let linked = landing(&link(&world, &session.text("access_token")).await);
    let user = world
        .app
        .get("/user", &linked.fragment("access_token"))
        .await
        .ok();
    assert_eq!(user.body["id"], session.body["user"]["id"]);
    assert_eq!(user.body["is_anonymous"], false);
    assert_eq!(user.text("email"), "ada@example.com");

    let session = world.app.post("/signup", json!({})).await.ok();
    let token = session.text("access_token");
    world.provider.github_user(8, "eve@example.com", false);
    landing(&link(&world, &token).await).refused("server_error", "email_not_confirmed");
    assert_eq!(world.app.mails.next().to, "eve@example.com");

    let session = world.app.post("/signup", json!({})).await.ok();
    world.provider.github_user(9, "ada@example.com", true);
    let landed = landing(&link(&world, &session.text("access_token")).await);
    // The address is taken, so the account has none and nothing to confirm.
    landed.refused("invalid_request", "email_exists");
}

#[tokio::test]
async fn an_id_token_links_as_well() {
    let world = World::start(&[ON]).await;
    let now = chrono::Utc::now().timestamp();
    let claims = |sub: &str| {
        json!({
            "iss": world.provider.address(), "sub": sub, "aud": crate::provider::CLIENT, "exp": now + 300,
            "email": "ada@example.com", "email_verified": true,
        })
    };
    let grant = "/token?grant_type=id_token";
    let body = |sub: &str, link: bool| {
        json!({
            "provider": "keycloak", "id_token": world.provider.sign(&claims(sub)), "link_identity": link,
        })
    };
    let first = world.app.post(grant, body("one", false)).await.ok();
    let token = first.text("access_token");
    let second = world
        .app
        .post_as(grant, &token, body("two", true))
        .await
        .ok();
    assert_eq!(second.body["user"]["id"], first.body["user"]["id"]);
    assert_eq!(
        second.body["user"]["identities"].as_array().unwrap().len(),
        2
    );
    world
        .app
        .post_as(grant, &token, body("two", true))
        .await
        .refused(422, "identity_already_exists");
    world
        .app
        .post_as(grant, "no token", body("three", true))
        .await;
}

#[tokio::test]
async fn a_user_with_a_phone_gets_the_address_of_a_linked_identity() {
    let mut world = World::start(&[ON]).await;
    let body = json!({ "phone": "+15551234567", "password": "secret12" });
    world.app.post("/signup", body).await.ok();
    let code = world.app.texts.next()["sms"]["otp"].clone();
    let body = json!({ "type": "sms", "phone": "+15551234567", "token": code });
    let session = world.app.post("/verify", body).await.ok();
    world.provider.github_user(7, "ada@example.com", true);
    let linked = landing(&link(&world, &session.text("access_token")).await);
    let user = world
        .app
        .get("/user", &linked.fragment("access_token"))
        .await
        .ok();
    assert_eq!(user.text("email"), "ada@example.com");
    assert!(user.body["email_confirmed_at"].is_string());
    let identities = user.body["identities"].as_array().unwrap();
    let phone = identities
        .iter()
        .find(|one| one["provider"] == "phone")
        .unwrap();
    let path = format!(
        "/user/identities/{}",
        phone["identity_id"].as_str().unwrap()
    );
    let token = linked.fragment("access_token");
    world.app.delete(&path, &token, None).await.ok();
    let user = world.app.get("/user", &token).await.ok();
    assert_eq!(
        (user.text("phone"), user.text("email")),
        (String::new(), "ada@example.com".into())
    );
    assert!(user.body.get("phone_confirmed_at").is_none());
}
