//! PostgREST's settings: from the environment, its configuration file and the database.

mod claim_path;
pub(crate) mod database;
mod dump;
mod file;
mod settings;

use std::{path::Path, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::StatusCode;
use svc_kit::{
    env::{ConfigError, Vars},
    jwt::KeySet,
    wire::Target,
};

pub(crate) use claim_path::ClaimPath;
use settings::{Settings, Sources};

use crate::{auth::TokenCache, schema_cache::QualifiedName};

/// `db-tx-end`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxEnd {
    /// What happens at the end without a preference.
    pub commit: bool,
    /// True if `Prefer: tx=` may say otherwise.
    pub may_override: bool,
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

/// `log-level`: which responses the access log has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// None.
    Crit,
    /// Status 500 and above.
    Error,
    /// Status 400 and above.
    Warn,
    /// All.
    Info,
    /// All, and what happens on the way to them.
    Debug,
}

impl LogLevel {
    /// True if a response of this status is worth a line.
    pub fn shows(self, status: StatusCode) -> bool {
        match self {
            Self::Crit => false,
            Self::Error => status.is_server_error(),
            Self::Warn => status.is_client_error() || status.is_server_error(),
            Self::Info | Self::Debug => true,
        }
    }
}

/// All settings. Each is documented by PostgREST under the name of its variable.
#[derive(Clone, Debug)]
pub struct Config {
    /// `db-uri`
    pub db_uri: String,
    /// `db-schemas`, default `public`.
    pub schemas: Vec<String>,
    /// `db-extra-search-path`, default `public`; may be set to nothing.
    pub extra_search_path: Vec<String>,
    /// `db-anon-role`
    pub anon_role: Option<String>,
    /// `db-max-rows`
    pub max_rows: Option<i64>,
    /// `db-aggregates-enabled`
    pub aggregates: bool,
    /// `db-plan-enabled`
    pub plan: bool,
    /// `db-pre-request`
    pub pre_request: Option<QualifiedName>,
    /// `db-root-spec`
    pub root_spec: Option<QualifiedName>,
    /// `db-config`
    pub db_config: bool,
    /// `db-pre-config`
    pub pre_config: Option<QualifiedName>,
    /// `db-tx-end`
    pub tx_end: TxEnd,
    /// `db-pool`, default 10.
    pub pool: usize,
    /// `db-pool-acquisition-timeout`, default 10 s.
    pub pool_timeout: Duration,
    /// `db-pool-max-lifetime`, default 1800 s.
    pub pool_max_lifetime: Duration,
    /// `db-pool-max-idletime`, default 30 s.
    pub pool_max_idletime: Duration,
    /// `db-pool-automatic-recovery`
    pub pool_recovery: bool,
    /// `db-prepared-statements`
    pub prepared: bool,
    /// `db-channel`, default `pgrst`.
    pub channel: String,
    /// `db-channel-enabled`
    pub channel_enabled: bool,
    /// `db-hoisted-tx-settings`
    pub hoisted: Vec<String>,
    /// `jwt-secret` as keys; `None` if there is none.
    pub keys: Option<KeySet>,
    /// `jwt-secret` as bytes, read from its file and decoded.
    secret: Option<Vec<u8>>,
    /// `jwt-secret-is-base64`
    pub secret_is_base64: bool,
    /// `jwt-aud`
    pub audience: Option<String>,
    /// `jwt-role-claim-key`, default `.role`.
    pub role_claim: ClaimPath,
    /// `jwt-cache-max-entries`
    pub jwt_cache: i64,
    /// The tokens that were verified by this configuration.
    pub(crate) tokens: Arc<TokenCache>,
    /// `app.settings.…`
    pub app_settings: Vec<(String, String)>,
    /// `server-host`, default `!4`.
    pub host: String,
    /// `server-port`, default 3000.
    pub port: u16,
    /// `server-unix-socket`, in place of the port.
    pub unix_socket: Option<String>,
    /// `server-unix-socket-mode`, default 660.
    pub unix_socket_mode: u32,
    /// `admin-server-host`, default `server-host`.
    pub admin_host: String,
    /// `admin-server-port`
    pub admin_port: Option<u16>,
    /// The same, whether or not there can be such a port.
    pub(crate) admin_port_number: Option<i64>,
    /// `server-cors-allowed-origins`; empty for any.
    pub cors_origins: Vec<String>,
    /// `server-timing-enabled`
    pub server_timing: bool,
    /// `server-trace-header`
    pub trace_header: Option<http::HeaderName>,
    /// `server-trace-header` as it was written.
    trace_header_text: String,
    /// `log-level`
    pub log_level: LogLevel,
    /// `log-query`
    pub log_query: bool,
    /// `openapi-mode`, default `follow-privileges`.
    pub openapi: OpenApiMode,
    /// `openapi-security-active`
    pub openapi_security: bool,
    /// `openapi-server-proxy-uri`
    pub openapi_proxy: Option<String>,
    /// What roles set for the requests that run as them.
    pub(crate) roles: database::RoleSettings,
    /// `internal-schema-cache-query-sleep`: makes the catalog slow, in milliseconds; for tests.
    pub(crate) catalog_delay: Option<u64>,
    /// Where all of it came from.
    sources: Sources,
}

