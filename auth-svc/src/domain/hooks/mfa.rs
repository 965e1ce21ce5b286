//! The callbacks around second factors.

use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{input, invoke};
use crate::{
    app::App,
    config::Hook,
    domain::{account::Account, session::Caller},
    error::Error,
    store::factors::Factor,
};

/// Sends the code of a phone factor instead of a provider.
pub async fn send_mfa_sms(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    account: &Account,
    (phone, code): (&str, &str),
    caller: &Caller,
) -> Result<(), Error> {
    let mut input = input(app, "send-sms", caller);
    input.insert("user".into(), account.to_json());
    let sms = json!({ "otp": code, "sms_type": "mfa", "phone": phone });
    input.insert("sms".into(), sms);
    invoke(app, conn, hook, "send-sms", input).await.map(drop)
}

/// Tells the project of an attempt; gives the reason when it rejects the attempt.
pub async fn mfa_attempt(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    (user, factor): (Uuid, &Factor),
    valid: bool,
    caller: &Caller,
) -> Result<Option<String>, Error> {
    let mut input = input(app, "mfa-verification", caller);
    input.insert("user_id".into(), user.to_string().into());
    input.insert("factor_id".into(), factor.id.to_string().into());
    input.insert("factor_type".into(), factor.factor_type.as_str().into());
    input.insert("valid".into(), valid.into());
    let output = invoke(app, conn, hook, "mfa-verification", input).await?;
    let text = |name: &str| output.get(name).and_then(Value::as_str);
    if text("decision") != Some("reject") {
        return Ok(None);
    }
    let message = text("message")
        .filter(|message| !message.is_empty())
        .unwrap_or("Further MFA verification attempts will be rejected.");
    Ok(Some(message.to_owned()))
}
