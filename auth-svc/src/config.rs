//! The settings of the service, under the names that GoTrue gives them.
//!
//! Read once from a [`Vars`]; a wrong value stops the start and is named with all other wrong ones.

mod additions;
mod captcha;
mod custom_oauth;
mod encryption;
mod experimental;
pub mod files;
mod hibp;
mod hooks;
mod limits;
mod metrics;
mod mfa;
mod notifications;
mod providers;
mod read;
mod saml;
mod web3;

pub use captcha::{Captcha, CaptchaProvider};
pub use custom_oauth::CustomOAuth;
pub use encryption::{Encryption, MasterKey};
mod sms;

pub use additions::{Additions, Argon2Cost, PasswordHash};
pub use experimental::{DEFAULT_DOMAIN, Experimental, LinkingDomains};
pub use hibp::{Bloom, Hibp};
pub use limits::{RateLimits, SendLimit};
pub use metrics::Metrics;
pub use mfa::{FactorKind, Mfa, PhoneFactors, RelyingParty};
pub use notifications::{Notifications, TemplateCache};
pub use providers::{Provider, Providers};
pub use saml::Saml;
pub use sms::{Carrier, Msg91, SmsSending, TwilioAccount};
pub use web3::{Chain, Web3};

use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use url::Url;

use crate::domain::{jwt::Keys, redirect::AllowList};

/// Everything the service can be told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where and how requests are served.
    pub api: Api,
    /// The database.
    pub db: Db,
    /// `GOTRUE_SITE_URL`: where users are sent when nothing else is allowed.
    pub site_url: String,
    /// `GOTRUE_URI_ALLOW_LIST`: where else users may be sent.
    pub allow_list: AllowList,
    /// `GOTRUE_DISABLE_SIGNUP`.
    pub disable_signup: bool,
    /// Access tokens.
    pub jwt: Jwt,
    /// Ways to sign in.
    pub external: External,
    /// Mail contents and codes.
    pub mailer: Mailer,
    /// The mail server.
    pub smtp: Smtp,
    /// Text messages.
    pub sms: Sms,
    /// Password rules.
    pub password: Password,
    /// The question whether a password was leaked; absent when it is not asked.
    pub hibp: Option<Hibp>,
    /// Rules around sessions and changes.
    pub security: Security,
    /// How long sessions last.
    pub sessions: Sessions,
    /// Per-address and global limits.
    pub rate_limits: RateLimits,
    /// Callbacks into the project.
    pub hooks: Hooks,
    /// `GOTRUE_AUDIT_LOG_DISABLE_POSTGRES`: log lines only.
    pub audit_log_disable_postgres: bool,
    /// Second factors.
    pub mfa: Mfa,
    /// Who asks for WebAuthn credentials; absent when that was not said.
    pub relying_party: Option<RelyingParty>,
    /// `GOTRUE_PASSKEY_ENABLED`.
    pub passkeys_enabled: bool,
    /// `GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER`, default 10.
    pub max_passkeys: i64,
    /// Single sign-on; absent unless `GOTRUE_SAML_ENABLED`.
    pub saml: Option<Saml>,
    /// The OAuth 2.1 server.
    pub oauth_server: OAuthServer,
    /// Proof that a person asks; absent when none is wanted.
    pub captcha: Option<Captcha>,
    /// What GoTrue tries out.
    pub experimental: Experimental,
    /// Providers that administrators add.
    pub custom_oauth: CustomOAuth,
    /// Where metrics are served.
    pub metrics: Metrics,
    /// What GoTrue has no settings for.
    pub additions: Additions,
}

/// This service as an identity provider for others.
#[derive(Clone, Debug)]
pub struct OAuthServer {
    /// `GOTRUE_OAUTH_SERVER_ENABLED`.
    pub enabled: bool,
    /// `GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION`: clients may register themselves.
    pub allow_dynamic_registration: bool,
    /// `GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH`: the page of the site where users consent.
    pub authorization_path: String,
    /// `GOTRUE_OAUTH_SERVER_AUTHORIZATION_TTL`, default 10 min: how long a request may wait for consent and exchange.
    pub authorization_ttl: Duration,
    /// `GOTRUE_OAUTH_SERVER_DEFAULT_SCOPE`, default `email`.
    pub default_scope: String,
}

/// Where and how requests are served.
#[derive(Clone, Debug)]
pub struct Api {
    /// `GOTRUE_API_HOST`, default all addresses.
    pub host: String,
    /// `GOTRUE_API_PORT` or `PORT`, default 8081.
    pub port: u16,
    /// `API_EXTERNAL_URL`: how the outside reaches this service; links in mails start with it.
    pub external_url: Url,
    /// `GOTRUE_API_MAX_REQUEST_DURATION`, default 10 s.
    pub max_request_duration: Duration,
    /// `GOTRUE_CORS_ALLOWED_HEADERS`: in addition to the built-in ones.
    pub cors_allowed_headers: Vec<String>,
    /// `GOTRUE_MAILER_EXTERNAL_HOSTS`: forwarded hosts that links may point to.
    pub external_hosts: Vec<String>,
}

