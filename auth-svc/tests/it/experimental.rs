//! Linking domains, the identity that comes with a first password, users listed by cursor, and SCIM.

use serde_json::{Value, json};

use crate::{
    browser::{Landing, World},
    test_app::{TestApp, service_token},
};

const DOMAINS: &str = "GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS";
const EMAIL_IDENTITY: (&str, &str) = (
    "GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED",
    "true",
);
const CURSORS: (&str, &str) = ("GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED", "true");

/// Ada at GitHub and at X, with one address.
async fn ada(more: &[(&str, &str)]) -> World {
    let world = World::start(more).await;
    world.provider.github_user(7, "ada@example.com", true);
    let x =
        json!({ "data": { "id": "8", "username": "ada", "confirmed_email": "ada@example.com" } });
    world.provider.serve("/2/users/me", x);
    world
}

async fn user(world: &World, home: &Landing) -> Value {
    let token = home.fragment("access_token");
    assert!(!token.is_empty(), "{home:?}");
    world.app.get("/user", &token).await.ok().body
}

#[tokio::test]
async fn providers_of_one_domain_share_their_users_and_no_others() {
    let mut world = ada(&[(DOMAINS, "github=social, x=social")]).await;
    let member = world.app.member("ada@example.com", "password-1").await;
    let github = user(&world, &world.dance("/authorize?provider=github").await).await;
    let x = user(&world, &world.dance("/authorize?provider=x").await).await;
    assert_eq!(github["id"], x["id"]);
    assert_ne!(github["id"], member.body["user"]["id"]);
    assert_eq!(x["app_metadata"]["providers"], json!(["github", "x"]));
    assert_eq!(x["email"], "ada@example.com");
    let apart = "select count(*) from auth.users where is_sso_user";
    assert_eq!(world.app.count(apart).await, 1);
    // The member still is who signs in with the address.
    let session = world
        .app
        .sign_in("ada@example.com", "password-1")
        .await
        .ok();
    assert_eq!(session.body["user"]["id"], member.body["user"]["id"]);
}

#[tokio::test]
async fn an_address_at_a_provider_apart_is_free_for_everybody_else() {
    let name = "GOTRUE_EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN";
    let mut world = ada(&[(name, "github")]).await;
    let github = user(&world, &world.dance("/authorize?provider=github").await).await;
    let member = world.app.member("ada@example.com", "password-1").await;
    assert_ne!(member.body["user"]["id"], github["id"]);
    // X is in the default domain, as the member is.
    let x = user(&world, &world.dance("/authorize?provider=x").await).await;
    assert_eq!(x["id"], member.body["user"]["id"]);
    let again = user(&world, &world.dance("/authorize?provider=github").await).await;
    assert_eq!(again["id"], github["id"]);
    assert_eq!(world.app.count("select count(*) from auth.users").await, 2);
}

#[tokio::test]
async fn an_identity_at_a_provider_apart_takes_no_address_away() {
    let world = ada(&[]).await;
    // Linked while all were together; the account has another address.
    let home = world.dance("/authorize?provider=github").await;
    let first = user(&world, &home).await;
    let id = first["id"].as_str().unwrap();
    let moved = json!({ "email": "other@example.com", "email_confirm": true });
    world
        .app
        .put(&format!("/admin/users/{id}"), &service_token(), moved)
        .await
        .ok();
    let body = json!({ "email": "ada@example.com", "password": "password-1" });
    let auto = ("GOTRUE_MAILER_AUTOCONFIRM", "true");
    let together = world.app.with(&[auto]).await;
    let reply = together.post("/signup", body.clone()).await;
    reply.refused(422, "user_already_exists");
    let apart = world.app.with(&[auto, (DOMAINS, "github=social")]).await;
    let session = apart.post("/signup", body).await.ok();
    assert_ne!(session.body["user"]["id"], first["id"]);
}

