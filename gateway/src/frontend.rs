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
    let path = request.uri().path();
    let is_asset = path.starts_with("/assets/");
    // What the page is served for has no extension; a 304 does not tell what kind of thing has not changed.
    let is_file = path.ends_with(|c: char| c.is_ascii_alphanumeric())
        && path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'))
        && path != "/index.html";
    let mut response = next.run(request).await;
    let is_html = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let status = response.status();
    let is_found = status == StatusCode::NOT_MODIFIED || status.is_success();
    let headers = response.headers_mut();
    let caching = if !is_found {
        // A copy of an older build may be asked for a newer one's file: the next answer is another.
        "no-store"
    } else if is_asset {
        "public, max-age=31536000, immutable"
    } else if is_html || !is_file {
        "no-cache"
    } else {
        "public, max-age=3600"
    };
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static(caching));
    // Said of plain answers too: a cache must not give one client what another can read, or an error in JSON for a page.
    let varies = if is_file {
        "accept-encoding"
    } else {
        "accept, accept-encoding"
    };
    headers.insert(header::VARY, HeaderValue::from_static(varies));
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
