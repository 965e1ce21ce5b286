//! PostgREST's settings, under its variables' names.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use svc_kit::{
    env::{ConfigError, Reader, Vars},
    jwt::KeySet,
};

use crate::schema_cache::QualifiedName;

/// `db-tx-end`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxEnd {
    /// What happens at the end without a preference.
    pub commit: bool,
    /// True if `Prefer: tx=` may say otherwise.
    pub may_override: bool,
}

/// All settings. Each is documented by PostgREST under the name of its variable.
#[derive(Clone, Debug)]
pub struct Config {
    /// `PGRST_DB_URI`
    pub db_uri: String,
    /// `PGRST_DB_SCHEMAS`, default `public`.
    pub schemas: Vec<String>,
    /// `PGRST_DB_EXTRA_SEARCH_PATH`, default `public`; may be set to nothing.
    pub extra_search_path: Vec<String>,
    /// `PGRST_DB_ANON_ROLE`
    pub anon_role: Option<String>,
    /// `PGRST_DB_MAX_ROWS`
    pub max_rows: Option<i64>,
    /// `PGRST_DB_AGGREGATES_ENABLED`
    pub aggregates: bool,
    /// `PGRST_DB_PLAN_ENABLED`
    pub plan: bool,
    /// `PGRST_DB_PRE_REQUEST`
    pub pre_request: Option<QualifiedName>,
    /// `PGRST_DB_ROOT_SPEC`
    pub root_spec: Option<QualifiedName>,
    /// `PGRST_DB_TX_END`
    pub tx_end: TxEnd,
    /// `PGRST_DB_POOL`, default 10.
    pub pool: usize,
    /// `PGRST_DB_POOL_ACQUISITION_TIMEOUT`, default 10 s.
    pub pool_timeout: Duration,
    /// `PGRST_DB_PREPARED_STATEMENTS`
    pub prepared: bool,
    /// `PGRST_DB_CHANNEL`, default `pgrst`; `None` with `PGRST_DB_CHANNEL_ENABLED=false`.
    pub channel: Option<String>,
    /// `PGRST_DB_HOISTED_TX_SETTINGS`
    pub hoisted: Vec<String>,
    /// `PGRST_JWT_SECRET`; `None` if there is none.
    pub keys: Option<KeySet>,
    /// `PGRST_JWT_AUD`
    pub audience: Option<String>,
    /// `PGRST_JWT_ROLE_CLAIM_KEY`, default `.role`, as steps.
    pub role_claim: Vec<String>,
    /// `PGRST_APP_SETTINGS_…`
    pub app_settings: Vec<(String, String)>,
    /// `PGRST_SERVER_HOST`, default `!4`.
    pub host: String,
    /// `PGRST_SERVER_PORT`, default 3000.
    pub port: u16,
    /// `PGRST_ADMIN_SERVER_PORT`
    pub admin_port: Option<u16>,
    /// `PGRST_SERVER_CORS_ALLOWED_ORIGINS`
    pub cors_origins: Vec<String>,
    /// `PGRST_SERVER_TIMING_ENABLED`
    pub server_timing: bool,
    /// `PGRST_SERVER_TRACE_HEADER`
    pub trace_header: Option<http::HeaderName>,
    /// `PGRST_OPENAPI_MODE`, default `follow-privileges`.
    pub openapi: OpenApiMode,
    /// `PGRST_OPENAPI_SECURITY_ACTIVE`
    pub openapi_security: bool,
    /// `PGRST_OPENAPI_SERVER_PROXY_URI`
    pub openapi_proxy: Option<String>,
}

/// `openapi-mode`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenApiMode {
    /// What the caller's role may use.
    FollowPrivileges,
    /// Everything.
    IgnorePrivileges,
    /// Nothing.
    Disabled,
}

