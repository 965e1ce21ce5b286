//! The grant `id_token`: what an app shows that a provider signed for it.

use auth_svc::domain::external::issuers::Document;
use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{Duration, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use crate::{
    browser::{World, landing},
    provider::{CALLBACK, CLIENT, SECRET},
    test_app::Reply,
};

const GRANT: &str = "/token?grant_type=id_token";

fn hashed(nonce: &str) -> String {
    hex::encode(digest::digest(&digest::SHA256, nonce.as_bytes()))
}

/// What Keycloak, which is the provider on loopback, says about Ada.
fn claims(world: &World) -> Value {
    let now = Utc::now().timestamp();
    json!({
        "iss": world.provider.address(), "sub": "k-1", "aud": CLIENT, "iat": now, "exp": now + 300,
        "email": "ada@example.com", "email_verified": true, "name": "Ada",
    })
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

async fn show(world: &World, token: &str) -> Reply {
    let body = json!({ "provider": "keycloak", "id_token": token });
    world.app.post(GRANT, body).await
}

#[track_caller]
fn refused(reply: &Reply, description: &str) {
    assert_eq!(reply.status, 400, "{reply:?}");
    let expected = json!({ "error": "invalid request", "error_description": description });
    assert_eq!(reply.body, expected);
}

#[tokio::test]
async fn a_signed_token_signs_in_and_again_into_the_same_account() {
    let world = World::start(&[]).await;
    let token = world.provider.sign(&claims(&world));
    let first = show(&world, &token).await.ok();
    let user = &first.body["user"];
    assert_eq!(user["email"], "ada@example.com");
    let identity = &user["identities"][0];
    assert_eq!(
        (&identity["provider"], &identity["id"]),
        (&json!("keycloak"), &json!("k-1"))
    );
    assert!(first.body.get("provider_token").is_none());
    let second = show(&world, &token).await.ok();
    assert_eq!(second.body["user"]["id"], user["id"]);
    // Keys are asked for once.
    assert_eq!(world.provider.key_requests(), 1);
    let by_issuer =
        json!({ "issuer": world.provider.address(), "client_id": "x", "id_token": token });
    world.app.post(GRANT, by_issuer).await.ok();
}

#[tokio::test]
async fn tokens_of_others_for_others_or_of_yesterday_are_refused() {
    let world = World::start(&[]).await;
    let now = Utc::now().timestamp();
    for (name, value) in [
        ("iss", json!("https://evil.test")),
        ("exp", json!(now - 1)),
        ("exp", Value::Null),
        ("nbf", json!(now + 1000)),
    ] {
        let token = world.provider.sign(&with(claims(&world), name, value));
        refused(&show(&world, &token).await, "Bad ID token");
    }
    let token = world.provider.sign(&with(claims(&world), "sub", json!("")));
    refused(&show(&world, &token).await, "Missing sub claim in id_token");
    for audience in [
        json!("another"),
        json!([]),
        json!(["another", "third"]),
        Value::Null,
    ] {
        let token = world.provider.sign(&with(claims(&world), "aud", audience));
        let reply = show(&world, &token).await;
        assert_eq!(reply.status, 400);
        let description = reply.text("error_description");
        assert!(
            description.starts_with("Unacceptable audience in id_token: ["),
            "{description}"
        );
    }
    let list = with(claims(&world), "aud", json!(["another", CLIENT]));
    show(&world, &world.provider.sign(&list)).await.ok();
    assert_eq!(world.app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn only_the_issuers_private_key_signs() {
    let world = World::start(&[]).await;
    let claims = claims(&world);
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = format!(
        "{}.{}.",
        part(json!({ "alg": "none", "typ": "JWT" })),
        part(claims.clone())
    );
    let mut forged = vec![unsigned, "no.token".to_owned(), String::from("a.b.c")];
    // The public key as a shared secret, in the forms that it is published in.
    let jwk = world.provider.public_key();
    let modulus = jwk["n"].as_str().unwrap();
    let raw = URL_SAFE_NO_PAD.decode(modulus).unwrap();
    for secret in [modulus.as_bytes(), &raw, jwk.to_string().as_bytes()] {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("key-1".into());
        let key = EncodingKey::from_secret(secret);
        forged.push(jsonwebtoken::encode(&header, &claims, &key).unwrap());
    }
    let fine = world.provider.sign(&claims);
    let (message, _) = fine.rsplit_once('.').unwrap();
    forged.push(format!("{message}.{}", URL_SAFE_NO_PAD.encode([0; 256])));
    for token in forged {
        refused(&show(&world, &token).await, "Bad ID token");
    }
    assert_eq!(world.app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_new_key_is_asked_for_but_not_for_every_forgery() {
    let world = World::start(&[("GOTRUE_JWT_EXP", "100000")]).await;
    show(&world, &world.provider.sign(&claims(&world)))
        .await
        .ok();
    world.provider.rotate();
    let token = world.provider.sign(&claims(&world));
    for _ in 0..3 {
        refused(&show(&world, &token).await, "Bad ID token");
    }
    assert_eq!(world.provider.key_requests(), 1);
    world.app.pass(Duration::seconds(31));
    show(&world, &token).await.ok();
    assert_eq!(world.provider.key_requests(), 2);
}

#[tokio::test]
async fn what_is_no_token_is_refused_without_asking_anybody() {
    let nobody = [("GOTRUE_EXTERNAL_KEYCLOAK_URL", "http://127.0.0.1:1")];
    let world = World::start(&nobody).await;
    for token in ["mock-id-token", "a.b.c", "e30.e30.e30"] {
        refused(&show(&world, token).await, "Bad ID token");
    }
}

#[tokio::test]
async fn a_nonce_is_compared_by_its_hash() {
    let world = World::start(&[]).await;
    let token = world
        .provider
        .sign(&with(claims(&world), "nonce", hashed("once").into()));
    let body = |nonce: &str| json!({ "provider": "keycloak", "id_token": token, "nonce": nonce });
    let either = "Passed nonce and nonce in id_token should either both exist or not.";
    refused(&world.app.post(GRANT, body("")).await, either);
    let wrong = world.app.post(GRANT, body("twice")).await;
    assert_eq!(wrong.text("error"), "invalid nonce");
    world.app.post(GRANT, body("once")).await.ok();
    let plain = world.provider.sign(&claims(&world));
    let body = json!({ "provider": "keycloak", "id_token": plain, "nonce": "once" });
    refused(&world.app.post(GRANT, body).await, either);

    let careless = World::start(&[("GOTRUE_EXTERNAL_KEYCLOAK_SKIP_NONCE_CHECK", "true")]).await;
    let token = careless
        .provider
        .sign(&with(claims(&careless), "nonce", "as it is".into()));
    show(&careless, &token).await.ok();
}

#[tokio::test]
async fn an_access_token_must_be_the_one_that_came_along() {
    let world = World::start(&[]).await;
    let hash = digest::digest(&digest::SHA256, b"the access token");
    let half = URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]);
    let token = world
        .provider
        .sign(&with(claims(&world), "at_hash", half.into()));
    let body =
        |access: &str| json!({ "provider": "keycloak", "id_token": token, "access_token": access });
    refused(
        &world.app.post(GRANT, body("another")).await,
        "Bad ID token",
    );
    world.app.post(GRANT, body("the access token")).await.ok();
    world.app.post(GRANT, body("")).await.ok();
}

#[tokio::test]
async fn what_is_missing_or_not_allowed_is_said() {
    let world = World::start(&[]).await;
    refused(
        &world
            .app
            .post(GRANT, json!({ "provider": "keycloak" }))
            .await,
        "id_token required",
    );
    let nobody = json!({ "id_token": "x", "issuer": "https://id.test" });
    refused(
        &world.app.post(GRANT, nobody).await,
        "provider or client_id and issuer required",
    );
    let other = json!({ "id_token": "x", "issuer": "https://id.test", "client_id": "c" });
    world
        .app
        .post(GRANT, other)
        .await
        .refused(400, "validation_failed");
    let token = world.provider.sign(&claims(&world));
    let google = json!({ "id_token": token, "provider": "google" });
    world
        .app
        .post(GRANT, google)
        .await
        .refused(400, "provider_disabled");
    let linking = json!({ "id_token": token, "provider": "keycloak", "link_identity": true });
    refused(
        &world.app.post(GRANT, linking).await,
        "Linking requires a valid user access token in Authorization",
    );
    for provider in ["apple", "azure"] {
        let body = json!({ "id_token": token, "provider": provider });
        world
            .app
            .post(GRANT, body)
            .await
            .refused(400, "validation_failed");
    }
}

#[tokio::test]
async fn an_issuer_that_is_allowed_by_name_needs_no_provider() {
    let issuer = "https://id.test";
    let world = World::start(&[("GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS", issuer)]).await;
    publish(&world, issuer);
    let token = world
        .provider
        .sign(&with(claims(&world), "iss", issuer.into()));
    let body = |client: &str| json!({ "id_token": token, "issuer": issuer, "client_id": client });
    let session = world.app.post(GRANT, body(CLIENT)).await.ok();
    assert_eq!(session.body["user"]["identities"][0]["provider"], issuer);
    let reply = world.app.post(GRANT, body("another")).await;
    assert_eq!(reply.text("error"), "invalid request");
}

/// Makes the provider on loopback publish under another name, as if that had been looked up.
fn publish(world: &World, issuer: &str) {
    let address = world.provider.address();
    let document = Document {
        issuer: issuer.to_owned(),
        authorization_endpoint: format!("{address}/authorize"),
        token_endpoint: format!("{address}/token"),
        jwks_uri: format!("{address}/keys"),
        ..Document::default()
    };
    world
        .app
        .app
        .issuers()
        .remember(issuer, document, Utc::now());
}

fn settings(name: &'static str) -> [(String, &'static str); 4] {
    let named = |field: &str| format!("GOTRUE_EXTERNAL_{name}_{field}");
    [
        (named("ENABLED"), "true"),
        (named("CLIENT_ID"), "the-client,the-app"),
        (named("SECRET"), SECRET),
        (named("REDIRECT_URI"), CALLBACK),
    ]
}

#[tokio::test]
async fn each_provider_is_known_by_its_issuer() {
    let providers = ["GOOGLE", "APPLE", "AZURE", "FACEBOOK", "KAKAO", "SNAPCHAT"].map(settings);
    let all: Vec<(&str, &str)> = providers
        .iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let world = World::start(&all).await;
    for (provider, issuer) in [
        ("google", "https://accounts.google.com"),
        ("apple", "https://appleid.apple.com"),
        ("apple", "https://account.apple.com"),
        ("azure", "https://login.microsoftonline.com/tenant-1/v2.0"),
        ("facebook", "https://www.facebook.com"),
        ("kakao", "https://kauth.kakao.com"),
        (
            "snapchat",
            "https://accounts.snapchat.com/accounts/oauth2/token",
        ),
    ] {
        publish(&world, issuer);
        let claims = with(claims(&world), "iss", issuer.into());
        // A second client, such as the app of a phone, is as good.
        let claims = with(claims, "aud", "the-app".into());
        let token = world.provider.sign(&with(claims, "sub", issuer.into()));
        let body = json!({ "id_token": token, "provider": provider });
        let session = world.app.post(GRANT, body).await.ok();
        let providers = session.body["user"]["app_metadata"]["providers"]
            .as_array()
            .unwrap();
        assert!(providers.contains(&provider.into()), "{providers:?}");
    }
    // One address, one account.
    assert_eq!(world.app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn a_code_of_google_comes_with_an_id_token() {
    let google = settings("GOOGLE");
    let all: Vec<(&str, &str)> = google
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let world = World::start(&all).await;
    publish(&world, "https://accounts.google.com");
    let token = |aud: &str| {
        let claims = with(claims(&world), "iss", "https://accounts.google.com".into());
        json!({ "id_token": world.provider.sign(&with(claims, "aud", aud.into())) })
    };
    let path = "/authorize?provider=Google&scopes=calendar&access_type=offline";
    world.provider.with_tokens(token(CLIENT));
    let landed = world.dance(path).await;
    assert_eq!(world.provider.asked("scope"), "email profile calendar");
    assert_eq!(world.provider.asked("access_type"), "offline");
    let user = world
        .app
        .get("/user", &landed.fragment("access_token"))
        .await
        .ok();
    assert_eq!(user.body["identities"][0]["provider"], "google");
    // What is for the phone's app is not for us here.
    world.provider.with_tokens(token("the-app"));
    world
        .dance(path)
        .await
        .refused("server_error", "unexpected_failure");
}

#[tokio::test]
async fn apple_posts_a_form_with_the_name_of_a_new_user() {
    let apple = settings("APPLE");
    let all: Vec<(&str, &str)> = apple
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let world = World::start(&all).await;
    publish(&world, "https://appleid.apple.com");
    let reply = world
        .app
        .get("/authorize?provider=apple&prompt=x", "")
        .await;
    let location = reply.header("location");
    assert!(location.contains("response_mode=form_post") && !location.contains("prompt"));
    let claims = with(claims(&world), "iss", "https://appleid.apple.com".into());
    world
        .provider
        .with_tokens(json!({ "id_token": world.provider.sign(&claims) }));
    let back = world.at_provider(location).await;
    let query = back.split_once('?').unwrap().1;
    let user = url::form_urlencoded::byte_serialize(
        br#"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ignored@example.com"}"#,
    );
    let form = format!("{query}&user={}", user.collect::<String>());
    let request = axum::extract::Request::post("/callback")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.into())
        .unwrap();
    let landed = landing(&world.app.request(request).await);
    let user = world
        .app
        .get("/user", &landed.fragment("access_token"))
        .await
        .ok();
    assert_eq!(user.body["user_metadata"]["full_name"], "Ada Lovelace");
    assert_eq!(user.body["email"], "ada@example.com");
}

#[tokio::test]
async fn a_tenant_of_microsofts_signs_for_itself() {
    let azure = settings("AZURE");
    let mut all: Vec<(&str, &str)> = azure
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let own = crate::provider::Provider::start().await;
    let address = own.address();
    all.push(("GOTRUE_EXTERNAL_AZURE_URL", &address));
    let mut world = World::start(&all).await;
    world.provider = own;
    let tenant = "https://login.microsoftonline.com/tenant-1/v2.0";
    for (issuer, fine) in [(tenant, true), ("https://evil.test/tenant-1/v2.0", false)] {
        publish(&world, issuer);
        let claims = with(claims(&world), "iss", issuer.into());
        let tokens = json!({ "id_token": world.provider.sign(&claims) });
        world.provider.with_tokens(tokens);
        let landed = world.dance("/authorize?provider=azure").await;
        assert_eq!(
            landed.fragment("access_token").is_empty(),
            !fine,
            "{issuer}"
        );
    }
    assert_eq!(world.provider.asked("scope"), "openid");
}
