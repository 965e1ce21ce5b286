//! `GET` and `POST /verify`: a code or a link becomes a session.

mod page;

use axum::{
    Json,
    extract::{Request, State},
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, header};
use serde::Deserialize;
use serde_json::json;
use sqlx::PgConnection;
use url::form_urlencoded;

use super::{
    extract::{self, Query},
    target::{encoded, see_other, with_fragment, with_query},
    token,
};
use crate::{
    app::App,
    domain::{
        address,
        confirm::{self, Proved, Purpose},
        limiter::Route,
        notify,
        otp::PKCE_PREFIX,
        session::{self, Caller, Issued, Method},
    },
    error::{Code, Error},
    store::flow_state,
};

/// The type of what a page sends.
const FORM: &[u8] = b"application/x-www-form-urlencoded";
const HALF_DONE: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    #[serde(rename = "type")]
    kind: String,
    token: String,
    token_hash: String,
    email: String,
    phone: String,
    redirect_to: String,
}

fn purpose(kind: &str) -> Result<Purpose, Error> {
    if kind.is_empty() {
        return Err(Error::invalid("Verify requires a verification type"));
    }
    Purpose::parse(kind).ok_or_else(|| Error::invalid("Invalid email verification type"))
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    request: Request,
) -> Result<Response, Error> {
    let is_form = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(FORM));
    let body = extract::read(request, &app).await?;
    // Clients that say nothing of the type of their JSON are taken to send a form.
    if app.config().additions.verify_interstitial && is_form && !body.starts_with(b"{") {
        return from_page(&app, caller, &body).await;
    }
    let params: Params = extract::parse(&body)?;
    let answered = answer_code(&app, &caller, &params).await;
    if let Err(error) = &answered {
        app.metrics().not_signed_in(Method::Otp.as_str(), error);
    }
    answered
}

async fn answer_code(app: &App, caller: &Caller, params: &Params) -> Result<Response, Error> {
    app.limiter()
        .check(Route::Verify, caller.limited_as.as_deref(), app.now())
        .await?;
    if params.kind.is_empty() {
        return Err(Error::invalid("Verify requires a verification type"));
    }
    if params.token.is_empty() == params.token_hash.is_empty() {
        return Err(Error::invalid(
            "Verify requires either a token or a token hash",
        ));
    }
    let mut tx = app.begin().await?;
    let proved = prove(app, &mut tx, params, &caller.aud).await?;
    let Some(account) = confirm::apply(app, &mut tx, &proved, caller).await? else {
        tx.commit().await?;
        return Ok(Json(json!({ "msg": HALF_DONE, "code": "200" })).into_response());
    };
    let issued = session::begin(app, &mut tx, &account, Method::Otp, caller).await?;
    tx.commit().await?;
    let both = (&proved.account, &account);
    notify::confirmed(app, proved.purpose, both, caller).await;
    Ok(token::issued(&issued, None))
}

async fn prove(
    app: &App,
    conn: &mut PgConnection,
    params: &Params,
    aud: &str,
) -> Result<Proved, Error> {
    let token = params.token.as_str();
    if token.is_empty() {
        let alone = [&params.email, &params.phone, &params.redirect_to];
        if alone.iter().any(|field| !field.is_empty()) {
            return Err(Error::invalid(
                "Only the token_hash and type should be provided",
            ));
        }
        let purpose = purpose(&params.kind)?;
        return confirm::by_hash(app, conn, purpose, &params.token_hash).await;
    }
    match (params.email.as_str(), params.phone.as_str()) {
        ("", phone) if !phone.is_empty() => {
            let phone = address::phone(phone)?;
            let purpose = Purpose::parse(&params.kind).ok_or_else(Error::code_expired)?;
            app.limiter().check_guesses(&phone, app.now()).await?;
            let proved = confirm::by_phone_code(app, conn, purpose, (&phone, token), aud).await;
            counted(app, &phone, proved).await
        }
        (email, "") if !email.is_empty() => {
            let email = address::email(email).map_err(|_| {
                Error::unprocessable(Code::ValidationFailed, "Invalid email format")
            })?;
            let purpose = Purpose::parse(&params.kind).ok_or_else(Error::code_expired)?;
            app.limiter().check_guesses(&email, app.now()).await?;
            let proved = confirm::by_email_code(app, conn, purpose, (&email, token), aud).await;
            counted(app, &email, proved).await
        }
        _ => Err(Error::invalid(
            "Only an email address or phone number should be provided on verify",
        )),
    }
}

/// Counts a wrong code for the address, whoever has it.
async fn counted(app: &App, address: &str, proved: Result<Proved, Error>) -> Result<Proved, Error> {
    if let Err(error) = &proved
        && error.wire().code == Code::OtpExpired
    {
        app.limiter().note_wrong_guess(address, app.now()).await;
    }
    proved
}

/// What following a link led to.
enum Followed {
    Session(Box<Issued>),
    Code(String),
    HalfDone,
}

pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    query: Query,
) -> Result<Response, Error> {
    app.limiter()
        .check(Route::Verify, caller.limited_as.as_deref(), app.now())
        .await?;
    let (kind, hash) = link_of(&query)?;
    if app.config().additions.verify_interstitial {
        return page::render(page::Link {
            kind,
            token: hash,
            redirect_to: &caller.redirect_to,
        });
    }
    answer_link(&app, kind, hash, &caller).await
}

/// Looking whether a link is there must not use it up; the original knows no such request either.
pub(super) async fn head() -> impl axum::response::IntoResponse {
    (
        StatusCode::METHOD_NOT_ALLOWED,
        [(header::ALLOW, "GET,POST")],
    )
}