/// `schema.function`, split at the first dot; without a schema it is looked for in the search path.
fn function_name(text: &str) -> QualifiedName {
    match text.split_once('.') {
        Some((schema, name)) => QualifiedName::new(schema, name),
        None => QualifiedName::new("", text),
    }
}

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let list = |text: &str| -> Vec<String> {
            text.split(',')
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty())
                .collect()
        };
        let base64 = reader.flag(&["PGRST_JWT_SECRET_IS_BASE64"], false);
        let keys = reader.parse_with(&["PGRST_JWT_SECRET"], |text| read_secret(text, base64));
        let config = Self {
            db_uri: reader.text_or(&["PGRST_DB_URI"], "postgresql://localhost"),
            schemas: list(&reader.text_or(&["PGRST_DB_SCHEMAS", "PGRST_DB_SCHEMA"], "public")),
            extra_search_path: list(vars.get("PGRST_DB_EXTRA_SEARCH_PATH").unwrap_or("public")),
            anon_role: reader.text(&["PGRST_DB_ANON_ROLE"]).map(str::to_owned),
            max_rows: reader.parse(&["PGRST_DB_MAX_ROWS", "PGRST_MAX_ROWS"]),
            aggregates: reader.flag(&["PGRST_DB_AGGREGATES_ENABLED"], false),
            plan: reader.flag(&["PGRST_DB_PLAN_ENABLED"], false),
            pre_request: reader
                .text(&["PGRST_DB_PRE_REQUEST", "PGRST_PRE_REQUEST"])
                .map(function_name),
            root_spec: reader
                .text(&["PGRST_DB_ROOT_SPEC", "PGRST_ROOT_SPEC"])
                .map(function_name),
            tx_end: reader
                .parse_with(&["PGRST_DB_TX_END"], tx_end)
                .unwrap_or(TxEnd {
                    commit: true,
                    may_override: false,
                }),
            pool: reader.parse_or(&["PGRST_DB_POOL"], 10).max(1),
            pool_timeout: Duration::from_secs(
                reader.parse_or(&["PGRST_DB_POOL_ACQUISITION_TIMEOUT"], 10),
            ),
            prepared: reader.flag(&["PGRST_DB_PREPARED_STATEMENTS"], true),
            channel: reader
                .flag(&["PGRST_DB_CHANNEL_ENABLED"], true)
                .then(|| reader.text_or(&["PGRST_DB_CHANNEL"], "pgrst")),
            hoisted: list(&reader.text_or(
                &["PGRST_DB_HOISTED_TX_SETTINGS"],
                "statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation",
            )),
            keys,
            audience: reader.text(&["PGRST_JWT_AUD"]).map(str::to_owned),
            role_claim: reader
                .parse_with(
                    &["PGRST_JWT_ROLE_CLAIM_KEY", "PGRST_ROLE_CLAIM_KEY"],
                    claim_path,
                )
                .unwrap_or_else(|| vec!["role".to_owned()]),
            app_settings: vars
                .iter()
                .filter_map(|(name, value)| {
                    Some((name.strip_prefix("PGRST_APP_SETTINGS_")?, value))
                })
                .map(|(name, value)| {
                    (
                        format!("app.settings.{}", name.to_lowercase()),
                        value.to_owned(),
                    )
                })
                .collect(),
            host: reader.text_or(&["PGRST_SERVER_HOST"], "!4"),
            port: reader.parse_or(&["PGRST_SERVER_PORT"], 3000),
            admin_port: reader.parse(&["PGRST_ADMIN_SERVER_PORT"]),
            cors_origins: list(&reader.text_or(&["PGRST_SERVER_CORS_ALLOWED_ORIGINS"], "")),
            server_timing: reader.flag(&["PGRST_SERVER_TIMING_ENABLED"], false),
            trace_header: reader.parse(&["PGRST_SERVER_TRACE_HEADER"]),
            openapi: reader
                .parse_with(&["PGRST_OPENAPI_MODE"], openapi_mode)
                .unwrap_or(OpenApiMode::FollowPrivileges),
            openapi_security: reader.flag(&["PGRST_OPENAPI_SECURITY_ACTIVE"], false),
            openapi_proxy: reader.parse_with(&["PGRST_OPENAPI_SERVER_PROXY_URI"], proxy_uri),
        };
        for reserved in ["pg_catalog", "information_schema"] {
            if config.schemas.iter().any(|schema| schema == reserved) {
                reader.problem(format!("PGRST_DB_SCHEMAS: {reserved} cannot be exposed"));
            }
        }
        if config.admin_port == Some(config.port) {
            reader.problem("PGRST_ADMIN_SERVER_PORT: must differ from PGRST_SERVER_PORT");
        }
        reader.finish()?;
        Ok(config)
    }

    /// The address for PostgREST's special host values.
    pub fn listen_host(&self) -> &str {
        match self.host.as_str() {
            "*" | "*4" | "!4" => "0.0.0.0",
            "*6" | "!6" => "::",
            host => host,
        }
    }
}

