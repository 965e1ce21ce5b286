use secrecy::SecretString;
use svc_kit::{
    env::{ConfigError, Reader, Vars},
    jwt::KeySet,
};

/// The storage service's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `SERVER_HOST` or `HOST`, default `0.0.0.0`.
    pub host: String,
    /// `SERVER_PORT` or `PORT`, default 5000.
    pub port: u16,
    /// `DATABASE_URL`: as the role that owns the schema `storage`.
    pub database_url: SecretString,
    /// `DATABASE_MAX_CONNECTIONS`, default 20.
    pub max_connections: u32,
    /// `AUTH_JWT_SECRET` or `PGRST_JWT_SECRET`, and with `JWT_JWKS` also asymmetric keys.
    pub keys: KeySet,
}

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let secret = reader.required(&["AUTH_JWT_SECRET", "PGRST_JWT_SECRET"]);
        let mut keys = KeySet::from_secret(secret.as_bytes());
        if let Some(set) = reader.parse_with(&["JWT_JWKS"], |text| {
            KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string())
        }) {
            keys.extend(set);
        }
        let config = Self {
            host: reader.text_or(&["SERVER_HOST", "HOST"], "0.0.0.0"),
            port: reader.parse_or(&["SERVER_PORT", "PORT"], 5000),
            database_url: reader.required(&["DATABASE_URL"]).into(),
            max_connections: reader.parse_or(&["DATABASE_MAX_CONNECTIONS"], 20),
            keys,
        };
        reader.finish()?;
        Ok(config)
    }
}
