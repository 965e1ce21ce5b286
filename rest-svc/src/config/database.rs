//! Settings that live in the database: `ALTER ROLE authenticator SET pgrst.db_max_rows = '500'`.

use std::collections::{BTreeMap, HashMap};

use svc_kit::pg::quote_ident;

use super::Config;

/// The settings that the database may give.
const NAMES: [&str; 23] = [
    "db_aggregates_enabled",
    "db_anon_role",
    "db_extra_search_path",
    "db_hoisted_tx_settings",
    "db_max_rows",
    "db_plan_enabled",
    "db_pre_config",
    "db_pre_request",
    "db_prepared_statements",
    "db_root_spec",
    "db_schemas",
    "db_tx_end",
    "jwt_aud",
    "jwt_cache_max_lifetime",
    "jwt_role_claim_key",
    "jwt_secret",
    "jwt_secret_is_base64",
    "openapi_mode",
    "openapi_security_active",
    "openapi_server_proxy_uri",
    "server_cors_allowed_origins",
    "server_timing_enabled",
    "server_trace_header",
];

/// Settings of the roles that requests run as.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoleSettings {
    /// By role: name and value, applied when a request runs as the role.
    pub(crate) settings: HashMap<String, Vec<(String, String)>>,
    /// The isolation level that a role asks for.
    pub(crate) isolation: HashMap<String, String>,
}

/// Reads the settings of the roles that the login role is a member of, as far as it may set them.
pub(crate) async fn roles(
    client: &tokio_postgres::Client,
) -> Result<RoleSettings, tokio_postgres::Error> {
    let sql = include_str!("role_settings.sql");
    let mut found = RoleSettings::default();
    for row in client.query(sql, &[]).await? {
        let (role, name, value): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        if name == "default_transaction_isolation" {
            found.isolation.insert(role, value);
        } else {
            found.settings.entry(role).or_default().push((name, value));
        }
    }
    Ok(found)
}

/// What the login role's settings say, those for this database first, and below them what the function of
/// `db-pre-config` sets.
pub(crate) async fn read(
    client: &mut tokio_postgres::Client,
    config: &Config,
) -> Result<BTreeMap<String, String>, tokio_postgres::Error> {
    let names: Vec<String> = NAMES.iter().map(|name| format!("pgrst.{name}")).collect();
    let tx = client.build_transaction().read_only(true).start().await?;
    let mut found = BTreeMap::new();
    if let Some(function) = &config.pre_config {
        let schema = match function.schema.as_str() {
            "" => String::new(),
            schema => format!("{}.", quote_ident(schema)),
        };
        tx.batch_execute(&format!("select {schema}{}()", quote_ident(&function.name)))
            .await?;
        let sql = "select n, current_setting(n, true) from unnest($1::text[]) n where current_setting(n, true) <> ''";
        for row in tx.query(sql, &[&names]).await? {
            insert(&mut found, row.get(0), row.get(1));
        }
    }
    let sql = "select split_part(s, '=', 1), substr(s, strpos(s, '=') + 1)
        from pg_catalog.pg_db_role_setting r
        join pg_catalog.pg_roles o on o.oid = r.setrole and o.rolname = current_user
        left join pg_catalog.pg_database d on d.oid = r.setdatabase
        cross join unnest(r.setconfig) s
        where (r.setdatabase = 0 or d.datname = current_catalog) and split_part(s, '=', 1) = any ($1)
        order by r.setdatabase";
    for row in tx.query(sql, &[&names]).await? {
        insert(&mut found, row.get(0), row.get(1));
    }
    tx.commit().await?;
    Ok(found)
}

fn insert(found: &mut BTreeMap<String, String>, name: &str, value: String) {
    let name = name.strip_prefix("pgrst.").unwrap_or(name);
    found.insert(name.to_owned(), value);
}