impl Config {
    /// Reads all settings from variables; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        Self::from_sources(&Sources {
            vars: vars.clone(),
            ..Sources::default()
        })
    }

    /// The same with a configuration file below the variables.
    pub fn load(vars: &Vars, file: Option<&Path>) -> Result<Self, ConfigError> {
        Self::from_sources(&Sources {
            vars: vars.clone(),
            file: file.map(Path::to_owned),
            ..Sources::default()
        })
    }

    /// Reads the sources again, with what the database says now. Where it listens and connects stays as it is.
    pub(crate) fn reloaded(
        &self,
        database: std::collections::BTreeMap<String, String>,
    ) -> Result<Self, ConfigError> {
        let mut next = Self::from_sources(&Sources {
            database,
            ..self.sources.clone()
        })?;
        next.db_uri.clone_from(&self.db_uri);
        Ok(next)
    }

    fn from_sources(sources: &Sources) -> Result<Self, ConfigError> {
        let mut settings = Settings::read(sources)?;
        let is_base64 = settings.flag(&["jwt-secret-is-base64", "secret-is-base64"], false);
        let secret = match settings.text(&["jwt-secret"]) {
            Some(text) => settings.problem(read_secret(&text, is_base64).map(Some), None),
            None => None,
        };
        let jwt_cache = settings.number(&["jwt-cache-max-entries"]).unwrap_or(1000);
        let keys = match &secret {
            Some(secret) => settings.problem(read_keys(secret).map(Some), None),
            None => None,
        };
        let port = settings.number(&["server-port"]).unwrap_or(3000);
        let host = settings.text(&["server-host"]);
        let db_uri = settings.text(&["db-uri"]);
        let trace = settings.text(&["server-trace-header"]);
        let tx_end_text = settings.text(&["db-tx-end"]);
        let mode_text = settings.text(&["server-unix-socket-mode"]);
        let aud_text = settings.text(&["jwt-aud"]);
        let path_text = settings.text(&["jwt-role-claim-key", "role-claim-key"]);
        let level_text = settings.text(&["log-level"]);
        let openapi_text = settings.text(&["openapi-mode"]);
        let proxy_text = settings.text(&["openapi-server-proxy-uri"]);
        let seconds = |settings: &Settings<'_>, names: &[&str], default: u64| {
            Duration::from_secs(settings.number(names).unwrap_or(default))
        };
        let names = |text: Option<String>, default: &str| {
            Settings::list(&text.unwrap_or_else(|| default.to_owned()))
        };
        let config = Self {
            db_uri: settings.problem(
                read_uri(db_uri.as_deref().unwrap_or("postgresql://")),
                String::new(),
            ),
            schemas: names(settings.text(&["db-schemas", "db-schema"]), "public"),
            extra_search_path: names(settings.emptyable("db-extra-search-path"), "public"),
            anon_role: settings.text(&["db-anon-role"]),
            max_rows: settings.number(&["db-max-rows", "max-rows"]),
            aggregates: settings.flag(&["db-aggregates-enabled"], false),
            plan: settings.flag(&["db-plan-enabled"], false),
            pre_request: function(settings.text(&["db-pre-request", "pre-request"])),
            root_spec: function(settings.text(&["db-root-spec", "root-spec"])),
            db_config: settings.flag(&["db-config"], true),
            pre_config: function(settings.text(&["db-pre-config"])),
            tx_end: settings.problem(tx_end(tx_end_text.as_deref()), COMMIT),
            pool: settings.number(&["db-pool"]).unwrap_or(10).max(1),
            pool_timeout: seconds(&settings, &["db-pool-acquisition-timeout"], 10),
            pool_max_lifetime: seconds(&settings, &["db-pool-max-lifetime"], 1800),
            pool_max_idletime: seconds(&settings, &["db-pool-timeout", "db-pool-max-idletime"], 30),
            pool_recovery: settings.flag(&["db-pool-automatic-recovery"], true),
            prepared: settings.flag(&["db-prepared-statements"], true),
            channel: settings
                .text(&["db-channel"])
                .unwrap_or_else(|| "pgrst".to_owned()),
            channel_enabled: settings.flag(&["db-channel-enabled"], true),
            hoisted: names(
                settings.text(&["db-hoisted-tx-settings"]),
                "statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation",
            ),
            keys,
            secret,
            secret_is_base64: is_base64,
            audience: settings.problem(audience(aud_text), None),
            role_claim: match path_text {
                Some(text) => settings.problem(ClaimPath::parse(&text), ClaimPath::default()),
                None => ClaimPath::default(),
            },
            jwt_cache,
            tokens: Arc::new(TokenCache::new(jwt_cache)),
            app_settings: settings.app_settings(),
            admin_host: settings
                .text(&["admin-server-host"])
                .or_else(|| host.clone())
                .unwrap_or_else(|| "!4".to_owned()),
            host: host.unwrap_or_else(|| "!4".to_owned()),
            port,
            unix_socket: settings.text(&["server-unix-socket"]),
            unix_socket_mode: settings.problem(socket_mode(mode_text.as_deref()), 0o660),
            admin_port: settings.number(&["admin-server-port"]),
            admin_port_number: settings.number(&["admin-server-port"]),
            cors_origins: names(settings.text(&["server-cors-allowed-origins"]), ""),
            server_timing: settings.flag(&["server-timing-enabled"], false),
            trace_header: trace.as_ref().and_then(|name| name.parse().ok()),
            trace_header_text: trace.unwrap_or_default(),
            log_level: settings.problem(log_level(level_text.as_deref()), LogLevel::Error),
            log_query: settings.flag(&["log-query"], false),
            openapi: settings.problem(
                openapi_mode(openapi_text.as_deref()),
                OpenApiMode::FollowPrivileges,
            ),
            openapi_security: settings.flag(&["openapi-security-active"], false),
            openapi_proxy: settings.problem(proxy_uri(proxy_text), None),
            roles: database::RoleSettings::default(),
            catalog_delay: settings.number(&["internal-schema-cache-query-sleep"]),
            sources: sources.clone(),
        };
        if config.admin_port == Some(config.port) && config.port != 0 {
            settings.problem(
                Err("admin-server-port cannot be the same as server-port".to_owned()),
                (),
            );
        }
        settings.finish()?;
        Ok(config)
    }

    /// A variable that is no setting of PostgREST's but of libpq's.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.sources.vars.non_empty(name)
    }

    /// Where the database is.
    ///
    /// # Errors
    /// A connection string or certificates that cannot be read.
    pub(crate) fn target(&self) -> anyhow::Result<Target> {
        let name = format!("PostgREST {}", crate::VERSION);
        Target::new(&self.db_uri, &name, |name| self.variable(name))
    }

    /// The channel to listen on, if it is enabled.
    pub fn listen_channel(&self) -> Option<&str> {
        self.channel_enabled.then_some(self.channel.as_str())
    }

    /// The address for PostgREST's special host values.
    pub fn listen_host(&self) -> &str {
        address(&self.host)
    }

    /// The same for the admin server.
    pub fn admin_listen_host(&self) -> &str {
        address(&self.admin_host)
    }

    /// Every setting in the form of the configuration file, as `--dump-config` prints it.
    pub fn dump(&self) -> String {
        dump::dump(self)
    }
}

