//! Single sign-on from the app to the identity provider and back.

use axum::{body::Body, extract::Request};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::Duration;
use http::HeaderMap;
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use crate::{
    identity_provider::{
        ACS, Asked, ENTITY, IdentityProvider, MetadataServer, Statement, read_request, service_key,
    },
    test_app::{Reply, TestApp, claims, service_token},
};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const GOAL: &str = "https://app.test/after";
const TRANSIENT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";

async fn start(more: &[(&str, &str)]) -> TestApp {
    let key = service_key("sp");
    let mut settings = vec![
        ("GOTRUE_SAML_ENABLED", "true"),
        ("GOTRUE_SAML_PRIVATE_KEY", key.as_str()),
    ];
    settings.extend(more);
    TestApp::start(&settings).await
}

async fn provider(app: &TestApp, more: Value) -> String {
    let mut body = json!({
        "type": "saml",
        "metadata_xml": IdentityProvider::new().metadata(ENTITY, ""),
        "domains": ["example.com"],
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let path = "/admin/sso/providers";
    app.post_as(path, &service_token(), body)
        .await
        .ok()
        .text("id")
}

fn certificate(app: &TestApp) -> Vec<u8> {
    let saml = app.app.config().saml.as_ref().unwrap();
    saml.key.certificate().to_vec()
}

async fn ask(app: &TestApp, body: Value) -> Asked {
    let mut body = body;
    body["skip_http_redirect"] = true.into();
    let url = app.post("/sso", body).await.ok().text("url");
    read_request(&url, &certificate(app))
}

async fn post(app: &TestApp, fields: &[(&str, &str)]) -> Reply {
    let form = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let request = Request::builder()
        .method("POST")
        .uri("/sso/saml/acs")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(form))
        .unwrap();
    app.request(request).await
}

async fn answer(app: &TestApp, asked: &Asked, statement: &Statement<'_>) -> Reply {
    let response = IdentityProvider::new().respond(statement);
    let fields = [
        ("SAMLResponse", response.as_str()),
        ("RelayState", &asked.relay_state),
    ];
    post(app, &fields).await
}

/// The session in the fragment of a redirect.
#[track_caller]
fn session(reply: &Reply, goal: &str) -> HeaderMap {
    assert_eq!(reply.status, 302, "{reply:?}");
    let location = reply.header("location");
    let fragment = location
        .strip_prefix(goal)
        .and_then(|rest| rest.strip_prefix('#'));
    let mut fields = HeaderMap::new();
    for (name, value) in form_urlencoded::parse(fragment.unwrap().as_bytes()) {
        let name = http::HeaderName::try_from(&*name).unwrap();
        fields.insert(name, value.parse().unwrap());
    }
    fields
}

fn field<'a>(fields: &'a HeaderMap, name: &str) -> &'a str {
    fields[name].to_str().unwrap()
}