#[tokio::test]
async fn a_first_password_brings_an_email_identity() {
    let world = ada(&[EMAIL_IDENTITY]).await;
    let home = world.dance("/authorize?provider=github").await;
    let token = home.fragment("access_token");
    let body = json!({ "password": "password-1" });
    let changed = world.app.put("/user", &token, body).await.ok();
    assert_eq!(
        changed.body["app_metadata"]["providers"],
        json!(["github", "email"])
    );
    let identities = changed.body["identities"].as_array().unwrap();
    let own = identities
        .iter()
        .find(|one| one["provider"] == "email")
        .unwrap();
    assert_eq!(own["id"], changed.body["id"]);
    assert_eq!(
        own["identity_data"],
        json!({
            "sub": changed.body["id"], "email": "ada@example.com", "email_verified": true,
            "phone_verified": false,
        })
    );
    world
        .app
        .sign_in("ada@example.com", "password-1")
        .await
        .ok();
}

#[tokio::test]
async fn administrators_give_first_passwords_too_and_without_the_setting_nothing_comes_with_them() {
    for (more, expected) in [(&[EMAIL_IDENTITY][..], 1), (&[], 0)] {
        let world = ada(more).await;
        let home = world.dance("/authorize?provider=github").await;
        let id = user(&world, &home).await["id"].as_str().unwrap().to_owned();
        let path = format!("/admin/users/{id}");
        let body = json!({ "password": "password-1" });
        world
            .app
            .put(&path, &service_token(), body.clone())
            .await
            .ok();
        world.app.put(&path, &service_token(), body).await.ok();
        let own = "select count(*) from auth.identities where provider = 'email'";
        assert_eq!(world.app.count(own).await, expected);
    }
}

#[tokio::test]
async fn an_unconfirmed_address_brings_none() {
    let app = TestApp::start(&[EMAIL_IDENTITY]).await;
    let phone = json!({ "phone": "15551234567", "phone_confirm": true });
    let made = app
        .post_as("/admin/users", &service_token(), phone)
        .await
        .ok();
    let id = made.text("id");
    sqlx::query("update auth.users set encrypted_password = null, email = 'bob@example.com'")
        .execute(&app.db.pool())
        .await
        .unwrap();
    let path = format!("/admin/users/{id}");
    let body = json!({ "password": "password-1" });
    app.put(&path, &service_token(), body).await.ok();
    let own = "select count(*) from auth.identities where provider = 'email'";
    assert_eq!(app.count(own).await, 0);
}

async fn five_users(more: &[(&str, &str)]) -> TestApp {
    let app = TestApp::start(more).await;
    for n in 0..5 {
        let body = json!({ "email": format!("user{n}@example.com"), "email_confirm": true });
        app.post_as("/admin/users", &service_token(), body)
            .await
            .ok();
    }
    // Two of one moment: the id decides.
    sqlx::query(
        "update auth.users set created_at = now() where email like 'user_@%' and email < 'user2'",
    )
    .execute(&app.db.pool())
    .await
    .unwrap();
    app
}