fn read_secret(text: &str, is_base64: bool) -> Result<KeySet, String> {
    let from_file;
    let text = if let Some(path) = text.strip_prefix('@') {
        from_file =
            std::fs::read_to_string(path).map_err(|_| "the file cannot be read".to_owned())?;
        from_file.strip_suffix('\n').unwrap_or(&from_file)
    } else {
        text
    };
    if is_base64 {
        let standard = text
            .trim()
            .replace('-', "+")
            .replace('_', "/")
            .replace('.', "=");
        let secret = STANDARD
            .decode(standard)
            .map_err(|_| "not valid base64".to_owned())?;
        return KeySet::from_secret_or_jwks(&String::from_utf8_lossy(&secret))
            .or_else(|_| Ok::<_, String>(KeySet::from_secret(&secret)));
    }
    if !text.trim_start().starts_with('{') && text.len() < 32 {
        return Err("The JWT secret must be at least 32 characters long.".to_owned());
    }
    KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string())
}

fn openapi_mode(text: &str) -> Result<OpenApiMode, String> {
    match text {
        "follow-privileges" => Ok(OpenApiMode::FollowPrivileges),
        "ignore-privileges" => Ok(OpenApiMode::IgnorePrivileges),
        "disabled" => Ok(OpenApiMode::Disabled),
        _ => Err("expected follow-privileges, ignore-privileges or disabled".to_owned()),
    }
}

fn proxy_uri(text: &str) -> Result<String, String> {
    let is_web = url::Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if is_web {
        Ok(text.to_owned())
    } else {
        Err(
            "expected an http or https address such as https://example.com:8443/basePath"
                .to_owned(),
        )
    }
}

fn tx_end(text: &str) -> Result<TxEnd, String> {
    let (commit, may_override) = match text {
        "commit" => (true, false),
        "commit-allow-override" => (true, true),
        "rollback" => (false, false),
        "rollback-allow-override" => (false, true),
        _ => {
            return Err(
                "expected commit, commit-allow-override, rollback or rollback-allow-override"
                    .to_owned(),
            );
        }
    };
    Ok(TxEnd {
        commit,
        may_override,
    })
}

/// `.a."b c"[0]`, or `$.a.b`, as its steps.
fn claim_path(text: &str) -> Result<Vec<String>, String> {
    let failed = || "expected a path such as .role or .\"https://x/role\"[0]".to_owned();
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(".\"") {
            let (step, tail) = after.split_once('"').ok_or_else(failed)?;
            steps.push(step.to_owned());
            rest = tail;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (step, tail) = after.split_once(']').ok_or_else(failed)?;
            steps.push(step.trim_matches(['"', '\'']).to_owned());
            rest = tail;
        } else if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            steps.push(after[..end].to_owned());
            rest = &after[end..];
        } else {
            return Err(failed());
        }
    }
    if steps.iter().any(String::is_empty) || steps.is_empty() {
        Err(failed())
    } else {
        Ok(steps)
    }
}
