//! Callbacks into the project: over HTTP with Standard Webhooks signatures, or as a database function.

mod claims;
mod mfa;

use std::time::{Duration, Instant};

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use sqlx::{AssertSqlSafe, PgConnection, types::Json};
use svc_kit::pg::quote_ident;
use url::Url;
use uuid::Uuid;

pub use mfa::{mfa_attempt, send_mfa_sms};

use super::{
    account::{self, Account},
    clock,
    session::{Caller, Method},
};
use crate::{
    app::App,
    config::{Hook, HookTarget},
    error::{Code, Error},
    metrics::HookResult,
};

/// For all attempts together.
const TIMEOUT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_secs(2);
const ATTEMPTS: u32 = 3;
const MAX_ANSWER: usize = 200 * 1024;
/// Sends a text message instead of a provider.
pub async fn send_sms(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    account: &Account,
    (phone, code): (&str, &str),
    caller: &Caller,
) -> Result<(), Error> {
    let mut input = input(app, "send-sms", caller);
    input.insert("user".into(), account.to_json());
    input.insert("sms".into(), json!({ "otp": code, "phone": phone }));
    invoke(app, conn, hook, "send-sms", input).await.map(drop)
}

/// Sends a mail instead of the mail server.
pub async fn send_email(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    account: &Account,
    email_data: Value,
    caller: &Caller,
) -> Result<(), Error> {
    let mut input = input(app, "send-email", caller);
    input.insert("user".into(), account.to_json());
    input.insert("email_data".into(), email_data);
    invoke(app, conn, hook, "send-email", input).await.map(drop)
}

/// Lets the project refuse a user before there is one, or learn of one that there is now.
pub async fn user_created(
    app: &App,
    conn: &mut PgConnection,
    hook: Option<&Hook>,
    before: bool,
    user: Value,
    caller: &Caller,
) -> Result<(), Error> {
    let Some(hook) = hook else { return Ok(()) };
    let name = if before {
        "before-user-created"
    } else {
        "after-user-created"
    };
    let mut input = input(app, name, caller);
    input.insert("user".into(), user);
    invoke(app, conn, hook, name, input).await.map(drop)
}

/// What a hook decided about a password attempt.
#[derive(Clone, Debug, Default)]
pub struct PasswordVerdict {
    /// The reason of a rejection.
    pub rejection: Option<String>,
    /// Whether the user's sessions end, too.
    pub should_logout_user: bool,
}

/// Tells the project of a password attempt.
pub async fn password_attempt(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    user: Uuid,
    valid: bool,
    caller: &Caller,
) -> Result<PasswordVerdict, Error> {
    let mut input = input(app, "password-verification", caller);
    input.insert("user_id".into(), user.to_string().into());
    input.insert("valid".into(), valid.into());
    let output = invoke(app, conn, hook, "password-verification", input).await?;
    if output.get("decision").and_then(Value::as_str) != Some("reject") {
        return Ok(PasswordVerdict::default());
    }
    let message = output
        .get("message")
        .and_then(Value::as_str)
        .filter(|message| !message.is_empty())
        .unwrap_or("Further password verification attempts will be rejected.");
    Ok(PasswordVerdict {
        rejection: Some(message.to_owned()),
        should_logout_user: output.get("should_logout_user") == Some(&Value::Bool(true)),
    })
}

/// Lets the project change what a token says.
pub async fn customise_claims(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    user: Uuid,
    claims: Map<String, Value>,
    method: Method,
    caller: &Caller,
) -> Result<Map<String, Value>, Error> {
    let mut input = input(app, "customize-access-token", caller);
    input.insert("user_id".into(), user.to_string().into());
    input.insert("claims".into(), Value::Object(claims));
    input.insert("authentication_method".into(), method.as_str().into());
    let mut output = invoke(app, conn, hook, "customize-access-token", input).await?;
    let claims = match output.remove("claims") {
        Some(Value::Object(claims)) => claims,
        None | Some(Value::Null) => {
            return Err(Error::Hook {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                message: "output claims field is missing".to_owned(),
            });
        }
        Some(_) => return Err(failure("Error unmarshaling JSON output.")),
    };
    if let Some(faults) = claims::faults(&claims) {
        return Err(Error::Hook {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            message: format!("output claims do not conform to the expected schema: \n{faults}"),
        });
    }
    Ok(claims)
}

