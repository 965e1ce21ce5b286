//! The built front end: files, hashed assets for ever, and the application's page for its own paths. A file with a `.br` or `.gz` beside it goes
//! out as that.

use std::path::Path;

use axum::{
    Json, Router,
    body::Body,
    extract::Request,
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::{HeaderValue, Method, StatusCode, header};
use serde_json::json;
use tower::ServiceExt as _;
use tower_http::{
    compression::CompressionLayer,
    services::{ServeDir, ServeFile},
};

use crate::{Config, error::Error, routes::is_service_path};

/// Scripts only from our own origin; the API may be elsewhere, and the map is a frame of somebody else's.
const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https: http:; \
     font-src 'self' data:; connect-src 'self' https: http: ws: wss:; frame-src https:; worker-src 'self' blob:; \
     object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'",
);

/// Answers everything that no service claims.
#[derive(Clone)]
pub(crate) struct Frontend(Option<Router>);

impl Frontend {
    pub(crate) fn new(config: &Config) -> Self {
        let Some(dir) = &config.frontend else {
            return Self(None);
        };
        let settings = json!({
            "supabaseUrl": config.public_url,
            "supabaseAnonKey": config.keys.public(),
        });
        let router = Router::new()
            .route(
                "/config.json",
                get(move || async move { ([(header::CACHE_CONTROL, "no-store")], Json(settings)) }),
            )
            .fallback_service(
                ServeDir::new(dir)
                    .append_index_html_on_directories(true)
                    .precompressed_br()
                    .precompressed_gzip()
                    .fallback(page(dir)),
            )
            .layer(middleware::from_fn(headers))
            .layer(CompressionLayer::new());
        Self(Some(router))
    }

    /// A file, the application's page, or a 404 in JSON for what asks for no page.
    pub(crate) async fn serve(&self, request: Request) -> Response {
        let readable = matches!(*request.method(), Method::GET | Method::HEAD);
        match &self.0 {
            Some(router) if readable && !is_service_path(request.uri().path()) => {
                // A router's error type has no values.
                router
                    .clone()
                    .oneshot(request)
                    .await
                    .unwrap_or_else(|never| match never {})
            }
            _ => Error::NoRoute.into_response(),
        }
    }
}

/// The page for a path of the application: only for those who accept HTML, so that an unknown API path
/// stays an error that a program understands, and a missing asset is not a page.
fn page(dir: &Path) -> Router {
    let index = ServeFile::new(dir.join("index.html"))
        .precompressed_br()
        .precompressed_gzip();
    Router::new().fallback(move |request: Request| {
        let index = index.clone();
        async move {
            let accepts_html = request
                .headers()
                .get_all(header::ACCEPT)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .any(|value| value.contains("text/html"));
            if !accepts_html || request.uri().path().starts_with("/assets/") {
                return Error::NoRoute.into_response();
            }
            match index.oneshot(request).await {
                Ok(response) => response.map(Body::new),
                Err(never) => match never {},
            }
        }
    })
}

async fn headers(request: Request, next: Next) -> Response {
    let is_asset = request.uri().path().starts_with("/assets/");
    let mut response = next.run(request).await;
    let is_html = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let found =
        response.status() == StatusCode::OK || response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    let caching = if is_asset && found {
        "public, max-age=31536000, immutable"
    } else if is_html {
        "no-cache"
    } else {
        "public, max-age=3600"
    };
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static(caching));
    // Said of plain answers too: a cache must not give one client what another can read.
    if !headers.contains_key(header::VARY) {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("strict-origin-when-cross-origin"),
    );
    if is_html {
        headers.insert(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
    }
    response
}
