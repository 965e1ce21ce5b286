use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};
use svc_kit::{
    env::{ConfigError, Reader, Vars},
    jwt::KeySet,
};
use url::Url;

/// The realtime service's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `HOST`, default `0.0.0.0`.
    pub host: String,
    /// `PORT`, default 4000.
    pub port: u16,
    /// `DATABASE_URL`, or else made of `DB_HOST`, `DB_PORT` (5432), `DB_USER` (`supabase_admin`),
    /// `DB_PASSWORD` and `DB_NAME` (postgres).
    pub database_url: SecretString,
    /// `DB_POOL_SIZE`, default 5: connections that permissions and changes are asked about on.
    pub pool_size: usize,
    /// `API_JWT_SECRET`, and with `API_JWT_JWKS` also asymmetric keys.
    pub keys: KeySet,
    /// `API_JWT_SECRET` and `API_JWT_SECRET_NEXT`: what the tokens of the admin routes are signed with.
    pub admin_keys: KeySet,
    /// `METRICS_JWT_SECRET`: what the tokens of `/metrics` are signed with; without it nobody may read them.
    pub metrics_keys: Option<KeySet>,
    /// `JWT_CLAIM_VALIDATORS`, a JSON object: claims that every token must have with these values.
    pub demanded_claims: Map<String, Value>,
    /// `SELF_HOST_TENANT_NAME`, default `realtime-dev`: what the one project is called.
    pub tenant: String,
    /// `SLOT_NAME_SUFFIX`: told apart by it, several services read one database.
    pub slot_suffix: Option<String>,
    /// `NATS_URL`: where copies of the service meet, one address or several with commas between them. Without it there
    /// is only one copy.
    pub nats_url: Option<SecretString>,
    /// `BUS_NODE_TIMEOUT_MS`, default 5000: a copy that is not heard for so long is gone, and its clients with it.
    pub bus_node_timeout: Duration,
    /// `CONNECT_ERROR_BACKOFF_MS`, default 2000: how long a refused socket waits for its answer.
    pub connect_error_backoff: Duration,
    /// `CHANNEL_ERROR_BACKOFF_MS`, default 5000: how long a refused join waits for its answer.
    pub channel_error_backoff: Duration,
    /// `NO_CHANNEL_TIMEOUT_IN_MS`, default 10 minutes: when a socket without a channel is closed.
    pub no_channel_timeout: Duration,
    /// `CHANGES_WINDOW_MS`, default 25: how long changes of rows wait for others that come with them.
    pub changes_window: Duration,
    /// `REPLICATION_MAX_LAG_MB`, default 1024: how much of its log the database may have to keep for the service. Beyond
    /// it the slot is given up, and subscribers are told that they have missed something.
    pub max_lag_bytes: u64,
    /// `REPLICATION_IDLE_MS`, default 10 minutes: when the slot is given back that nobody needs any more.
    pub replication_idle: Duration,
    /// `JANITOR_SCHEDULE_TIMER_IN_MS`, default 4 hours: how often the partitions of messages are tended.
    pub janitor_interval: Duration,
    /// What clients may do.
    pub limits: Limits,
}

/// What clients of the project may do. The names are the columns of `_realtime.tenants`.
#[derive(Clone, Debug)]
pub struct Limits {
    /// `TENANT_MAX_CONCURRENT_USERS`, default 200: sockets with a channel.
    pub max_concurrent_users: usize,
    /// `TENANT_MAX_CHANNELS_PER_CLIENT`, default 100.
    pub max_channels_per_client: usize,
    /// `TENANT_MAX_JOINS_PER_SECOND`, default 100.
    pub max_joins_per_second: u64,
    /// `TENANT_MAX_EVENTS_PER_SECOND`, default 100: messages sent and messages delivered.
    pub max_events_per_second: u64,
    /// `TENANT_MAX_PRESENCE_EVENTS_PER_SECOND`, default 1000: counted per delivery.
    pub max_presence_events_per_second: u64,
    /// `TENANT_MAX_PAYLOAD_SIZE_IN_KB`, default 3000.
    pub max_payload_size_in_kb: usize,
    /// `CLIENT_PRESENCE_MAX_CALLS`, default 5: `track` and `untrack` of one channel per window.
    pub client_presence_max_calls: u32,
    /// `CLIENT_PRESENCE_WINDOW_MS`, default 30 seconds.
    pub client_presence_window: Duration,
    /// `TENANT_PRIVATE_ONLY`: public channels are refused.
    pub private_only: bool,
    /// `TENANT_PRESENCE_ENABLED`: every channel gets presence, asked for or not.
    pub presence_enabled: bool,
}

