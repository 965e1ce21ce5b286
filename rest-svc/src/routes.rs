//! From a request to a response, in PostgREST's order of checks.

mod cors;
mod negotiate;
mod read;
mod relation;
mod resolve;
mod respond;
mod root;
mod rpc;
mod window;
mod write;

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    extract::Request,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Limited};
use percent_encoding::percent_decode_str;
use serde::{Serialize, Serializer as _};
use serde_json::{Map, Serializer, Value};
use svc_kit::pg::{Caller, quote_ident, write_ident};

use svc_kit::wire::Row;

use crate::{
    App, Config, access_log,
    auth::{Identity, identify},
    config::LogLevel,
    error::{Error, Result},
    parse::{Accept, Preferences, Transaction, parse_accept},
    schema_cache::{QualifiedName, SchemaCache},
    sql::Sql,
    transaction::{self, Isolation, Mode},
};

/// PostgREST has no limit of its own; memory has. Larger uploads are storage's business.
const MAX_BODY: usize = 256 * 1024 * 1024;

/// What a request addresses.
enum Resource {
    Root,
    Relation(String),
    Routine(String),
}

/// A request as far as all kinds of it are alike.
pub(super) struct Context {
    pub(super) app: App,
    pub(super) config: Arc<Config>,
    pub(super) cache: Arc<SchemaCache>,
    pub(super) parts: Parts,
    pub(super) body: Bytes,
    pub(super) identity: Arc<Identity>,
    pub(super) preferences: Preferences,
    pub(super) accept: Accept,
    pub(super) schema: String,
    pub(super) shows_profile: bool,
    /// Microseconds in the database, if somebody wants to know.
    pub(super) in_database: Option<Arc<AtomicU64>>,
}

/// Every path of the API.
pub(crate) async fn serve(app: App, request: Request) -> Response {
    let pending = app.inner().traffic.begin(&request);
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_head = request.method() == Method::HEAD;
    let config = app.config();
    let trace = config.trace_header.clone().map(|name| {
        let value = request.headers().get(&name).cloned();
        (name, value.unwrap_or(HeaderValue::from_static("")))
    });
    let mut response = if cors::is_preflight(request.method(), request.headers()) {
        cors::preflight(request.headers())
    } else {
        handle(app, config.clone(), request)
            .await
            .unwrap_or_else(|error| refused(&config, error))
    };
    if is_head && response.status().is_success() {
        // A body of known length would be announced, although it is not what GET would send.
        let nothing = futures_util::stream::empty::<std::result::Result<Bytes, Infallible>>();
        *response.body_mut() = Body::from_stream(nothing);
    }
    cors::allow(
        response.headers_mut(),
        origin.as_ref(),
        &config.cors_origins,
    );
    response
        .headers_mut()
        .insert(header::SERVER, HeaderValue::from_static("postgrest/14.12"));
    if let Some((name, value)) = trace {
        response.headers_mut().insert(name, value);
    }
    pending.answered(response.status());
    response
}

/// The response of an error. What the database could not do is worth a line, unless nothing is.
fn refused(config: &Config, error: Error) -> Response {
    let is_ours = error.status.is_server_error() && !error.code.starts_with("PGRST3");
    let is_told = error.code != "PGRST003" || is_next_timeout();
    if is_ours && config.log_level != LogLevel::Crit && is_told {
        tracing::warn!("{}", error.to_json());
    }
    error.into_response()
}

/// True once in five seconds: where one request finds no connection, many do.
fn is_next_timeout() -> bool {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let Ok(mut last) = LAST.lock() else {
        return false;
    };
    let is_next = last.is_none_or(|last| last.elapsed() >= Duration::from_secs(5));
    if is_next {
        *last = Some(Instant::now());
    }
    is_next
}

