//! One map of settings per service: flags before the config file before what a project says before the prefixed
//! environment, and at last the defaults, of projects and of our own.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, bail};
use svc_kit::env::Vars;

use crate::project::Layer;

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
pub struct Overrides {
    environment: BTreeMap<String, Vars>,
    file: BTreeMap<String, Vars>,
}

impl Overrides {
    /// Reads `NILAM_<SERVICE>_<VARIABLE>` from the environment, then the tables of the config file over it.
    ///
    /// A service never sees the environment of this process: a `PORT` meant for something else must not
    /// move it.
    pub fn read(environment: &Vars, config: Option<&Path>) -> anyhow::Result<Self> {
        let mut overrides = Self::default();
        for service in SERVICES {
            let prefix = format!("NILAM_{}_", service.to_uppercase());
            let machine = environment
                .iter()
                .filter(|(name, _)| service == "functions" && MACHINE.contains(name));
            let own = environment
                .iter()
                .filter_map(|(name, value)| Some((name.strip_prefix(&prefix)?, value)));
            let vars = machine.chain(own).collect();
            overrides.environment.insert(service.to_owned(), vars);
            overrides.file.insert(service.to_owned(), Vars::default());
        }
        if let Some(path) = config {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let tables: BTreeMap<String, BTreeMap<String, toml::Value>> = toml::from_str(&text)
                .with_context(|| {
                    format!("{} is no table of variables per service", path.display())
                })?;
            for (service, table) in tables {
                let Some(vars) = overrides.file.get_mut(&service) else {
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
        Ok(overrides)
    }

    /// The settings of one service: what flags decide, and below that what the operator and the project
    /// set, and below that the defaults.
    pub(crate) fn vars(
        &self,
        service: &str,
        layer: &Layer,
        flags: &[(&str, String)],
        defaults: &[(&str, String)],
    ) -> Vars {
        let mut vars = self.environment.get(service).cloned().unwrap_or_default();
        for set in [layer.said.get(service), self.file.get(service)] {
            for (name, value) in set.into_iter().flat_map(Vars::iter) {
                vars.set(name, value);
            }
        }
        for (name, value) in flags {
            vars.set(*name, value.clone());
        }
        for (name, value) in layer.defaults.get(service).into_iter().flat_map(Vars::iter) {
            vars.set_default(name, value);
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
    fn flags_win_over_the_file_then_comes_the_project_then_the_environment_then_defaults() {
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
            ("NILAM_REST_PGRST_JWT_ROLE_CLAIM_KEY", "environment"),
            ("PGRST_DB_SCHEMAS", "must not reach a mounted service"),
        ]
        .into_iter()
        .collect();
        let overrides = Overrides::read(&environment, Some(&path)).unwrap();
        let layer = Layer {
            said: [(
                "rest",
                [
                    ("PGRST_DB_MAX_ROWS", "6"),
                    ("PGRST_LOG_LEVEL", "warn"),
                    ("PGRST_DB_URI", "project"),
                ]
                .into_iter()
                .collect(),
            )]
            .into(),
            defaults: [(
                "rest",
                [
                    ("PGRST_DB_EXTRA_SEARCH_PATH", "of all projects"),
                    ("PGRST_JWT_ROLE_CLAIM_KEY", "of all projects"),
                ]
                .into_iter()
                .collect(),
            )]
            .into(),
        };
        let vars = overrides.vars(
            "rest",
            &layer,
            &[("PGRST_DB_URI", "flag".to_owned())],
            &[
                ("PGRST_DB_SCHEMAS", "public".to_owned()),
                ("PGRST_LOG_LEVEL", "error".to_owned()),
                ("PGRST_DB_EXTRA_SEARCH_PATH", "ours".to_owned()),
            ],
        );
        for (name, expected) in [
            ("PGRST_DB_MAX_ROWS", "7"),
            ("PGRST_DB_URI", "flag"),
            ("PGRST_DB_SCHEMAS", "public"),
            ("PGRST_LOG_LEVEL", "warn"),
            ("PGRST_JWT_ROLE_CLAIM_KEY", "environment"),
            ("PGRST_DB_EXTRA_SEARCH_PATH", "of all projects"),
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
