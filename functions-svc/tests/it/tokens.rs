//! Who may call a function, and which there are.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::body::Body;
use base64::Engine as _;
use functions_svc::{App, Config};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use svc_kit::env::Vars;
use tower::ServiceExt as _;

use crate::support::{SECRET, Service, token};

async fn app(vars: &[(&str, &str)]) -> App {
    let vars: Vars = vars
        .iter()
        .copied()
        .chain([("JWT_SECRET", SECRET)])
        .collect();
    App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap()
}

async fn call(
    method: Method,
    path: &str,
    authorization: Option<&str>,
) -> (StatusCode, Option<String>, Value) {
    call_of(&app(&[]).await, method, path, authorization).await
}

async fn call_of(
    app: &App,
    method: Method,
    path: &str,
    authorization: Option<&str>,
) -> (StatusCode, Option<String>, Value) {
    let mut request = Request::builder().method(method).uri(path);
    if let Some(value) = authorization {
        request = request.header("authorization", value);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = app.router().oneshot(request).await.unwrap();
    let status = response.status();
    let code = response
        .headers()
        .get("sb-error-code")
        .map(|value| value.to_str().unwrap().to_owned());
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, code, serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn health_needs_no_token() {
    let (status, _, body) = call(Method::GET, "/_internal/health", None).await;
    assert_eq!((status, body), (StatusCode::OK, json!({ "message": "ok" })));
}

#[tokio::test]
async fn a_token_is_refused_for_the_right_reason() {
    let bearer = |token: String| Some(format!("Bearer {token}"));
    let none = "eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYW5vbiJ9.".to_owned();
    for (authorization, code, message) in [
        (
            None,
            "UNAUTHORIZED_NO_AUTH_HEADER",
            "Missing authorization header",
        ),
        (
            Some("Basic Zm9vOmJhcg==".to_owned()),
            "UNAUTHORIZED_INVALID_JWT_FORMAT",
            "Invalid JWT format",
        ),
        (
            bearer("abc".to_owned()),
            "UNAUTHORIZED_INVALID_JWT_FORMAT",
            "Invalid JWT format",
        ),
        (
            bearer(token(
                Algorithm::HS256,
                "not the secret of this service",
                60,
            )),
            "UNAUTHORIZED_LEGACY_JWT",
            "Invalid JWT",
        ),
        (
            bearer(token(Algorithm::HS256, SECRET, -60)),
            "UNAUTHORIZED_LEGACY_JWT",
            "Invalid JWT",
        ),
        (
            bearer(token(Algorithm::HS512, SECRET, 60)),
            "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
            "Unsupported JWT algorithm",
        ),
        (
            bearer(none),
            "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
            "Unsupported JWT algorithm",
        ),
    ] {
        let (status, header, body) = call(Method::POST, "/hello", authorization.as_deref()).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{authorization:?}");
        assert_eq!(header.as_deref(), Some(code), "{authorization:?}");
        let expected = json!({ "code": code, "message": message, "msg": message });
        assert_eq!(body, expected, "{authorization:?}");
    }
}

#[tokio::test]
async fn a_call_with_a_good_token_learns_which_functions_there_are() {
    let authorization = format!("Bearer {}", token(Algorithm::HS256, SECRET, 60));
    let (status, _, body) = call(Method::POST, "/hello/more", Some(&authorization)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(body["code"], "NOT_FOUND");
    let (status, _, body) = call(Method::POST, "/", Some(&authorization)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(body, json!({ "msg": "missing function name in request" }));
}

/// Two private keys, and the public half of the first.
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtf5xyhgERXawZWk4jgiTXocN2DkNzauIj2G2N6ukVHyhRANCAASIBUVabtHhJhWN0OgC0kSkb1Bz0Ij8vHmuX0bJHMvX/uBPbyOHvMI2e39EB2xUVJnMgvwY6EmbXgaOSu/yQJcn";
const OTHER_KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggnhvu74H8j3uV5c4vr18QVYdtIf7AzYbFNvV08G8WJShRANCAAQnALV4mFauihYFPHfrjhmDMQHcrnNCxhgnh7UGfA3/uRVpLvu3r1Ii9WiT2bVaurFjRSpI/SKsbQcrRRatIZ+n";
const PUBLIC_KEYS: &str = r#"{"keys":[{"kty":"EC","kid":"a","alg":"ES256","crv":"P-256",
    "x":"iAVFWm7R4SYVjdDoAtJEpG9Qc9CI_Lx5rl9GyRzL1_4","y":"4E9vI4e8wjZ7f0QHbFRUmcyC_BjoSZteBo5K7_JAlyc"}]}"#;

fn signed(key: &str, kid: &str, claims: &Value) -> String {
    let der = base64::engine::general_purpose::STANDARD
        .decode(key)
        .unwrap();
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some(kid.to_owned());
    let key = EncodingKey::from_ec_der(&der);
    format!("Bearer {}", encode(&header, claims, &key).unwrap())
}

/// An auth service that publishes keys, and how often it was asked.
async fn publisher() -> (String, Arc<AtomicUsize>) {
    let asked = Arc::<AtomicUsize>::default();
    let count = asked.clone();
    let router = axum::Router::new().route(
        "/auth/v1/.well-known/jwks.json",
        axum::routing::get(move || {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::ready(PUBLIC_KEYS)
        }),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, router).into_future());
    (url, asked)
}

