//! Who may call a function, and which there are.

use axum::body::Body;
use functions_svc::{App, Config};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use svc_kit::env::Vars;
use tower::ServiceExt as _;

use crate::support::{SECRET, Service, token};

async fn call(
    method: Method,
    path: &str,
    authorization: Option<&str>,
) -> (StatusCode, Option<String>, Value) {
    let vars: Vars = [("JWT_SECRET", SECRET)].into_iter().collect();
    let app = App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap();
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
