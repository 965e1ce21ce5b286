//! The gateway's settings. `docs/gateway.md` lists the variables.

mod file;

use std::{net::IpAddr, path::PathBuf, time::Duration};

use ipnet::IpNet;
use svc_kit::env::{ConfigError, Reader, Vars};
use url::Url;

use crate::{ApiKeys, RateSettings, Service, Upstream, Upstreams};

pub use file::with_file;

/// The gateway's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `GATEWAY_HOST`, default `0.0.0.0`.
    pub host: String,
    /// `GATEWAY_PORT` or `KONG_HTTP_PORT`, default 8000.
    pub port: u16,
    /// How connections of clients are taken.
    pub serving: Serving,
    /// The known keys.
    pub keys: ApiKeys,
    /// `GATEWAY_REQUIRE_APIKEY`, default true. Off, keys are translated but none is asked for, as in the
    /// CLI's local stack.
    pub require_apikey: bool,
    /// `AUTH_URL`, `REST_URL`, `REST_ADMIN_URL`, `REALTIME_URL`, `STORAGE_URL`, `FUNCTIONS_URL`, `META_URL`: one URL,
    /// or several behind commas.
    pub upstreams: Upstreams,
    /// How requests are spread over the copies of a service.
    pub balancing: Balancing,
    /// `GATEWAY_FRONTEND_DIR`: the built front end, if this gateway serves one.
    pub frontend: Option<PathBuf>,
    /// `SUPABASE_PUBLIC_URL`: the URL that `/config.json` tells the front end; empty for the page's own origin.
    pub public_url: String,
    /// `GATEWAY_TRUSTED_PROXIES`: addresses and networks whose `X-Forwarded-*` are believed, default none.
    pub trusted_proxies: Vec<IpNet>,
    /// `GATEWAY_TIMEOUT`: how long rest and auth may take to answer, default 30 s.
    pub timeout: Duration,
    /// `GATEWAY_FUNCTIONS_TIMEOUT`: the same for functions, default 150 s.
    pub functions_timeout: Duration,
    /// `GATEWAY_MAX_BODY_SIZE`: the largest request body in bytes for everything but storage, default 50 MiB.
    pub max_body_size: u64,
    /// How many requests an address or a key may send.
    pub rates: RateSettings,
}

/// How connections of clients are taken.
#[derive(Clone, Debug)]
pub struct Serving {
    /// `GATEWAY_WORKERS`: threads that serve connections, default one per core.
    pub workers: usize,
    /// `GATEWAY_ADMIN_HOST`, default `127.0.0.1`, and `GATEWAY_ADMIN_PORT`: where health and metrics are, if anywhere.
    pub admin: Option<(String, u16)>,
    /// `GATEWAY_MAX_CONNECTIONS`: connections of clients at a time, default what open files allow.
    pub max_connections: Option<usize>,
    /// `GATEWAY_MAX_CONNECTIONS_PER_IP`: the same of one address, default any number.
    pub max_connections_per_ip: Option<usize>,
    /// `GATEWAY_HEADER_TIMEOUT`: how long a request's headers may take, and how long a connection may be idle,
    /// default 60 s.
    pub header_timeout: Duration,
    /// `GATEWAY_MAX_HEADER_SIZE`: the largest head of a request in bytes, default 128 KiB.
    pub max_header_size: usize,
    /// `GATEWAY_DRAIN_TIMEOUT`: how long requests may still run after SIGTERM, default 25 s.
    pub drain_timeout: Duration,
    /// `GATEWAY_ACCESS_LOG`: `stdout`, `stderr`, `off` or a file, default `stdout`.
    pub access_log: AccessLogTarget,
    /// `LOG_FORMAT=json`: the access log is JSON.
    pub json_log: bool,
    /// HTTPS, if it is spoken.
    pub tls: Option<TlsSettings>,
}

/// HTTPS.
#[derive(Clone, Debug)]
pub struct TlsSettings {
    /// `GATEWAY_HTTPS_PORT` or `KONG_HTTPS_PORT`, default 8443.
    pub port: u16,
    /// Where the certificate comes from.
    pub source: TlsSource,
}

