//! What the service is told, by environment variables.

use std::{num::NonZeroUsize, path::PathBuf, str::FromStr, time::Duration};

use svc_kit::{
    env::{ConfigError, Reader, Vars},
    jwt::KeySet,
};

use url::Url;

use crate::settings::{self, SettingsByName};

mod environment;
mod inspect;

use crate::jobs::JobsConfig;
pub use environment::FunctionEnv;
pub(crate) use environment::{is_secret_name, is_visible};
pub use inspect::{Inspect, InspectMode};

/// The functions service's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `EDGE_RUNTIME_HOST`, default `0.0.0.0`.
    pub host: String,
    /// `EDGE_RUNTIME_PORT` or `PORT`, default 9000.
    pub port: u16,
    /// `VERIFY_JWT`, default true: every call but OPTIONS needs a token, unless its function says otherwise.
    pub verify_jwt: bool,
    /// `JWT_SECRET`, and with `SUPABASE_JWKS` (or `JWKS`) also asymmetric keys.
    pub keys: KeySet,
    /// Where asymmetric keys are read when the first token needs one, if none are given: what the auth service at
    /// `SUPABASE_URL` publishes.
    pub published_keys: Option<Url>,
    /// `FUNCTIONS_RELAY_ERROR`, default false: a refused token is marked `x-relay-error: true`, as an old relay did.
    pub relay_error: bool,
    /// Where functions are and what is said about them.
    pub source: Source,
    /// What each function finds in its environment.
    pub env: FunctionEnv,
    /// Deno and its folders.
    pub deno: Deno,
    /// `FUNCTIONS_POLICY`: whether a process answers many requests or one. Without it `[edge_runtime] policy` of the
    /// project's file decides, else `per_worker`.
    pub policy: Option<Policy>,
    /// What a function may use.
    pub limits: Limits,
    /// Whether functions can be debugged; then the limits of time do not hold.
    pub inspect: Option<Inspect>,
    /// Webhooks and scheduled jobs.
    pub jobs: JobsConfig,
}

/// Where functions are and what is said about them.
#[derive(Clone, Debug)]
pub struct Source {
    /// `FUNCTIONS_DIR`, default `/home/deno/functions`: a folder with a folder per function.
    pub dir: PathBuf,
    /// `FUNCTIONS_MAIN_SERVICE`: the name of a folder in it that is the original's main service, and no function.
    pub main_service: Option<String>,
    /// `FUNCTIONS_CONFIG_FILE`, default `config.toml` beside [`Source::dir`]: the project's file, read if it exists and
    /// again when it changes.
    pub config_file: PathBuf,
    /// `FUNCTIONS_ENV_FILE`, default `.env` in [`Source::dir`]: secrets of all functions, read as [`Source::config_file`] is.
    pub env_file: PathBuf,
    /// `FUNCTIONS_SETTINGS`: JSON, per function name an object with any of `verify_jwt`, `enabled`, `entrypoint`,
    /// `import_map`, `static_files`, `env`. It wins over the project's file.
    pub settings: SettingsByName,
    /// `FUNCTIONS_WATCH_INTERVAL`, default 500ms: how often files are looked at for changes; 0 never.
    pub watch_interval: Duration,
}

/// Deno and its folders.
#[derive(Clone, Debug)]
pub struct Deno {
    /// `DENO_BIN`. Without it `deno` is looked for on `PATH`, and in `node_modules` near the working folder and this binary.
    pub binary: Option<PathBuf>,
    /// `PATH` of this process.
    pub search_path: Option<String>,
    /// `FUNCTIONS_CACHE_DIR`, default `$XDG_CACHE_HOME/nilam-functions` or `~/.cache/nilam-functions`, else in the
    /// temporary folder: packages and compiled code, kept between starts.
    pub cache_dir: PathBuf,
    /// `FUNCTIONS_RUN_DIR`, default the temporary folder: where a folder is made for sockets and the `/tmp` of processes. Paths of
    /// sockets are short, so this should be.
    pub run_dir: Option<PathBuf>,
    /// `FUNCTIONS_BUNDLE`, default true: modules that import packages are put into one beforehand.
    pub bundles: bool,
    /// Variables by which a package registry or a proxy is chosen; only fetching packages sees them.
    pub fetch_env: Vec<(String, String)>,
    /// Variables that say whose certificates are trusted, for fetching packages and for what functions fetch.
    pub trust_env: Vec<(String, String)>,
}

/// Whether a process answers many requests or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// A process answers requests until it is idle, old or replaced.
    PerWorker,
    /// A process answers one request, so that a change of a file is seen by the next one.
    Oneshot,
}

impl FromStr for Policy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "per_worker" => Ok(Self::PerWorker),
            // What a request has to itself is the same under both names here.
            "oneshot" | "per_request" => Ok(Self::Oneshot),
            _ => Err("expected per_worker or oneshot"),
        }
    }
}

