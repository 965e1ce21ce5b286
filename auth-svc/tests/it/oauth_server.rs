//! The OAuth 2.1 server, driven as a client and the consent page of a site drive it.

use axum::{body::Body, extract::Request};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::Duration;
use serde_json::{Value, json};
use svc_kit::jwt::KeySet;
use url::Url;

use crate::test_app::{Reply, TestApp, service_token};

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const CALLBACK: &str = "https://client.example/cb?keep=1";
/// The key of RFC 7515, appendix A.3.
const KEYS: &str = r#"[{"kty":"EC","kid":"ec","alg":"ES256","crv":"P-256","key_ops":["sign","verify"],
    "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]"#;

async fn start() -> TestApp {
    TestApp::start(&[
        ("GOTRUE_OAUTH_SERVER_ENABLED", "true"),
        ("GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH", "consent"),
        ("GOTRUE_JWT_KEYS", KEYS),
    ])
    .await
}

async fn register(app: &TestApp, more: Value) -> Reply {
    let mut body = json!({ "client_name": "Reader", "redirect_uris": [CALLBACK] });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    app.post_as("/admin/oauth/clients", &service_token(), body)
        .await
}

/// Where `GET /oauth/authorize` sends the user, with the parameters given on top of good ones.
async fn authorize(app: &TestApp, client: &str, more: &[(&str, &str)]) -> Url {
    let mut parameters = vec![
        ("client_id", client),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("scope", "openid email profile"),
        ("state", "s t"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("nonce", "n1"),
    ];
    parameters.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
    parameters.extend(more);
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    let reply = app.get(&format!("/oauth/authorize?{query}"), "").await;
    assert_eq!(reply.status, 302, "{reply:?}");
    Url::parse(reply.header("location")).unwrap()
}

fn parameter(url: &Url, name: &str) -> String {
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(key, _)| key == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

/// The code that a client gets when the user approves.
async fn approved(app: &TestApp, client: &str, user: &str) -> String {
    let page = authorize(app, client, &[]).await;
    let id = parameter(&page, "authorization_id");
    let path = format!("/oauth/authorizations/{id}");
    app.get(&path, user).await.ok();
    let decision = json!({ "action": "approve" });
    let done = app
        .post_as(&format!("{path}/consent"), user, decision)
        .await
        .ok();
    parameter(&Url::parse(&done.text("redirect_url")).unwrap(), "code")
}

/// A token request in the form that OAuth has, with the secret in the header if there is one.
async fn exchange(app: &TestApp, client: (&str, &str), fields: &[(&str, &str)]) -> Reply {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    let mut request =
        Request::post("/oauth/token").header("content-type", "application/x-www-form-urlencoded");
    if client.1.is_empty() {
        form.append_pair("client_id", client.0);
    } else {
        let pair = format!("{}:{}", client.0, client.1);
        let basic = base64::engine::general_purpose::STANDARD.encode(pair);
        request = request.header("authorization", format!("Basic {basic}"));
    }
    app.request(request.body(Body::from(form.finish())).unwrap())
        .await
}

fn code_fields(code: &str) -> [(&str, &str); 4] {
    [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
    ]
}

fn claims(token: &str) -> Value {
    let part = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[tokio::test]
async fn clients_are_registered_changed_and_deleted() {
    let app = start().await;
    let none = app.get("/admin/oauth/clients", &service_token()).await.ok();
    assert_eq!(none.body, json!({}));
    let made = register(&app, json!({})).await;
    assert_eq!(made.status, 201);
    let (id, secret) = (made.text("client_id"), made.text("client_secret"));
    assert_eq!(secret.len(), 43);
    assert_eq!(made.body["client_type"], "confidential");
    assert_eq!(
        made.body["token_endpoint_auth_method"],
        "client_secret_basic"
    );
    assert_eq!(
        made.body["grant_types"],
        json!(["authorization_code", "refresh_token"])
    );
    assert_eq!(made.body["registration_type"], "manual");
    let path = format!("/admin/oauth/clients/{id}");
    let shown = app.get(&path, &service_token()).await.ok();
    assert_eq!(shown.body["client_secret"], Value::Null);
    let stored: String = sqlx::query_scalar("select client_secret_hash from auth.oauth_clients")
        .fetch_one(&app.db.pool())
        .await
        .unwrap();
    assert!(!stored.contains(&secret));
    let renamed = app
        .put(&path, &service_token(), json!({ "client_name": "Writer" }))
        .await
        .ok();
    assert_eq!(renamed.text("client_name"), "Writer");
    app.put(&path, &service_token(), json!({}))
        .await
        .refused(400, "validation_failed");
    app.put(
        &path,
        &service_token(),
        json!({ "token_endpoint_auth_method": "none" }),
    )
    .await
    .refused(400, "validation_failed");
    let again = app
        .post_as(
            &format!("{path}/regenerate_secret"),
            &service_token(),
            json!({}),
        )
        .await
        .ok();
    assert_ne!(again.text("client_secret"), secret);
    let public = register(&app, json!({ "token_endpoint_auth_method": "none" })).await;
    assert_eq!(
        (public.status, &public.body["client_secret"]),
        (201, &Value::Null)
    );
    assert_eq!(public.body["client_type"], "public");
    let of_public = format!(
        "/admin/oauth/clients/{}/regenerate_secret",
        public.text("client_id")
    );
    app.post_as(&of_public, &service_token(), json!({}))
        .await
        .refused(400, "validation_failed");
    assert_eq!(app.delete(&path, &service_token(), None).await.status, 204);
    app.get(&path, &service_token())
        .await
        .refused(404, "oauth_client_not_found");
    let listed = app.get("/admin/oauth/clients", &service_token()).await.ok();
    assert_eq!(listed.body["clients"].as_array().unwrap().len(), 1);
    for wrong in [
        json!({ "redirect_uris": [] }),
        json!({ "redirect_uris": ["javascript://x"] }),
        json!({ "grant_types": ["password"] }),
        json!({ "client_type": "secret" }),
        json!({ "client_type": "public", "token_endpoint_auth_method": "client_secret_post" }),
        json!({ "logo_uri": "not a url" }),
    ] {
        register(&app, wrong)
            .await
            .refused(400, "validation_failed");
    }
    app.post(
        "/oauth/clients/register",
        json!({ "redirect_uris": [CALLBACK] }),
    )
    .await
    .refused(403, "oauth_dynamic_client_registration_disabled");
}

#[tokio::test]
async fn a_server_that_is_off_says_so_and_guards_administration_first() {
    let app = TestApp::start(&[]).await;
    for path in [
        "/oauth/authorize",
        "/.well-known/oauth-authorization-server",
    ] {
        app.get(path, "").await.refused(404, "feature_disabled");
    }
    app.get("/admin/oauth/clients", "")
        .await
        .refused(401, "no_authorization");
    app.get("/admin/oauth/clients", &service_token())
        .await
        .refused(404, "feature_disabled");
}

#[tokio::test]
async fn a_user_consents_and_the_client_acts_within_the_scopes() {
    let mut app = start().await;
    let user = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let client = register(&app, json!({})).await;
    let (id, secret) = (client.text("client_id"), client.text("client_secret"));
    let page = authorize(&app, &id, &[]).await;
    assert_eq!(
        (page.host_str(), page.path()),
        (Some("localhost"), "/consent")
    );
    let path = format!(
        "/oauth/authorizations/{}",
        parameter(&page, "authorization_id")
    );
    let asked = app.get(&path, &user).await.ok();
    assert_eq!(asked.body["client"], json!({ "id": id, "name": "Reader" }));
    assert_eq!(asked.body["user"]["email"], "ada@example.com");
    assert_eq!(asked.text("scope"), "openid email profile");
    let decision = json!({ "action": "approve" });
    let done = app
        .post_as(&format!("{path}/consent"), &user, decision)
        .await
        .ok();
    let back = Url::parse(&done.text("redirect_url")).unwrap();
    assert_eq!(
        (
            parameter(&back, "keep").as_str(),
            parameter(&back, "state").as_str()
        ),
        ("1", "s t")
    );
    let code = parameter(&back, "code");

    let wrong = exchange(&app, (&id, "wrong"), &code_fields(&code)).await;
    wrong.refused(400, "invalid_credentials");
    let issued = exchange(&app, (&id, &secret), &code_fields(&code))
        .await
        .ok();
    assert_eq!(issued.body["user"], Value::Null);
    let access = issued.text("access_token");
    assert_eq!(claims(&access)["client_id"], id);
    assert_eq!(claims(&access)["scope"], "openid email profile");
    let id_token = claims(&issued.text("id_token"));
    assert_eq!(
        (&id_token["aud"], &id_token["nonce"]),
        (&json!(id), &json!("n1"))
    );
    assert_eq!(id_token["email"], "ada@example.com");
    assert_eq!(id_token.get("phone_number"), None);
    let published = app.get("/.well-known/jwks.json", "").await.ok();
    let keys = KeySet::from_jwks(&published.body).unwrap();
    assert!(keys.verify(&issued.text("id_token")).is_ok());
    let info = app.get("/oauth/userinfo", &access).await.ok();
    assert_eq!(info.body["email_verified"], true);
    assert_eq!(info.body.get("phone"), None);

    let again = exchange(&app, (&id, &secret), &code_fields(&code)).await;
    assert_eq!(
        (again.status, &again.body["error"]),
        (400, &json!("invalid_grant"))
    );

    // The session is the client's: nobody else refreshes it, and the client refreshes no other.
    let refresh = issued.text("refresh_token");
    let elsewhere = app.refresh(&refresh).await;
    assert_eq!(
        (elsewhere.status, &elsewhere.body["error"]),
        (400, &json!("invalid_client"))
    );
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh.as_str()),
    ];
    let next = exchange(&app, (&id, &secret), &fields).await.ok();
    assert_eq!(claims(&next.text("access_token"))["client_id"], id);
    let own = app
        .sign_in("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", own.as_str()),
    ];
    let foreign = exchange(&app, (&id, &secret), &fields).await;
    assert_eq!(foreign.body["error"], "invalid_client");

    // What was agreed to once is not asked again, and can be taken back.
    let page = authorize(&app, &id, &[("scope", "email")]).await;
    let path = format!(
        "/oauth/authorizations/{}",
        parameter(&page, "authorization_id")
    );
    let at_once = app.get(&path, &user).await.ok();
    assert!(at_once.text("redirect_url").contains("code="));
    let grants = app.get("/user/oauth/grants", &user).await.ok();
    assert_eq!(
        grants.body[0]["scopes"],
        json!(["openid", "email", "profile"])
    );
    let grant = format!("/user/oauth/grants?client_id={id}");
    assert_eq!(app.delete(&grant, &user, None).await.status, 204);
    app.get("/oauth/userinfo", &access)
        .await
        .refused(403, "session_not_found");
    app.delete(&grant, &user, None)
        .await
        .refused(404, "oauth_consent_not_found");
}

