//! A provider of external sign-ins on loopback. It checks what it is sent, as strictly as a real one, and
//! signs ID tokens with a real key. It speaks as GitHub, as Keycloak and as X, by its paths.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use aws_lc_rs::{
    digest,
    encoding::AsDer as _,
    rsa::{KeyPair, KeySize},
};
use axum::{
    Json, Router,
    extract::{Query, State},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::{HeaderMap, StatusCode};
use jsonwebtoken::{Algorithm, EncodingKey, Header, jwk::Jwk};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Barrier};

pub(crate) const CLIENT: &str = "the-client";
pub(crate) const SECRET: &str = "the secret: with/odd+characters";
pub(crate) const CALLBACK: &str = "http://auth.test/callback";
const KEY_ID: &str = "key-1";

type Fields = HashMap<String, String>;

/// One code that was given out, and what it was asked with.
struct Code {
    redirect_uri: String,
    challenge: Option<String>,
}

struct Inner {
    address: String,
    key: EncodingKey,
    jwk: Jwk,
    /// Answers by path, for GETs with the access token.
    pages: HashMap<String, Value>,
    codes: HashMap<String, Code>,
    /// What the last user was sent with.
    asked: Fields,
    /// Added to the answer of the token endpoint.
    with_tokens: Value,
    key_requests: usize,
    /// Whether the secret has to be in the body.
    body_only: bool,
    /// Codes may be used again, and are answered two at a time.
    careless: Option<Arc<Barrier>>,
    /// What it publishes itself as, if not as its address.
    published_as: Option<String>,
    /// Whether codes are taken, but never answered.
    hangs: bool,
}

#[derive(Clone)]
pub(crate) struct Provider(Arc<Mutex<Inner>>);

impl Provider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (key, jwk) = new_key();
        let provider = Self(Arc::new(Mutex::new(Inner {
            address,
            key,
            jwk,
            pages: HashMap::new(),
            codes: HashMap::new(),
            asked: HashMap::new(),
            with_tokens: json!({}),
            key_requests: 0,
            body_only: false,
            careless: None,
            published_as: None,
            hangs: false,
        })));
        let router = Router::new()
            .route("/login/oauth/authorize", get(authorize))
            .route("/login/oauth/access_token", post(token))
            .route("/protocol/openid-connect/auth", get(authorize))
            .route("/protocol/openid-connect/token", post(token))
            .route("/i/oauth2/authorize", get(authorize))
            .route("/2/oauth2/token", post(token))
            .route("/oauth2/v2.0/authorize", get(authorize))
            .route("/oauth2/v2.0/token", post(token))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/published/elsewhere", get(discovery))
            .route("/keys", get(keys))
            .fallback(page)
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub(crate) fn address(&self) -> String {
        self.0.lock().unwrap().address.clone()
    }

    /// What the last user was sent with.
    pub(crate) fn asked(&self, name: &str) -> String {
        let inner = self.0.lock().unwrap();
        inner.asked.get(name).cloned().unwrap_or_default()
    }

    /// Publishes itself under another name from now on.
    pub(crate) fn publish_as(&self, name: &str) {
        self.0.lock().unwrap().published_as = Some(name.to_owned());
    }

    /// What a path answers from now on.
    pub(crate) fn serve(&self, path: &str, page: Value) {
        self.0.lock().unwrap().pages.insert(path.to_owned(), page);
    }

    /// Who is signed in at GitHub from now on.
    pub(crate) fn github_user(&self, id: u64, email: &str, verified: bool) {
        let user =
            json!({ "id": id, "login": "ada", "name": "Ada", "avatar_url": "https://a.test" });
        self.serve("/api/v3/user", user);
        let emails = json!([{ "email": email, "verified": verified, "primary": true }]);
        self.serve("/api/v3/user/emails", emails);
    }

    /// What comes with tokens from now on.
    pub(crate) fn with_tokens(&self, more: Value) {
        self.0.lock().unwrap().with_tokens = more;
    }

    /// Wants to see the secret in the body from now on.
    pub(crate) fn body_only(&self) {
        self.0.lock().unwrap().body_only = true;
    }

    /// Takes each code as often as it comes from now on, and answers when two have come.
    pub(crate) fn careless(&self) {
        self.0.lock().unwrap().careless = Some(Arc::new(Barrier::new(2)));
    }

    /// Takes codes without an answer from now on.
    pub(crate) fn hang(&self) {
        self.0.lock().unwrap().hangs = true;
    }

    /// Signs claims as this issuer.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        let inner = self.0.lock().unwrap();
        let mut header = Header::new(Algorithm::RS256);
        header.kid = Some(KEY_ID.to_owned());
        jsonwebtoken::encode(&header, claims, &inner.key).unwrap()
    }

    /// Replaces the key by a new one.
    pub(crate) fn rotate(&self) {
        let mut inner = self.0.lock().unwrap();
        (inner.key, inner.jwk) = new_key();
    }

    pub(crate) fn public_key(&self) -> Value {
        serde_json::to_value(&self.0.lock().unwrap().jwk).unwrap()
    }

    pub(crate) fn key_requests(&self) -> usize {
        self.0.lock().unwrap().key_requests
    }
}

