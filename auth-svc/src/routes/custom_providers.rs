//! `/admin/custom-providers`.

use axum::{
    Json, Router,
    extract::{FromRequestParts, Path, State},
    routing::get,
};
use http::{StatusCode, request::Parts};
use serde_json::{Value, json};

use super::{
    caller::Admin,
    extract::{Body, Query},
};
use crate::{
    app::App,
    domain::custom_providers::{
        Wish, check_identifier, create, forget, not_found, to_json, update,
    },
    error::Error,
    store::custom_providers,
};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/admin/custom-providers", get(list).post(add))
        .route(
            "/admin/custom-providers/{identifier}",
            get(one).put(change).delete(remove),
        )
}

/// An administrator, where there may be such providers.
struct Allowed;

impl FromRequestParts<App> for Allowed {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        Admin::from_request_parts(parts, app).await?;
        if app.config().custom_oauth.enabled {
            return Ok(Self);
        }
        Err(Error::disabled("Custom OAuth providers are disabled"))
    }
}

async fn list(State(app): State<App>, _: Allowed, query: Query) -> Result<Json<Value>, Error> {
    let kind = match query.get("type") {
        "" => None,
        kind @ ("oauth2" | "oidc") => Some(kind),
        _ => {
            return Err(Error::invalid("type must be either 'oauth2' or 'oidc'"));
        }
    };
    let mut conn = app.connection().await?;
    let providers = custom_providers::all(&mut conn, kind)
        .await
        .map_err(Error::database("Error retrieving custom OAuth providers"))?;
    let providers: Vec<Value> = providers.iter().map(to_json).collect();
    Ok(Json(json!({ "providers": providers })))
}

async fn add(
    State(app): State<App>,
    _: Allowed,
    body: Result<Body<Wish>, Error>,
) -> Result<(StatusCode, Json<Value>), Error> {
    let Body(wish) = body?;
    let provider = create(&app, wish).await?;
    Ok((StatusCode::CREATED, Json(to_json(&provider))))
}

async fn one(
    State(app): State<App>,
    _: Allowed,
    Path(identifier): Path<String>,
) -> Result<Json<Value>, Error> {
    check_identifier(&identifier)?;
    let mut conn = app.connection().await?;
    let provider = custom_providers::find(&mut conn, &identifier)
        .await
        .map_err(Error::database("Error retrieving custom OAuth provider"))?
        .ok_or_else(not_found)?;
    Ok(Json(to_json(&provider)))
}

async fn change(
    State(app): State<App>,
    _: Allowed,
    Path(identifier): Path<String>,
    body: Result<Body<Wish>, Error>,
) -> Result<Json<Value>, Error> {
    check_identifier(&identifier)?;
    let Body(wish) = body?;
    let provider = update(&app, &identifier, wish).await?;
    Ok(Json(to_json(&provider)))
}

async fn remove(
    State(app): State<App>,
    _: Allowed,
    Path(identifier): Path<String>,
) -> Result<StatusCode, Error> {
    check_identifier(&identifier)?;
    let mut conn = app.connection().await?;
    let provider = custom_providers::find(&mut conn, &identifier)
        .await
        .map_err(Error::database("Error retrieving custom OAuth provider"))?
        .ok_or_else(not_found)?;
    custom_providers::delete(&mut conn, &identifier)
        .await
        .map_err(Error::database("Error deleting custom OAuth provider"))?;
    forget(&app, &provider);
    Ok(StatusCode::NO_CONTENT)
}