/// What a function may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// `FUNCTIONS_MAX_PARALLELISM`, default 64: processes that serve at a time, of all functions together.
    pub max_workers: NonZeroUsize,
    /// `FUNCTIONS_MAX_REQUESTS`, default 1024: requests in one process at a time.
    pub max_requests: NonZeroUsize,
    /// `FUNCTIONS_REQUEST_WAIT_TIMEOUT`, default 10s: how long a request waits for a process.
    pub request_wait: Duration,
    /// `FUNCTIONS_REQUEST_IDLE_TIMEOUT`, default 150s: how long a function may take until it begins to answer.
    pub request_idle: Duration,
    /// `FUNCTIONS_IDLE_TIMEOUT`, default 60s: after this time without a request a process is stopped.
    pub worker_idle: Duration,
    /// `FUNCTIONS_WALL_CLOCK_LIMIT`, default 400s: the age at which a process is killed. At half of it, it gets no more requests.
    pub wall_clock: Duration,
    /// `FUNCTIONS_CPU_SOFT_LIMIT`, default 1s: CPU time of a request after which its process gets no more requests.
    pub cpu_soft: Duration,
    /// `FUNCTIONS_CPU_HARD_LIMIT`, default 2s: CPU time of a request after which its process is killed.
    pub cpu_hard: Duration,
    /// `FUNCTIONS_MEMORY_LIMIT_MB`, default 256: of a process, in MiB.
    pub memory_mb: u64,
    /// `FUNCTIONS_TMP_LIMIT_MB`, default 256: of the files in a process's `/tmp`, in MiB.
    pub tmp_mb: u64,
    /// `FUNCTIONS_POOL_SIZE`, default 2: processes that are started before they are needed.
    pub spares: usize,
    /// `FUNCTIONS_PREPARE_TIMEOUT`, default 120s: how long fetching the packages of a function may take.
    pub prepare: Duration,
}

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let mut keys = KeySet::default();
        if let Some(secret) = reader.text(&["JWT_SECRET"]) {
            keys.push_secret(secret.as_bytes());
        }
        let given = reader.parse_with(&["SUPABASE_JWKS", "JWKS"], |text| {
            serde_json::from_str(text)
                .map_err(|_| "expected a set of keys in JSON".to_owned())
                .and_then(|set| KeySet::from_jwks(&set).map_err(|error| error.to_string()))
        });
        let published_keys = match given {
            Some(set) => {
                keys.extend(set);
                None
            }
            None => reader.text(&["SUPABASE_URL"]).and_then(|url| {
                Url::parse(url)
                    .ok()?
                    .join("/auth/v1/.well-known/jwks.json")
                    .ok()
            }),
        };
        let (inspect, limits) = (Inspect::read(&mut reader), limits(&mut reader));
        let config = Self {
            host: reader.text_or(&["EDGE_RUNTIME_HOST"], "0.0.0.0"),
            port: reader.parse_or(&["EDGE_RUNTIME_PORT", "PORT"], 9000),
            verify_jwt: reader.flag(&["VERIFY_JWT"], true),
            keys,
            published_keys,
            relay_error: reader.flag(&["FUNCTIONS_RELAY_ERROR"], false),
            source: source(&mut reader),
            env: FunctionEnv::from_vars(vars),
            deno: deno(&mut reader, vars),
            policy: reader.parse(&["FUNCTIONS_POLICY"]),
            limits: match inspect {
                Some(_) => limits.while_inspected(),
                None => limits,
            },
            inspect,
            jobs: JobsConfig::read(&mut reader),
        };
        if config.verify_jwt && config.keys.is_empty() {
            reader.problem("JWT_SECRET or SUPABASE_JWKS is required unless VERIFY_JWT is false");
        }
        reader.finish()?;
        Ok(config)
    }
}

fn source(reader: &mut Reader<'_>) -> Source {
    let given = PathBuf::from(reader.text_or(&["FUNCTIONS_DIR"], "/home/deno/functions"));
    // Modules are named by absolute URLs, and Deno's permissions by real paths.
    let dir = std::fs::canonicalize(&given)
        .or_else(|_| std::path::absolute(&given))
        .unwrap_or(given);
    let config_file = reader.text(&["FUNCTIONS_CONFIG_FILE"]).map_or_else(
        || dir.parent().unwrap_or(&dir).join("config.toml"),
        PathBuf::from,
    );
    let env_file = reader
        .text(&["FUNCTIONS_ENV_FILE"])
        .map_or_else(|| dir.join(".env"), PathBuf::from);
    Source {
        main_service: reader.text(&["FUNCTIONS_MAIN_SERVICE"]).map(str::to_owned),
        config_file,
        env_file,
        settings: reader
            .parse_with(&["FUNCTIONS_SETTINGS"], settings::from_json)
            .unwrap_or_default(),
        watch_interval: reader.duration(&["FUNCTIONS_WATCH_INTERVAL"], Duration::from_millis(500)),
        dir,
    }
}