fn new_key() -> (EncodingKey, Jwk) {
    let private = KeyPair::generate(KeySize::Rsa2048)
        .unwrap()
        .as_der()
        .unwrap();
    let key = private_key(private.as_ref());
    let mut jwk = Jwk::from_encoding_key(&key, Algorithm::RS256).unwrap();
    jwk.common.key_id = Some(KEY_ID.to_owned());
    (key, jwk)
}

/// The PKCS#1 key inside of a PKCS#8 one, which is what signs.
fn private_key(pkcs8: &[u8]) -> EncodingKey {
    let pem = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(pkcs8)
    );
    EncodingKey::from_rsa_pem(pem.as_bytes()).unwrap()
}

/// The user agrees at once.
async fn authorize(State(provider): State<Provider>, Query(asked): Query<Fields>) -> Response {
    let is = |name: &str, value: &str| asked.get(name).map(String::as_str) == Some(value);
    if !is("client_id", CLIENT) || !is("redirect_uri", CALLBACK) || !is("response_type", "code") {
        return (StatusCode::BAD_REQUEST, "unknown client or redirect_uri").into_response();
    }
    if asked.contains_key("code_challenge") && !is("code_challenge_method", "S256") {
        return (StatusCode::BAD_REQUEST, "only S256").into_response();
    }
    let mut inner = provider.0.lock().unwrap();
    let code = format!("code-{}", inner.codes.len() + 1);
    let back = format!("{CALLBACK}?code={code}&state={}", asked["state"]);
    let challenge = asked.get("code_challenge").cloned();
    let redirect_uri = asked["redirect_uri"].clone();
    inner.codes.insert(
        code,
        Code {
            redirect_uri,
            challenge,
        },
    );
    inner.asked = asked;
    Redirect::to(&back).into_response()
}

async fn token(State(provider): State<Provider>, headers: HeaderMap, body: String) -> Response {
    let form: Fields = url::form_urlencoded::parse(body.as_bytes())
        .into_owned()
        .collect();
    if provider.0.lock().unwrap().hangs {
        std::future::pending::<()>().await;
    }
    let careless = provider.0.lock().unwrap().careless.clone();
    if let Some(both) = &careless {
        both.wait().await;
    }
    let mut inner = provider.0.lock().unwrap();
    let encoded =
        |text: &str| -> String { url::form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    let expected = format!("{}:{}", encoded(CLIENT), encoded(SECRET));
    let expected = format!("Basic {}", STANDARD.encode(expected));
    let secret = form.get("client_secret").map(String::as_str);
    let known = match headers.get("authorization") {
        Some(header) => !inner.body_only && *header == expected && secret.is_none(),
        None => secret == Some(SECRET) && form.get("client_id").is_some_and(|id| id == CLIENT),
    };
    if !known {
        return (StatusCode::UNAUTHORIZED, "{}").into_response();
    }
    let field = |name: &str| form.get(name).cloned().unwrap_or_default();
    // Each code serves once.
    let known = inner.codes.get_mut(&field("code"));
    let Some(code) = known.filter(|code| !code.redirect_uri.is_empty()) else {
        return (StatusCode::BAD_REQUEST, "{}").into_response();
    };
    let redirect_uri = code.redirect_uri.clone();
    if careless.is_none() {
        code.redirect_uri.clear();
    }
    let verifier = field("code_verifier");
    let made = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()));
    let proved = code
        .challenge
        .as_ref()
        .is_none_or(|challenge| *challenge == made);
    if field("grant_type") != "authorization_code"
        || field("redirect_uri") != redirect_uri
        || !proved
    {
        return (StatusCode::BAD_REQUEST, "{}").into_response();
    }
    let mut answer = json!({ "access_token": "provider-token", "token_type": "bearer" });
    for (name, value) in inner.with_tokens.as_object().unwrap() {
        answer[name] = value.clone();
    }
    Json(answer).into_response()
}

async fn discovery(State(provider): State<Provider>) -> Json<Value> {
    let published_as = provider.0.lock().unwrap().published_as.clone();
    let address = published_as.unwrap_or_else(|| provider.address());
    Json(json!({
        "issuer": address,
        "authorization_endpoint": format!("{address}/authorize"),
        "token_endpoint": format!("{address}/token"),
        "jwks_uri": format!("{address}/keys"),
        "userinfo_endpoint": format!("{address}/userinfo"),
        "scopes_supported": ["openid", "email"],
        "id_token_signing_alg_values_supported": ["RS256", "HS256"],
    }))
}

async fn keys(State(provider): State<Provider>) -> Json<Value> {
    let mut inner = provider.0.lock().unwrap();
    inner.key_requests += 1;
    Json(json!({ "keys": [inner.jwk, { "kty": "of another world" }] }))
}

async fn page(State(provider): State<Provider>, headers: HeaderMap, uri: http::Uri) -> Response {
    if headers
        .get("authorization")
        .is_none_or(|value| value != "Bearer provider-token")
    {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    match provider.0.lock().unwrap().pages.get(uri.path()) {
        Some(page) => Json(page.clone()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
