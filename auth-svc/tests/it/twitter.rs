//! OAuth 1.0a with a stand-in for Twitter that checks every signature.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

use aws_lc_rs::hmac;
use axum::{
    Router,
    extract::{OriginalUri, State},
    response::{IntoResponse as _, Response},
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use url::Url;

use crate::{
    browser::{Landing, landing},
    provider::{CALLBACK, CLIENT, SECRET},
    test_app::TestApp,
};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

struct Inner {
    address: String,
    /// Secrets by token.
    secrets: HashMap<String, String>,
    nonces: Vec<String>,
    user: Value,
    callback: String,
    is_down: bool,
}

#[derive(Clone)]
struct Twitter(Arc<Mutex<Inner>>);

impl Twitter {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let twitter = Self(Arc::new(Mutex::new(Inner {
            address: format!("http://{}", listener.local_addr().unwrap()),
            secrets: HashMap::new(),
            nonces: Vec::new(),
            user: json!({
                "id_str": "783214", "name": "Ada", "screen_name": "ada", "email": "Ada@example.com",
                "profile_image_url_https": "https://pictures.test/ada",
            }),
            callback: String::new(),
            is_down: false,
        })));
        let router = Router::new()
            .route("/oauth/request_token", get(request_token))
            .route("/oauth/access_token", get(access_token))
            .route("/1.1/account/verify_credentials.json", get(profile))
            .with_state(twitter.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        twitter
    }

    fn address(&self) -> String {
        self.0.lock().unwrap().address.clone()
    }

    fn is_down(&self, down: bool) {
        self.0.lock().unwrap().is_down = down;
    }

    fn user(&self, user: Value) {
        self.0.lock().unwrap().user = user;
    }

    /// The parameters of a request whose signature is right.
    fn check(&self, headers: &HeaderMap, uri: &http::Uri) -> Option<BTreeMap<String, String>> {
        let header = headers["authorization"].to_str().unwrap();
        let decode = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
        let mut parameters: BTreeMap<String, String> = header
            .strip_prefix("OAuth ")?
            .split(", ")
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap();
                (decode(name), decode(value.trim_matches('"')))
            })
            .collect();
        let signature = parameters.remove("oauth_signature")?;
        let mut inner = self.0.lock().unwrap();
        let nonce = parameters["oauth_nonce"].clone();
        if parameters["oauth_consumer_key"] != CLIENT || inner.nonces.contains(&nonce) {
            return None;
        }
        inner.nonces.push(nonce);
        let secret = match parameters.get("oauth_token") {
            Some(token) => inner.secrets.get(token)?.clone(),
            None => String::new(),
        };
        for pair in uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|p| !p.is_empty())
        {
            let (name, value) = pair.split_once('=').unwrap();
            parameters.insert(decode(name), decode(value));
        }
        let joined: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        let url = format!("{}{}", inner.address, uri.path());
        let base = format!("GET&{}&{}", encoded(&url), encoded(&joined.join("&")));
        let key = format!("{}&{}", encoded(SECRET), encoded(&secret));
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes());
        let tag = STANDARD.decode(signature).ok()?;
        hmac::verify(&key, base.as_bytes(), &tag).ok()?;
        (!inner.is_down).then_some(parameters)
    }

    fn issue(&self, kind: &str) -> String {
        let mut inner = self.0.lock().unwrap();
        let n = inner.secrets.len();
        let (token, secret) = (
            format!("{kind}-{n}"),
            format!("secret of {n}").replace(' ', "_"),
        );
        inner.secrets.insert(token.clone(), secret.clone());
        format!("oauth_token={token}&oauth_token_secret={secret}&oauth_callback_confirmed=true")
    }
}

async fn request_token(
    State(twitter): State<Twitter>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let Some(parameters) = twitter.check(&headers, &uri) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    twitter.0.lock().unwrap().callback = parameters["oauth_callback"].clone();
    twitter.issue("request").into_response()
}

async fn access_token(
    State(twitter): State<Twitter>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let Some(parameters) = twitter.check(&headers, &uri) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    if parameters["oauth_verifier"] != "agreed" {
        return StatusCode::FORBIDDEN.into_response();
    }
    twitter.issue("access").into_response()
}

