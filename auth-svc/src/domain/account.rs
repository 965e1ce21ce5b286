//! A user with everything that the outside sees of one.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{
    accounts,
    factors::{self, Factor},
    identities::{self, Identity},
    users::User,
};

pub use crate::store::accounts::Account;

impl Account {
    /// Adds what belongs to a user.
    pub async fn of(conn: &mut PgConnection, user: User) -> Result<Self, sqlx::Error> {
        let identities = identities::of_user(conn, user.id).await?;
        let factors = factors::of_user(conn, user.id).await?;
        Ok(Self {
            user,
            identities,
            factors,
        })
    }

    /// By id.
    pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<Self>, sqlx::Error> {
        accounts::find(conn, id).await
    }

    /// Again, after something changed.
    pub async fn reload(&self, conn: &mut PgConnection) -> Result<Self, sqlx::Error> {
        Self::find(conn, self.user.id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)
    }

    /// True when a second factor is verified.
    pub fn has_verified_factor(&self) -> bool {
        self.factors.iter().any(Factor::is_verified)
    }

    /// The user as clients and hooks see it.
    pub fn to_json(&self) -> Value {
        let mut map = user_json(&self.user);
        if !self.factors.is_empty() {
            let factors = self.factors.iter().map(factor_json).collect();
            map.insert("factors".into(), Value::Array(factors));
        }
        let identities = self.identities.iter().map(identity_json).collect();
        map.insert("identities".into(), Value::Array(identities));
        Value::Object(map)
    }
}

/// The user without identities, as lists have it.
pub fn listed_json(user: &User) -> Value {
    let mut map = user_json(user);
    map.insert("identities".into(), Value::Null);
    Value::Object(map)
}

fn user_json(user: &User) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        map.insert(name.to_owned(), value);
    };
    put("id", user.id.to_string().into());
    put("aud", user.aud.as_str().into());
    put("role", user.role.as_str().into());
    put("email", user.email.as_str().into());
    put("phone", user.phone.as_str().into());
    let times = [
        ("email_confirmed_at", user.email_confirmed_at),
        ("invited_at", user.invited_at),
        ("phone_confirmed_at", user.phone_confirmed_at),
        ("confirmation_sent_at", user.confirmation_sent_at),
        ("confirmed_at", user.confirmed_at),
        ("recovery_sent_at", user.recovery_sent_at),
        ("email_change_sent_at", user.email_change_sent_at),
        ("phone_change_sent_at", user.phone_change_sent_at),
        ("reauthentication_sent_at", user.reauthentication_sent_at),
        ("last_sign_in_at", user.last_sign_in_at),
        ("banned_until", user.banned_until),
        ("deleted_at", user.deleted_at),
    ];
    for (name, moment) in times {
        if let Some(moment) = moment {
            put(name, time(moment).into());
        }
    }
    for (name, text) in [
        ("new_email", &user.email_change),
        ("new_phone", &user.phone_change),
    ] {
        if !text.is_empty() {
            put(name, text.as_str().into());
        }
    }
    put(
        "app_metadata",
        Value::Object(user.raw_app_meta_data.0.clone()),
    );
    put(
        "user_metadata",
        Value::Object(user.raw_user_meta_data.0.clone()),
    );
    put("created_at", time(user.created_at).into());
    put("updated_at", time(user.updated_at).into());
    put("is_anonymous", user.is_anonymous.into());
    map
}

fn identity_json(identity: &Identity) -> Value {
    let mut value = json!({
        "identity_id": identity.id,
        "id": identity.provider_id,
        "user_id": identity.user_id,
        "provider": identity.provider,
        "created_at": time(identity.created_at),
        "updated_at": time(identity.updated_at),
    });
    if !identity.identity_data.is_empty() {
        value["identity_data"] = Value::Object(identity.identity_data.0.clone());
    }
    if let Some(moment) = identity.last_sign_in_at {
        value["last_sign_in_at"] = time(moment).into();
    }
    if !identity.email.is_empty() {
        value["email"] = identity.email.as_str().into();
    }
    value
}

/// A second factor as clients see it.
pub fn factor_json(factor: &Factor) -> Value {
    let mut value = json!({
        "id": factor.id,
        "factor_type": factor.factor_type,
        "status": factor.status,
        "phone": factor.phone,
        "created_at": time(factor.created_at),
        "updated_at": time(factor.updated_at),
        // The one time that is null when there is none.
        "last_challenged_at": factor.last_challenged_at.map(time),
    });
    if !factor.friendly_name.is_empty() {
        value["friendly_name"] = factor.friendly_name.as_str().into();
    }
    if let Some(aaguid) = factor.web_authn_aaguid {
        value["web_authn_aaguid"] = aaguid.to_string().into();
    }
    if let Some(data) = &factor.last_webauthn_challenge_data {
        value["last_webauthn_challenge_data"] = data.0.clone();
    }
    value
}

/// A time as the wire has it.
pub fn time(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
