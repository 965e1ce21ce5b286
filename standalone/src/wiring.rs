//! What only standalone knows, as settings of the services.

use std::{net::IpAddr, path::Path};

use svc_kit::env::Vars;

use crate::{
    compose::{Https, LOOPBACK},
    database::Database,
    keys::Keys,
    project::Layer,
    server,
    settings::Overrides,
    state::{self, Endpoints},
};

/// What only standalone knows, as settings of the services.
pub(crate) struct Wiring<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) data_dir: &'a Path,
    pub(crate) endpoints: &'a Endpoints,
    pub(crate) host: IpAddr,
    /// Set if clients get HTTPS.
    pub(crate) https: Option<&'a Https>,
    /// Where functions find the API.
    pub(crate) inner_url: String,
    pub(crate) database: &'a Database,
    pub(crate) overrides: &'a Overrides,
    /// What a project says, if one is served.
    pub(crate) layer: &'a Layer,
    pub(crate) smtp_port: u16,
}

fn text(value: impl std::fmt::Display) -> String {
    value.to_string()
}

impl Wiring<'_> {
    fn vars(&self, service: &str, flags: &[(&str, String)], defaults: &[(&str, String)]) -> Vars {
        // A flag without a value decides nothing.
        let flags: Vec<_> = flags
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .cloned()
            .collect();
        self.overrides.vars(service, self.layer, &flags, defaults)
    }

    pub(crate) fn auth(&self) -> Vars {
        self.vars(
            "auth",
            &[
                (
                    "GOTRUE_DB_DATABASE_URL",
                    self.database.url_as("supabase_auth_admin"),
                ),
                ("GOTRUE_JWT_SECRET", self.keys.jwt_secret.clone()),
                (
                    "GOTRUE_JWT_KEYS",
                    self.keys.signing_keys.clone().unwrap_or_default(),
                ),
            ],
            &[
                ("GOTRUE_DB_DRIVER", text("postgres")),
                (
                    "API_EXTERNAL_URL",
                    format!("{}/auth/v1", self.endpoints.api_url),
                ),
                ("GOTRUE_SITE_URL", self.endpoints.api_url.clone()),
                (
                    "GOTRUE_URI_ALLOW_LIST",
                    format!(
                        "{0}/**,http://localhost:5173/**,http://127.0.0.1:5173/**",
                        self.endpoints.api_url
                    ),
                ),
                ("GOTRUE_JWT_AUD", text("authenticated")),
                ("GOTRUE_JWT_DEFAULT_GROUP_NAME", text("authenticated")),
                ("GOTRUE_JWT_ADMIN_ROLES", text("service_role")),
                ("GOTRUE_JWT_EXP", text(3600)),
                (
                    "GOTRUE_JWT_ISSUER",
                    format!("{}/auth/v1", self.endpoints.api_url),
                ),
                ("GOTRUE_DISABLE_SIGNUP", text(false)),
                ("GOTRUE_EXTERNAL_EMAIL_ENABLED", text(true)),
                ("GOTRUE_EXTERNAL_PHONE_ENABLED", text(true)),
                ("GOTRUE_MAILER_AUTOCONFIRM", text(false)),
                ("GOTRUE_SMS_AUTOCONFIRM", text(false)),
                ("GOTRUE_MAILER_URLPATHS_INVITE", text("/auth/v1/verify")),
                (
                    "GOTRUE_MAILER_URLPATHS_CONFIRMATION",
                    text("/auth/v1/verify"),
                ),
                ("GOTRUE_MAILER_URLPATHS_RECOVERY", text("/auth/v1/verify")),
                (
                    "GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE",
                    text("/auth/v1/verify"),
                ),
                ("GOTRUE_SMS_OTP_EXP", text(6000)),
                ("GOTRUE_RATE_LIMIT_EMAIL_SENT", text(360_000)),
                ("GOTRUE_SMTP_HOST", text(LOOPBACK)),
                ("GOTRUE_SMTP_PORT", text(self.smtp_port)),
                ("GOTRUE_SMTP_ADMIN_EMAIL", text("no-reply@nilam.example")),
                ("GOTRUE_SMTP_SENDER_NAME", text("Nilam")),
                ("GOTRUE_SMTP_MAX_FREQUENCY", text("1s")),
                ("GOTRUE_SMS_MAX_FREQUENCY", text("1s")),
                ("GOTRUE_HOOK_SEND_SMS_ENABLED", text(true)),
                (
                    "GOTRUE_HOOK_SEND_SMS_URI",
                    format!("{}/hooks/send-sms", self.endpoints.mailpit_url),
                ),
                (
                    "GOTRUE_HOOK_SEND_SMS_SECRETS",
                    self.keys.sms_hook_secret.clone(),
                ),
                ("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", text(true)),
                ("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", text(10)),
                ("GOTRUE_PASSWORD_MIN_LENGTH", text(6)),
            ],
        )
    }

    pub(crate) fn rest(&self) -> Vars {
        self.vars(
            "rest",
            &[
                ("PGRST_DB_URI", self.database.url_as("authenticator")),
                ("PGRST_JWT_SECRET", text(self.keys.verification())),
            ],
            &[
                ("PGRST_DB_SCHEMAS", text("public,graphql_public")),
                ("PGRST_DB_EXTRA_SEARCH_PATH", text("public,extensions")),
                ("PGRST_DB_ANON_ROLE", text("anon")),
                ("PGRST_DB_MAX_ROWS", text(1000)),
                ("PGRST_APP_SETTINGS_JWT_EXP", text(3600)),
                ("PGRST_ADMIN_SERVER_PORT", String::new()),
            ],
        )
    }

    pub(crate) fn storage(&self) -> Vars {
        self.vars(
            "storage",
            &[
                (
                    "DATABASE_URL",
                    self.database.url_as("supabase_storage_admin"),
                ),
                ("AUTH_JWT_SECRET", self.keys.jwt_secret.clone()),
                ("PGRST_JWT_SECRET", self.keys.jwt_secret.clone()),
                ("JWT_JWKS", self.keys.jwks.clone().unwrap_or_default()),
                ("ANON_KEY", self.keys.anon_key.clone()),
                ("SERVICE_KEY", self.keys.service_role_key.clone()),
            ],
            &[
                ("STORAGE_BACKEND", text("file")),
                (
                    "STORAGE_FILE_BACKEND_PATH",
                    text(self.data_dir.join("storage").display()),
                ),
                ("TENANT_ID", text("stub")),
                ("REGION", text(state::S3_REGION)),
                ("UPLOAD_FILE_SIZE_LIMIT", text(50 * 1024 * 1024)),
                ("STORAGE_PUBLIC_URL", self.endpoints.api_url.clone()),
                ("REQUEST_ALLOW_X_FORWARDED_PATH", text(true)),
                ("IMAGE_TRANSFORMATION_ENABLED", text(true)),
                (
                    "S3_PROTOCOL_ACCESS_KEY_ID",
                    self.endpoints.s3_protocol_access_key_id.clone(),
                ),
                (
                    "S3_PROTOCOL_ACCESS_KEY_SECRET",
                    self.endpoints.s3_protocol_access_key_secret.clone(),
                ),
            ],
        )
    }

    pub(crate) fn realtime(&self) -> Vars {
        self.vars(
            "realtime",
            &[
                ("DATABASE_URL", self.database.url_as("supabase_admin")),
                ("API_JWT_SECRET", self.keys.jwt_secret.clone()),
                ("API_JWT_JWKS", self.keys.jwks.clone().unwrap_or_default()),
            ],
            &[],
        )
    }

    pub(crate) fn functions(&self) -> Vars {
        // The product's own, when there is no project.
        let dir = server::find_near("functions", Path::is_dir)
            .unwrap_or_else(|| self.data_dir.join("functions"));
        self.vars(
            "functions",
            &[
                ("JWT_SECRET", self.keys.jwt_secret.clone()),
                ("SUPABASE_JWKS", self.keys.jwks.clone().unwrap_or_default()),
                // For webhooks and jobs; functions see the other one.
                ("DATABASE_URL", self.database.url_as("supabase_admin")),
                ("SUPABASE_DB_URL", self.database.url_as("postgres")),
                ("SUPABASE_URL", self.inner_url.clone()),
                ("SUPABASE_ANON_KEY", self.keys.anon_key.clone()),
                (
                    "SUPABASE_SERVICE_ROLE_KEY",
                    self.keys.service_role_key.clone(),
                ),
                (
                    "SUPABASE_PUBLISHABLE_KEY",
                    self.keys.publishable_key.clone(),
                ),
                ("SUPABASE_SECRET_KEY", self.keys.secret_key.clone()),
            ],
            &[
                ("FUNCTIONS_DIR", text(dir.display())),
                (
                    "FUNCTIONS_CACHE_DIR",
                    text(self.data_dir.join("functions-cache").display()),
                ),
            ],
        )
    }

    pub(crate) fn gateway(&self, frontend: Option<&Path>, key_required: bool) -> Vars {
        let mut flags = vec![
            ("ANON_KEY", self.keys.anon_key.clone()),
            ("SERVICE_ROLE_KEY", self.keys.service_role_key.clone()),
            (
                "SUPABASE_PUBLISHABLE_KEY",
                self.keys.publishable_key.clone(),
            ),
            ("SUPABASE_SECRET_KEY", self.keys.secret_key.clone()),
        ];
        if let Some(dir) = frontend {
            flags.push(("GATEWAY_FRONTEND_DIR", dir.display().to_string()));
        }
        if let Some(Https { certificate, port }) = self.https {
            flags.extend([
                ("GATEWAY_HOST", text(self.host)),
                ("GATEWAY_HTTPS_PORT", text(port)),
                ("GATEWAY_TLS_CERT", text(certificate.certificate.display())),
                ("GATEWAY_TLS_KEY", text(certificate.key.display())),
            ]);
        }
        self.vars(
            "gateway",
            &flags,
            &[
                ("GATEWAY_REQUIRE_APIKEY", text(key_required)),
                ("GATEWAY_ACCESS_LOG", "off".to_owned()),
            ],
        )
    }
}
