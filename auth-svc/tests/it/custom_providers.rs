//! Providers that administrators add, from `/admin/custom-providers` to a session.

use chrono::Utc;
use serde_json::{Value, json};

use crate::{
    browser::{IDP, World, landing},
    provider::{CLIENT, SECRET},
    test_app::{Reply, service_token},
};

const ADMIN: &str = "/admin/custom-providers";

fn oauth2() -> Value {
    json!({
        "provider_type": "oauth2", "identifier": "custom:team", "name": "The team",
        "client_id": CLIENT, "client_secret": SECRET, "scopes": ["profile", "email"],
        "authorization_url": format!("{IDP}/authorize"), "token_url": format!("{IDP}/token"),
        "userinfo_url": format!("{IDP}/userinfo"),
    })
}

fn oidc() -> Value {
    json!({
        "provider_type": "oidc", "identifier": "custom:idp", "name": "The IdP",
        "client_id": CLIENT, "client_secret": SECRET, "scopes": ["email"], "issuer": IDP,
    })
}

fn with(mut wish: Value, more: Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        wish[name] = value.clone();
    }
    wish
}

impl World {
    async fn add(&self, wish: Value) -> Reply {
        self.app.post_as(ADMIN, &service_token(), wish).await
    }

    async fn change(&self, identifier: &str, wish: Value) -> Reply {
        let path = format!("{ADMIN}/{identifier}");
        self.app.put(&path, &service_token(), wish).await
    }

    /// An ID token for Ada comes with the next tokens.
    fn with_id_token(&self, more: Value) {
        let token = self.provider.sign(&with(claims(), more));
        self.provider.with_tokens(json!({ "id_token": token }));
    }
}

fn claims() -> Value {
    let now = Utc::now().timestamp();
    json!({
        "iss": IDP, "sub": "u-1", "aud": CLIENT, "iat": now, "exp": now + 300,
        "email": "ada@example.com", "email_verified": true, "name": "Ada", "groups": ["staff"],
    })
}

#[track_caller]
fn invalid(reply: Reply, message: &str) {
    let reply = reply.refused(400, "validation_failed");
    assert_eq!(reply.text("msg"), message);
}

#[tokio::test]
async fn providers_are_added_seen_changed_and_removed() {
    let world = World::with_idp(&[]).await;
    let added = world.add(oidc()).await;
    assert_eq!(added.status, 201, "{added:?}");
    let body = &added.body;
    assert_eq!(body["scopes"], json!(["openid", "email"]));
    assert_eq!(
        body["discovery_document"],
        json!({
            "issuer": IDP, "authorization_endpoint": format!("{IDP}/authorize"),
            "token_endpoint": format!("{IDP}/token"), "userinfo_endpoint": format!("{IDP}/userinfo"),
            "jwks_uri": format!("{IDP}/keys"), "scopes_supported": ["openid", "email"],
        })
    );
    for (name, value) in [
        ("pkce_enabled", json!(true)),
        ("enabled", json!(true)),
        ("email_optional", json!(false)),
        ("skip_nonce_check", json!(false)),
        ("acceptable_client_ids", json!([])),
        ("attribute_mapping", json!({})),
        ("authorization_params", json!({})),
        ("custom_claims_allowlist", json!([])),
    ] {
        assert_eq!(body[name], value, "{name}");
    }
    assert!(!body.to_string().contains("the secret"));
    assert!(body.get("discovery_url").is_none() && body.get("token_url").is_none());
    world.add(oauth2()).await.ok();
    let admin = service_token();
    let all = world.app.get(ADMIN, &admin).await.ok();
    assert_eq!(all.body["providers"].as_array().unwrap().len(), 2);
    let some = world.app.get(&format!("{ADMIN}?type=oauth2"), &admin).await;
    assert_eq!(some.body["providers"][0]["identifier"], "custom:team");
    let changed = world
        .change(
            "custom:idp",
            json!({ "name": "Other", "scopes": ["profile"], "enabled": false }),
        )
        .await
        .ok();
    assert_eq!(changed.body["name"], "Other");
    assert_eq!(changed.body["scopes"], json!(["openid", "profile"]));
    assert_eq!(changed.body["client_id"], CLIENT);
    let path = format!("{ADMIN}/custom:idp");
    let seen = world.app.get(&path, &admin).await.ok();
    assert_eq!(seen.body, changed.body);
    let gone = world.app.delete(&path, &admin, None).await;
    assert_eq!(gone.status, 204);
    for reply in [
        world.app.get(&path, &admin).await,
        world.app.delete(&path, &admin, None).await,
        world.change("custom:idp", json!({})).await,
    ] {
        let reply = reply.refused(404, "custom_provider_not_found");
        assert_eq!(reply.text("msg"), "Custom OAuth provider not found");
    }
}

