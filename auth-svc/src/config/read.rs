//! Reading [`Config`] from variables.

use std::{collections::BTreeMap, time::Duration};

use svc_kit::env::{ConfigError, Reader, Vars};
use url::Url;

use super::{
    Api, Config, Db, External, Jwt, Mailer, OAuthServer, Password, RateLimits, Security, SendLimit,
    Sessions, Sms, Smtp, additions, hooks, metrics, mfa, notifications, providers, saml,
    sms as carriers,
};
use crate::domain::{jwt::Keys, redirect::AllowList};

/// The mails that have a subject, a template and a path of their own.
const MAIL_KINDS: [&str; 13] = [
    "invite",
    "confirmation",
    "recovery",
    "email_change",
    "magic_link",
    "reauthentication",
    "password_changed_notification",
    "email_changed_notification",
    "phone_changed_notification",
    "identity_linked_notification",
    "identity_unlinked_notification",
    "mfa_factor_enrolled_notification",
    "mfa_factor_unenrolled_notification",
];

impl Config {
    /// Reads all settings; everything that is wrong is reported together.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let r = &mut reader;
        let driver = r.text_or(&["GOTRUE_DB_DRIVER"], "postgres");
        if driver != "postgres" {
            r.problem("GOTRUE_DB_DRIVER: only postgres is supported");
        }
        let namespace = r.text_or(&["GOTRUE_DB_NAMESPACE", "DB_NAMESPACE"], "auth");
        if namespace != "auth" {
            r.problem("DB_NAMESPACE: only auth is supported");
        }
        let site_url = r.required(&["GOTRUE_SITE_URL"]);
        let allow_list = list(r.text(&["GOTRUE_URI_ALLOW_LIST"]));
        let api = api(r);
        let config = Self {
            saml: saml::read(r, &api.external_url),
            api,
            db: Db {
                url: r
                    .required(&["GOTRUE_DB_DATABASE_URL", "DATABASE_URL"])
                    .into(),
                max_pool_size: r
                    .parse_or(&["GOTRUE_DB_MAX_POOL_SIZE"], 10_u32)
                    .clamp(1, 1000),
                cleanup_enabled: r.flag(&["GOTRUE_DB_CLEANUP_ENABLED"], false),
            },
            allow_list: AllowList::new(&site_url, &allow_list),
            site_url,
            disable_signup: r.flag(&["GOTRUE_DISABLE_SIGNUP"], false),
            jwt: jwt(r),
            external: external(r),
            mailer: mailer(r),
            smtp: smtp(r),
            sms: sms(r),
            password: Password {
                min_length: r.parse_or(&["GOTRUE_PASSWORD_MIN_LENGTH"], 6_usize).max(6),
                required_characters: character_sets(
                    r.text(&["GOTRUE_PASSWORD_REQUIRED_CHARACTERS"])
                        .unwrap_or_default(),
                ),
            },
            hibp: super::hibp::read(r),
            security: security(r),
            sessions: Sessions {
                timebox: lifetime(r, "GOTRUE_SESSIONS_TIMEBOX"),
                inactivity_timeout: lifetime(r, "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT"),
                allow_low_aal: lifetime(r, "GOTRUE_SESSIONS_ALLOW_LOW_AAL"),
                single_per_user: r.flag(&["GOTRUE_SESSIONS_SINGLE_PER_USER"], false),
                tags: list(r.text(&["GOTRUE_SESSIONS_TAGS"])),
            },
            rate_limits: rate_limits(r),
            hooks: hooks::read(r),
            audit_log_disable_postgres: r.flag(&["GOTRUE_AUDIT_LOG_DISABLE_POSTGRES"], false),
            mfa: mfa::factors(r),
            relying_party: mfa::relying_party(r),
            max_passkeys: r.parse_or(&["GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER"], 10),
            passkeys_enabled: r.flag(&["GOTRUE_PASSKEY_ENABLED"], false),
            oauth_server: oauth_server(r),
            captcha: super::captcha::read(r),
            experimental: super::experimental::read(r),
            custom_oauth: super::custom_oauth::read(r),
            metrics: metrics::read(r),
            additions: additions::read(r),
        };
        reader.finish()?;
        Ok(config)
    }
}

