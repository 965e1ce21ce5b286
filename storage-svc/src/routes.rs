mod bucket;
mod health;

use axum::{Router, routing::get};
use http::{Method, StatusCode, Uri};

use crate::{App, error::Error};

/// The first segments under which the original has routes.
const FAMILIES: [&str; 9] = [
    "bucket", "cdn", "iceberg", "metrics", "object", "render", "s3", "upload", "vector",
];

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/status", get(async || StatusCode::OK))
        .route("/health", get(health::health))
        .route("/bucket", get(bucket::list).fallback(not_implemented))
        .route("/bucket/", get(bucket::list).fallback(not_implemented))
        .route("/bucket/{id}", get(bucket::get).fallback(not_implemented))
        .fallback(not_implemented)
}

async fn not_implemented(method: Method, uri: Uri) -> Error {
    let path = uri.path().to_owned();
    let family = path.split('/').nth(1).unwrap_or_default();
    if FAMILIES.contains(&family) {
        Error::NotImplemented(method, path)
    } else {
        Error::NoRoute(method, path)
    }
}