#[track_caller]
fn refused(reply: &Reply, error: &str, code: &str) {
    assert_eq!(reply.status, 303, "{reply:?}");
    let url = Url::parse(reply.header("location")).unwrap();
    assert_eq!(
        url.as_str().split('?').next(),
        Some("http://localhost:3000/")
    );
    let value = |name| {
        let pair = url.query_pairs().find(|(key, _)| key == name);
        pair.map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    assert_eq!(
        (value("error").as_str(), value("error_code").as_str()),
        (error, code),
        "{url}"
    );
}

fn not_valid(reply: &Reply) {
    refused(reply, "invalid_request", "validation_failed");
    assert!(
        reply
            .header("location")
            .contains("SAML+Assertion+is+not+valid")
    );
}

#[tokio::test]
async fn a_user_signs_in_with_the_provider_of_the_domain() {
    let app = start(&[]).await;
    let id = provider(&app, json!({})).await;
    let asked = ask(
        &app,
        json!({ "domain": "Example.com", "redirect_to": GOAL }),
    )
    .await;
    assert!(asked.xml.contains("nameid-format:persistent"));
    let statement = Statement::of("_1", "Ada@Example.com", app.now()).answering(&asked.id);
    let reply = answer(&app, &asked, &statement).await;
    let session = session(&reply, GOAL);
    assert_eq!(field(&session, "token_type"), "bearer");
    assert_eq!(field(&session, "sb"), "");
    let token = field(&session, "access_token");
    let said = claims(token);
    let amr = &said.get("amr").unwrap()[0];
    assert_eq!(
        (&amr["method"], &amr["provider"]),
        (&json!("sso/saml"), &json!(id))
    );
    let user = app.get("/user", token).await.ok();
    assert_eq!(user.body["email"], "ada@example.com");
    assert!(user.body["email_confirmed_at"].is_string());
    let name = format!("sso:{id}");
    assert_eq!(
        user.body["app_metadata"],
        json!({ "provider": name, "providers": [name] })
    );
    let identity = &user.body["identities"][0];
    assert_eq!(
        (&identity["provider"], &identity["id"]),
        (&json!(name), &json!("ada@example.com"))
    );
    assert_eq!(
        identity["identity_data"],
        json!({
            "iss": ENTITY,
            "sub": "ada@example.com",
            "email": "ada@example.com",
            "email_verified": true,
            "phone_verified": false,
            "custom_claims": {},
        })
    );
    assert_eq!(
        app.count("select count(*) from auth.users where is_sso_user")
            .await,
        1
    );
    let lasting = "select extract(epoch from not_after - created_at)::bigint from auth.sessions";
    let lasting = app.count(lasting).await;
    assert!((28_000..=28_800).contains(&lasting), "{lasting}");
    let flows = "select count(*) from auth.flow_state";
    assert_eq!(app.count(flows).await, 0, "the flow is used up");
    let refresh = field(&session, "refresh_token").to_owned();
    let refreshed = app.refresh(&refresh).await.ok();
    app.pass(Duration::hours(9));
    app.refresh(&refreshed.text("refresh_token"))
        .await
        .refused(400, "session_expired");
}

#[tokio::test]
async fn a_response_answers_one_request_once() {
    let app = start(&[]).await;
    provider(&app, json!({})).await;
    let ask = || ask(&app, json!({ "domain": "example.com" }));
    let (first, second) = (ask().await, ask().await);
    let now = app.now();
    let for_first = Statement::of("_1", "ada@example.com", now).answering(&first.id);
    not_valid(&answer(&app, &second, &for_first).await);
    let reply = answer(&app, &second, &for_first).await;
    refused(&reply, "server_error", "saml_relay_state_not_found");
    session(
        &answer(&app, &first, &for_first).await,
        "http://localhost:3000",
    );
    let reply = answer(&app, &first, &for_first).await;
    refused(&reply, "server_error", "saml_relay_state_not_found");
    // The same assertion by way of a sign-in that the provider seems to have begun.
    let response = IdentityProvider::new().respond(&for_first);
    not_valid(&post(&app, &[("SAMLResponse", &response)]).await);
    let third = ask().await;
    app.pass(Duration::seconds(121));
    let late = Statement::of("_2", "ada@example.com", app.now()).answering(&third.id);
    refused(
        &answer(&app, &third, &late).await,
        "server_error",
        "saml_relay_state_expired",
    );
    assert_eq!(app.count("select count(*) from auth.sessions").await, 1);
}

#[tokio::test]
async fn a_code_can_be_asked_for() {
    let app = start(&[]).await;
    let id = provider(&app, json!({ "name_id_format": TRANSIENT })).await;
    let body = json!({
        "provider_id": id,
        "redirect_to": format!("{GOAL}?a=b"),
        "code_challenge": CHALLENGE,
        "code_challenge_method": "s256",
    });
    let asked = ask(&app, body).await;
    assert!(asked.xml.contains(TRANSIENT));
    let statement = Statement::of("_1", "ada@example.com", app.now()).answering(&asked.id);
    let reply = answer(&app, &asked, &statement).await;
    assert_eq!(reply.status, 302, "{reply:?}");
    let url = Url::parse(reply.header("location")).unwrap();
    assert_eq!(app.count("select count(*) from auth.sessions").await, 0);
    let pairs: Vec<_> = url.query_pairs().into_owned().collect();
    assert_eq!((pairs[0].1.as_str(), pairs[1].0.as_str()), ("b", "code"));
    let exchange = |verifier: &str| {
        let body = json!({ "auth_code": pairs[1].1, "code_verifier": verifier });
        app.post("/token?grant_type=pkce", body)
    };
    exchange("wrong").await.refused(400, "bad_code_verifier");
    let session = exchange(VERIFIER).await.ok();
    assert_eq!(session.body["user"]["email"], "ada@example.com");
    let said = claims(&session.text("access_token"));
    assert_eq!(said.get("amr").unwrap()[0]["provider"], json!(id));
    exchange(VERIFIER)
        .await
        .refused(404, "flow_state_not_found");
}

#[tokio::test]
async fn a_provider_may_begin() {
    let app = start(&[]).await;
    provider(&app, json!({})).await;
    let idp = IdentityProvider::new();
    let now = app.now();
    for (n, (wished, goal)) in [
        ("", "http://localhost:3000"),
        (GOAL, GOAL),
        ("https://evil.test/", "http://localhost:3000"),
        ("/relative", "http://localhost:3000"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("_{n}");
        let response = idp.respond(&Statement::of(&id, "ada@example.com", now));
        let fields = [("SAMLResponse", response.as_str()), ("RelayState", wished)];
        session(&post(&app, &fields).await, goal);
        not_valid(&post(&app, &fields).await);
    }
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    assert_eq!(app.count("select count(*) from auth.sessions").await, 4);
}

#[tokio::test]
async fn users_of_a_provider_keep_to_themselves() {
    let mut app = start(&[]).await;
    app.member("ada@example.com", "correct horse").await;
    provider(&app, json!({})).await;
    let idp = IdentityProvider::new();
    let now = app.now();
    let mail: &[(&str, &[&str])] = &[("mail", &["ada@example.com"])];
    for (id, name_id) in [("_1", "first"), ("_2", "second")] {
        let statement = Statement {
            format: "",
            attributes: mail,
            ..Statement::of(id, name_id, now)
        };
        let response = idp.respond(&statement);
        session(
            &post(&app, &[("SAMLResponse", &response)]).await,
            "http://localhost:3000",
        );
    }
    // Two of the address: one with a password, and one with both identities.
    let users = "select count(*) from auth.users where email = 'ada@example.com'";
    assert_eq!(app.count(users).await, 2);
    let linked = "select count(*) from auth.identities i join auth.users u on u.id = i.user_id where u.is_sso_user";
    assert_eq!(app.count(linked).await, 2);
    app.sign_in("ada@example.com", "correct horse").await.ok();
}

#[tokio::test]
async fn attributes_become_claims() {
    let app = start(&[]).await;
    let mapping = json!({ "keys": {
        "email": { "name": "contact" },
        "name": { "names": ["nobody", "displayName"] },
        "roles": { "name": "groups", "array": true },
        "tier": { "name": "nobody", "default": "free" },
    } });
    provider(&app, json!({ "attribute_mapping": mapping })).await;
    let statement = Statement {
        attributes: &[
            (
                "urn:oasis:names:tc:SAML:attribute:subject-id",
                &["ada@idp.test"],
            ),
            ("contact", &["ada@contact.test"]),
            ("DISPLAYNAME", &["Ada &amp; Co"]),
            ("groups", &["a", "b"]),
        ],
        format: TRANSIENT,
        ..Statement::of("_1", "t-1", app.now())
    };
    let response = IdentityProvider::new().respond(&statement);
    let reply = post(&app, &[("SAMLResponse", &response)]).await;
    let session = session(&reply, "http://localhost:3000");
    let user = app.get("/user", field(&session, "access_token")).await.ok();
    assert_eq!(user.body["email"], "ada@contact.test");
    let identity = &user.body["identities"][0];
    assert_eq!(identity["id"], "ada@idp.test");
    assert_eq!(identity["identity_data"]["name"], "Ada & Co");
    let custom = json!({ "roles": ["a", "b"], "tier": "free" });
    assert_eq!(identity["identity_data"]["custom_claims"], custom);
    assert_eq!(user.body["user_metadata"]["custom_claims"], custom);
    let body = json!({ "password": "another horse" });
    let token = field(&session, "access_token");
    app.put("/user", token, body)
        .await
        .refused(422, "user_sso_managed");
}

#[tokio::test]
async fn a_user_needs_an_id_and_an_address() {
    let app = start(&[]).await;
    provider(&app, json!({})).await;
    let idp = IdentityProvider::new();
    let transient = Statement {
        format: TRANSIENT,
        ..Statement::of("_1", "t-1", app.now())
    };
    let reply = post(&app, &[("SAMLResponse", &idp.respond(&transient))]).await;
    refused(&reply, "invalid_request", "saml_assertion_no_user_id");
    let nameless = Statement {
        format: "",
        ..Statement::of("_2", "ada", app.now())
    };
    let reply = post(&app, &[("SAMLResponse", &idp.respond(&nameless))]).await;
    refused(&reply, "invalid_request", "saml_assertion_no_email");
}

#[tokio::test]
async fn what_is_not_signed_by_the_provider_is_not_believed() {
    let app = start(&[]).await;
    provider(&app, json!({})).await;
    let good = IdentityProvider::new().response(&Statement::of("_1", "ada@example.com", app.now()));
    let signature = {
        let from = good.find("<ds:Signature ").unwrap();
        let end = "</ds:Signature>";
        good[from..good.find(end).unwrap() + end.len()].to_owned()
    };
    for changed in [
        good.replace(
            "ada@example.com</saml:NameID>",
            "eve@example.com</saml:NameID>",
        ),
        good.replace(&signature, ""),
        good.replace("_1\"", "_2\""),
    ] {
        assert_ne!(changed, good);
        let encoded = STANDARD.encode(changed);
        not_valid(&post(&app, &[("SAMLResponse", &encoded)]).await);
    }
    let (mut late, mut early) = (app.now(), app.now());
    late -= Duration::minutes(20);
    early += Duration::minutes(20);
    for now in [late, early] {
        let response =
            IdentityProvider::new().respond(&Statement::of("_1", "ada@example.com", now));
        not_valid(&post(&app, &[("SAMLResponse", &response)]).await);
    }
    let encoded = STANDARD.encode(&good);
    session(
        &post(&app, &[("SAMLResponse", &encoded)]).await,
        "http://localhost:3000",
    );
}

#[tokio::test]
async fn a_form_that_cannot_be_used_leads_to_the_site() {
    let app = start(&[]).await;
    let unknown = IdentityProvider::new().respond(&Statement::of("_1", "a@b.test", app.now()));
    for (fields, error, code) in [
        (&[][..], "invalid_request", "validation_failed"),
        (
            &[("RelayState", "x")],
            "invalid_request",
            "validation_failed",
        ),
        (&[("SAMLart", "x")], "invalid_request", "validation_failed"),
        (
            &[("SAMLResponse", "%")],
            "invalid_request",
            "validation_failed",
        ),
        (
            &[("SAMLResponse", "AAAA")],
            "invalid_request",
            "validation_failed",
        ),
        (
            &[("SAMLResponse", unknown.as_str())],
            "server_error",
            "saml_idp_not_found",
        ),
        (
            &[("RelayState", "00000000-0000-0000-0000-000000000001")],
            "server_error",
            "saml_relay_state_not_found",
        ),
    ] {
        refused(&post(&app, fields).await, error, code);
    }
}

#[tokio::test]
async fn a_provider_can_be_switched_off() {
    let app = start(&[]).await;
    let id = provider(&app, json!({})).await;
    let asked = ask(&app, json!({ "domain": "example.com" })).await;
    let path = format!("/admin/sso/providers/{id}");
    let off = json!({ "disabled": true });
    app.put(&path, &service_token(), off).await.ok();
    let statement = Statement::of("_1", "ada@example.com", app.now()).answering(&asked.id);
    let reply = answer(&app, &asked, &statement).await;
    refused(&reply, "server_error", "sso_provider_disabled");
    let response = IdentityProvider::new().respond(&statement);
    let reply = post(&app, &[("SAMLResponse", &response)]).await;
    refused(&reply, "server_error", "sso_provider_disabled");
    app.post("/sso", json!({ "domain": "example.com" }))
        .await
        .refused(404, "sso_provider_disabled");
}

#[tokio::test]
async fn a_sign_in_names_a_provider_or_a_domain() {
    let app = start(&[]).await;
    let id = provider(&app, json!({})).await;
    let post = |body: Value| app.post("/sso", body);
    post(json!({})).await.refused(400, "validation_failed");
    post(json!({ "domain": "example.com", "provider_id": id }))
        .await
        .refused(400, "validation_failed");
    post(json!({ "domain": "other.test" }))
        .await
        .refused(404, "sso_provider_not_found");
    let nobody = "00000000-0000-0000-0000-000000000001";
    post(json!({ "provider_id": nobody }))
        .await
        .refused(404, "sso_provider_not_found");
    post(json!({ "provider_id": "x" }))
        .await
        .refused(400, "bad_json");
    post(json!({ "domain": "example.com", "code_challenge": CHALLENGE }))
        .await
        .refused(400, "validation_failed");
    let reply = post(json!({ "provider_id": id })).await;
    assert_eq!(reply.status, 303);
    read_request(reply.header("location"), &certificate(&app));
}

#[tokio::test]
async fn nothing_of_it_is_there_while_it_is_switched_off() {
    let app = TestApp::start(&[]).await;
    app.post("/sso", json!({}))
        .await
        .refused(404, "saml_provider_disabled");
    app.get("/sso/saml/metadata", "")
        .await
        .refused(404, "saml_provider_disabled");
    post(&app, &[]).await.refused(404, "saml_provider_disabled");
    let settings = app.get("/settings", "").await.ok();
    assert_eq!(settings.body["saml_enabled"], false);
}

#[tokio::test]
async fn the_metadata_name_the_keys() {
    let next = service_key("next");
    let app = start(&[]).await;
    let reply = app.get("/sso/saml/metadata", "").await.ok();
    assert_eq!(reply.header("content-type"), "application/xml");
    assert_eq!(reply.header("cache-control"), "public, max-age=600");
    let xml = reply.body.as_str().unwrap();
    let document = roxmltree::Document::parse(xml).unwrap();
    let entity = document.root_element();
    assert_eq!(
        entity.attribute("entityID"),
        Some("http://auth.test/sso/saml/metadata")
    );
    assert_eq!(entity.attribute("cacheDuration"), None);
    let keys = |xml: &str| -> Vec<String> {
        let document = roxmltree::Document::parse(xml).unwrap();
        let keys = document
            .descendants()
            .filter(|one| one.tag_name().name() == "KeyDescriptor");
        keys.map(|key| key.attribute("use").unwrap().to_owned())
            .collect()
    };
    assert_eq!(keys(xml), ["signing"]);
    assert!(xml.contains(&STANDARD.encode(certificate(&app))));
    assert!(xml.contains(&format!("Location=\"{ACS}\" index=\"1\"")));
    let more = [
        ("GOTRUE_SAML_PRIVATE_KEY_NEXT", next.as_str()),
        ("GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS", "true"),
        ("GOTRUE_SAML_EXTERNAL_URL", "https://custom.test/auth/v1/"),
    ];
    let app = start(&more).await;
    let reply = app.get("/sso/saml/metadata?download=true", "").await.ok();
    assert_eq!(reply.header("cache-control"), "public, max-age=60");
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"metadata.xml\""
    );
    let xml = reply.body.as_str().unwrap();
    assert_eq!(
        keys(xml),
        ["signing", "encryption", "signing", "encryption"]
    );
    let document = roxmltree::Document::parse(xml).unwrap();
    let entity = document.root_element();
    assert_eq!(entity.attribute("cacheDuration"), Some("PT1H"));
    let until: chrono::DateTime<chrono::Utc> =
        entity.attribute("validUntil").unwrap().parse().unwrap();
    let days = (until - app.now()).num_days();
    assert!((1820..=1827).contains(&days), "{days}");
    assert!(xml.contains("Location=\"https://custom.test/auth/v1/sso/saml/acs\""));
    let settings = app.get("/settings", "").await.ok();
    assert_eq!(settings.body["saml_enabled"], true);
    assert_eq!(settings.body["saml_private_key_next_configured"], true);
}

#[tokio::test]
async fn stale_metadata_are_fetched_anew() {
    let app = start(&[]).await;
    // With a key that the provider no longer signs with.
    let old = IdentityProvider::old_metadata(ENTITY, "cacheDuration=\"PT1H\"");
    let id = provider(&app, json!({ "metadata_xml": old })).await;
    let (server, url) = MetadataServer::start().await;
    sqlx::query("update auth.saml_providers set metadata_url = $1")
        .bind(url)
        .execute(&app.db.pool())
        .await
        .unwrap();
    let idp = IdentityProvider::new();
    let sign_in = |id: &'static str| {
        let response = idp.respond(&Statement::of(id, "ada@example.com", app.now()));
        let app = &app;
        async move { post(app, &[("SAMLResponse", response.as_str())]).await }
    };
    not_valid(&sign_in("_1").await);
    assert_eq!(server.requests(), 0, "they are not stale yet");
    app.pass(Duration::minutes(61));
    not_valid(&sign_in("_2").await);
    server.answer(200, idp.metadata("https://other.test", ""));
    not_valid(&sign_in("_3").await);
    assert_eq!(
        server.requests(),
        2,
        "what cannot be used is asked for again"
    );
    let newer = idp.metadata(ENTITY, "cacheDuration=\"PT1H\"");
    server.answer(200, newer.clone());
    session(&sign_in("_4").await, "http://localhost:3000");
    session(&sign_in("_5").await, "http://localhost:3000");
    assert_eq!(server.requests(), 3, "they are kept");
    let path = format!("/admin/sso/providers/{id}");
    let kept = app.get(&path, &service_token()).await.ok();
    assert_eq!(kept.body["saml"]["metadata_xml"], newer);
}

#[tokio::test]
async fn assertions_are_limited_per_address() {
    let app = start(&[("GOTRUE_RATE_LIMIT_HEADER", "x-client")]).await;
    let request = || {
        let request = Request::builder().method("POST").uri("/sso/saml/acs");
        request
            .header("x-client", "1.2.3.4")
            .body(Body::empty())
            .unwrap()
    };
    for _ in 0..30 {
        assert_eq!(app.request(request()).await.status, 303);
    }
    app.request(request())
        .await
        .refused(429, "over_request_rate_limit");
}
