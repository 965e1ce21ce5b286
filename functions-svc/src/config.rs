use svc_kit::{
    env::{ConfigError, Reader, Vars},
    jwt::KeySet,
};

use crate::jobs::JobsConfig;

/// The functions service's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `EDGE_RUNTIME_HOST`, default `0.0.0.0`.
    pub host: String,
    /// `EDGE_RUNTIME_PORT` or `PORT`, default 9000.
    pub port: u16,
    /// `VERIFY_JWT`, default true: every call but OPTIONS needs a token.
    pub verify_jwt: bool,
    /// `JWT_SECRET`, and with `SUPABASE_JWKS` also asymmetric keys.
    pub keys: KeySet,
    /// Webhooks and scheduled jobs.
    pub jobs: JobsConfig,
}

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let mut keys = KeySet::default();
        if let Some(secret) = reader.text(&["JWT_SECRET"]) {
            keys.push_secret(secret.as_bytes());
        }
        if let Some(set) = reader.parse_with(&["SUPABASE_JWKS"], |text| {
            KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string())
        }) {
            keys.extend(set);
        }
        let config = Self {
            host: reader.text_or(&["EDGE_RUNTIME_HOST"], "0.0.0.0"),
            port: reader.parse_or(&["EDGE_RUNTIME_PORT", "PORT"], 9000),
            verify_jwt: reader.flag(&["VERIFY_JWT"], true),
            keys,
            jobs: JobsConfig::read(&mut reader),
        };
        if config.verify_jwt && config.keys.is_empty() {
            reader.problem("JWT_SECRET or SUPABASE_JWKS is required unless VERIFY_JWT is false");
        }
        reader.finish()?;
        Ok(config)
    }
}