fn oauth_server(r: &mut Reader<'_>) -> OAuthServer {
    OAuthServer {
        enabled: r.flag(&["GOTRUE_OAUTH_SERVER_ENABLED"], false),
        allow_dynamic_registration: r
            .flag(&["GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION"], false),
        authorization_path: r.text_or(&["GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH"], ""),
        authorization_ttl: r.duration(
            &["GOTRUE_OAUTH_SERVER_AUTHORIZATION_TTL"],
            Duration::from_secs(600),
        ),
        default_scope: r.text_or(&["GOTRUE_OAUTH_SERVER_DEFAULT_SCOPE"], "email"),
    }
}

fn api(r: &mut Reader<'_>) -> Api {
    let external = r
        .parse_with(&["API_EXTERNAL_URL", "GOTRUE_API_EXTERNAL_URL"], |text| {
            Url::parse(text).map_err(|error| error.to_string())
        })
        .or_else(|| {
            if r.text(&["API_EXTERNAL_URL", "GOTRUE_API_EXTERNAL_URL"])
                .is_none()
            {
                r.problem("API_EXTERNAL_URL is required");
            }
            Url::parse("http://localhost").ok()
        });
    Api {
        host: r.text_or(&["GOTRUE_API_HOST", "API_HOST"], "0.0.0.0"),
        port: r.parse_or(&["GOTRUE_API_PORT", "PORT", "API_PORT"], 8081),
        external_url: external.unwrap_or_else(unreachable_url),
        max_request_duration: r.duration(
            &["GOTRUE_API_MAX_REQUEST_DURATION"],
            Duration::from_secs(10),
        ),
        cors_allowed_headers: list(r.text(&["GOTRUE_CORS_ALLOWED_HEADERS"])),
        external_hosts: list(r.text(&["GOTRUE_MAILER_EXTERNAL_HOSTS"])),
    }
}

#[expect(clippy::expect_used, reason = "a constant")]
fn unreachable_url() -> Url {
    Url::parse("http://localhost").expect("a URL")
}

fn jwt(r: &mut Reader<'_>) -> Jwt {
    let secret = r.required(&["GOTRUE_JWT_SECRET"]);
    let admin_roles = list(r.text(&["GOTRUE_JWT_ADMIN_ROLES"]));
    let methods = list(r.text(&["GOTRUE_JWT_VALID_METHODS", "GOTRUE_JWT_VALIDMETHODS"]));
    let keys = Keys::new(
        &secret,
        r.text(&["GOTRUE_JWT_KEY_ID"]),
        r.text(&["GOTRUE_JWT_KEYS"]),
        &methods,
    )
    .unwrap_or_else(|reason| {
        r.problem(format!("GOTRUE_JWT_KEYS: {reason}"));
        Keys::from_secret(&secret)
    });
    Jwt {
        keys,
        exp: r
            .duration(&["GOTRUE_JWT_EXP"], Duration::from_secs(3600))
            .max(Duration::from_secs(1)),
        aud: r.text_or(&["GOTRUE_JWT_AUD"], ""),
        issuer: r.text_or(&["GOTRUE_JWT_ISSUER"], ""),
        default_group_name: r.text_or(&["GOTRUE_JWT_DEFAULT_GROUP_NAME"], ""),
        admin_group_name: r.text_or(&["GOTRUE_JWT_ADMIN_GROUP_NAME"], "admin"),
        admin_roles: if admin_roles.is_empty() {
            vec!["service_role".to_owned(), "supabase_admin".to_owned()]
        } else {
            admin_roles
        },
    }
}