fn address(host: &str) -> &str {
    match host {
        "*" | "*4" | "!4" => "0.0.0.0",
        "*6" | "!6" => "::",
        host => host,
    }
}

const COMMIT: TxEnd = TxEnd {
    commit: true,
    may_override: false,
};

/// `schema.function`, split at the first dot; without a schema it is looked for in the search path.
fn function(text: Option<String>) -> Option<QualifiedName> {
    let text = text?;
    Some(match text.split_once('.') {
        Some((schema, name)) => QualifiedName::new(schema, name),
        None => QualifiedName::new("", text),
    })
}

/// The content of a file for `@path`.
fn read_file(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{path}: {error}"))
}

fn read_uri(text: &str) -> Result<String, String> {
    match text.strip_prefix('@') {
        Some(path) => Ok(String::from_utf8_lossy(&read_file(path)?).trim().to_owned()),
        None => Ok(text.to_owned()),
    }
}

fn read_secret(text: &str, is_base64: bool) -> Result<Vec<u8>, String> {
    let mut secret = match text.strip_prefix('@') {
        Some(path) => read_file(path)?,
        None => text.as_bytes().to_vec(),
    };
    if text.starts_with('@') && secret.last() == Some(&b'\n') {
        secret.pop();
    }
    if !is_base64 {
        return Ok(secret);
    }
    let standard = String::from_utf8_lossy(&secret)
        .trim()
        .replace('-', "+")
        .replace('_', "/")
        .replace('.', "=");
    STANDARD
        .decode(standard)
        .map_err(|_| "jwt-secret: not valid base64".to_owned())
}