async fn profile(
    State(twitter): State<Twitter>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    match twitter.check(&headers, &uri) {
        Some(parameters) if parameters["include_email"] == "true" => {
            axum::Json(twitter.0.lock().unwrap().user.clone()).into_response()
        }
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}

struct World {
    app: TestApp,
    twitter: Twitter,
}

impl World {
    async fn start() -> Self {
        let twitter = Twitter::start().await;
        let address = twitter.address();
        let settings = [
            ("GOTRUE_EXTERNAL_TWITTER_ENABLED", "true"),
            ("GOTRUE_EXTERNAL_TWITTER_CLIENT_ID", CLIENT),
            ("GOTRUE_EXTERNAL_TWITTER_SECRET", SECRET),
            ("GOTRUE_EXTERNAL_TWITTER_REDIRECT_URI", CALLBACK),
            ("GOTRUE_EXTERNAL_TWITTER_URL", &address),
        ];
        Self {
            app: TestApp::start(&settings).await,
            twitter,
        }
    }

    /// Off to Twitter; gives the token that the user carries and where Twitter sends the user back to.
    async fn leave(&self, path: &str) -> (String, String) {
        let reply = self.app.get(path, "").await;
        assert_eq!(reply.status, 302, "{reply:?}");
        let url: Url = reply.header("location").parse().unwrap();
        assert_eq!(url.path(), "/oauth/authenticate");
        let (name, token) = url.query_pairs().next().unwrap();
        assert_eq!(name, "oauth_token");
        let callback = self.twitter.0.lock().unwrap().callback.clone();
        let back = callback.strip_prefix("http://auth.test").unwrap();
        (token.into_owned(), back.to_owned())
    }

    async fn come_back(&self, back: &str, token: &str, verifier: &str) -> Landing {
        let path = format!("{back}&oauth_token={token}&oauth_verifier={verifier}");
        landing(&self.app.get(&path, "").await)
    }
}

#[tokio::test]
async fn a_user_of_twitter_signs_in() {
    let world = World::start().await;
    let (token, back) = world
        .leave("/authorize?provider=twitter&scopes=x&login_hint=ada")
        .await;
    assert!(back.starts_with("/callback?state="));
    let home = world.come_back(&back, &token, "agreed").await;
    assert!(home.fragment("provider_token").starts_with("access-"));
    let user = world
        .app
        .get("/user", &home.fragment("access_token"))
        .await
        .ok();
    let issuer = format!(
        "{}/1.1/account/verify_credentials.json",
        world.twitter.address()
    );
    assert_eq!(
        user.body["identities"][0]["identity_data"],
        json!({
            "iss": issuer, "sub": "783214", "provider_id": "783214", "name": "Ada", "full_name": "Ada",
            "picture": "https://pictures.test/ada", "avatar_url": "https://pictures.test/ada",
            "preferred_username": "ada", "user_name": "ada", "email": "ada@example.com",
            "email_verified": true, "phone_verified": false,
        })
    );
    assert_eq!(user.body["app_metadata"]["provider"], "twitter");
    // The way serves once.
    let reply = world
        .app
        .get(&format!("{back}&oauth_token={token}"), "")
        .await;
    assert_eq!(reply.status, 303);
    assert_eq!(
        world
            .app
            .count("select count(*) from auth.oauth_client_states")
            .await,
        0
    );
}

#[tokio::test]
async fn only_who_was_sent_comes_back() {
    let world = World::start().await;
    let (victims, back) = world.leave("/authorize?provider=twitter").await;
    let (attackers, _) = world.leave("/authorize?provider=twitter").await;
    let home = world.come_back(&back, &attackers, "agreed").await;
    home.refused("server_error", "unexpected_failure");
    assert_eq!(
        home.query("error_description"),
        "Unable to retrieve access token"
    );
    let (_, back) = world.leave("/authorize?provider=twitter").await;
    let home = world.come_back(&back, &victims, "agreed").await;
    home.refused("server_error", "unexpected_failure");
    let (token, back) = world.leave("/authorize?provider=twitter").await;
    let home = world.come_back(&back, &token, "denied").await;
    assert_eq!(
        home.query("error_description"),
        "Unable to retrieve access token"
    );
    assert_eq!(world.app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_twitter_that_fails_is_told_apart_from_a_user_without_address() {
    let world = World::start().await;
    let (token, back) = world.leave("/authorize?provider=twitter").await;
    for user in [json!({ "name": "Nobody" }), json!([])] {
        world.twitter.user(user);
        let (token, back) = world.leave("/authorize?provider=twitter").await;
        let home = world.come_back(&back, &token, "agreed").await;
        home.refused("server_error", "unexpected_failure");
        let text = "Error getting user email from external provider";
        assert_eq!(home.query("error_description"), text);
    }
    world.twitter.is_down(true);
    let home = world.come_back(&back, &token, "agreed").await;
    assert_eq!(
        home.query("error_description"),
        "Unable to retrieve access token"
    );
    let reply = world.app.get("/authorize?provider=twitter", "").await;
    reply.refused(500, "unexpected_failure");
    world.twitter.is_down(false);
    world
        .twitter
        .user(json!({ "id_str": "1", "screen_name": "nomail" }));
    let (token, back) = world.leave("/authorize?provider=twitter").await;
    let home = world.come_back(&back, &token, "agreed").await;
    home.refused("server_error", "unexpected_failure");
    let name = "GOTRUE_EXTERNAL_TWITTER_EMAIL_OPTIONAL";
    let lenient = world.app.with(&[(name, "true")]).await;
    let reply = lenient.get("/authorize?provider=twitter", "").await;
    let url: Url = reply.header("location").parse().unwrap();
    let token = url.query_pairs().next().unwrap().1.into_owned();
    let callback = world.twitter.0.lock().unwrap().callback.clone();
    let back = callback.strip_prefix("http://auth.test").unwrap();
    let home = world.come_back(back, &token, "agreed").await;
    assert!(!home.fragment("access_token").is_empty(), "{home:?}");
}