#[tokio::test]
async fn keys_that_the_auth_service_publishes_count() {
    let (url, asked) = publisher().await;
    let app = app(&[("SUPABASE_URL", &url)]).await;
    let far = 4_000_000_000_u64;
    // Nobody asks before a token needs it.
    let shared = format!("Bearer {}", token(Algorithm::HS256, SECRET, 60));
    for (authorization, expected) in [
        (shared, 404),
        (signed(KEY, "a", &json!({ "exp": far })), 404),
        (signed(KEY, "a", &json!({ "exp": 1 })), 401),
        (signed(KEY, "a", &json!({ "exp": "soon" })), 401),
        (signed(KEY, "a", &json!({ "nbf": far })), 401),
        (signed(OTHER_KEY, "a", &json!({ "exp": far })), 401),
        (signed(OTHER_KEY, "b", &json!({ "exp": far })), 401),
        (signed(OTHER_KEY, "c", &json!({ "exp": far })), 401),
    ] {
        let (status, code, _) = call_of(&app, Method::POST, "/hello", Some(&authorization)).await;
        assert_eq!(status, expected, "{authorization}");
        if expected == 401 {
            assert_eq!(code.as_deref(), Some("UNAUTHORIZED_ASYMMETRIC_JWT"));
        }
    }
    // However many tokens name keys that nobody has.
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn keys_that_are_given_are_not_asked_for() {
    let (url, asked) = publisher().await;
    let good = signed(KEY, "a", &json!({}));
    for (name, keys, expected) in [
        ("SUPABASE_JWKS", PUBLIC_KEYS, 404),
        ("JWKS", PUBLIC_KEYS, 404),
        ("SUPABASE_JWKS", r#"{"keys":[]}"#, 401),
    ] {
        let app = app(&[("SUPABASE_URL", &url), (name, keys)]).await;
        let (status, ..) = call_of(&app, Method::POST, "/hello", Some(&good)).await;
        assert_eq!(status, expected, "{name}={keys}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn verification_without_keys_is_a_wrong_configuration() {
    let error = Config::from_vars(&Vars::default()).unwrap_err().to_string();
    assert!(error.contains("JWT_SECRET"), "{error}");
    let vars: Vars = [("VERIFY_JWT", "false")].into_iter().collect();
    assert_eq!(Config::from_vars(&vars).unwrap().port, 9000);
}

#[tokio::test]
async fn a_function_decides_whether_it_needs_a_token() {
    let hello = "Deno.serve(() => new Response('hello'))";
    let service = Service::start_with(
        &[
            ("open/index.ts", hello),
            ("closed/index.ts", hello),
            ("../config.toml", "[functions.open]\nverify_jwt = false\n"),
        ],
        &[("VERIFY_JWT", "true"), ("FUNCTIONS_RELAY_ERROR", "true")],
    )
    .await;
    assert_eq!(service.text("open").await, "hello");
    let refused = service
        .client
        .get(service.url("closed"))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 401);
    assert_eq!(refused.headers()["x-relay-error"], "true");
    let request = |method| service.client.request(method, service.url("closed")).send();
    assert_eq!(request(Method::OPTIONS).await.unwrap().status(), 200);
    let allowed = service
        .client
        .get(service.url("closed"))
        .bearer_auth(token(Algorithm::HS256, SECRET, 60))
        .send()
        .await
        .unwrap();
    assert_eq!(allowed.text().await.unwrap(), "hello");
    // The project's file counts from when it is written.
    service.write("../config.toml", "");
    crate::support::until("the function is closed", || async {
        service.get("open").await.status == 401
    })
    .await;
}