/// The type and the token of a link.
fn link_of(query: &Query) -> Result<(&str, &str), Error> {
    let (kind, hash) = (query.get("type"), query.get("token"));
    if kind.is_empty() {
        return Err(Error::invalid("Verify requires a verification type"));
    }
    if hash.is_empty() {
        return Err(Error::invalid("Verify requires a token or a token hash"));
    }
    Ok((kind, hash))
}

/// The button of the page was pressed.
async fn from_page(app: &App, mut caller: Caller, body: &[u8]) -> Result<Response, Error> {
    app.limiter()
        .check(Route::Verify, caller.limited_as.as_deref(), app.now())
        .await?;
    let form = Query::of_pairs(form_urlencoded::parse(body).into_owned().collect());
    let (kind, hash) = link_of(&form)?;
    // Anybody can write a form, so where it leads is looked at again.
    let allowed = &app.config().allow_list;
    caller.redirect_to = allowed.choose([form.get("redirect_to"), ""]).to_owned();
    answer_link(app, kind, hash, &caller).await
}

async fn answer_link(
    app: &App,
    kind: &str,
    hash: &str,
    caller: &Caller,
) -> Result<Response, Error> {
    let pkce = hash.starts_with(PKCE_PREFIX);
    let target = &caller.redirect_to;
    let location = match follow(app, kind, hash, pkce, caller).await {
        Ok(Followed::Session(issued)) => {
            let mut response = see_other(with_session(target, kind, &issued))?;
            token::name_session(&mut response, &issued);
            return Ok(response);
        }
        Ok(Followed::Code(code)) => with_code(target, &code),
        Ok(Followed::HalfDone) => with_message(target, pkce),
        Err(error) => {
            app.metrics().not_signed_in(Method::Otp.as_str(), &error);
            with_error(target, pkce, &error)
        }
    };
    see_other(location)
}

async fn follow(
    app: &App,
    kind: &str,
    hash: &str,
    pkce: bool,
    caller: &Caller,
) -> Result<Followed, Error> {
    let purpose = purpose(kind)?;
    let mut tx = app.begin().await?;
    let proved = confirm::by_hash(app, &mut tx, purpose, hash).await?;
    let Some(account) = confirm::apply(app, &mut tx, &proved, caller).await? else {
        tx.commit().await?;
        return Ok(Followed::HalfDone);
    };
    let followed = if pkce {
        let method = Method::parse(proved.purpose.as_str()).unwrap_or(Method::Otp);
        let user = account.user.id;
        let code = flow_state::issue_code(&mut tx, user, method.as_str(), app.now()).await?;
        let code = code.ok_or_else(|| {
            Error::bad_request(
                Code::FlowStateNotFound,
                "No associated flow state found. No valid flow state found for user.",
            )
        })?;
        Followed::Code(code)
    } else {
        let issued = session::begin(app, &mut tx, &account, Method::Otp, caller).await?;
        Followed::Session(Box::new(issued))
    };
    tx.commit().await?;
    let both = (&proved.account, &account);
    notify::confirmed(app, proved.purpose, both, caller).await;
    Ok(followed)
}

fn with_session(target: &str, kind: &str, issued: &Issued) -> String {
    let pairs = vec![
        ("access_token", issued.access_token.clone()),
        ("token_type", "bearer".to_owned()),
        ("expires_in", issued.expires_in.to_string()),
        ("expires_at", issued.expires_at.timestamp().to_string()),
        ("refresh_token", issued.refresh_token.clone()),
        ("type", kind.to_owned()),
        ("sb", String::new()),
    ];
    with_fragment(target, &encoded(pairs))
}

fn with_code(target: &str, code: &str) -> String {
    with_query(target, &[("code", code)])
}

fn with_message(target: &str, pkce: bool) -> String {
    let target = if pkce {
        with_query(target, &[("message", HALF_DONE)])
    } else {
        target.to_owned()
    };
    let pairs = vec![("message", HALF_DONE.to_owned()), ("sb", String::new())];
    with_fragment(&target, &encoded(pairs))
}

fn with_error(target: &str, pkce: bool, error: &Error) -> String {
    let wire = error.wire();
    if wire.status.is_server_error() {
        tracing::error!(%error, "following a link failed");
    }
    let name = match wire.status.as_u16() {
        400 => Some("invalid_request"),
        401 => Some("unauthorized_client"),
        403 => Some("access_denied"),
        500 => Some("server_error"),
        503 => Some("temporarily_unavailable"),
        _ => None,
    };
    let code = wire.code.as_str();
    let mut pairs = vec![("error_code", code), ("error_description", &wire.message)];
    pairs.extend(name.map(|name| ("error", name)));
    let target = if pkce {
        with_query(target, &pairs)
    } else {
        target.to_owned()
    };
    let mut fragment: Vec<(&str, String)> = pairs
        .into_iter()
        .map(|(key, value)| (key, value.to_owned()))
        .collect();
    fragment.push(("sb", String::new()));
    with_fragment(&target, &encoded(fragment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_in_the_fragment_and_for_pkce_in_the_query() {
        let error = Error::link_expired();
        assert_eq!(
            with_error("http://a.test/x?y=1#old", false, &error),
            "http://a.test/x?y=1#error=access_denied&error_code=otp_expired\
             &error_description=Email+link+is+invalid+or+has+expired&sb="
        );
        let both = with_error("http://a.test/x", true, &error);
        assert!(
            both.starts_with("http://a.test/x?error=access_denied&"),
            "{both}"
        );
        assert!(both.contains("#error=access_denied&"), "{both}");
    }

    #[test]
    fn a_code_joins_the_query() {
        assert_eq!(
            with_code("http://a.test/x?y=1&code=old", "new"),
            "http://a.test/x?code=new&y=1"
        );
    }
}