/// Where a certificate comes from.
#[derive(Clone, Debug)]
pub enum TlsSource {
    /// `GATEWAY_TLS_CERT` and `GATEWAY_TLS_KEY`: PEM files, read again when they change.
    Files {
        /// The certificate and those that lead to a root.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
    /// An authority that speaks ACME.
    Acme(AcmeSettings),
}

/// An authority that speaks ACME. The port must be reachable as 443 under each name.
#[derive(Clone, Debug)]
pub struct AcmeSettings {
    /// `GATEWAY_ACME_DOMAINS`: names behind commas.
    pub domains: Vec<String>,
    /// `GATEWAY_ACME_EMAIL`: whom the authority writes to.
    pub email: Option<String>,
    /// `GATEWAY_ACME_CACHE`: the folder of accounts and certificates, default `acme`.
    pub cache: PathBuf,
    /// `GATEWAY_ACME_DIRECTORY`: the authority, default Let's Encrypt.
    pub directory: String,
    /// `GATEWAY_ACME_CA`: roots in PEM that the authority's own certificate leads to, default the system's.
    pub roots: Option<PathBuf>,
}

/// Where the access log goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessLogTarget {
    /// Nowhere.
    Off,
    /// The process's standard output.
    Stdout,
    /// The process's standard error.
    Stderr,
    /// A file that is appended to; SIGHUP opens it anew.
    File(PathBuf),
}

/// How requests are spread over the copies of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balancing {
    /// `GATEWAY_CONNECT_TIMEOUT`, default 5 s.
    pub connect_timeout: Duration,
    /// `GATEWAY_IDLE_TIMEOUT`: how long nothing may move in a body or on a web socket, and how long storage and
    /// realtime may think, default 300 s.
    pub idle_timeout: Duration,
    /// `GATEWAY_UPSTREAM_IDLE_CONNECTIONS`: kept for each thread and copy, default 64.
    pub idle_connections: usize,
    /// `GATEWAY_UPSTREAM_IDLE_TIMEOUT`: how long they are kept, default 55 s.
    pub idle_age: Duration,
    /// `GATEWAY_UPSTREAM_MAX_REQUESTS`: under way to one copy, default 10,000; beyond it answers are 503.
    pub max_requests: usize,
    /// `GATEWAY_CHECK_INTERVAL`: how often copies are asked whether they are ready, default 5 s, 0 for never.
    pub check_interval: Duration,
    /// `GATEWAY_DNS_INTERVAL`: how often names of services are looked up, default 10 s.
    pub lookup_interval: Duration,
    /// `GATEWAY_REALTIME_HOST`: the `Host` that realtime gets, whose first part is its tenant, default
    /// `realtime-dev.supabase-realtime`.
    pub realtime_host: String,
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
            if let Some(urls) = reader.parse_with(&[name], parse_upstream) {
                upstreams.set(service, Upstream::Remote(urls));
            }
        }
        let config = Self {
            host: reader.text_or(&["GATEWAY_HOST"], "0.0.0.0"),
            port: reader.parse_or(&["GATEWAY_PORT", "KONG_HTTP_PORT"], 8000),
            serving: Serving::read(&mut reader),
            keys: ApiKeys::read(&mut reader),
            require_apikey: reader.flag(&["GATEWAY_REQUIRE_APIKEY"], true),
            upstreams,
            balancing: Balancing::read(&mut reader),
            frontend: reader.text(&["GATEWAY_FRONTEND_DIR"]).map(PathBuf::from),
            public_url: reader.text_or(&["SUPABASE_PUBLIC_URL"], ""),
            trusted_proxies: reader
                .parse_with(&["GATEWAY_TRUSTED_PROXIES"], parse_networks)
                .unwrap_or_default(),
            timeout: reader.duration(&["GATEWAY_TIMEOUT"], Duration::from_secs(30)),
            functions_timeout: reader
                .duration(&["GATEWAY_FUNCTIONS_TIMEOUT"], Duration::from_secs(150)),
            max_body_size: reader.parse_or(&["GATEWAY_MAX_BODY_SIZE"], 50 * 1024 * 1024),
            rates: RateSettings::read(&mut reader),
        };
        if config.require_apikey && !config.keys.has_public() {
            reader.problem("ANON_KEY or SUPABASE_PUBLISHABLE_KEY is required unless GATEWAY_REQUIRE_APIKEY is false");
        }
        reader.finish()?;
        Ok(config)
    }
}

impl Serving {
    fn read(reader: &mut Reader<'_>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let admin_host = reader.text_or(&["GATEWAY_ADMIN_HOST"], "127.0.0.1");
        let admin_port = reader.parse(&["GATEWAY_ADMIN_PORT"]);
        let access_log = match reader.text(&["GATEWAY_ACCESS_LOG"]) {
            None | Some("stdout") => AccessLogTarget::Stdout,
            Some("stderr") => AccessLogTarget::Stderr,
            Some("off") => AccessLogTarget::Off,
            Some(path) => AccessLogTarget::File(path.into()),
        };
        Self {
            workers: reader.parse_or(&["GATEWAY_WORKERS"], cores).max(1),
            admin: admin_port.map(|port| (admin_host, port)),
            max_connections: reader.parse(&["GATEWAY_MAX_CONNECTIONS"]),
            max_connections_per_ip: reader.parse(&["GATEWAY_MAX_CONNECTIONS_PER_IP"]),
            header_timeout: reader.duration(&["GATEWAY_HEADER_TIMEOUT"], Duration::from_secs(60)),
            max_header_size: reader.parse_or(&["GATEWAY_MAX_HEADER_SIZE"], 128 * 1024),
            drain_timeout: reader.duration(&["GATEWAY_DRAIN_TIMEOUT"], Duration::from_secs(25)),
            access_log,
            json_log: reader.text(&["LOG_FORMAT"]) == Some("json"),
            tls: TlsSettings::read(reader),
        }
    }
}