/// The database.
#[derive(Clone, Debug)]
pub struct Db {
    /// `DATABASE_URL` or `GOTRUE_DB_DATABASE_URL`.
    pub url: SecretString,
    /// `GOTRUE_DB_MAX_POOL_SIZE`, default 10.
    pub max_pool_size: u32,
    /// `GOTRUE_DB_CLEANUP_ENABLED`.
    pub cleanup_enabled: bool,
}

/// Access tokens.
#[derive(Clone, Debug)]
pub struct Jwt {
    /// The keys of `GOTRUE_JWT_KEYS`, `GOTRUE_JWT_SECRET` and `GOTRUE_JWT_KEY_ID`.
    pub keys: Keys,
    /// `GOTRUE_JWT_EXP`, default one hour.
    pub exp: Duration,
    /// `GOTRUE_JWT_AUD`.
    pub aud: String,
    /// `GOTRUE_JWT_ISSUER`.
    pub issuer: String,
    /// `GOTRUE_JWT_DEFAULT_GROUP_NAME`: the role of new users.
    pub default_group_name: String,
    /// `GOTRUE_JWT_ADMIN_GROUP_NAME`, default `admin`.
    pub admin_group_name: String,
    /// `GOTRUE_JWT_ADMIN_ROLES`.
    pub admin_roles: Vec<String>,
}

/// Ways to sign in.
#[derive(Clone, Debug)]
pub struct External {
    /// `GOTRUE_EXTERNAL_EMAIL_ENABLED`, default true.
    pub email_enabled: bool,
    /// `GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED`, default true.
    pub magic_link_enabled: bool,
    /// `GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES`: if any, the only recipients.
    pub authorized_addresses: Vec<String>,
    /// `GOTRUE_EXTERNAL_PHONE_ENABLED`, default false.
    pub phone_enabled: bool,
    /// `GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED`.
    pub anonymous_enabled: bool,
    /// `GOTRUE_EXTERNAL_WEB3_*`: wallets.
    pub web3: Web3,
    /// `GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION`, at least 5 minutes.
    pub flow_state_expiry: Duration,
    /// `GOTRUE_EXTERNAL_REDIRECT_URL`: where `/callback` always goes on to, instead of the app's wish.
    pub redirect_url: String,
    /// `GOTRUE_EXTERNAL_IOS_BUNDLE_ID`: another audience of Apple's ID tokens.
    pub ios_bundle_id: String,
    /// `GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS`: whose ID tokens are taken besides the providers'.
    pub allowed_id_token_issuers: Vec<String>,
    /// `GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS`: external users need not confirm their address.
    pub allow_unverified_email_sign_ins: bool,
    /// `GOTRUE_EXTERNAL_<NAME>_*`, by provider.
    pub providers: Providers,
}

/// Mail contents and codes.
#[derive(Clone, Debug)]
pub struct Mailer {
    /// `GOTRUE_MAILER_AUTOCONFIRM`.
    pub autoconfirm: bool,
    /// `GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED`, default true.
    pub secure_email_change: bool,
    /// `GOTRUE_MAILER_OTP_LENGTH`.
    pub otp_length: u8,
    /// `GOTRUE_MAILER_OTP_EXP`, default a day.
    pub otp_exp: Duration,
    /// `GOTRUE_MAILER_SUBJECTS_<KIND>`.
    pub subjects: BTreeMap<&'static str, String>,
    /// `GOTRUE_MAILER_TEMPLATES_<KIND>`: URLs.
    pub templates: BTreeMap<&'static str, String>,
    /// `GOTRUE_MAILER_URLPATHS_<KIND>`, default `/verify`.
    pub url_paths: BTreeMap<&'static str, String>,
    /// The mails that tell users what changed.
    pub notifications: Notifications,
    /// How texts of the project's own are kept.
    pub template_cache: TemplateCache,
}

/// The mail server.
#[derive(Clone, Debug)]
pub struct Smtp {
    /// `GOTRUE_SMTP_HOST`; without one no mail is sent.
    pub host: Option<String>,
    /// `GOTRUE_SMTP_PORT`, default 587.
    pub port: u16,
    /// `GOTRUE_SMTP_USER`.
    pub user: String,
    /// `GOTRUE_SMTP_PASS`.
    pub pass: SecretString,
    /// `GOTRUE_SMTP_ADMIN_EMAIL`: the sender.
    pub admin_email: String,
    /// `GOTRUE_SMTP_SENDER_NAME`, default the sender's address.
    pub sender_name: String,
    /// `GOTRUE_SMTP_MAX_FREQUENCY`: between two mails of a kind to one user, default a minute.
    pub max_frequency: Duration,
    /// `GOTRUE_SMTP_HEADERS`: a JSON object of lists.
    pub headers: BTreeMap<String, Vec<String>>,
}