fn input(app: &App, name: &str, caller: &Caller) -> Map<String, Value> {
    let mut input = Map::new();
    input.insert(
        "metadata".into(),
        json!({
            "uuid": clock::id(app.random()),
            "time": account::time(app.now()),
            "name": name,
            "ip_address": caller.ip.map(|ip| ip.to_string()).unwrap_or_default(),
        }),
    );
    input
}

fn failure(message: impl Into<String>) -> Error {
    Error::refused(500, Code::UnexpectedFailure, message.into())
}

async fn invoke(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    name: &'static str,
    input: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let began = Instant::now();
    let called = call(app, conn, hook, input).await;
    let took = began.elapsed();
    let (result, answer) = match called {
        Ok(output) => match refusal(&output) {
            Some(reason) => (HookResult::Refused, Err(reason)),
            None => (HookResult::Success, Ok(output)),
        },
        Err(error) => (HookResult::Failed, Err(error)),
    };
    app.metrics().hook_answered(name, result, took);
    answer
}

async fn call(
    app: &App,
    conn: &mut PgConnection,
    hook: &Hook,
    input: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let output = match &hook.target {
        HookTarget::Http(url) => over_http(app, url, &hook.secrets, &Value::Object(input)).await?,
        HookTarget::Function { schema, name } => {
            in_database(conn, schema, name, &Value::Object(input)).await?
        }
    };
    Ok(match output {
        Value::Object(map) => map,
        _ => Map::new(),
    })
}

/// The error that a hook answers with, if it gives a reason.
fn refusal(output: &Map<String, Value>) -> Option<Error> {
    let error = output.get("error")?;
    let message = error.get("message")?.as_str().filter(|m| !m.is_empty())?;
    let status = error
        .get("http_code")
        .and_then(Value::as_u64)
        .and_then(|code| u16::try_from(code).ok())
        .and_then(|code| StatusCode::from_u16(code).ok())
        .filter(|status| status.is_client_error() || status.is_server_error())
        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Some(Error::Hook {
        status,
        message: message.to_owned(),
    })
}

async fn in_database(
    conn: &mut PgConnection,
    schema: &str,
    name: &str,
    input: &Value,
) -> Result<Value, Error> {
    let failed = Error::database("Error invoking access to hook function");
    sqlx::query("select set_config('statement_timeout', '2000', true)")
        .execute(&mut *conn)
        .await
        .map_err(&failed)?;
    let sql = format!("select {}.{}($1)", quote_ident(schema), quote_ident(name));
    let output: Option<Json<Value>> = sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(Json(input))
        .fetch_one(&mut *conn)
        .await
        .map_err(&failed)?;
    sqlx::query("select set_config('statement_timeout', '0', true)")
        .execute(&mut *conn)
        .await
        .map_err(&failed)?;
    Ok(output.map_or(Value::Null, |Json(value)| value))
}

async fn over_http(
    app: &App,
    url: &Url,
    secrets: &[SecretString],
    input: &Value,
) -> Result<Value, Error> {
    let body = input.to_string();
    let timeout = Error::unprocessable(
        Code::HookTimeout,
        format!(
            "Failed to reach hook within maximum time of {:.6} seconds",
            TIMEOUT.as_secs_f64()
        ),
    );
    tokio::time::timeout(TIMEOUT, with_retries(app, url, secrets, &body))
        .await
        .unwrap_or(Err(timeout))
}

