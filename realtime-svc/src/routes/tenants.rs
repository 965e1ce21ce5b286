//! The admin routes, as far as a service of one project has something to say.

use std::sync::atomic::Ordering;

use axum::{
    Json, Router,
    extract::{Path, State},
    routing::{get, post},
};
use http::{HeaderMap, StatusCode};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use svc_kit::{jwt::KeySet, wire::Lease};

use crate::{app::App, error::Error, token};

/// `/api/tenants…`
pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/api/tenants", get(index).post(fixed))
        .route(
            "/api/tenants/{tenant}",
            get(show).put(fixed).patch(fixed).delete(fixed),
        )
        .route("/api/tenants/{tenant}/health", get(health))
        .route("/api/tenants/{tenant}/reload", post(reload))
        .route("/api/tenants/{tenant}/shutdown", post(shutdown))
}

/// A token signed with one of these keys is enough; it need not say for whom it is.
pub(super) fn check(headers: &HeaderMap, keys: &KeySet) -> Result<(), Error> {
    let header = headers.get("authorization").and_then(|it| it.to_str().ok());
    let token = header.and_then(|header| header.strip_prefix("Bearer "));
    let decoded = percent_decode_str(token.ok_or(Error::AdminForbidden)?).decode_utf8_lossy();
    let cleaned: String = decoded.split_whitespace().collect();
    let claims = keys.verify(&cleaned).map_err(|_| Error::AdminForbidden)?;
    match claims.get("exp") {
        Some(expiry) if !token::is_future(expiry) => Err(Error::AdminForbidden),
        _ => Ok(()),
    }
}

fn is_ours(app: &App, tenant: &str) -> Result<(), Error> {
    if tenant == app.config().tenant {
        return Ok(());
    }
    Err(Error::NotFound)
}

/// The project, as the original shows it.
fn describe(app: &App) -> Value {
    let (name, limits) = (&app.config().tenant, &app.config().limits);
    json!({
        "id": null,
        "external_id": name,
        "name": name,
        "max_concurrent_users": limits.max_concurrent_users,
        "max_channels_per_client": limits.max_channels_per_client,
        "max_events_per_second": limits.max_events_per_second,
        "max_joins_per_second": limits.max_joins_per_second,
        "inserted_at": null,
        "extensions": [],
        "private_only": limits.private_only,
        "max_client_presence_events_per_window": limits.client_presence_max_calls,
        "client_presence_window_ms": u64::try_from(limits.client_presence_window.as_millis()).unwrap_or(u64::MAX),
        "presence_enabled": limits.presence_enabled,
    })
}

async fn index(State(app): State<App>, headers: HeaderMap) -> Result<Json<Value>, Error> {
    check(&headers, &app.config().admin_keys)?;
    Ok(Json(json!({ "data": [describe(&app)] })))
}

async fn show(
    State(app): State<App>,
    Path(tenant): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Error> {
    check(&headers, &app.config().admin_keys)?;
    is_ours(&app, &tenant)?;
    Ok(Json(json!({ "data": describe(&app) })))
}

/// The project and its limits come from the environment.
async fn fixed(State(app): State<App>, headers: HeaderMap) -> Result<Json<Value>, Error> {
    check(&headers, &app.config().admin_keys)?;
    Err(Error::Unprocessable(
        "This service has one project, whose settings are environment variables",
    ))
}

async fn health(
    State(app): State<App>,
    Path(tenant): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Error> {
    check(&headers, &app.config().admin_keys)?;
    is_ours(&app, &tenant)?;
    let is_connected = answers(&app).await;
    let sockets = app.metrics().sockets.load(Ordering::Relaxed);
    Ok(Json(json!({ "data": {
        "healthy": is_connected,
        "db_connected": is_connected,
        "replication_connected": app.is_replicating(),
        "connected_cluster": sockets,
        "region": null,
        "node": null,
    } })))
}

async fn answers(app: &App) -> bool {
    let Ok(mut lease) = Lease::take(app.pool()).await else {
        return false;
    };
    let (connection, _) = lease.parts();
    connection.queue(Some(""), "select 1", []).is_ok() && connection.exchange().await.is_ok()
}

/// Disconnects everybody.
async fn reload(
    State(app): State<App>,
    Path(tenant): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Error> {
    check(&headers, &app.config().admin_keys)?;
    is_ours(&app, &tenant)?;
    app.disconnect_all();
    Ok(StatusCode::NO_CONTENT)
}

/// The connections to the database are given up when nothing needs them; there is nothing more to shut down.
async fn shutdown(
    State(app): State<App>,
    Path(tenant): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Error> {
    check(&headers, &app.config().admin_keys)?;
    is_ours(&app, &tenant)?;
    Ok(StatusCode::NO_CONTENT)
}