async fn handle(app: App, config: Arc<Config>, request: Request) -> Result<Response> {
    let started = Instant::now();
    let (parts, body) = request.into_parts();
    let no_cache = || {
        Error::new(
            503,
            "002",
            "Could not query the database for the schema cache. Retrying.",
        )
    };
    if !app.inner().configured.load(Ordering::Acquire) {
        // Who is let in may be written in the database.
        return Err(no_cache());
    }
    let identity = identify(&config, &parts.headers, &app.inner().metrics)?;
    let identified = Instant::now();
    let timing = config.server_timing.then(|| Arc::new(AtomicU64::new(0)));
    let cache = app.inner().cache.load_full().ok_or_else(no_cache)?;
    let body = if body.is_end_stream() {
        Bytes::new()
    } else {
        Limited::new(body, MAX_BODY)
            .collect()
            .await
            .map_err(|_| Error::new(413, "102", "The request body is too large or was cut off"))?
            .to_bytes()
    };
    let resource = resource(parts.uri.path())?;
    let (schema, shows_profile) = schema_of(&config, &parts.method, &parts.headers)?;
    let preferences = Preferences::read(&parts.headers);
    let accept = parse_accept(
        parts
            .headers
            .get(header::ACCEPT)
            .and_then(|value| value.to_str().ok()),
    );
    let role = access_log::Role(identity.role.clone());
    let told = Arc::clone(&config);
    let context = Context {
        app,
        config,
        cache,
        parts,
        body,
        identity,
        preferences,
        accept,
        schema,
        shows_profile,
        in_database: timing.clone(),
    };
    let parsed = Instant::now();
    let mut response = match resource {
        Resource::Root => root::serve(context).await,
        Resource::Relation(name) => relation::serve(context, &name).await,
        Resource::Routine(name) => rpc::serve(context, &name).await,
    }
    .unwrap_or_else(|error| refused(&told, error));
    response.extensions_mut().insert(role);
    if let Some(in_database) = timing
        && !response.headers().contains_key("proxy-status")
    {
        let in_database = Duration::from_micros(in_database.load(Ordering::Relaxed));
        let phases = [
            ("jwt", identified - started),
            ("parse", parsed - identified),
            ("plan", parsed.elapsed().saturating_sub(in_database)),
            ("transaction", in_database),
            // Postgres writes the body, so there is nothing left to make.
            ("response", Duration::ZERO),
        ];
        let shown =
            phases.map(|(name, took)| format!("{name};dur={:.1}", took.as_secs_f64() * 1e3));
        if let Ok(value) = HeaderValue::from_str(&shown.join(", ")) {
            response.headers_mut().insert("server-timing", value);
        }
    }
    Ok(response)
}

fn resource(path: &str) -> Result<Resource> {
    let decode = |segment: &str| percent_decode_str(segment).decode_utf8_lossy().into_owned();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.as_slice() {
        [""] => Ok(Resource::Root),
        ["rpc", name] if !name.is_empty() => Ok(Resource::Routine(decode(name))),
        [name] => Ok(Resource::Relation(decode(name))),
        _ => Err(Error::new(
            404,
            "125",
            "Invalid path specified in request URL",
        )),
    }
}

/// The schema of a request: reads and writes name it in different headers.
fn schema_of(config: &Config, method: &Method, headers: &HeaderMap) -> Result<(String, bool)> {
    let schemas = &config.schemas;
    let writes = matches!(
        *method,
        Method::POST | Method::PATCH | Method::PUT | Method::DELETE
    );
    let given = headers
        .get(if writes {
            "content-profile"
        } else {
            "accept-profile"
        })
        .and_then(|value| value.to_str().ok());
    match given {
        Some(name) if schemas.iter().any(|known| known == name) => Ok((name.to_owned(), true)),
        Some(name) => Err(
            Error::new(406, "106", format!("Invalid schema: {name}")).hint(Some(format!(
                "Only the following schemas are exposed: {}",
                schemas.join(", ")
            ))),
        ),
        None => Ok((
            schemas.first().cloned().unwrap_or_default(),
            schemas.len() > 1,
        )),
    }
}