/// Text messages.
#[derive(Clone, Debug)]
pub struct Sms {
    /// `GOTRUE_SMS_AUTOCONFIRM`.
    pub autoconfirm: bool,
    /// `GOTRUE_SMS_PROVIDER`, as `/settings` reports it.
    pub provider: String,
    /// How messages leave when no hook takes them.
    pub sending: SmsSending,
    /// `GOTRUE_SMS_MAX_FREQUENCY`, default a minute.
    pub max_frequency: Duration,
    /// `GOTRUE_SMS_OTP_EXP`, default a minute.
    pub otp_exp: Duration,
    /// `GOTRUE_SMS_OTP_LENGTH`.
    pub otp_length: u8,
    /// `GOTRUE_SMS_TEST_OTP`: codes by number.
    pub test_otp: BTreeMap<String, String>,
    /// `GOTRUE_SMS_TEST_OTP_VALID_UNTIL`.
    pub test_otp_valid_until: Option<DateTime<Utc>>,
}

impl Sms {
    /// The fixed code of a test number, while test numbers are valid.
    pub fn test_code(&self, phone: &str, now: DateTime<Utc>) -> Option<&str> {
        if self.test_otp_valid_until.is_some_and(|until| now >= until) {
            return None;
        }
        self.test_otp.get(phone).map(String::as_str)
    }
}

/// Password rules.
#[derive(Clone, Debug)]
pub struct Password {
    /// `GOTRUE_PASSWORD_MIN_LENGTH`, never below 6.
    pub min_length: usize,
    /// `GOTRUE_PASSWORD_REQUIRED_CHARACTERS`: one of each set.
    pub required_characters: Vec<String>,
}

/// Rules around sessions and changes.
#[derive(Clone, Debug)]
pub struct Security {
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED`, default true.
    pub rotation_enabled: bool,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL`, seconds.
    pub reuse_interval: Duration,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION` is 2: new sessions get signed refresh tokens.
    pub signed_refresh_tokens: bool,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE`: how many in a hundred old sessions go over to signed
    /// tokens when they are refreshed.
    pub refresh_token_upgrade_percentage: u8,
    /// `GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE`: old signed tokens stay good.
    pub allow_refresh_token_reuse: bool,
    /// `GOTRUE_SECURITY_DB_ENCRYPTION_*`: columns that are kept encrypted.
    pub encryption: Encryption,
    /// `GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION`.
    pub password_requires_reauthentication: bool,
    /// `GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD`.
    pub password_requires_current: bool,
    /// `GOTRUE_SECURITY_MANUAL_LINKING_ENABLED`.
    pub manual_linking_enabled: bool,
    /// `GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED`.
    pub sb_forwarded_for: bool,
}

/// How long sessions last.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// `GOTRUE_SESSIONS_TIMEBOX`.
    pub timebox: Option<Duration>,
    /// `GOTRUE_SESSIONS_INACTIVITY_TIMEOUT`.
    pub inactivity_timeout: Option<Duration>,
    /// `GOTRUE_SESSIONS_ALLOW_LOW_AAL`: how long a session may last in which a user with a second factor
    /// did not prove it.
    pub allow_low_aal: Option<Duration>,
    /// `GOTRUE_SESSIONS_SINGLE_PER_USER`.
    pub single_per_user: bool,
    /// `GOTRUE_SESSIONS_TAGS`: of each kind of session one may live; the first is that of sessions without a tag.
    pub tags: Vec<String>,
}

/// Callbacks into the project.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    /// `GOTRUE_HOOK_SEND_SMS_*`.
    pub send_sms: Option<Hook>,
    /// `GOTRUE_HOOK_SEND_EMAIL_*`.
    pub send_email: Option<Hook>,
    /// `GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_*`.
    pub custom_access_token: Option<Hook>,
    /// `GOTRUE_HOOK_BEFORE_USER_CREATED_*`.
    pub before_user_created: Option<Hook>,
    /// `GOTRUE_HOOK_AFTER_USER_CREATED_*`.
    pub after_user_created: Option<Hook>,
    /// `GOTRUE_HOOK_PASSWORD_VERIFICATION_ATTEMPT_*`.
    pub password_verification_attempt: Option<Hook>,
    /// `GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_*`.
    pub mfa_verification_attempt: Option<Hook>,
}

/// One callback.
#[derive(Clone, Debug)]
pub struct Hook {
    /// Where it is.
    pub target: HookTarget,
    /// The keys that sign what is sent over HTTP.
    pub secrets: Vec<SecretString>,
}

/// Where a callback is.
#[derive(Clone, Debug)]
pub enum HookTarget {
    /// An address that takes a POST.
    Http(Url),
    /// A function of the database.
    Function {
        /// Its schema.
        schema: String,
        /// Its name.
        name: String,
    },
}