#[tokio::test]
async fn a_wish_that_is_incomplete_or_reaches_too_far_is_refused() {
    let world = World::with_idp(&[]).await;
    for (wish, message) in [
        (
            with(oidc(), json!({ "provider_type": "saml" })),
            "provider_type must be either 'oauth2' or 'oidc'",
        ),
        (
            with(oidc(), json!({ "identifier": "" })),
            "identifier is required",
        ),
        (
            with(oidc(), json!({ "identifier": "google" })),
            "identifier must start with 'custom:' prefix, e.g. 'custom:google'",
        ),
        (with(oidc(), json!({ "name": "" })), "name is required"),
        (
            with(oidc(), json!({ "client_id": "" })),
            "client_id is required",
        ),
        (
            with(oidc(), json!({ "client_secret": "" })),
            "client_secret is required",
        ),
        (
            with(oidc(), json!({ "issuer": "" })),
            "issuer is required for OIDC providers",
        ),
        (
            with(oauth2(), json!({ "userinfo_url": "" })),
            "userinfo_url is required for OAuth2 providers",
        ),
        (
            with(
                oauth2(),
                json!({ "authorization_params": { "state": "x" } }),
            ),
            "Cannot override reserved OAuth parameter: state",
        ),
        (
            with(oauth2(), json!({ "authorization_params": { "prompt": 1 } })),
            "Authorization parameter \"prompt\" must be a string",
        ),
        (
            with(oauth2(), json!({ "attribute_mapping": { "role": "name" } })),
            "Cannot map to protected system field: role",
        ),
        (
            with(oauth2(), json!({ "custom_claims_allowlist": ["a", " "] })),
            "custom_claims_allowlist entries must be non-empty strings",
        ),
        (
            with(oauth2(), json!({ "token_url": "http://example.com/token" })),
            "URL must use HTTPS",
        ),
        (
            with(oauth2(), json!({ "token_url": "https://localhost/token" })),
            "URL cannot point to localhost or loopback addresses",
        ),
        (
            with(oauth2(), json!({ "jwks_uri": "https://169.254.169.254/" })),
            "URL cannot resolve to link-local addresses",
        ),
        (
            with(oidc(), json!({ "discovery_url": "https://10.0.0.1/x" })),
            "URL cannot resolve to private network addresses",
        ),
        (
            with(oidc(), json!({ "issuer": "https://idp.test/other" })),
            "OIDC discovery from \"https://idp.test/other/.well-known/openid-configuration\" failed: oidc: \
             discovery request to https://idp.test/other/.well-known/openid-configuration returned 401 \
             Unauthorized",
        ),
        (
            with(
                oidc(),
                json!({ "issuer": "https://idp.test/", "discovery_url": "https://idp.test/published/elsewhere" }),
            ),
            "OIDC discovery from \"https://idp.test/published/elsewhere\" failed: oidc: issuer mismatch, \
             expected \"https://idp.test/\" got \"https://idp.test\"",
        ),
    ] {
        invalid(world.add(wish).await, message);
    }
    let rows = "select count(*) from auth.custom_oauth_providers";
    assert_eq!(world.app.count(rows).await, 0);
    world.add(oauth2()).await.ok();
    let again = world.add(oauth2()).await.refused(400, "conflict");
    assert_eq!(
        again.text("msg"),
        "A custom OAuth provider with this identifier already exists"
    );
    for (wish, message) in [
        (
            json!({ "token_url": "https://127.0.0.2/" }),
            "URL cannot resolve to loopback addresses",
        ),
        (
            json!({ "attribute_mapping": { "email_verified": true } }),
            "Cannot map to protected system field: email_verified",
        ),
    ] {
        invalid(world.change("custom:team", wish).await, message);
    }
    let admin = service_token();
    invalid(
        world.app.get(&format!("{ADMIN}?type=saml"), &admin).await,
        "type must be either 'oauth2' or 'oidc'",
    );
    invalid(
        world.app.get(&format!("{ADMIN}/team"), &admin).await,
        "identifier must start with 'custom:' prefix, e.g. 'custom:team'",
    );
}

#[tokio::test]
async fn they_may_be_limited_or_switched_off_and_are_for_administrators() {
    let world = World::with_idp(&[("GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS", "1")]).await;
    let stranger = world.app.post(ADMIN, oauth2()).await;
    stranger.refused(401, "no_authorization");
    world.add(oauth2()).await.ok();
    let second = with(oauth2(), json!({ "identifier": "custom:second" }));
    let reply = world.add(second).await;
    reply.refused(400, "over_custom_provider_quota");
    let off = world
        .app
        .with(&[("GOTRUE_CUSTOM_OAUTH_ENABLED", "false")])
        .await;
    let reply = off.get(ADMIN, &service_token()).await;
    reply.refused(404, "feature_disabled");
    invalid(
        off.get("/authorize?provider=custom:team", "").await,
        "Unsupported provider: custom OAuth providers are disabled",
    );
    let body = json!({ "provider": "custom:team", "id_token": "a.b.c" });
    invalid(
        off.post("/token?grant_type=id_token", body).await,
        "Custom OAuth providers are disabled",
    );
}