fn external(r: &mut Reader<'_>) -> External {
    External {
        email_enabled: r.flag(&["GOTRUE_EXTERNAL_EMAIL_ENABLED"], true),
        magic_link_enabled: r.flag(&["GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED"], true),
        authorized_addresses: list(r.text(&["GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES"])),
        phone_enabled: r.flag(&["GOTRUE_EXTERNAL_PHONE_ENABLED"], false),
        anonymous_enabled: r.flag(&["GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED"], false),
        web3: super::web3::read(r),
        flow_state_expiry: r
            .duration(
                &["GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION"],
                Duration::from_secs(300),
            )
            .max(Duration::from_secs(300)),
        redirect_url: r.text_or(
            &[
                "GOTRUE_EXTERNAL_REDIRECT_URL",
                "GOTRUE_EXTERNAL_REDIRECTURL",
            ],
            "",
        ),
        ios_bundle_id: r.text_or(&["GOTRUE_EXTERNAL_IOS_BUNDLE_ID"], ""),
        allowed_id_token_issuers: list(r.text(&["GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS"])),
        allow_unverified_email_sign_ins: r
            .flag(&["GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS"], false),
        providers: providers::read(r),
    }
}

fn mailer(r: &mut Reader<'_>) -> Mailer {
    let by_kind = |prefix: &str| -> BTreeMap<&'static str, String> {
        MAIL_KINDS
            .iter()
            .filter_map(|kind| {
                let name = format!("GOTRUE_MAILER_{prefix}_{}", kind.to_uppercase());
                Some((*kind, r.text(&[&name])?.to_owned()))
            })
            .collect()
    };
    let (subjects, templates, url_paths) = (
        by_kind("SUBJECTS"),
        by_kind("TEMPLATES"),
        by_kind("URLPATHS"),
    );
    Mailer {
        subjects,
        templates,
        url_paths,
        notifications: notifications::read(r),
        template_cache: notifications::template_cache(r),
        autoconfirm: r.flag(&["GOTRUE_MAILER_AUTOCONFIRM"], false),
        secure_email_change: r.flag(&["GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED"], true),
        otp_length: code_length(r, "GOTRUE_MAILER_OTP_LENGTH"),
        otp_exp: r
            .duration(&["GOTRUE_MAILER_OTP_EXP"], Duration::from_secs(86400))
            .max(Duration::from_secs(1)),
    }
}

fn smtp(r: &mut Reader<'_>) -> Smtp {
    let admin_email = r.text_or(&["GOTRUE_SMTP_ADMIN_EMAIL"], "");
    let host = r.text(&["GOTRUE_SMTP_HOST"]).map(str::to_owned);
    if host.is_some() && admin_email.is_empty() {
        r.problem("GOTRUE_SMTP_ADMIN_EMAIL is required with GOTRUE_SMTP_HOST");
    }
    Smtp {
        host,
        port: r.parse_or(&["GOTRUE_SMTP_PORT"], 587),
        user: r.text_or(&["GOTRUE_SMTP_USER"], ""),
        pass: r.text_or(&["GOTRUE_SMTP_PASS"], "").into(),
        sender_name: r.text_or(&["GOTRUE_SMTP_SENDER_NAME"], &admin_email),
        admin_email,
        max_frequency: frequency(r, "GOTRUE_SMTP_MAX_FREQUENCY"),
        headers: r
            .parse_with(&["GOTRUE_SMTP_HEADERS"], |text| {
                serde_json::from_str(text)
                    .map_err(|_| "expected a JSON object of lists of strings".to_owned())
            })
            .unwrap_or_default(),
    }
}

fn sms(r: &mut Reader<'_>) -> Sms {
    let provider = r.text_or(&["GOTRUE_SMS_PROVIDER"], "");
    Sms {
        sending: carriers::read(r, &provider),
        provider,
        autoconfirm: r.flag(&["GOTRUE_SMS_AUTOCONFIRM"], false),
        max_frequency: frequency(r, "GOTRUE_SMS_MAX_FREQUENCY"),
        otp_exp: r
            .duration(&["GOTRUE_SMS_OTP_EXP"], Duration::from_secs(60))
            .max(Duration::from_secs(1)),
        otp_length: code_length(r, "GOTRUE_SMS_OTP_LENGTH"),
        test_otp: r
            .parse_with(&["GOTRUE_SMS_TEST_OTP"], test_codes)
            .unwrap_or_default(),
        test_otp_valid_until: r.parse_with(&["GOTRUE_SMS_TEST_OTP_VALID_UNTIL"], |text| {
            chrono::DateTime::parse_from_rfc3339(text)
                .map(|time| time.to_utc())
                .map_err(|_| "expected a time such as 2030-01-01T00:00:00Z".to_owned())
        }),
    }
}

