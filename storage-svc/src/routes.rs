//! The REST surface. Paths are taken apart here and not by the router: keys are the raw rest of a path, may be empty,
//! and may have slashes at either end.

mod bucket;
mod cdn;
mod change;
mod health;
pub(crate) mod input;
mod list;
pub(crate) mod metrics;
mod object;
mod output;
mod read;
mod render;
mod sign;
mod template;
mod upload;

use std::time::Instant;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use http::{Method, header, request::Parts};
use svc_kit::{http::lingering, observe::ObserveLayer};

use crate::{App, error::Error, tus};

pub(crate) fn router(app: &App) -> Router {
    let observe = ObserveLayer::by_path(app.metrics().requests().clone(), template::of);
    Router::new()
        .fallback(dispatch)
        .layer(observe.routine(&template::ROUTINE))
        .with_state(app.clone())
}

/// A request whose path is a family of routes and what follows it.
struct Routed {
    parts: Parts,
    body: Body,
}

impl Routed {
    /// The path as it was sent.
    fn path(&self) -> &str {
        self.parts.uri.path()
    }

    fn no_route(&self) -> Error {
        Error::no_route(&self.parts.method, shown(&self.parts))
    }
}

/// Path and query, for messages.
fn shown(parts: &Parts) -> &str {
    let path = parts.uri.path_and_query();
    path.map_or("/", |path| path.as_str())
}

async fn dispatch(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(error) = input::check_path(&parts) {
        return error.into_response();
    }
    let parts = plain(parts);
    let path = parts.uri.path().strip_prefix('/').unwrap_or_default();
    let family = path.split('/').next().unwrap_or_default().to_owned();
    let method = parts.method.clone();
    let began = Instant::now();
    // Clients must get to read a refusal of what they still send; these two see to it themselves.
    let body = match family.as_str() {
        "s3" | "upload" => body,
        _ => lingering(&parts.headers, body),
    };
    let routed = Routed { parts, body };
    let answer = match family.as_str() {
        "bucket" => bucket::route(&app, routed).await,
        "object" => object::route(&app, routed).await,
        "render" if is_below(routed.path(), "/render/image") => render::route(&app, routed).await,
        // Off, as it is by default in the original.
        "vector" => Err(routed.no_route()),
        "cdn" => cdn::route(&app, routed).await,
        "s3" if app.config().s3.enabled => {
            Ok(crate::s3::answer(&app, &routed.parts, routed.body).await)
        }
        "upload" => tus::route(&app, routed.parts, routed.body).await,
        "status" | "version" | "health" | "metrics" => health::route(&app, routed).await,
        _ => Err(Error::no_family(&routed.parts.method, shown(&routed.parts))),
    };
    let answer = answer.unwrap_or_else(IntoResponse::into_response);
    let took = began.elapsed();
    app.metrics()
        .answered(&method, &family, answer.status(), took);
    answer
}

/// Whether a path is this one or below it.
fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The request with a family that is written in plain letters. What follows it is taken apart as it was sent.
fn plain(mut parts: Parts) -> Parts {
    // Not every request has a path.
    let path = parts.uri.path().strip_prefix('/').unwrap_or_default();
    let (family, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    if !family.contains('%') {
        return parts;
    }
    let Ok(family) = input::decode(family) else {
        return parts;
    };
    // S3 signs paths as they are sent.
    if family == "s3" || !family.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return parts;
    }
    let query = parts.uri.query().map(|query| format!("?{query}"));
    let query = query.unwrap_or_default();
    if let Ok(uri) = format!("/{family}{rest}{query}").parse() {
        parts.uri = uri;
    }
    parts
}

/// True for GET, and for HEAD, which is GET without a body.
fn is_get(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Text of a header, if it is there and is text.
fn header_text(parts: &Parts, name: impl header::AsHeaderName) -> Option<&str> {
    parts.headers.get(name)?.to_str().ok()
}
