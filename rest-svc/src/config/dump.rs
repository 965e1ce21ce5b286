//! Every setting in the form of the configuration file.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{Config, LogLevel, OpenApiMode};
use crate::schema_cache::QualifiedName;

pub(super) fn dump(config: &Config) -> String {
    let secret = config.secret.as_deref().unwrap_or_default();
    let secret = if config.secret_is_base64 {
        STANDARD.encode(secret)
    } else {
        String::from_utf8_lossy(secret).into_owned()
    };
    let maybe = |number: Option<String>| number.unwrap_or_else(|| text(""));
    let seconds = |duration: std::time::Duration| duration.as_secs().to_string();
    let tx_end = match (config.tx_end.commit, config.tx_end.may_override) {
        (true, false) => "commit",
        (true, true) => "commit-allow-override",
        (false, false) => "rollback",
        (false, true) => "rollback-allow-override",
    };
    let level = match config.log_level {
        LogLevel::Crit => "crit",
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
    };
    let openapi = match config.openapi {
        OpenApiMode::FollowPrivileges => "follow-privileges",
        OpenApiMode::IgnorePrivileges => "ignore-privileges",
        OpenApiMode::Disabled => "disabled",
    };
    let mut lines: Vec<(&str, String)> = vec![
        ("db-aggregates-enabled", config.aggregates.to_string()),
        (
            "db-anon-role",
            text(config.anon_role.as_deref().unwrap_or_default()),
        ),
        ("db-channel", text(&config.channel)),
        ("db-channel-enabled", config.channel_enabled.to_string()),
        (
            "db-extra-search-path",
            text(&config.extra_search_path.join(",")),
        ),
        ("db-hoisted-tx-settings", text(&config.hoisted.join(","))),
        (
            "db-max-rows",
            maybe(config.max_rows.map(|rows| rows.to_string())),
        ),
        ("db-plan-enabled", config.plan.to_string()),
        ("db-pool", config.pool.to_string()),
        ("db-pool-acquisition-timeout", seconds(config.pool_timeout)),
        ("db-pool-max-lifetime", seconds(config.pool_max_lifetime)),
        ("db-pool-max-idletime", seconds(config.pool_max_idletime)),
        (
            "db-pool-automatic-recovery",
            config.pool_recovery.to_string(),
        ),
        ("db-pre-request", name(config.pre_request.as_ref())),
        ("db-prepared-statements", config.prepared.to_string()),
        ("db-root-spec", name(config.root_spec.as_ref())),
        ("db-schemas", text(&config.schemas.join(","))),
        ("db-config", config.db_config.to_string()),
        ("db-pre-config", name(config.pre_config.as_ref())),
        ("db-tx-end", text(tx_end)),
        ("db-uri", text(&config.db_uri)),
        (
            "jwt-aud",
            text(config.audience.as_deref().unwrap_or_default()),
        ),
        ("jwt-role-claim-key", text(&config.role_claim.to_string())),
        ("jwt-secret", text(&secret)),
        ("jwt-secret-is-base64", config.secret_is_base64.to_string()),
        ("jwt-cache-max-entries", config.jwt_cache.to_string()),
        ("log-level", text(level)),
        ("log-query", config.log_query.to_string()),
        ("openapi-mode", text(openapi)),
        (
            "openapi-security-active",
            config.openapi_security.to_string(),
        ),
        (
            "openapi-server-proxy-uri",
            text(config.openapi_proxy.as_deref().unwrap_or_default()),
        ),
        (
            "server-cors-allowed-origins",
            text(&config.cors_origins.join(",")),
        ),
        ("server-host", text(&config.host)),
        ("server-port", config.port.to_string()),
        ("server-trace-header", text(&config.trace_header_text)),
        ("server-timing-enabled", config.server_timing.to_string()),
        (
            "server-unix-socket",
            text(config.unix_socket.as_deref().unwrap_or_default()),
        ),
        (
            "server-unix-socket-mode",
            text(&format!("{:o}", config.unix_socket_mode)),
        ),
        ("admin-server-host", text(&config.admin_host)),
        (
            "admin-server-port",
            maybe(config.admin_port.map(|port| port.to_string())),
        ),
    ];
    for (name, value) in &config.app_settings {
        lines.push((name, text(value)));
    }
    let mut written = String::new();
    for (name, value) in lines {
        written.extend([name, " = ", &value, "\n"]);
    }
    written
}

fn text(value: &str) -> String {
    format!("\"{}\"", value.replace('"', "\\\""))
}

fn name(function: Option<&QualifiedName>) -> String {
    text(&match function {
        Some(id) if id.schema.is_empty() => id.name.clone(),
        Some(id) => format!("{}.{}", id.schema, id.name),
        None => String::new(),
    })
}