#[tokio::test]
async fn a_user_of_an_oauth2_provider_signs_in() {
    let world = World::with_idp(&[]).await;
    let wish = json!({
        "authorization_params": { "prompt": "login" },
        "attribute_mapping": { "user_name": "nickname" },
        "custom_claims_allowlist": ["team", "missing"],
    });
    world.add(with(oauth2(), wish)).await.ok();
    world.provider.serve(
        "/userinfo",
        json!({
            "sub": "u-7", "email": "Ada@Example.com", "email_verified": true, "nickname": "ada",
            "team": { "id": 3 }, "role": "service_role",
        }),
    );
    let to = "redirect_to=https://app.test/in&prompt=none&login_hint=ada";
    let home = world
        .dance(&format!("/authorize?provider=custom:team&{to}"))
        .await;
    assert_eq!(home.url.host_str(), Some("app.test"));
    assert_eq!(home.fragment("provider_token"), "provider-token");
    // The administrator's parameters win over the app's, and we keep our promise (PKCE).
    for (name, value) in [
        ("prompt", "login"),
        ("login_hint", "ada"),
        ("scope", "profile email"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(world.provider.asked(name), value, "{name}");
    }
    let user = world
        .app
        .get("/user", &home.fragment("access_token"))
        .await
        .ok();
    assert_eq!(user.body["email"], "ada@example.com");
    assert_eq!(user.body["app_metadata"]["provider"], "custom:team");
    assert_eq!(
        user.body["identities"][0]["identity_data"],
        json!({
            "sub": "u-7", "nickname": "ada", "user_name": "ada", "email": "ada@example.com",
            "email_verified": true, "phone_verified": false,
            "custom_claims": { "team": { "id": 3 } },
        })
    );
    // Other scopes replace those of the provider.
    world
        .visit("/authorize?provider=custom:team&scopes=a%20b")
        .await;
    assert_eq!(world.provider.asked("scope"), "a b");
    world
        .change("custom:team", json!({ "pkce_enabled": false }))
        .await
        .ok();
    let home = world.dance("/authorize?provider=CUSTOM:team").await;
    assert!(!home.fragment("access_token").is_empty());
    assert_eq!(world.provider.asked("code_challenge"), "");
    assert_eq!(world.app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn an_oauth2_provider_must_say_who_its_user_is() {
    let world = World::with_idp(&[]).await;
    world.add(oauth2()).await.ok();
    for page in [
        json!({ "email": "ada@example.com", "email_verified": true }),
        json!({ "sub": 7, "email": "ada@example.com" }),
        json!(["sub"]),
    ] {
        world.provider.serve("/userinfo", page);
        let home = world.dance("/authorize?provider=custom:team").await;
        home.refused("server_error", "unexpected_failure");
    }
    let page = json!({ "sub": "7", "name": "Nobody" });
    world.provider.serve("/userinfo", page);
    let home = world.dance("/authorize?provider=custom:team").await;
    home.refused("server_error", "unexpected_failure");
    assert_eq!(world.app.count("select count(*) from auth.users").await, 0);
    world
        .change("custom:team", json!({ "email_optional": true }))
        .await
        .ok();
    let home = world.dance("/authorize?provider=custom:team").await;
    assert!(!home.fragment("access_token").is_empty());
}

#[tokio::test]
async fn a_user_of_an_oidc_provider_signs_in() {
    let world = World::with_idp(&[]).await;
    let wish = json!({
        "discovery_url": format!("{IDP}/published/elsewhere"),
        "attribute_mapping": { "full_name": "name" },
        "custom_claims_allowlist": ["groups"],
        "acceptable_client_ids": ["the-app"],
    });
    world.add(with(oidc(), wish)).await.ok();
    world.with_id_token(json!({}));
    let home = world.dance("/authorize?provider=custom:idp").await;
    let user = world
        .app
        .get("/user", &home.fragment("access_token"))
        .await
        .ok();
    let data = &user.body["identities"][0]["identity_data"];
    assert_eq!(
        (&data["sub"], &data["full_name"], &data["custom_claims"]),
        (
            &json!("u-1"),
            &json!("Ada"),
            &json!({ "groups": ["staff"] })
        )
    );
    assert_eq!(data["email"], "ada@example.com");
    world.with_id_token(json!({ "aud": "the-app" }));
    let home = world.dance("/authorize?provider=custom:idp").await;
    assert!(!home.fragment("access_token").is_empty());
    for wrong in [
        json!({ "aud": "another" }),
        json!({ "iss": "https://evil.test" }),
        json!({ "exp": 1 }),
        json!({ "sub": "" }),
    ] {
        world.with_id_token(wrong);
        let home = world.dance("/authorize?provider=custom:idp").await;
        home.refused("server_error", "unexpected_failure");
    }
    // Without an ID token the profile is asked for.
    world.provider.with_tokens(json!({}));
    let page = json!({ "sub": "u-1", "email": "ada@example.com", "email_verified": true });
    world.provider.serve("/userinfo", page);
    let home = world.dance("/authorize?provider=custom:idp").await;
    assert!(!home.fragment("access_token").is_empty());
    assert_eq!(world.app.count("select count(*) from auth.users").await, 1);
    world
        .change("custom:idp", json!({ "enabled": false }))
        .await
        .ok();
    invalid(
        world.app.get("/authorize?provider=custom:idp", "").await,
        "Unsupported provider: custom provider custom:idp is disabled",
    );
    invalid(
        world.app.get("/authorize?provider=custom:none", "").await,
        "Unsupported provider: custom provider custom:none not found",
    );
}

#[tokio::test]
async fn apps_show_id_tokens_of_custom_providers() {
    let world = World::with_idp(&[]).await;
    world.add(oidc()).await.ok();
    world.add(oauth2()).await.ok();
    let show = |provider: &str, claims: Value| {
        let token = world.provider.sign(&claims);
        let body = json!({ "provider": provider, "id_token": token });
        world.app.post("/token?grant_type=id_token", body)
    };
    let session = show("custom:idp", claims()).await.ok();
    assert_eq!(
        session.body["user"]["app_metadata"]["provider"],
        "custom:idp"
    );
    let other = with(claims(), json!({ "aud": "the-app" }));
    let reply = show("custom:idp", other.clone()).await;
    assert_eq!(
        reply.text("error_description"),
        "Unacceptable audience in id_token: [the-app]"
    );
    let nonce = with(claims(), json!({ "nonce": "hash" }));
    let reply = show("custom:idp", nonce.clone()).await;
    assert_eq!(
        reply.text("error_description"),
        "Passed nonce and nonce in id_token should either both exist or not."
    );
    let wish = json!({ "acceptable_client_ids": ["the-app"], "skip_nonce_check": true });
    world.change("custom:idp", wish).await.ok();
    show("custom:idp", other).await.ok();
    show("custom:idp", nonce).await.ok();
    invalid(
        show("custom:none", claims()).await,
        "Custom provider \"custom:none\" not found",
    );
    invalid(
        show("custom:team", claims()).await,
        "Provider \"custom:team\" is not an OIDC provider",
    );
    world
        .change("custom:idp", json!({ "enabled": false }))
        .await
        .ok();
    let reply = show("custom:idp", claims()).await;
    let reply = reply.refused(400, "provider_disabled");
    assert_eq!(
        reply.text("msg"),
        "Custom provider \"custom:idp\" is disabled"
    );
}

#[tokio::test]
async fn a_custom_identity_is_linked_and_its_secret_may_be_encrypted() {
    let mut world = World::with_idp(&[
        ("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "true"),
        ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT", "true"),
        ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID", "k1"),
        (
            "GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        ),
        (
            "GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS",
            "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        ),
    ])
    .await;
    world.add(oidc()).await.ok();
    let plain =
        "select count(*) from auth.custom_oauth_providers where client_secret like '%secret%'";
    assert_eq!(world.app.count(plain).await, 0);
    let member = world.app.member("bob@example.com", "password-1").await;
    let token = member.text("access_token");
    world.with_id_token(json!({}));
    let path = "/user/identities/authorize?provider=custom:idp&skip_http_redirect=true";
    let url = world.app.get(path, &token).await.ok().text("url");
    let back = world.at_provider(&url).await;
    let home = landing(&world.app.get(&back, "").await);
    assert!(!home.fragment("access_token").is_empty(), "{home:?}");
    let user = world.app.get("/user", &token).await.ok();
    let providers: Vec<_> = user.body["identities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|identity| identity["provider"].as_str().unwrap())
        .collect();
    assert_eq!(providers, ["email", "custom:idp"]);
    let changed = json!({ "client_secret": "not the secret" });
    world.change("custom:idp", changed).await.ok();
    let home = world.dance("/authorize?provider=custom:idp").await;
    home.refused("server_error", "unexpected_failure");
}