fn security(r: &mut Reader<'_>) -> Security {
    const PREFIX: &str = "GOTRUE_SECURITY_";
    let name = |rest: &str| format!("{PREFIX}{rest}");
    let version = r.parse_or(&[&name("REFRESH_TOKEN_ALGORITHM_VERSION")], 0_u8);
    if version > 2 {
        r.problem(format!(
            "{PREFIX}REFRESH_TOKEN_ALGORITHM_VERSION: expected 0, 1 or 2"
        ));
    }
    let percentage = r.parse_or(&[&name("REFRESH_TOKEN_UPGRADE_PERCENTAGE")], 0_u8);
    if percentage > 100 {
        r.problem(format!(
            "{PREFIX}REFRESH_TOKEN_UPGRADE_PERCENTAGE: expected 0 to 100"
        ));
    }
    Security {
        signed_refresh_tokens: version == 2,
        refresh_token_upgrade_percentage: percentage.min(100),
        allow_refresh_token_reuse: r.flag(&[&name("REFRESH_TOKEN_ALLOW_REUSE")], false),
        encryption: super::encryption::read(r),
        rotation_enabled: r.flag(&[&name("REFRESH_TOKEN_ROTATION_ENABLED")], true),
        reuse_interval: r.duration(&[&name("REFRESH_TOKEN_REUSE_INTERVAL")], Duration::ZERO),
        password_requires_reauthentication: r
            .flag(&[&name("UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION")], false),
        password_requires_current: r
            .flag(&[&name("UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD")], false),
        manual_linking_enabled: r.flag(&[&name("MANUAL_LINKING_ENABLED")], false),
        sb_forwarded_for: r.flag(&[&name("SB_FORWARDED_FOR_ENABLED")], false),
    }
}

fn rate_limits(r: &mut Reader<'_>) -> RateLimits {
    let rate = |r: &mut Reader<'_>, name: &str, default: f64| {
        r.parse_or(&[&format!("GOTRUE_RATE_LIMIT_{name}")], default)
    };
    let sent = |r: &mut Reader<'_>, name: &str| {
        r.parse_with(&[&format!("GOTRUE_RATE_LIMIT_{name}")], SendLimit::parse)
            .unwrap_or(SendLimit::PerHour(30.0))
    };
    RateLimits {
        oauth_client_register: r.parse_or(
            &[
                "GOTRUE_RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER",
                "GOTRUE_RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER",
            ],
            10.0,
        ),
        header: r.text(&["GOTRUE_RATE_LIMIT_HEADER"]).map(str::to_owned),
        otp: rate(r, "OTP", 30.0),
        verify: rate(r, "VERIFY", 30.0),
        token: rate(r, "TOKEN_REFRESH", 150.0),
        anonymous: rate(r, "ANONYMOUS_USERS", 30.0),
        mfa: r.parse_or(&["GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY"], 15.0),
        passkey: rate(r, "PASSKEY", 30.0),
        web3: rate(r, "WEB3", 30.0),
        sso: rate(r, "SSO", 30.0),
        saml_assertion: r.parse_or(&["GOTRUE_SAML_RATE_LIMIT_ASSERTION"], 15.0),
        email_sent: sent(r, "EMAIL_SENT"),
        sms_sent: sent(r, "SMS_SENT"),
        wrong_codes: r.parse_or(&["NILAM_AUTH_WRONG_CODES"], 10.0),
        shared: r.flag(&["NILAM_AUTH_SHARED_RATE_LIMITS"], true),
    }
}

/// None and zero both mean a minute, as in the original: sending without a pause cannot be switched on.
pub(super) fn frequency(r: &mut Reader<'_>, name: &str) -> Duration {
    let minute = Duration::from_secs(60);
    let wished = r.duration(&[name], minute);
    if wished.is_zero() { minute } else { wished }
}

