//! `supabase/config.toml`: what of it concerns a local stack, read as the CLI reads it.

mod document;
mod lenient;

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use serde::Deserialize;
use svc_kit::env::Vars;

pub(crate) use self::document::reference;
use self::lenient::Lenient;

/// The file, its defaults filled in.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Config {
    pub(crate) api: Api,
    pub(crate) db: Db,
    pub(crate) realtime: Switch,
    pub(crate) local_smtp: LocalSmtp,
    pub(crate) storage: Storage,
    pub(crate) auth: Auth,
    pub(crate) edge_runtime: EdgeRuntime,
    #[serde(default)]
    pub(crate) functions: BTreeMap<String, Function>,
}

/// A part that is on or off.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Switch {
    #[serde(default)]
    pub(crate) enabled: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Api {
    pub(crate) enabled: bool,
    pub(crate) port: u16,
    pub(crate) schemas: Vec<String>,
    pub(crate) extra_search_path: Vec<String>,
    pub(crate) max_rows: u64,
    /// Whether new tables are for the API without a grant; unset is yes.
    pub(crate) auto_expose_new_tables: Option<bool>,
    pub(crate) tls: Tls,
    pub(crate) external_url: Option<String>,
}

/// `[api.tls]`. Paths are relative to the folder `supabase`; without them a certificate is made.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Tls {
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) cert_path: String,
    #[serde(default)]
    pub(crate) key_path: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Db {
    pub(crate) port: u16,
    pub(crate) major_version: u32,
    pub(crate) migrations: Switch,
    pub(crate) seed: Seed,
    /// Settings of the server, by their own names.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) vault: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Seed {
    pub(crate) enabled: bool,
    pub(crate) sql_paths: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LocalSmtp {
    pub(crate) enabled: bool,
    pub(crate) port: u16,
    /// 0 for any free one.
    pub(crate) smtp_port: u16,
    pub(crate) admin_email: String,
    pub(crate) sender_name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Storage {
    pub(crate) enabled: bool,
    pub(crate) file_size_limit: Size,
    pub(crate) s3_protocol: Switch,
    pub(crate) image_transformation: Switch,
    #[serde(default)]
    pub(crate) buckets: BTreeMap<String, Bucket>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Bucket {
    pub(crate) public: Option<bool>,
    pub(crate) file_size_limit: Option<Size>,
    #[serde(default)]
    pub(crate) allowed_mime_types: Vec<String>,
    #[serde(default)]
    pub(crate) objects_path: String,
}

/// A number of bytes, written as a number or as `50MiB`; the units are powers of 1024, whatever they are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Size(pub(crate) u64);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let unreadable = || format!("{text:?} is no size such as 50MiB");
        let lower = text.trim().to_ascii_lowercase();
        let (number, unit) = lower
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .map_or((lower.as_str(), ""), |at| lower.split_at(at));
        let power = match unit.trim().trim_end_matches('b').trim_end_matches('i') {
            "" => 0,
            "k" => 1,
            "m" => 2,
            "g" => 3,
            "t" => 4,
            _ => return Err(unreadable()),
        };
        let factor = 1024_u64.pow(power);
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(factor).map(Self).ok_or_else(unreadable);
        }
        let number: f64 = number.parse().map_err(|_| unreadable())?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a fraction of a unit is rounded to bytes; the digits hold no sign"
        )]
        Ok(Self((number * factor as f64) as u64))
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Auth {
    pub(crate) enabled: bool,
    pub(crate) site_url: String,
    pub(crate) external_url: String,
    pub(crate) additional_redirect_urls: Vec<String>,
    pub(crate) jwt_expiry: u64,
    pub(crate) jwt_issuer: String,
    pub(crate) signing_keys_path: String,
    pub(crate) enable_refresh_token_rotation: bool,
    pub(crate) refresh_token_reuse_interval: u64,
    pub(crate) enable_manual_linking: bool,
    pub(crate) enable_signup: bool,
    pub(crate) enable_anonymous_sign_ins: bool,
    pub(crate) minimum_password_length: u64,
    pub(crate) password_requirements: String,
    pub(crate) rate_limit: RateLimit,
    pub(crate) email: Email,
    pub(crate) sms: Sms,
    pub(crate) mfa: Mfa,
    pub(crate) oauth_server: OauthServer,
    #[serde(default)]
    pub(crate) sessions: Sessions,
    pub(crate) captcha: Option<Captcha>,
    pub(crate) passkey: Option<Switch>,
    pub(crate) webauthn: Option<Webauthn>,
    #[serde(default)]
    pub(crate) hook: BTreeMap<String, Hook>,
    #[serde(default)]
    pub(crate) external: BTreeMap<String, Provider>,
    #[serde(default)]
    pub(crate) web3: BTreeMap<String, Switch>,
    #[serde(default)]
    pub(crate) third_party: BTreeMap<String, ThirdParty>,
    pub(crate) jwt_secret: Option<String>,
    pub(crate) anon_key: Option<String>,
    pub(crate) service_role_key: Option<String>,
    pub(crate) publishable_key: Option<String>,
    pub(crate) secret_key: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RateLimit {
    pub(crate) anonymous_users: u64,
    pub(crate) token_refresh: u64,
    pub(crate) sign_in_sign_ups: u64,
    pub(crate) token_verifications: u64,
    pub(crate) email_sent: u64,
    pub(crate) sms_sent: u64,
    pub(crate) web3: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Email {
    pub(crate) enabled: bool,
    pub(crate) double_confirm_changes: bool,
    pub(crate) enable_confirmations: bool,
    pub(crate) secure_password_change: bool,
    pub(crate) require_current_password: bool,
    pub(crate) max_frequency: String,
    pub(crate) otp_length: u64,
    pub(crate) otp_expiry: u64,
    pub(crate) smtp: Option<Smtp>,
    #[serde(default)]
    pub(crate) template: BTreeMap<String, Template>,
    #[serde(default)]
    pub(crate) notification: BTreeMap<String, Template>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Smtp {
    pub(crate) enabled: Option<bool>,
    pub(crate) host: String,
    pub(crate) port: u16,
    #[serde(default)]
    pub(crate) user: String,
    #[serde(default)]
    pub(crate) pass: String,
    pub(crate) admin_email: String,
    #[serde(default)]
    pub(crate) sender_name: String,
}

/// The text of a mail.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Template {
    /// Only notifications are switched on.
    #[serde(default)]
    pub(crate) enabled: bool,
    pub(crate) subject: Option<String>,
    #[serde(default)]
    pub(crate) content_path: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Sms {
    pub(crate) enabled: bool,
    pub(crate) enable_confirmations: bool,
    pub(crate) template: String,
    pub(crate) max_frequency: String,
    #[serde(default)]
    pub(crate) test_otp: BTreeMap<String, String>,
    pub(crate) twilio: Option<Carrier>,
    pub(crate) twilio_verify: Option<Carrier>,
    pub(crate) messagebird: Option<Carrier>,
    pub(crate) textlocal: Option<Carrier>,
    pub(crate) vonage: Option<Carrier>,
}

/// An account with somebody who carries text messages: whether it is used, and settings of their own names.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Carrier {
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(flatten)]
    pub(crate) settings: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Mfa {
    pub(crate) max_enrolled_factors: u64,
    pub(crate) totp: Factor,
    pub(crate) phone: PhoneFactor,
    pub(crate) web_authn: Factor,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Factor {
    pub(crate) enroll_enabled: bool,
    pub(crate) verify_enabled: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PhoneFactor {
    pub(crate) enroll_enabled: bool,
    pub(crate) verify_enabled: bool,
    pub(crate) otp_length: u64,
    pub(crate) template: String,
    pub(crate) max_frequency: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct OauthServer {
    pub(crate) enabled: bool,
    pub(crate) authorization_url_path: String,
    pub(crate) allow_dynamic_registration: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Sessions {
    #[serde(default)]
    pub(crate) timebox: String,
    #[serde(default)]
    pub(crate) inactivity_timeout: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Captcha {
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) provider: String,
    #[serde(default)]
    pub(crate) secret: String,
}

/// The relying party of passkeys.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Webauthn {
    #[serde(default, rename = "rp_display_name")]
    pub(crate) display_name: String,
    #[serde(rename = "rp_id")]
    pub(crate) id: String,
    #[serde(rename = "rp_origins")]
    pub(crate) origins: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Hook {
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) secrets: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Provider {
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) client_id: String,
    #[serde(default)]
    pub(crate) secret: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) redirect_uri: String,
    #[serde(default)]
    pub(crate) skip_nonce_check: bool,
    #[serde(default)]
    pub(crate) email_optional: bool,
}

/// Somebody else whose tokens are believed; which fields count depends on who it is.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ThirdParty {
    #[serde(default)]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) project_id: String,
    #[serde(default)]
    pub(crate) tenant: String,
    #[serde(default)]
    pub(crate) tenant_region: String,
    #[serde(default)]
    pub(crate) user_pool_id: String,
    #[serde(default)]
    pub(crate) user_pool_region: String,
    #[serde(default)]
    pub(crate) domain: String,
    #[serde(default)]
    pub(crate) issuer_url: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EdgeRuntime {
    pub(crate) enabled: bool,
    pub(crate) policy: String,
    #[serde(default)]
    pub(crate) secrets: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Function {
    pub(crate) enabled: Option<bool>,
    pub(crate) verify_jwt: Option<bool>,
    #[serde(default)]
    pub(crate) entrypoint: String,
    #[serde(default)]
    pub(crate) import_map: String,
    #[serde(default)]
    pub(crate) static_files: Vec<String>,
}

/// Parts of the file that a local stack of ours has no use for; nobody needs a warning about them.
const ELSEWHERE: [&str; 17] = [
    "project_id",
    "remotes",
    "studio",
    "analytics",
    "experimental",
    "db.shadow_port",
    "db.health_timeout",
    "db.pooler",
    "db.migrations",
    "db.root_key",
    "db.network_restrictions",
    "db.ssl_enforcement",
    "realtime",
    "local_smtp.pop3_port",
    "storage.analytics",
    "storage.vector",
    "edge_runtime",
];

impl Config {
    /// Reads the file's text, which may be empty. Gives what it could not use as well, each by its key.
    ///
    /// # Errors
    /// The text is no TOML, or a value has the wrong type.
    pub(crate) fn parse(text: &str, environment: &Vars) -> anyhow::Result<(Self, Vec<String>)> {
        let document = document::read(text, environment)?;
        let mut unknown = Vec::new();
        let mut note = |path: serde_ignored::Path<'_>| {
            let path = path.to_string().replace(".?", "");
            let known = |part: &str| path == part || path.starts_with(&format!("{part}."));
            if !ELSEWHERE.iter().any(|part| known(part)) {
                unknown.push(path);
            }
        };
        let reader = Lenient(toml::Value::Table(document));
        let config =
            serde_path_to_error::deserialize(serde_ignored::Deserializer::new(reader, &mut note))
                .map_err(|error| anyhow::anyhow!("{}: {}", error.path(), error.inner()))?;
        Ok((config, unknown))
    }

    /// Reads a file; one that is missing is empty, as for the CLI.
    pub(crate) fn load(path: &Path, environment: &Vars) -> anyhow::Result<(Self, Vec<String>)> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        Self::parse(&text, environment).with_context(|| path.display().to_string())
    }
}

#[cfg(test)]
mod tests;
