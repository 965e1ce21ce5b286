//! One map of settings per service: flags before the config file before the prefixed environment.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, bail};
use svc_kit::env::Vars;

/// The services that can be configured, as the config file and the prefix name them.
const SERVICES: [&str; 6] = [
    "auth",
    "functions",
    "gateway",
    "realtime",
    "rest",
    "storage",
];

/// What functions-svc has to know of the machine: where Deno is, and how packages are fetched.
const MACHINE: [&str; 13] = [
    "PATH",
    "DENO_BIN",
    "DENO_CERT",
    "DENO_TLS_CA_STORE",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "NPM_CONFIG_REGISTRY",
    "JSR_URL",
    "DENO_AUTH_TOKENS",
];

/// What the operator set for each service, before what standalone itself decides.
#[derive(Debug, Default)]
pub struct Overrides(BTreeMap<String, Vars>);

impl Overrides {
    /// Reads `NILAM_<SERVICE>_<VARIABLE>` from the environment, then the tables of the config file over it.
    ///
    /// A service never sees the environment of this process: a `PORT` meant for something else must not
    /// move it.
    pub fn read(environment: &Vars, config: Option<&Path>) -> anyhow::Result<Self> {
        let mut services: BTreeMap<String, Vars> = BTreeMap::new();
        for service in SERVICES {
            let prefix = format!("NILAM_{}_", service.to_uppercase());
            let machine = environment
                .iter()
                .filter(|(name, _)| service == "functions" && MACHINE.contains(name));
            let own = environment
                .iter()
                .filter_map(|(name, value)| Some((name.strip_prefix(&prefix)?, value)));
            let vars = machine.chain(own).collect();
            services.insert(service.to_owned(), vars);
        }
        if let Some(path) = config {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let tables: BTreeMap<String, BTreeMap<String, toml::Value>> = toml::from_str(&text)
                .with_context(|| {
                    format!("{} is no table of variables per service", path.display())
                })?;
            for (service, table) in tables {
                let Some(vars) = services.get_mut(&service) else {
                    bail!(
                        "{}: there is no service [{service}], only {}",
                        path.display(),
                        SERVICES.join(", ")
                    );
                };
                for (name, value) in table {
                    let text = match value {
                        toml::Value::String(text) => text,
                        toml::Value::Integer(_)
                        | toml::Value::Float(_)
                        | toml::Value::Boolean(_) => value.to_string(),
                        _ => bail!(
                            "{}: [{service}] {name} must be text, a number or true/false",
                            path.display()
                        ),
                    };
                    vars.set(name, text);
                }
            }
        }
        Ok(Self(services))
    }

    /// The settings of one service: what flags decide, and below that what the operator set, and below
    /// that our defaults.
    pub fn vars(
        &self,
        service: &str,
        flags: &[(&str, String)],
        defaults: &[(&str, String)],
    ) -> Vars {
        let mut vars = self.0.get(service).cloned().unwrap_or_default();
        for (name, value) in flags {
            vars.set(*name, value.clone());
        }
        for (name, value) in defaults {
            vars.set_default(*name, value.clone());
        }
        vars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file_and_the_file_over_the_environment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("nilam.toml");
        fs::write(
            &path,
            "[rest]\nPGRST_DB_MAX_ROWS = 7\nPGRST_DB_URI = \"file\"\n",
        )
        .unwrap();
        let environment: Vars = [
            ("NILAM_REST_PGRST_DB_MAX_ROWS", "5"),
            ("NILAM_REST_PGRST_LOG_LEVEL", "info"),
            ("NILAM_REST_PGRST_DB_URI", "environment"),
            ("PGRST_DB_SCHEMAS", "must not reach a mounted service"),
        ]
        .into_iter()
        .collect();
        let overrides = Overrides::read(&environment, Some(&path)).unwrap();
        let vars = overrides.vars(
            "rest",
            &[("PGRST_DB_URI", "flag".to_owned())],
            &[
                ("PGRST_DB_SCHEMAS", "public".to_owned()),
                ("PGRST_LOG_LEVEL", "error".to_owned()),
            ],
        );
        for (name, expected) in [
            ("PGRST_DB_MAX_ROWS", "7"),
            ("PGRST_DB_URI", "flag"),
            ("PGRST_DB_SCHEMAS", "public"),
            ("PGRST_LOG_LEVEL", "info"),
        ] {
            assert_eq!(vars.get(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn a_table_for_no_service_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("nilam.toml");
        fs::write(&path, "[rset]\nX = 1\n").unwrap();
        let error = Overrides::read(&Vars::default(), Some(&path))
            .unwrap_err()
            .to_string();
        assert!(error.contains("[rset]"), "{error}");
    }
}