fn read_keys(secret: &[u8]) -> Result<KeySet, String> {
    if let Ok(text) = std::str::from_utf8(secret)
        && text.trim_start().starts_with('{')
    {
        return KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string());
    }
    if secret.len() < 32 {
        return Err("The JWT secret must be at least 32 characters long.".to_owned());
    }
    Ok(KeySet::from_secret(secret))
}

fn audience(text: Option<String>) -> Result<Option<String>, String> {
    match text {
        Some(text) if text.contains(':') && url::Url::parse(&text).is_err() => {
            Err("jwt-aud should be a string or a valid URI".to_owned())
        }
        text => Ok(text),
    }
}

fn socket_mode(text: Option<&str>) -> Result<u32, String> {
    let Some(text) = text else { return Ok(0o660) };
    let mode = u32::from_str_radix(text, 8)
        .map_err(|_| "Invalid server-unix-socket-mode: not an octal".to_owned())?;
    if (0o600..=0o777).contains(&mode) {
        Ok(mode)
    } else {
        Err("Invalid server-unix-socket-mode: needs to be between 600 and 777".to_owned())
    }
}

fn log_level(text: Option<&str>) -> Result<LogLevel, String> {
    match text {
        None | Some("error") => Ok(LogLevel::Error),
        Some("crit") => Ok(LogLevel::Crit),
        Some("warn") => Ok(LogLevel::Warn),
        Some("info") => Ok(LogLevel::Info),
        Some("debug") => Ok(LogLevel::Debug),
        Some(_) => Err("Invalid logging level. Check your configuration.".to_owned()),
    }
}

fn openapi_mode(text: Option<&str>) -> Result<OpenApiMode, String> {
    match text {
        None | Some("follow-privileges") => Ok(OpenApiMode::FollowPrivileges),
        Some("ignore-privileges") => Ok(OpenApiMode::IgnorePrivileges),
        Some("disabled") => Ok(OpenApiMode::Disabled),
        Some(_) => Err("Invalid openapi-mode. Check your configuration.".to_owned()),
    }
}

fn proxy_uri(text: Option<String>) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let is_web = url::Url::parse(&text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if is_web && text.contains("://") {
        Ok(Some(text))
    } else {
        Err("Malformed proxy uri, a correct example: https://example.com:8443/basePath".to_owned())
    }
}

fn tx_end(text: Option<&str>) -> Result<TxEnd, String> {
    let (commit, may_override) = match text {
        None | Some("commit") => (true, false),
        Some("commit-allow-override") => (true, true),
        Some("rollback") => (false, false),
        Some("rollback-allow-override") => (false, true),
        Some(_) => {
            return Err("Invalid transaction termination. Check your configuration.".to_owned());
        }
    };
    Ok(TxEnd {
        commit,
        may_override,
    })
}