fn lifetime(r: &mut Reader<'_>, name: &str) -> Option<Duration> {
    let value = r.duration(&[name], Duration::ZERO);
    (value > Duration::ZERO).then_some(value)
}

/// Codes have 6 to 10 digits; any other wish gives 6.
pub(super) fn code_length(r: &mut Reader<'_>, name: &str) -> u8 {
    let wished = r.parse_or(&[name], 6_i64);
    u8::try_from(wished)
        .ok()
        .filter(|n| (6..=10).contains(n))
        .unwrap_or(6)
}

pub(super) fn list(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `15551234567:123456,…`
fn test_codes(text: &str) -> Result<BTreeMap<String, String>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (phone, code) = pair
                .split_once([':', '='])
                .ok_or("expected number:code pairs")?;
            let phone = phone.trim().trim_start_matches('+').to_owned();
            Ok((phone, code.trim().to_owned()))
        })
        .collect()
}

/// `abc:ABC:0123`, where `\:` is a colon that belongs to a set.
fn character_sets(text: &str) -> Vec<String> {
    let mut sets = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&':') => {
                chars.next();
                if let Some(set) = sets.last_mut() {
                    set.push(':');
                }
            }
            ':' => sets.push(String::new()),
            other => {
                if let Some(set) = sets.last_mut() {
                    set.push(other);
                }
            }
        }
    }
    sets.retain(|set| !set.is_empty());
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars() -> Vars {
        [
            ("GOTRUE_SITE_URL", "http://localhost:3000"),
            ("API_EXTERNAL_URL", "http://localhost:54321/auth/v1"),
            ("DATABASE_URL", "postgres://localhost/postgres"),
            (
                "GOTRUE_JWT_SECRET",
                "a-secret-of-more-than-32-characters-length",
            ),
        ]
        .into_iter()
        .collect()
    }

    #[test]
    fn the_least_that_is_needed_gives_gotrues_defaults() {
        let config = Config::from_vars(&vars()).unwrap();
        assert_eq!(config.api.port, 8081);
        assert_eq!(config.jwt.exp, Duration::from_secs(3600));
        assert_eq!(config.sms.otp_length, 6);
        assert_eq!(config.jwt.admin_roles, ["service_role", "supabase_admin"]);
        assert!(config.external.email_enabled && !config.external.phone_enabled);
        assert!(config.mailer.secure_email_change && config.security.rotation_enabled);
    }

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let error = Config::from_vars(&Vars::default()).unwrap_err().to_string();
        for name in [
            "GOTRUE_SITE_URL",
            "API_EXTERNAL_URL",
            "DATABASE_URL",
            "GOTRUE_JWT_SECRET",
        ] {
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn a_protection_that_is_not_there_stops_the_start() {
        for (name, value) in [
            ("GOTRUE_SECURITY_CAPTCHA_PROVIDER", "recaptcha"),
            ("GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS", "github"),
            ("GOTRUE_PASSWORD_HIBP_BLOOM_ITEMS", "0"),
            ("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", "3"),
            ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT", "true"),
        ] {
            let mut vars = vars();
            vars.set("GOTRUE_SECURITY_CAPTCHA_ENABLED", "true");
            vars.set("GOTRUE_PASSWORD_HIBP_ENABLED", "true");
            vars.set("GOTRUE_PASSWORD_HIBP_BLOOM_ENABLED", "true");
            vars.set(name, value);
            let error = Config::from_vars(&vars).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
            assert!(error.contains("GOTRUE_SECURITY_CAPTCHA_SECRET"), "{error}");
        }
    }

    #[test]
    fn character_sets_may_contain_a_colon() {
        assert_eq!(character_sets("abc:0123"), ["abc", "0123"]);
        assert_eq!(character_sets(r"!\::ab"), ["!:", "ab"]);
        assert!(character_sets("").is_empty());
    }

    #[test]
    fn test_numbers_lose_their_plus() {
        let codes = test_codes("+15551234567:123456, 911:000000").unwrap();
        assert_eq!(codes["15551234567"], "123456");
        assert_eq!(codes["911"], "000000");
    }
}
