//! `/admin/oauth/clients`, and clients that register themselves (RFC 7591).

use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::Enabled;
use crate::{
    app::App,
    domain::{
        account::time,
        limiter::Route,
        oauth_server::{Registration, Update, new_secret},
        session::Caller,
    },
    error::{Code, Error},
    routes::{caller::Admin, extract::Body},
    store::oauth_clients::{self, Client},
};

fn json(client: &Client, secret: Option<&str>) -> Value {
    let list = |items: Vec<&str>| Value::from(items);
    let fields = [
        ("client_id", client.id.to_string().into()),
        ("client_secret", secret.unwrap_or_default().into()),
        ("client_type", client.client_type.as_str().into()),
        ("redirect_uris", list(client.redirect_uris().collect())),
        (
            "token_endpoint_auth_method",
            client.token_endpoint_auth_method.as_str().into(),
        ),
        ("grant_types", list(client.grant_types().collect())),
        ("response_types", json!(["code"])),
        ("client_name", client.client_name.as_str().into()),
        ("client_uri", client.client_uri.as_str().into()),
        ("logo_uri", client.logo_uri.as_str().into()),
        (
            "registration_type",
            client.registration_type.as_str().into(),
        ),
        ("created_at", time(client.created_at).into()),
        ("updated_at", time(client.updated_at).into()),
    ];
    // What is empty is left out.
    let kept: Map<String, Value> = fields
        .into_iter()
        .filter(|(_, value)| *value != "")
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    Value::Object(kept)
}

fn read<T>(body: Result<Body<T>, Error>) -> Result<T, Error> {
    body.map(|Body(value)| value)
        .map_err(|error| match error.wire().code {
            Code::BadJson => Error::bad_request(Code::BadJson, "Invalid JSON body"),
            _ => error,
        })
}

async fn load(conn: &mut PgConnection, id: &str) -> Result<Client, Error> {
    let id: Uuid = id
        .parse()
        .map_err(|_| Error::invalid("invalid client_id format"))?;
    oauth_clients::find(conn, id)
        .await
        .map_err(Error::database("Error loading OAuth client"))?
        .ok_or_else(|| Error::refused(404, Code::OAuthClientNotFound, "OAuth client not found"))
}

async fn add(
    app: &App,
    registration: Registration,
    kind: &'static str,
) -> Result<(StatusCode, Json<Value>), Error> {
    let (client, secret) = registration.client(app, kind)?;
    let mut conn = app.connection().await?;
    oauth_clients::save(&mut conn, &client, client.updated_at).await?;
    let body = json(&client, secret.as_deref());
    Ok((StatusCode::CREATED, Json(body)))
}

pub(super) async fn list(
    State(app): State<App>,
    _: Admin,
    _: Enabled,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let clients = oauth_clients::all(&mut conn)
        .await
        .map_err(Error::database("Error listing OAuth clients"))?;
    // The original leaves an empty list out.
    if clients.is_empty() {
        return Ok(Json(json!({})));
    }
    let clients: Vec<Value> = clients.iter().map(|client| json(client, None)).collect();
    Ok(Json(json!({ "clients": clients })))
}

pub(super) async fn create(
    State(app): State<App>,
    _: Admin,
    _: Enabled,
    body: Result<Body<Registration>, Error>,
) -> Result<(StatusCode, Json<Value>), Error> {
    add(&app, read(body)?, "manual").await
}

pub(super) async fn register(
    State(app): State<App>,
    _: Enabled,
    caller: Caller,
    body: Result<Body<Registration>, Error>,
) -> Result<(StatusCode, Json<Value>), Error> {
    app.limiter()
        .check(
            Route::OAuthClientRegister,
            caller.limited_as.as_deref(),
            app.now(),
        )
        .await?;
    if !app.config().oauth_server.allow_dynamic_registration {
        return Err(Error::forbidden(
            Code::OAuthDynamicClientRegistrationDisabled,
            "Dynamic client registration is not enabled",
        ));
    }
    add(&app, read(body)?, "dynamic").await
}

pub(super) async fn get(
    State(app): State<App>,
    _: Admin,
    _: Enabled,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    Ok(Json(json(&load(&mut conn, &id).await?, None)))
}

pub(super) async fn update(
    State(app): State<App>,
    _: Admin,
    _: Enabled,
    Path(id): Path<String>,
    body: Result<Body<Update>, Error>,
) -> Result<Json<Value>, Error> {
    let mut tx = app.begin().await?;
    let mut client = load(&mut tx, &id).await?;
    read(body)?.apply(&mut client)?;
    client.updated_at = app.now();
    oauth_clients::save(&mut tx, &client, client.updated_at)
        .await
        .map_err(Error::database("Error updating OAuth client"))?;
    tx.commit().await?;
    Ok(Json(json(&client, None)))
}

pub(super) async fn delete(
    State(app): State<App>,
    _: Admin,
    _: Enabled,
    Path(id): Path<String>,
) -> Result<StatusCode, Error> {
    let mut conn = app.connection().await?;
    let client = load(&mut conn, &id).await?;
    oauth_clients::delete(&mut conn, client.id, app.now())
        .await
        .map_err(Error::database("Error deleting OAuth client"))?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn regenerate_secret(
    State(app): State<App>,
    _: Admin,
    _: Enabled,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut tx = app.begin().await?;
    let mut client = load(&mut tx, &id).await?;
    if !client.is_confidential() {
        return Err(Error::invalid("Cannot regenerate secret for public client"));
    }
    let secret = new_secret(&app, &mut client);
    client.updated_at = app.now();
    oauth_clients::save(&mut tx, &client, client.updated_at)
        .await
        .map_err(Error::database("Error regenerating OAuth client secret"))?;
    tx.commit().await?;
    Ok(Json(json(&client, Some(&secret))))
}
