//! `/admin/sso/providers`: whom the users of organisations sign in with.

use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    app::App,
    domain::saml::providers::{self, Params},
    error::Error,
    routes::{
        caller::Admin,
        extract::{Body, Query},
    },
    store::sso,
};

pub(in crate::routes) async fn list(
    State(app): State<App>,
    _: Admin,
    query: Query,
) -> Result<Json<Value>, Error> {
    let given = |name: &str| Some(query.get(name)).filter(|value| !value.is_empty());
    let resource_id = given("resource_id");
    let prefix = given("resource_id_prefix").filter(|_| resource_id.is_none());
    let mut conn = app.connection().await?;
    let found = sso::list(&mut conn, resource_id, prefix).await?;
    // The metadata would make the list very long.
    let items: Vec<Value> = found
        .iter()
        .map(|one| providers::json(one, false))
        .collect();
    Ok(Json(json!({ "items": items })))
}

pub(in crate::routes) async fn create(
    State(app): State<App>,
    _: Admin,
    body: Result<Body<Params>, Error>,
) -> Result<(StatusCode, Json<Value>), Error> {
    let Body(params) = body?;
    let created = providers::create(&app, params).await?;
    Ok((StatusCode::CREATED, Json(providers::json(&created, true))))
}

pub(in crate::routes) async fn get(
    State(app): State<App>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let provider = providers::find(&mut conn, &id).await?;
    Ok(Json(providers::json(&provider, true)))
}

pub(in crate::routes) async fn update(
    State(app): State<App>,
    _: Admin,
    Path(id): Path<String>,
    body: Result<Body<Params>, Error>,
) -> Result<Json<Value>, Error> {
    // A provider that is not there is told before a body that cannot be read.
    let mut conn = app.connection().await?;
    let provider = providers::find(&mut conn, &id).await?;
    drop(conn);
    let Body(params) = body?;
    let changed = providers::update(&app, provider, params).await?;
    Ok(Json(providers::json(&changed, true)))
}

pub(in crate::routes) async fn delete(
    State(app): State<App>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let provider = providers::find(&mut conn, &id).await?;
    sso::delete(&mut conn, provider.id).await?;
    Ok(Json(providers::json(&provider, true)))
}
