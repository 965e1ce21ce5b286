//! Taking users away, for good or so that only an id remains.

use aws_lc_rs::digest;
use axum::{
    Json,
    extract::{Path, State},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{load, named};
use crate::{
    app::App,
    domain::{
        account::Account,
        audit::{self, Action, Actor},
    },
    error::Error,
    routes::{caller::Admin, extract::OptionalBody},
    store::{
        factors, identities, one_time_tokens, passkeys, sessions,
        users::{self, Obfuscated},
    },
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::routes) struct DeleteParams {
    should_soft_delete: bool,
}

pub(in crate::routes) async fn delete(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Path(id): Path<String>,
    OptionalBody(params): OptionalBody<DeleteParams>,
) -> Result<Json<Value>, Error> {
    let mut tx = app.begin().await?;
    let account = load(&mut tx, &id).await?;
    let traits = Some(named(&account));
    let actor = Actor::Admin(&role);
    audit::record(&app, &mut tx, &caller, actor, Action::UserDeleted, traits).await?;
    if !params.should_soft_delete {
        users::delete(&mut tx, account.user.id)
            .await
            .map_err(Error::database("Database error deleting user"))?;
    } else if account.user.deleted_at.is_none() {
        soft_delete(&mut tx, &account, app.now())
            .await
            .map_err(Error::database("Error soft deleting user"))?;
    }
    tx.commit().await?;
    Ok(Json(json!({})))
}

/// What stands in place of a value: the same for the same user and value, so that nobody can take the
/// address of somebody deleted by chance, and without meaning otherwise.
fn obfuscated(user: Uuid, value: &str) -> String {
    let digest = digest::digest(&digest::SHA256, format!("{user}{value}").as_bytes());
    URL_SAFE_NO_PAD.encode(digest)
}

async fn soft_delete(
    conn: &mut PgConnection,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    let user = &account.user;
    let hide = |value: &str| obfuscated(user.id, value);
    let hide_phone = |value: &str| hide(value).chars().take(15).collect::<String>();
    let remains = Obfuscated {
        email: hide(&user.email),
        phone: hide_phone(&user.phone),
        email_change: hide(&user.email_change),
        phone_change: hide_phone(&user.phone_change),
    };
    users::obfuscate(conn, user.id, &remains, now).await?;
    one_time_tokens::clear(conn, user.id).await?;
    for identity in &account.identities {
        let hidden = hide(&format!("{}:{}", identity.provider, identity.provider_id));
        identities::obfuscate(conn, identity.id, &hidden, now).await?;
    }
    factors::delete_of_user(conn, user.id).await?;
    passkeys::delete_of_user(conn, user.id).await?;
    sessions::delete_of_user(conn, user.id, None).await
}