impl Limits {
    /// The largest payload of a broadcast or of a `track`, in bytes.
    pub fn max_payload_bytes(&self) -> usize {
        self.max_payload_size_in_kb * 1000 + 500
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        let window = reader.parse_or(&["CLIENT_PRESENCE_WINDOW_MS"], 30_000);
        Self {
            max_concurrent_users: reader.parse_or(&["TENANT_MAX_CONCURRENT_USERS"], 200),
            max_channels_per_client: reader.parse_or(&["TENANT_MAX_CHANNELS_PER_CLIENT"], 100),
            max_joins_per_second: reader.parse_or(&["TENANT_MAX_JOINS_PER_SECOND"], 100),
            max_events_per_second: reader.parse_or(&["TENANT_MAX_EVENTS_PER_SECOND"], 100),
            max_presence_events_per_second: reader
                .parse_or(&["TENANT_MAX_PRESENCE_EVENTS_PER_SECOND"], 1000),
            max_payload_size_in_kb: reader.parse_or(&["TENANT_MAX_PAYLOAD_SIZE_IN_KB"], 3000),
            client_presence_max_calls: reader.parse_or(&["CLIENT_PRESENCE_MAX_CALLS"], 5),
            client_presence_window: Duration::from_millis(window),
            private_only: reader.flag(&["TENANT_PRIVATE_ONLY"], false),
            presence_enabled: reader.flag(&["TENANT_PRESENCE_ENABLED"], false),
        }
    }
}

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let secret = reader.required(&["API_JWT_SECRET"]);
        let mut keys = KeySet::from_secret(secret.as_bytes());
        let mut admin_keys = keys.clone();
        if let Some(next) = reader.text(&["API_JWT_SECRET_NEXT"]) {
            admin_keys.push_secret(next.as_bytes());
        }
        if let Some(set) = reader.parse_with(&["API_JWT_JWKS"], |text| {
            KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string())
        }) {
            keys.extend(set);
        }
        let metrics = reader.text(&["METRICS_JWT_SECRET"]);
        let demanded = reader.parse_with(&["JWT_CLAIM_VALIDATORS"], |text| {
            serde_json::from_str(text).map_err(|_| "is no JSON object".to_owned())
        });
        let connect_backoff = reader.parse_or(&["CONNECT_ERROR_BACKOFF_MS"], 2000);
        let channel_backoff = reader.parse_or(&["CHANNEL_ERROR_BACKOFF_MS"], 5000);
        let no_channel = reader.parse_or(&["NO_CHANNEL_TIMEOUT_IN_MS"], 600_000);
        let window = reader.parse_or(&["CHANGES_WINDOW_MS"], 25);
        let max_lag: u64 = reader.parse_or(&["REPLICATION_MAX_LAG_MB"], 1024);
        let idle = reader.parse_or(&["REPLICATION_IDLE_MS"], 600_000);
        let janitor = reader.parse_or(&["JANITOR_SCHEDULE_TIMER_IN_MS"], 14_400_000);
        let nats_url = reader.parse_with(&["NATS_URL"], |text| {
            let is_address = |it: &str| it.trim().parse::<async_nats::ServerAddr>().is_ok();
            if text.split(',').all(is_address) {
                Ok(SecretString::from(text))
            } else {
                Err("is no address of a NATS server".to_owned())
            }
        });
        let node_timeout = reader.parse_or(&["BUS_NODE_TIMEOUT_MS"], 5000);
        let config = Self {
            host: reader.text_or(&["HOST"], "0.0.0.0"),
            port: reader.parse_or(&["PORT"], 4000),
            database_url: database_url(&mut reader).into(),
            pool_size: reader.parse_or(&["DB_POOL_SIZE"], 5),
            keys,
            admin_keys,
            metrics_keys: metrics.map(|secret| KeySet::from_secret(secret.as_bytes())),
            demanded_claims: demanded.unwrap_or_default(),
            tenant: reader.text_or(&["SELF_HOST_TENANT_NAME"], "realtime-dev"),
            slot_suffix: reader.text(&["SLOT_NAME_SUFFIX"]).map(str::to_owned),
            nats_url,
            bus_node_timeout: Duration::from_millis(node_timeout),
            connect_error_backoff: Duration::from_millis(connect_backoff),
            channel_error_backoff: Duration::from_millis(channel_backoff),
            no_channel_timeout: Duration::from_millis(no_channel),
            changes_window: Duration::from_millis(window),
            max_lag_bytes: max_lag.saturating_mul(1024 * 1024),
            replication_idle: Duration::from_millis(idle),
            janitor_interval: Duration::from_millis(janitor),
            limits: Limits::read(&mut reader),
        };
        reader.finish()?;
        Ok(config)
    }
}

fn database_url(reader: &mut Reader<'_>) -> String {
    if let Some(url) = reader.text(&["DATABASE_URL"]) {
        return url.to_owned();
    }
    let host = reader.required(&["DB_HOST", "DATABASE_URL"]);
    let port = reader.parse_or(&["DB_PORT"], 5432_u16);
    let user = reader.text_or(&["DB_USER"], "supabase_admin");
    let password = reader.text(&["DB_PASSWORD"]);
    let name = reader.text_or(&["DB_NAME"], "postgres");
    let Ok(mut url) = Url::parse(&format!("postgres://{host}:{port}")) else {
        reader.problem("DB_HOST is no host name");
        return String::new();
    };
    url.set_path(&name);
    // These fail only for a URL without a host, and then the problem is named already.
    let _ = url.set_username(&user);
    let _ = url.set_password(password);
    url.into()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn the_database_may_be_given_in_parts() {
        let vars: Vars = [
            ("API_JWT_SECRET", "secret"),
            ("DB_HOST", "db"),
            ("DB_PASSWORD", "p@ss/word"),
            ("DB_NAME", "app"),
        ]
        .into_iter()
        .collect();
        let config = Config::from_vars(&vars).unwrap();
        assert_eq!(
            config.database_url.expose_secret(),
            "postgres://supabase_admin:p%40ss%2Fword@db:5432/app"
        );
        let shown = format!("{config:?}");
        assert!(!shown.contains("p%40ss"), "{shown}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Config::from_vars(&Vars::default()).unwrap_err().to_string();
        assert!(
            error.contains("API_JWT_SECRET") && error.contains("DB_HOST"),
            "{error}"
        );
    }
}
