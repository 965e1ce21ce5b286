//! The built front end: files, hashed assets for ever, and for a path of the application the page that was made for it. A file with a `.br` or
//! `.gz` beside it goes out as that.

use axum::{
    Json, Router,
    body::Body,
    extract::Request,
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{MethodRouter, any, get},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header, request::Parts};
use serde_json::json;
use tower::ServiceExt as _;
use tower_http::{compression::CompressionLayer, services::ServeDir};

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
            .fallback(files(
                ServeDir::new(dir)
                    .append_index_html_on_directories(false)
                    .precompressed_br()
                    .precompressed_gzip(),
            ))
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

/// A path without an extension is one of the application, and a page for those who accept HTML: an unknown API path stays an error that a
/// program understands, and a missing asset is not a page. Who takes anything, as what makes the preview of a link does, gets the pages that
/// were made for the path, but not the one for every path.
fn files(dir: ServeDir) -> MethodRouter {
    any(move |request: Request| {
        let dir = dir.clone();
        async move {
            let (asked, _) = request.into_parts();
            let path = asked.uri.path();
            let wish = Wish::of(&asked.headers);
            if has_extension(path) || path.starts_with("/assets/") {
                let found = file(&dir, &asked, asked.uri.clone()).await;
                let is_missing = found.status() == StatusCode::NOT_FOUND;
                // A name with a point in it can be one of the application too.
                if !is_missing || path.starts_with("/assets/") || wish != Wish::Html {
                    return if is_missing {
                        Error::NoRoute.into_response()
                    } else {
                        found
                    };
                }
            } else if path != "/" && wish == Wish::Other {
                return Error::NoRoute.into_response();
            }
            for candidate in pages(path, wish) {
                let Ok(uri) = Uri::try_from(candidate) else {
                    continue;
                };
                let mut found = file(&dir, &asked, uri).await;
                if found.status() != StatusCode::NOT_FOUND {
                    found.extensions_mut().insert(IsPage);
                    return found;
                }
            }
            Error::NoRoute.into_response()
        }
    })
}

/// The files that may be the page of a path, the best first: its own, the one for every name of its folder, the one for every path, and the
/// start page of a build that makes no others. The last two are for who asks for a page, and for the root.
fn pages(path: &str, wish: Wish) -> impl Iterator<Item = String> {
    let path = path.trim_end_matches('/');
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let own = (!path.is_empty()).then(|| format!("{path}.html"));
    let of_folder = (!folder.is_empty()).then(|| format!("{folder}/_.html"));
    let any_path = wish == Wish::Html || path.is_empty();
    let of_all = (any_path && !path.is_empty()).then(|| "/_.html".to_owned());
    let start = any_path.then(|| "/index.html".to_owned());
    [own, of_folder, of_all, start].into_iter().flatten()
}

/// Marks an answer as a page of the application, which an answer that says "not modified" does not show.
#[derive(Clone, Copy)]
struct IsPage;

/// What a file system takes as one name, 255 bytes, less what is put behind it.
const LONGEST_NAME: usize = 240;

/// A file under the name given, for the conditions and encodings of the request.
async fn file(dir: &ServeDir, asked: &Parts, uri: Uri) -> Response {
    // No file has such a name, and asking for it is an error of the system, not a missing file.
    if uri.path().split('/').any(|name| name.len() > LONGEST_NAME) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut request = Request::new(Body::empty());
    *request.method_mut() = asked.method.clone();
    *request.uri_mut() = uri;
    *request.headers_mut() = asked.headers.clone();
    match dir.clone().oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// What a request would take, as far as pages go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    Html,
    Anything,
    Other,
}

impl Wish {
    fn of(headers: &HeaderMap) -> Self {
        let mut kinds = headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .peekable();
        if kinds.peek().is_none() {
            return Self::Anything;
        }
        kinds.fold(Self::Other, |found, named| match found {
            Self::Html => found,
            _ if named.contains("text/html") => Self::Html,
            _ if named.trim_start().starts_with("*/*") => Self::Anything,
            _ => found,
        })
    }
}

/// Whether the last name of the path ends in an extension.
fn has_extension(path: &str) -> bool {
    path.ends_with(|c: char| c.is_ascii_alphanumeric())
        && path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'))
}

async fn headers(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_asset = path.starts_with("/assets/");
    // What a page is served for has no extension, or that of pages; a 304 does not tell what kind of thing has not changed.
    let names_page = path
        .get(path.len().saturating_sub(5)..)
        .is_some_and(|end| end.eq_ignore_ascii_case(".html"));
    let is_file = has_extension(path) && !names_page;
    let mut response = next.run(request).await;
    let is_html = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let is_page = is_html || response.extensions().get::<IsPage>().is_some();
    let status = response.status();
    let is_found = status == StatusCode::NOT_MODIFIED || status.is_success();
    let headers = response.headers_mut();
    let caching = if !is_found {
        // A copy of an older build may be asked for a newer one's file: the next answer is another.
        "no-store"
    } else if is_asset {
        "public, max-age=31536000, immutable"
    } else if is_page || !is_file {
        "no-cache"
    } else {
        "public, max-age=3600"
    };
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static(caching));
    // Said of plain answers too: a cache must not give one client what another can read, or an error in JSON for a page.
    let varies = if is_file && !is_page {
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