async fn with_retries(
    app: &App,
    url: &Url,
    secrets: &[SecretString],
    body: &str,
) -> Result<Value, Error> {
    let (http, place) = if app.config().additions.hooks_public_only {
        let outside = app.outside();
        let place = outside.place(url.as_str()).map_err(|error| {
            tracing::error!(%error, "a hook is not at a public address");
            failure("Service currently unavailable due to hook")
        })?;
        (outside.http(), place)
    } else {
        (app.http(), url.to_string())
    };
    for attempt in 1..=ATTEMPTS {
        let id = clock::id(app.random()).to_string();
        let timestamp = app.now().timestamp();
        let signature = sign(secrets, &id, timestamp, body)?;
        let request = http
            .post(place.as_str())
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signature)
            .body(body.to_owned());
        match request.send().await {
            Ok(response) if asks_for_later(&response) => {}
            Ok(response) => return read(response).await,
            Err(error) => {
                tracing::warn!(attempt, error = %error.without_url(), "hook could not be reached");
                if attempt == ATTEMPTS {
                    return Err(Error::unprocessable(
                        Code::HookTimeoutAfterRetry,
                        "Failed to reach hook after maximum retries",
                    ));
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(failure("Service currently unavailable due to hook"))
}

fn asks_for_later(response: &reqwest::Response) -> bool {
    matches!(
        response.status(),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    ) && response.headers().contains_key("retry-after")
}

async fn read(mut response: reqwest::Response) -> Result<Value, Error> {
    match response.status() {
        StatusCode::NO_CONTENT => return Ok(Value::Null),
        StatusCode::OK | StatusCode::ACCEPTED => {}
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            return Err(failure("Service currently unavailable due to hook"));
        }
        StatusCode::BAD_REQUEST => return Err(failure("Invalid payload sent to hook")),
        StatusCode::UNAUTHORIZED => return Err(failure("Hook requires authorization token")),
        other => {
            return Err(failure(format!(
                "Unexpected status code returned from hook: {}",
                other.as_u16()
            )));
        }
    }
    let content_type = response
        .headers()
        .get(http::header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        let message = if content_type.is_empty() {
            "Invalid Content-Type: Missing Content-Type header".to_owned()
        } else {
            format!("Invalid JSON response. Received content-type: {content_type}")
        };
        return Err(Error::bad_request(
            Code::HookPayloadInvalidContentType,
            message,
        ));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| {
        Error::internal("Error reading the answer of a hook", error.without_url())
    })? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            return Err(Error::unprocessable(
                Code::HookPayloadOverSizeLimit,
                format!("Payload size exceeded size limit of {MAX_ANSWER} bytes"),
            ));
        }
    }
    serde_json::from_slice(&body).map_err(|_| failure("Error unmarshaling JSON output."))
}

/// One signature per secret, so that a secret can be replaced without a gap.
fn sign(secrets: &[SecretString], id: &str, timestamp: i64, body: &str) -> Result<String, Error> {
    let signatures: Option<Vec<String>> = secrets
        .iter()
        .map(|secret| {
            let encoded = secret.expose_secret().strip_prefix("v1,")?;
            let encoded = encoded.strip_prefix("whsec_").unwrap_or(encoded);
            let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(encoded).ok()?);
            let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
            Some(format!("v1,{}", STANDARD.encode(tag)))
        })
        .collect();
    signatures
        .map(|signatures| signatures.join(", "))
        .ok_or_else(|| failure("Error generating signatures: invalid signature format"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_standard_webhooks() {
        // The example of the specification's reference libraries.
        let secret = SecretString::from("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let signature = sign(
            &[secret],
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        )
        .unwrap();
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let wrong = SecretString::from("whsec_x".to_owned());
        assert!(sign(&[wrong], "id", 1, "").is_err());
    }

    #[test]
    fn a_hook_refuses_only_with_a_reason() {
        let output = |value: Value| value.as_object().cloned().unwrap_or_default();
        let refused = refusal(&output(
            json!({"error": {"http_code": 403, "message": "no"}}),
        ));
        assert!(matches!(refused, Some(Error::Hook { status, .. }) if status == 403));
        assert!(refusal(&output(json!({"error": {"http_code": 403, "message": ""}}))).is_none());
        assert!(refusal(&output(json!({}))).is_none());
    }
}