#[tokio::test]
async fn nobody_is_sent_where_the_client_did_not_register() {
    let app = start().await;
    let id = register(&app, json!({})).await.text("client_id");
    let good = format!("/oauth/authorize?client_id={id}&redirect_uri=");
    app.get(&format!("{good}https%3A%2F%2Fevil.example"), "")
        .await
        .refused(400, "validation_failed");
    let unknown = format!(
        "/oauth/authorize?client_id={}&redirect_uri=x",
        uuid::Uuid::nil()
    );
    app.get(&unknown, "")
        .await
        .refused(400, "oauth_client_not_found");
    for wrong in [
        ("response_type", "token"),
        ("scope", "admin"),
        ("code_challenge", ""),
        ("resource", "no-uri"),
    ] {
        let back = authorize(&app, &id, &[wrong]).await;
        assert_eq!(back.host_str(), Some("client.example"));
        assert_eq!(parameter(&back, "error"), "invalid_request", "{wrong:?}");
        assert_eq!(parameter(&back, "state"), "s t");
    }
    let long = "x".repeat(5000);
    let back = authorize(&app, &id, &[("state", &long)]).await;
    assert_eq!(parameter(&back, "error"), "server_error");
}

#[tokio::test]
async fn a_request_belongs_to_the_user_who_opened_it_and_ends() {
    let mut app = start().await;
    let ada = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let eve = app
        .member("eve@example.com", "secret12")
        .await
        .text("access_token");
    let id = register(&app, json!({})).await.text("client_id");
    let page = authorize(&app, &id, &[]).await;
    let path = format!(
        "/oauth/authorizations/{}",
        parameter(&page, "authorization_id")
    );
    let consent = format!("{path}/consent");
    let approve = json!({ "action": "approve" });
    // Who was not shown what it is about cannot agree to it.
    app.post_as(&consent, &ada, approve.clone())
        .await
        .refused(404, "oauth_authorization_not_found");
    app.get(&path, &ada).await.ok();
    app.get(&path, &eve)
        .await
        .refused(404, "oauth_authorization_not_found");
    app.post_as(&consent, &eve, approve.clone())
        .await
        .refused(404, "oauth_authorization_not_found");
    app.post_as(&consent, &ada, json!({ "action": "maybe" }))
        .await
        .refused(400, "validation_failed");
    let foreign = Request::get(&path)
        .header("authorization", format!("Bearer {ada}"))
        .header("origin", "https://evil.example")
        .body(Body::empty())
        .unwrap();
    app.request(foreign).await.refused(400, "validation_failed");
    let denied = app
        .post_as(&consent, &ada, json!({ "action": "deny" }))
        .await
        .ok();
    assert!(denied.text("redirect_url").contains("error=access_denied"));
    app.post_as(&consent, &ada, approve.clone())
        .await
        .refused(400, "validation_failed");

    let page = authorize(&app, &id, &[]).await;
    let path = format!(
        "/oauth/authorizations/{}",
        parameter(&page, "authorization_id")
    );
    app.pass(Duration::minutes(11));
    app.get(&path, &ada)
        .await
        .refused(404, "oauth_authorization_not_found");
}

#[tokio::test]
async fn a_code_is_good_for_its_client_its_verifier_and_once() {
    let mut app = start().await;
    let user = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let public = json!({ "token_endpoint_auth_method": "none" });
    let id = register(&app, public.clone()).await.text("client_id");
    let other = register(&app, public).await.text("client_id");
    let code = approved(&app, &id, &user).await;
    let error = |reply: Reply| reply.text("error_description");
    let stolen = exchange(&app, (&other, ""), &code_fields(&code)).await;
    assert_eq!(
        error(stolen),
        "Authorization code was not issued for this client"
    );
    let mut fields = code_fields(&code);
    fields[3].1 = CHALLENGE;
    let guessed = exchange(&app, (&id, ""), &fields).await;
    assert!(error(guessed).starts_with("PKCE verification failed"));
    let mut fields = code_fields(&code);
    fields[2].1 = "https://client.example/other";
    assert_eq!(
        error(exchange(&app, (&id, ""), &fields).await),
        "Invalid redirect_uri"
    );
    // Many at once: one of them gets it.
    let fields = code_fields(&code);
    let all = (0..10).map(|_| exchange(&app, (&id, ""), &fields));
    let replies = futures_util::future::join_all(all).await;
    let won = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(won, 1);
}
