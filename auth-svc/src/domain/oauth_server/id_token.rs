//! ID tokens (`OpenID Connect` Core, section 2), and the claims about a user that scopes allow.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::request::has_scope;
use crate::{app::App, error::Error, store::users::User};

/// Signs an ID token for a client; it lasts an hour.
///
/// # Errors
/// 500 if the signing key is shared: a client could not tell such a token from one that it made itself.
pub fn id_token(
    app: &App,
    user: &User,
    client: Uuid,
    scopes: &str,
    nonce: &str,
    now: DateTime<Utc>,
) -> Result<String, Error> {
    const FAILED: &str = "Error generating ID token";
    let jwt = &app.config().jwt;
    if jwt.keys.signing_algorithm() == "HS256" {
        let reason = anyhow::anyhow!("HS256 is not supported for ID token signing");
        return Err(Error::internal(FAILED, reason));
    }
    let mut claims = Map::new();
    let mut put = |name: &str, value: Value| {
        claims.insert(name.to_owned(), value);
    };
    if !jwt.issuer.is_empty() {
        put("iss", jwt.issuer.as_str().into());
    }
    put("sub", user.id.to_string().into());
    put("aud", client.to_string().into());
    put("exp", (now + Duration::hours(1)).timestamp().into());
    put("iat", now.timestamp().into());
    put("auth_time", now.timestamp().into());
    put("client_id", client.to_string().into());
    if !nonce.is_empty() {
        put("nonce", nonce.into());
    }
    let (email, phone) = (has_scope(scopes, "email"), has_scope(scopes, "phone"));
    if email && !user.email.is_empty() {
        put("email", user.email.as_str().into());
    }
    put(
        "email_verified",
        (email && user.email_confirmed_at.is_some()).into(),
    );
    if phone && !user.phone.is_empty() {
        put("phone_number", user.phone.as_str().into());
    }
    put(
        "phone_number_verified",
        (phone && user.phone_confirmed_at.is_some()).into(),
    );
    if has_scope(scopes, "profile") {
        for (name, value) in profile(user) {
            put(name, value);
        }
    }
    jwt.keys
        .sign(&claims)
        .map_err(|error| Error::internal(FAILED, error))
}

/// What the scope `profile` tells of a user.
pub fn profile(user: &User) -> Vec<(&'static str, Value)> {
    let metadata = &user.raw_user_meta_data.0;
    let text = |names: &[&str]| {
        let mut found = names
            .iter()
            .filter_map(|name| metadata.get(*name)?.as_str());
        found.find(|text| !text.is_empty()).map(str::to_owned)
    };
    let email = Some(user.email.clone()).filter(|email| !email.is_empty());
    let claims = [
        ("name", text(&["name"]).or(email)),
        ("picture", text(&["picture", "avatar_url"])),
        (
            "preferred_username",
            text(&["preferred_username", "username"]),
        ),
    ];
    let mut found: Vec<(&'static str, Value)> = claims
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?.into())))
        .collect();
    found.push(("updated_at", user.updated_at.timestamp().into()));
    found
}
