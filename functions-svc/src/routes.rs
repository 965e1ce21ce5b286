use axum::{
    Json, Router,
    body::Body,
    extract::State,
    middleware::from_fn,
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::{HeaderName, HeaderValue, Method, Request, header};
use serde_json::{Value, json};
use svc_kit::observe::{CONTENT_TYPE, ObserveLayer, Text, render_pools};

use crate::{
    App,
    error::Error,
    proxy::{self, Failure},
    token,
};

const SERVED_BY: HeaderName = HeaderName::from_static("x-served-by");
const RELAY_ERROR: HeaderName = HeaderName::from_static("x-relay-error");

/// How many processes may fail under a request before any of it was sent.
const ATTEMPTS: usize = 3;

/// What machines ask for all the time.
const ROUTINE: [&str; 3] = [
    "/_internal/health",
    "/_internal/metric",
    "/_internal/metrics",
];

/// Functions are one route: their names are in requests, also in those for functions that there are not.
fn template(path: &str) -> &'static str {
    let known = ROUTINE.into_iter().find(|known| *known == path);
    known.unwrap_or("/{function}")
}

// No function's name begins with an underscore.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/_internal/health", get(health))
        .route("/_internal/metric", get(metric))
        .route("/_internal/metrics", get(metrics))
        .fallback(call)
        .layer(from_fn(svc_kit::http::request_id_layer))
        .layer(ObserveLayer::by_path(app.requests().clone(), template).routine(&ROUTINE))
        .with_state(app)
}

async fn health() -> Json<Value> {
    Json(json!({ "message": "ok" }))
}

/// The original's names for the same numbers.
async fn metric(State(app): State<App>) -> Json<Value> {
    let counts = app.pool().counts();
    Json(json!({
        "activeUserWorkersCount": counts.active,
        "retiredUserWorkersCount": counts.retired,
        "receivedRequestsCount": app.metrics().received.get(),
        "handledRequestsCount": app.metrics().handled.get(),
    }))
}

async fn metrics(State(app): State<App>) -> Response {
    let mut common = Text::default();
    app.requests().render(&mut common);
    render_pools(&mut common, app.jobs().pool_state().as_slice());
    let text = app.metrics().render(app.pool().counts())
        + &app.jobs().metrics().await
        + &common.into_string();
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}

async fn call(State(app): State<App>, request: Request<Body>) -> Response {
    app.metrics().received.add(1);
    match answer(&app, request).await {
        Ok(mut response) => {
            app.metrics().handled.add(1);
            response
                .headers_mut()
                .entry(SERVED_BY)
                .or_insert(HeaderValue::from_static("supabase-edge-runtime"));
            response
        }
        Err(error) => {
            app.metrics().failed(error);
            let mut response = error.into_response();
            if error.is_refused_token() && app.config().relay_error {
                response
                    .headers_mut()
                    .insert(RELAY_ERROR, HeaderValue::from_static("true"));
            }
            response
        }
    }
}

async fn answer(app: &App, mut request: Request<Body>) -> Result<Response, Error> {
    let config = app.config();
    let name = request
        .uri()
        .path()
        .split('/')
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    let found = app.registry().find(&name, app.pool()).await;
    let verify = found.as_ref().map_or(config.verify_jwt, |(function, _)| {
        function.definition.verify_jwt
    });
    if verify && request.method() != Method::OPTIONS {
        token::check(request.headers(), app.keys()).await?;
    }
    if name.is_empty() {
        return Err(Error::MissingName);
    }
    let (function, policy) = found.ok_or(Error::NotFound)?;
    for _ in 0..ATTEMPTS {
        let lease = function.lease(app.pool(), policy).await?;
        match proxy::forward(lease, request, config.limits.request_idle).await {
            Ok(response) => return Ok(response),
            Err(Failure::Unsent(unsent)) => request = *unsent,
            Err(Failure::Answered(error)) => return Err(error),
        }
    }
    Err(Error::Worker)
}