impl Context {
    pub(super) fn query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    pub(super) fn content_type(&self) -> &str {
        self.parts
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The media type of the body, in lower case and without parameters.
    pub(super) fn content_media(&self) -> String {
        let media = self.content_type().split(';').next();
        media.unwrap_or_default().trim().to_ascii_lowercase()
    }

    pub(super) fn id(&self, name: &str) -> QualifiedName {
        QualifiedName::new(&self.schema, name)
    }

    /// Fails under `handling=strict` if a preference was not understood.
    pub(super) fn check_preferences(&self) -> Result<()> {
        let mut invalid = self.preferences.invalid.clone();
        if let Some(zone) = &self.preferences.timezone
            && !self.cache.timezones.contains(zone)
        {
            invalid.push(format!("timezone={zone}"));
        }
        if self.preferences.is_strict() && !invalid.is_empty() {
            return Err(
                Error::new(400, "122", "Invalid preferences given with handling=strict")
                    .details(format!("Invalid preferences: {}", invalid.join(", "))),
            );
        }
        Ok(())
    }

    /// The time zone to use: one that the database knows.
    pub(super) fn timezone(&self) -> Option<&str> {
        self.preferences
            .timezone
            .as_deref()
            .filter(|zone| self.cache.timezones.iter().any(|known| known == zone))
    }

    /// True if the transaction ends with COMMIT.
    pub(super) fn commits(&self) -> bool {
        let end = self.config.tx_end;
        match self.preferences.transaction {
            Some(Transaction::Commit) if end.may_override => true,
            Some(Transaction::Rollback) if end.may_override => false,
            _ => end.commit,
        }
    }

    /// Who the transaction runs as, and every setting of it.
    fn caller(&self, hoisted: &[(String, String)]) -> Caller {
        let config = &self.config;
        let mut caller = Caller {
            role: self.identity.role.clone(),
            claims_json: self.identity.claims_json.clone(),
            before_role: Vec::new(),
            settings: Vec::new(),
        };
        let mut path = quote_ident(&self.schema);
        for schema in &config.extra_search_path {
            path.push_str(", ");
            write_ident(&mut path, schema);
        }
        caller.before_role.push(("search_path".into(), path));
        for (name, value) in self
            .config
            .roles
            .settings
            .get(&self.identity.role)
            .into_iter()
            .flatten()
        {
            caller
                .before_role
                .push((name.clone().into(), value.clone()));
        }
        let (headers, cookies) = headers_as_json(&self.parts.headers);
        caller = caller
            .with("request.method", self.parts.method.as_str())
            .with("request.path", self.parts.uri.path())
            .with("request.headers", headers)
            .with("request.cookies", cookies);
        if let Some(zone) = self.timezone() {
            caller = caller.with("timezone", zone);
        }
        for (name, value) in hoisted {
            caller = caller.with(name.clone(), value.clone());
        }
        for (name, value) in &config.app_settings {
            caller = caller.with(name.clone(), value.clone());
        }
        caller
    }

    /// Runs a statement in the request's transaction.
    pub(super) async fn run(
        &self,
        statement: &Sql,
        read_only: bool,
        settings: &[(String, String)],
        accept: Option<transaction::Accept<'_>>,
    ) -> Result<Vec<Row>> {
        let inner = self.app.inner();
        let isolation = settings
            .iter()
            .find(|(name, _)| name == "default_transaction_isolation")
            .map(|(_, value)| value)
            .or_else(|| self.config.roles.isolation.get(&self.identity.role));
        let hoisted: Vec<(String, String)> = settings
            .iter()
            .filter(|(name, _)| name != "default_transaction_isolation")
            .filter(|(name, _)| {
                self.config
                    .hoisted
                    .iter()
                    .any(|wanted| name.contains(wanted.as_str()))
            })
            .cloned()
            .collect();
        let pre_request = self.config.pre_request.as_ref().map(|name| {
            let mut sql = Sql::new();
            sql.push("SELECT ").qualified(name).push("()");
            sql
        });
        let plan = transaction::Plan {
            mode: Mode {
                read_only,
                isolation: isolation
                    .map_or(Isolation::ReadCommitted, |level| Isolation::parse(level)),
            },
            caller: self.caller(&hoisted),
            pre_request: pre_request.as_ref(),
            statement,
            commit: self.commits(),
            is_anonymous: self.identity.is_anonymous,
            prepared: self.config.prepared,
            has_usual_path: self.config.schemas.first() == Some(&self.schema),
        };
        let started = Instant::now();
        tracing::debug!("Trying to borrow a connection from pool");
        let outcome = plan.run(&inner.pool, accept).await;
        tracing::debug!("Borrowed a connection from the pool");
        if self.config.log_query {
            let status = outcome
                .as_ref()
                .map_or_else(|error| error.status, |_| StatusCode::OK);
            plan.log(self.config.log_level, status);
        }
        if outcome
            .as_ref()
            .is_err_and(|error| error.code == "PGRST003")
        {
            inner.metrics.pool_timeouts.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(total) = &self.in_database {
            let took = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
            total.fetch_add(took, Ordering::Relaxed);
        }
        outcome
    }

    pub(super) fn show_profile(&self, response: &mut Response) {
        if self.shows_profile
            && let Ok(schema) = HeaderValue::from_str(&self.schema)
        {
            response.headers_mut().insert("content-profile", schema);
        }
    }
}

/// `request.headers` and `request.cookies`. Of a header that is repeated the last one is taken.
fn headers_as_json(headers: &HeaderMap) -> (String, String) {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let mut cookies = Map::new();
    for value in headers.get_all(header::COOKIE) {
        for (name, value) in text(value)
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='))
        {
            cookies.insert(name.to_owned(), value.into());
        }
    }
    let repeats = headers.len() > headers.keys_len();
    let others = headers.iter().filter(|(name, _)| *name != header::COOKIE);
    let last = others.filter(|(name, value)| {
        !repeats
            || headers
                .get_all(*name)
                .iter()
                .next_back()
                .is_some_and(|last| std::ptr::eq(last, *value))
    });
    let texts =
        last.map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())));
    (json_object(texts), Value::Object(cookies).to_string())
}

/// An object of texts, written without being built first.
fn json_object<'a, V: Serialize>(pairs: impl Iterator<Item = (&'a str, V)>) -> String {
    let mut out = Vec::with_capacity(512);
    let written = Serializer::new(&mut out).collect_map(pairs);
    // Texts always serialise.
    written
        .ok()
        .and_then(|()| String::from_utf8(out).ok())
        .unwrap_or_else(|| "{}".to_owned())
}

/// Success without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    status.into_response()
}