fn deno(reader: &mut Reader<'_>, vars: &Vars) -> Deno {
    const FETCH: [&str; 10] = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "NPM_CONFIG_REGISTRY",
        "npm_config_registry",
        "JSR_URL",
        "DENO_AUTH_TOKENS",
    ];
    const TRUST: [&str; 5] = [
        "DENO_CERT",
        "DENO_TLS_CA_STORE",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ];
    let present = |names: &[&str]| -> Vec<(String, String)> {
        names
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), vars.non_empty(name)?.to_owned())))
            .collect()
    };
    let cache_dir = reader.text(&["FUNCTIONS_CACHE_DIR"]).map_or_else(
        || {
            let base = reader
                .text(&["XDG_CACHE_HOME"])
                .map(PathBuf::from)
                .or_else(|| Some(PathBuf::from(reader.text(&["HOME"])?).join(".cache")))
                .unwrap_or_else(std::env::temp_dir);
            base.join("nilam-functions")
        },
        PathBuf::from,
    );
    Deno {
        binary: reader.text(&["DENO_BIN"]).map(PathBuf::from),
        search_path: reader.text(&["PATH"]).map(str::to_owned),
        cache_dir: std::path::absolute(&cache_dir).unwrap_or(cache_dir),
        run_dir: reader
            .text(&["FUNCTIONS_RUN_DIR"])
            .map(|dir| std::path::absolute(dir).unwrap_or_else(|_| PathBuf::from(dir))),
        bundles: reader.flag(&["FUNCTIONS_BUNDLE"], true),
        fetch_env: present(&FETCH),
        trust_env: present(&TRUST),
    }
}

fn limits(reader: &mut Reader<'_>) -> Limits {
    const DEFAULT_WORKERS: NonZeroUsize = NonZeroUsize::new(64).unwrap();
    const DEFAULT_REQUESTS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();
    let mut seconds = |name: &str, default: u64| {
        let limit = reader.duration(&[name], Duration::from_secs(default));
        if limit.is_zero() {
            reader.problem(format!("{name}: must be more than 0"));
        }
        limit
    };
    let limits = Limits {
        request_wait: seconds("FUNCTIONS_REQUEST_WAIT_TIMEOUT", 10),
        request_idle: seconds("FUNCTIONS_REQUEST_IDLE_TIMEOUT", 150),
        worker_idle: seconds("FUNCTIONS_IDLE_TIMEOUT", 60),
        wall_clock: seconds("FUNCTIONS_WALL_CLOCK_LIMIT", 400),
        cpu_soft: seconds("FUNCTIONS_CPU_SOFT_LIMIT", 1),
        cpu_hard: seconds("FUNCTIONS_CPU_HARD_LIMIT", 2),
        prepare: seconds("FUNCTIONS_PREPARE_TIMEOUT", 120),
        max_workers: reader.parse_or(&["FUNCTIONS_MAX_PARALLELISM"], DEFAULT_WORKERS),
        max_requests: reader.parse_or(&["FUNCTIONS_MAX_REQUESTS"], DEFAULT_REQUESTS),
        memory_mb: reader.parse_or(&["FUNCTIONS_MEMORY_LIMIT_MB"], 256),
        tmp_mb: reader.parse_or(&["FUNCTIONS_TMP_LIMIT_MB"], 256),
        spares: reader.parse_or(&["FUNCTIONS_POOL_SIZE"], 2),
    };
    if limits.memory_mb < 32 {
        reader.problem("FUNCTIONS_MEMORY_LIMIT_MB: a process needs 32 at least");
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let vars: Vars = vars
            .iter()
            .copied()
            .chain([("VERIFY_JWT", "false")])
            .collect();
        Config::from_vars(&vars)
    }

    #[test]
    fn files_are_looked_for_around_the_folder() {
        let config = read(&[("FUNCTIONS_DIR", "/nowhere/supabase/functions")]).unwrap();
        assert_eq!(
            config.source.config_file,
            PathBuf::from("/nowhere/supabase/config.toml")
        );
        assert_eq!(
            config.source.env_file,
            PathBuf::from("/nowhere/supabase/functions/.env")
        );
    }

    #[test]
    fn wrong_limits_and_settings_are_all_named() {
        let error = read(&[
            ("FUNCTIONS_POLICY", "sometimes"),
            ("FUNCTIONS_SETTINGS", "{\"a\": {\"verify_jwt\": 3}}"),
            ("FUNCTIONS_WALL_CLOCK_LIMIT", "0"),
            ("FUNCTIONS_MAX_PARALLELISM", "0"),
            ("FUNCTIONS_MEMORY_LIMIT_MB", "1"),
        ])
        .unwrap_err()
        .to_string();
        for name in [
            "FUNCTIONS_POLICY",
            "FUNCTIONS_SETTINGS",
            "FUNCTIONS_WALL_CLOCK_LIMIT",
            "FUNCTIONS_MAX_PARALLELISM",
            "FUNCTIONS_MEMORY_LIMIT_MB",
        ] {
            assert!(error.contains(name), "{name}: {error}");
        }
    }
}