impl TlsSettings {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let path = |reader: &Reader<'_>, name| reader.text(&[name]).map(PathBuf::from);
        let files = (
            path(reader, "GATEWAY_TLS_CERT"),
            path(reader, "GATEWAY_TLS_KEY"),
        );
        let domains = reader.text(&["GATEWAY_ACME_DOMAINS"]);
        let source = match (files, domains) {
            ((Some(certificate), Some(key)), None) => TlsSource::Files { certificate, key },
            ((None, None), Some(domains)) => TlsSource::Acme(AcmeSettings {
                domains: domains
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .collect(),
                email: reader.text(&["GATEWAY_ACME_EMAIL"]).map(str::to_owned),
                cache: reader.text_or(&["GATEWAY_ACME_CACHE"], "acme").into(),
                directory: reader.text_or(
                    &["GATEWAY_ACME_DIRECTORY"],
                    "https://acme-v02.api.letsencrypt.org/directory",
                ),
                roots: path(reader, "GATEWAY_ACME_CA"),
            }),
            ((None, None), None) => return None,
            _ => {
                reader.problem("HTTPS needs GATEWAY_TLS_CERT with GATEWAY_TLS_KEY, or GATEWAY_ACME_DOMAINS alone");
                return None;
            }
        };
        let port = reader.parse_or(&["GATEWAY_HTTPS_PORT", "KONG_HTTPS_PORT"], 8443);
        Some(Self { port, source })
    }
}

impl Balancing {
    fn read(reader: &mut Reader<'_>) -> Self {
        let seconds = Duration::from_secs;
        Self {
            connect_timeout: reader.duration(&["GATEWAY_CONNECT_TIMEOUT"], seconds(5)),
            idle_timeout: reader.duration(&["GATEWAY_IDLE_TIMEOUT"], seconds(300)),
            idle_connections: reader.parse_or(&["GATEWAY_UPSTREAM_IDLE_CONNECTIONS"], 64),
            idle_age: reader.duration(&["GATEWAY_UPSTREAM_IDLE_TIMEOUT"], seconds(55)),
            max_requests: reader.parse_or(&["GATEWAY_UPSTREAM_MAX_REQUESTS"], 10_000),
            check_interval: reader.duration(&["GATEWAY_CHECK_INTERVAL"], seconds(5)),
            lookup_interval: reader.duration(&["GATEWAY_DNS_INTERVAL"], seconds(10)),
            realtime_host: reader
                .text_or(&["GATEWAY_REALTIME_HOST"], "realtime-dev.supabase-realtime"),
        }
    }
}

fn parse_upstream(text: &str) -> Result<Vec<Url>, String> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let url = Url::parse(part).map_err(|error| error.to_string())?;
            if url.scheme() == "http" && url.has_host() {
                Ok(url)
            } else {
                Err("expected URLs that start with http://".to_owned())
            }
        })
        .collect()
}

fn parse_networks(text: &str) -> Result<Vec<IpNet>, String> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let network = part
                .parse()
                .or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            network.map_err(|_| "expected addresses and networks such as 10.0.0.0/8".to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let all = pairs.iter().chain(&[("ANON_KEY", "a")]).copied();
        Config::from_vars(&all.collect())
    }

    #[test]
    fn lists_have_commas() {
        let config = read(&[
            ("REST_URL", "http://a:3000, http://b:3000"),
            ("GATEWAY_TRUSTED_PROXIES", "10.0.0.0/8,::1"),
        ]);
        let config = config.unwrap();
        let Some(Upstream::Remote(urls)) = config.upstreams.0.get(&Service::Rest) else {
            panic!("no upstream");
        };
        assert_eq!(urls.len(), 2);
        assert_eq!(config.trusted_proxies.len(), 2);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let error = read(&[
            ("REST_URL", "https://a"),
            ("GATEWAY_TRUSTED_PROXIES", "everybody"),
            ("SUPABASE_SECRET_KEY", "{sb_secret_x"),
        ]);
        let error = error.unwrap_err().to_string();
        for name in ["REST_URL", "GATEWAY_TRUSTED_PROXIES", "SUPABASE_SECRET_KEY"] {
            assert!(error.contains(name), "{error}");
        }
        assert!(!error.contains("sb_secret"), "{error}");
    }
}