#[tokio::test]
async fn a_list_goes_on_where_it_ended() {
    let app = five_users(&[CURSORS]).await;
    let admin = service_token();
    for sort in ["", "&sort=created_at%20asc"] {
        let whole = app
            .get(&format!("/admin/users?limit=5{sort}"), &admin)
            .await
            .ok();
        assert_eq!(whole.body["pagination"], json!({ "has_more": false }));
        assert!(!whole.headers.contains_key("link"));
        assert!(!whole.headers.contains_key("x-total-count"));
        let mut path = format!("/admin/users?limit=2{sort}");
        let mut seen = Vec::new();
        let mut pages = 0;
        loop {
            let page = app.get(&path, &admin).await.ok();
            pages += 1;
            seen.extend(page.body["users"].as_array().unwrap().clone());
            if page.body["pagination"]["has_more"] == false {
                break;
            }
            let link = page.header("link");
            let next = link
                .strip_prefix('<')
                .unwrap()
                .strip_suffix(">; rel=\"next\"")
                .unwrap();
            let cursor = page.body["pagination"]["next_cursor"].as_str().unwrap();
            assert!(next.contains(&format!("cursor={cursor}")), "{link}");
            path = next.to_owned();
        }
        assert_eq!(pages, 3);
        assert_eq!(Value::from(seen), whole.body["users"]);
    }
    let page = app.get("/admin/users?filter=user3", &admin).await.ok();
    assert_eq!(page.body["users"].as_array().unwrap().len(), 1);
    // A page that is asked for by its number is one.
    let page = app.get("/admin/users?per_page=2", &admin).await.ok();
    assert_eq!(page.header("x-total-count"), "5");
    assert!(page.body.get("pagination").is_none());
    let off = app.with(&[(CURSORS.0, "false")]).await;
    let page = off.get("/admin/users?limit=2", &admin).await.ok();
    assert_eq!(page.body["users"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn only_our_own_cursors_are_taken() {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let app = TestApp::start(&[CURSORS]).await;
    let made = |value: Value| format!("cursor={}", URL_SAFE_NO_PAD.encode(value.to_string()));
    let id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    for (query, reason) in [
        (
            "limit=x".to_owned(),
            "strconv.ParseUint: parsing \"x\": invalid syntax",
        ),
        ("limit=0".to_owned(), "limit must be greater than 0"),
        ("cursor=***".to_owned(), "invalid cursor encoding"),
        (made(json!("x")), "invalid cursor"),
        (
            made(json!({ "created_at": "2025-01-01T00:00:00Z" })),
            "invalid cursor: missing id",
        ),
        (
            made(json!({ "id": id })),
            "invalid cursor: missing created_at",
        ),
        (
            made(json!({ "id": id, "created_at": "now" })),
            "invalid cursor",
        ),
    ] {
        let reply = app
            .get(&format!("/admin/users?{query}"), &service_token())
            .await;
        let reply = reply.refused(400, "validation_failed");
        assert_eq!(
            reply.text("msg"),
            format!("Bad Pagination Parameters: {reason}")
        );
    }
}

#[tokio::test]
async fn scim_says_that_it_can_do_nothing_yet() {
    let app = TestApp::start(&[("GOTRUE_EXPERIMENTAL_SCIM_ENABLED", "true")]).await;
    let config = app.get("/scim/v2/ServiceProviderConfig", "").await.ok();
    assert_eq!(config.header("content-type"), "application/scim+json");
    assert_eq!(config.body["patch"]["supported"], false);
    let location = config.body["meta"]["location"].as_str().unwrap();
    assert!(location.ends_with("/scim/v2/ServiceProviderConfig"));
    for path in ["/scim/v2/ResourceTypes", "/scim/v2/Schemas"] {
        let list = app.get(path, "").await.ok();
        assert_eq!(list.body["totalResults"], 0);
        let filtered = app.get(&format!("{path}?filter=name"), "").await;
        assert_eq!(
            (filtered.status, &filtered.body["status"]),
            (403, &json!("403"))
        );
    }
    let missing = app.get("/scim/v2/Users", "").await;
    assert_eq!(missing.header("content-type"), "application/scim+json");
    assert_eq!(
        (missing.status, &missing.body["status"]),
        (404, &json!("404"))
    );
    let wrong = app.post("/scim/v2/Schemas", json!({})).await;
    assert_eq!((wrong.status, wrong.header("allow")), (405, "GET,HEAD"));
}

#[tokio::test]
async fn scim_is_off_unless_it_is_asked_for() {
    let app = TestApp::start(&[]).await;
    for path in [
        "/scim/v2/ServiceProviderConfig",
        "/scim/v2/Users",
        "/scim/v2",
    ] {
        app.get(path, "").await.refused(404, "feature_disabled");
    }
    app.post("/scim/v2/Schemas", json!({}))
        .await
        .refused(404, "feature_disabled");
}
