//! What the project's configuration means for each service.

use std::collections::BTreeMap;

use serde_json::json;
use svc_kit::env::Vars;

use super::{Config, Project, auth, functions};
use crate::keys::Keys;

/// What the services must know of the platform around them.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The gateway.
    pub(crate) api_url: &'a str,
    /// The mailbox's page.
    pub(crate) mailbox_url: &'a str,
    pub(crate) keys: &'a Keys,
}

/// The project's settings of the services: what it says itself, and what holds for every project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    pub(crate) said: BTreeMap<&'static str, Vars>,
    pub(crate) defaults: BTreeMap<&'static str, Vars>,
}

impl Project {
    /// The settings of all services.
    pub(crate) fn layer(&self, around: &Surroundings<'_>) -> anyhow::Result<Layer> {
        let (silent, _) = Config::parse("", &Vars::default())?;
        let silent = Self {
            config: silent,
            ..self.clone()
        };
        let defaults = silent.settings(around);
        let mut said = BTreeMap::new();
        for (service, vars) in self.settings(around) {
            let differs = vars
                .iter()
                .filter(|(name, value)| {
                    defaults.get(service).and_then(|vars| vars.get(name)) != Some(value)
                })
                .collect();
            said.insert(service, differs);
        }
        Ok(Layer { said, defaults })
    }

    fn settings(&self, around: &Surroundings<'_>) -> BTreeMap<&'static str, Vars> {
        BTreeMap::from([
            ("auth", auth::settings(self, around)),
            ("rest", self.rest()),
            ("storage", self.storage()),
            ("functions", self.functions(around)),
        ])
    }

    fn rest(&self) -> Vars {
        let api = &self.config.api;
        [
            ("PGRST_DB_SCHEMAS", api.schemas.join(",")),
            (
                "PGRST_DB_EXTRA_SEARCH_PATH",
                api.extra_search_path.join(","),
            ),
            ("PGRST_DB_MAX_ROWS", api.max_rows.to_string()),
            (
                "PGRST_APP_SETTINGS_JWT_EXP",
                self.config.auth.jwt_expiry.to_string(),
            ),
        ]
        .into_iter()
        .collect()
    }

    fn storage(&self) -> Vars {
        let storage = &self.config.storage;
        let limit = storage.file_size_limit.0.to_string();
        [
            ("UPLOAD_FILE_SIZE_LIMIT", limit.clone()),
            ("FILE_SIZE_LIMIT", limit),
            (
                "S3_PROTOCOL_ENABLED",
                storage.s3_protocol.enabled.to_string(),
            ),
            (
                "IMAGE_TRANSFORMATION_ENABLED",
                storage.image_transformation.enabled.to_string(),
            ),
            ("UPLOAD_SIGNED_URL_EXPIRATION_TIME", "7200".to_owned()),
        ]
        .into_iter()
        .collect()
    }

    fn functions(&self, around: &Surroundings<'_>) -> Vars {
        let folder = self.dir().join("functions");
        let mut vars: Vars = [
            ("FUNCTIONS_DIR", folder.display().to_string()),
            (
                "FUNCTIONS_SETTINGS",
                json!(functions::settings(self)).to_string(),
            ),
            ("FUNCTIONS_POLICY", self.config.edge_runtime.policy.clone()),
            (
                "SUPABASE_PUBLISHABLE_KEYS",
                json!({ "default": around.keys.publishable_key }).to_string(),
            ),
            (
                "SUPABASE_SECRET_KEYS",
                json!({ "default": around.keys.secret_key }).to_string(),
            ),
        ]
        .into_iter()
        .collect();
        let file = folder.join(".env");
        if file.is_file() {
            vars.set("FUNCTIONS_ENV_FILE", file.display().to_string());
        }
        vars
    }
}
