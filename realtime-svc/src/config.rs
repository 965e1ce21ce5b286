use std::time::Duration;

use secrecy::SecretString;
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
    /// `API_JWT_SECRET`, and with `API_JWT_JWKS` also asymmetric keys.
    pub keys: KeySet,
    /// `CONNECT_ERROR_BACKOFF_MS`, default 2000: how long a refused socket waits for its answer.
    pub connect_error_backoff: Duration,
}

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let mut keys = KeySet::from_secret(reader.required(&["API_JWT_SECRET"]).as_bytes());
        if let Some(set) = reader.parse_with(&["API_JWT_JWKS"], |text| {
            KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string())
        }) {
            keys.extend(set);
        }
        let backoff = reader.parse_or(&["CONNECT_ERROR_BACKOFF_MS"], 2000);
        let config = Self {
            host: reader.text_or(&["HOST"], "0.0.0.0"),
            port: reader.parse_or(&["PORT"], 4000),
            database_url: database_url(&mut reader).into(),
            keys,
            connect_error_backoff: Duration::from_millis(backoff),
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
