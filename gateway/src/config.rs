use std::{path::PathBuf, time::Duration};

use svc_kit::env::{ConfigError, Reader, Vars};
use url::Url;

use crate::{ApiKeys, Service, Upstream, Upstreams};

/// The gateway's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `GATEWAY_HOST`, default `0.0.0.0`.
    pub host: String,
    /// `GATEWAY_PORT` or `KONG_HTTP_PORT`, default 8000.
    pub port: u16,
    /// The known keys.
    pub keys: ApiKeys,
    /// `GATEWAY_REQUIRE_APIKEY`, default true. Off, keys are translated but none is asked for, as in the
    /// CLI's local stack.
    pub require_apikey: bool,
    /// `AUTH_URL`, `REST_URL`, `REST_ADMIN_URL`, `REALTIME_URL`, `STORAGE_URL`, `FUNCTIONS_URL`, `META_URL`.
    pub upstreams: Upstreams,
    /// `GATEWAY_FRONTEND_DIR`: the built front end, if this gateway serves one.
    pub frontend: Option<PathBuf>,
    /// `SUPABASE_PUBLIC_URL`: the URL that `/config.json` tells the front end; empty for the page's own origin.
    pub public_url: String,
    /// `GATEWAY_TIMEOUT`: how long rest and auth may take to answer, default 30 s.
    pub timeout: Duration,
    /// `GATEWAY_FUNCTIONS_TIMEOUT`: the same for functions, default 150 s.
    pub functions_timeout: Duration,
    /// `GATEWAY_MAX_BODY_SIZE`: the largest request body in bytes for everything but storage, default 50 MiB.
    pub max_body_size: usize,
}

const UPSTREAM_VARIABLES: [(&str, Service); 7] = [
    ("AUTH_URL", Service::Auth),
    ("REST_URL", Service::Rest),
    ("REST_ADMIN_URL", Service::RestAdmin),
    ("REALTIME_URL", Service::Realtime),
    ("STORAGE_URL", Service::Storage),
    ("FUNCTIONS_URL", Service::Functions),
    ("META_URL", Service::Meta),
];

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let mut upstreams = Upstreams::default();
        for (name, service) in UPSTREAM_VARIABLES {
            if let Some(url) = reader.parse_with(&[name], parse_upstream) {
                upstreams.set(service, Upstream::Remote(url));
            }
        }
        let config = Self {
            host: reader.text_or(&["GATEWAY_HOST"], "0.0.0.0"),
            port: reader.parse_or(&["GATEWAY_PORT", "KONG_HTTP_PORT"], 8000),
            keys: ApiKeys::read(&reader),
            require_apikey: reader.flag(&["GATEWAY_REQUIRE_APIKEY"], true),
            upstreams,
            frontend: reader.text(&["GATEWAY_FRONTEND_DIR"]).map(PathBuf::from),
            public_url: reader.text_or(&["SUPABASE_PUBLIC_URL"], ""),
            timeout: reader.duration(&["GATEWAY_TIMEOUT"], Duration::from_secs(30)),
            functions_timeout: reader
                .duration(&["GATEWAY_FUNCTIONS_TIMEOUT"], Duration::from_secs(150)),
            max_body_size: reader.parse_or(&["GATEWAY_MAX_BODY_SIZE"], 50 * 1024 * 1024),
        };
        if config.require_apikey
            && config.keys.anon_jwt.is_none()
            && config.keys.publishable.is_none()
        {
            reader.problem("ANON_KEY or SUPABASE_PUBLISHABLE_KEY is required unless GATEWAY_REQUIRE_APIKEY is false");
        }
        reader.finish()?;
        Ok(config)
    }
}

fn parse_upstream(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if url.scheme() == "http" && url.has_host() {
        Ok(url)
    } else {
        Err("expected a URL that starts with http://".to_owned())
    }
}
