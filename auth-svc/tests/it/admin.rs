//! What administrators do.

use serde_json::json;

use crate::test_app::{TestApp, service_token};

#[tokio::test]
async fn only_an_administrator_may_administer() {
    let mut app = TestApp::start(&[]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    app.get("/admin/users", &token)
        .await
        .refused(403, "not_admin");
    app.get("/admin/users", "")
        .await
        .refused(401, "no_authorization");
}

#[tokio::test]
async fn users_are_created_listed_changed_and_deleted() {
    let app = TestApp::start(&[]).await;
    let key = service_token();
    for n in 0..3 {
        let body = json!({
            "email": format!("user{n}@example.com"),
            "password": "secret12",
            "email_confirm": true,
            "app_metadata": { "plan": "free" },
        });
        let user = app.post_as("/admin/users", &key, body).await.ok();
        assert_eq!(user.body["app_metadata"]["plan"], "free");
        assert_eq!(user.body["app_metadata"]["provider"], "email");
    }
    let body = json!({ "email": "user1@example.com", "password": "secret12" });
    app.post_as("/admin/users", &key, body)
        .await
        .refused(422, "email_exists");
    let page = app.get("/admin/users?page=1&per_page=2", &key).await.ok();
    assert_eq!(page.header("x-total-count"), "3");
    assert!(page.header("link").contains("rel=\"next\""));
    assert_eq!(page.body["users"].as_array().unwrap().len(), 2);
    assert_eq!(page.body["users"][0]["email"], "user2@example.com");
    let id = page.body["users"][0]["id"].as_str().unwrap().to_owned();

    let path = format!("/admin/users/{id}");
    app.sign_in("user2@example.com", "secret12").await.ok();
    let body = json!({ "user_metadata": { "name": "Two" }, "ban_duration": "1h" });
    let changed = app.put(&path, &key, body).await.ok();
    assert_eq!(changed.body["user_metadata"]["name"], "Two");
    app.sign_in("user2@example.com", "secret12")
        .await
        .refused(400, "user_banned");
    app.put(&path, &key, json!({ "ban_duration": "none" }))
        .await
        .ok();
    app.sign_in("user2@example.com", "secret12").await.ok();

    let soft = Some(json!({ "should_soft_delete": true }));
    app.delete(&path, &key, soft).await.ok();
    let gone = app.get(&path, &key).await.ok();
    assert!(gone.body["deleted_at"].is_string());
    assert_eq!(gone.body["user_metadata"], json!({}));
    app.sign_in("user2@example.com", "secret12")
        .await
        .refused(400, "invalid_credentials");
    app.delete(&path, &key, None).await.ok();
    app.get(&path, &key).await.refused(404, "user_not_found");
    app.get("/admin/users/x", &key)
        .await
        .refused(404, "validation_failed");
}

#[tokio::test]
async fn a_generated_link_works_like_one_from_a_mail() {
    let mut app = TestApp::start(&[]).await;
    let key = service_token();
    app.member("ada@example.com", "secret12").await;
    for (kind, more) in [
        ("magiclink", json!({})),
        ("recovery", json!({})),
        (
            "signup",
            json!({ "email": "one@example.com", "password": "secret12" }),
        ),
        ("invite", json!({ "email": "two@example.com" })),
    ] {
        let mut body = json!({ "type": kind, "email": "ada@example.com" });
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        let made = app.post_as("/admin/generate_link", &key, body).await.ok();
        assert_eq!(made.text("verification_type"), kind);
        assert!(app.mails.is_empty());
        let link = made.text("action_link");
        let path = link.strip_prefix("http://auth.test").unwrap();
        assert!(path.contains(&made.text("hashed_token")), "{link}");
        let followed = app.get(path, "").await;
        let location = followed.header("location");
        assert!(!location.contains("error"), "{kind}: {location}");
    }
}

#[tokio::test]
async fn generated_links_to_both_addresses_change_the_address() {
    let mut app = TestApp::start(&[]).await;
    let key = service_token();
    app.member("ada@example.com", "secret12").await;
    let mut links = Vec::new();
    for kind in ["email_change_current", "email_change_new"] {
        let body = json!({
            "type": kind,
            "email": "ada@example.com",
            "new_email": "new@example.com",
        });
        let made = app.post_as("/admin/generate_link", &key, body).await.ok();
        links.push(made.text("action_link").replace("http://auth.test", ""));
    }
    let half = app.get(&links[0], "").await;
    assert!(
        half.header("location")
            .contains("#message=Confirmation+link+accepted")
    );
    let whole = app.get(&links[1], "").await;
    assert!(whole.header("location").contains("#access_token="));
    app.sign_in("new@example.com", "secret12").await.ok();
}

#[tokio::test]
async fn an_invited_user_accepts_by_link() {
    let mut app = TestApp::start(&[]).await;
    let key = service_token();
    let body = json!({ "email": "bob@example.com", "data": { "team": "x" } });
    let user = app.post_as("/invite", &key, body.clone()).await.ok();
    assert!(user.body["invited_at"].is_string());
    let hash = app.mails.next().link_parameter("token");
    let verify = json!({ "type": "invite", "token_hash": hash });
    let session = app.post("/verify", verify).await.ok();
    assert_eq!(session.body["user"]["user_metadata"]["team"], "x");
    app.post_as("/invite", &key, body)
        .await
        .refused(422, "email_exists");
}

#[tokio::test]
async fn what_happened_can_be_looked_up() {
    let mut app = TestApp::start(&[]).await;
    app.member("ada@example.com", "secret12").await;
    let key = service_token();
    let found = app
        .get("/admin/audit?query=action:signedup", &key)
        .await
        .ok();
    assert_eq!(found.header("x-total-count"), "1");
    let payload = &found.body[0]["payload"];
    assert_eq!(payload["actor_username"], "ada@example.com");
    assert_eq!(payload["log_type"], "team");
    app.get("/admin/audit?query=shoe:size", &key)
        .await
        .refused(400, "validation_failed");
}
