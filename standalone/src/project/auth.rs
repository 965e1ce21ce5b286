//! `[auth]` as settings of auth-svc.

use std::path::Path;

use svc_kit::env::Vars;

use super::{
    Project, Surroundings,
    config::{Auth, Carrier, Template, reference},
};

/// Where mail templates are served for auth-svc to fetch, below the mailbox's page.
pub(crate) const TEMPLATES_PATH: &str = "/project/templates";

const DEFAULT_SITE: &str = "http://127.0.0.1:3000";

pub(super) fn settings(project: &Project, around: &Surroundings<'_>) -> Vars {
    let mut vars = Vars::default();
    let auth = &project.config.auth;
    general(&mut vars, project, around);
    limits(&mut vars, auth);
    mail(&mut vars, project, around);
    text_messages(&mut vars, auth);
    second_factors(&mut vars, auth);
    hooks(&mut vars, auth);
    providers(&mut vars, auth, &issuer(project, around));
    vars
}

/// Where clients reach the service.
fn external_url(project: &Project, around: &Surroundings<'_>) -> String {
    let config = &project.config;
    match (&config.auth.external_url, &config.api.external_url) {
        (url, _) if !url.is_empty() => url.clone(),
        (_, Some(url)) if !url.is_empty() => format!("{}/auth/v1", url.trim_end_matches('/')),
        _ => format!("{}/auth/v1", around.api_url),
    }
}

fn issuer(project: &Project, around: &Surroundings<'_>) -> String {
    let issuer = &project.config.auth.jwt_issuer;
    if issuer.is_empty() {
        external_url(project, around)
    } else {
        issuer.clone()
    }
}

fn put(vars: &mut Vars, pairs: &[(&str, &dyn ToString)]) {
    for (name, value) in pairs {
        vars.set(format!("GOTRUE_{name}"), value.to_string());
    }
}

fn general(vars: &mut Vars, project: &Project, around: &Surroundings<'_>) {
    let auth = &project.config.auth;
    let url = external_url(project, around);
    vars.set("API_EXTERNAL_URL", url.clone());
    let verify = format!("{}/verify", url.trim_end_matches('/'));
    for kind in ["INVITE", "CONFIRMATION", "RECOVERY", "EMAIL_CHANGE"] {
        put(vars, &[(&format!("MAILER_URLPATHS_{kind}"), &verify)]);
    }
    // What is a reference to nothing is no address, and would keep the service from starting.
    let known = |url: &&String| reference(url).is_none();
    let site_url = Some(&auth.site_url).filter(known);
    let redirects: Vec<_> = auth
        .additional_redirect_urls
        .iter()
        .filter(known)
        .map(String::as_str)
        .collect();
    put(
        vars,
        &[
            ("SITE_URL", &site_url.map_or(DEFAULT_SITE, String::as_str)),
            ("URI_ALLOW_LIST", &redirects.join(",")),
            ("DISABLE_SIGNUP", &!auth.enable_signup),
            ("JWT_EXP", &auth.jwt_expiry),
            ("JWT_ISSUER", &issuer(project, around)),
            ("EXTERNAL_EMAIL_ENABLED", &auth.email.enabled),
            (
                "EXTERNAL_ANONYMOUS_USERS_ENABLED",
                &auth.enable_anonymous_sign_ins,
            ),
            ("PASSWORD_MIN_LENGTH", &auth.minimum_password_length),
            (
                "PASSWORD_REQUIRED_CHARACTERS",
                &required_characters(&auth.password_requirements),
            ),
            (
                "SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
                &auth.enable_refresh_token_rotation,
            ),
            (
                "SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
                &auth.refresh_token_reuse_interval,
            ),
            (
                "SECURITY_MANUAL_LINKING_ENABLED",
                &auth.enable_manual_linking,
            ),
            (
                "SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
                &auth.email.secure_password_change,
            ),
            (
                "SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
                &auth.email.require_current_password,
            ),
        ],
    );
    if !auth.sessions.timebox.is_empty() {
        put(vars, &[("SESSIONS_TIMEBOX", &auth.sessions.timebox)]);
    }
    if !auth.sessions.inactivity_timeout.is_empty() {
        put(
            vars,
            &[(
                "SESSIONS_INACTIVITY_TIMEOUT",
                &auth.sessions.inactivity_timeout,
            )],
        );
    }
    if let Some(captcha) = auth.captcha.as_ref().filter(|captcha| captcha.enabled) {
        put(
            vars,
            &[
                ("SECURITY_CAPTCHA_ENABLED", &true),
                ("SECURITY_CAPTCHA_PROVIDER", &captcha.provider),
                ("SECURITY_CAPTCHA_SECRET", &captcha.secret),
            ],
        );
    }
    if auth.oauth_server.enabled {
        put(
            vars,
            &[
                ("OAUTH_SERVER_ENABLED", &true),
                (
                    "OAUTH_SERVER_AUTHORIZATION_PATH",
                    &auth.oauth_server.authorization_url_path,
                ),
                (
                    "OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION",
                    &auth.oauth_server.allow_dynamic_registration,
                ),
            ],
        );
    }
    for (name, wallet) in &auth.web3 {
        let name = format!("EXTERNAL_WEB3_{}_ENABLED", name.to_uppercase());
        put(vars, &[(&name, &wallet.enabled)]);
    }
    if around.keys.signing_keys.is_some() {
        put(vars, &[("JWT_VALID_METHODS", &"HS256,RS256,ES256")]);
    }
}

/// The sets of characters of which a password needs one each; a colon in one is escaped.
fn required_characters(requirements: &str) -> &'static str {
    match requirements {
        "letters_digits" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
        "lower_upper_letters_digits" => {
            "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789"
        }
        "lower_upper_letters_digits_symbols" => {
            "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789:\
             !@#$%^&*()_+-=[]{};'\\\\:\"|<>?,./`~"
        }
        _ => "",
    }
}

fn limits(vars: &mut Vars, auth: &Auth) {
    let limits = &auth.rate_limit;
    put(
        vars,
        &[
            ("RATE_LIMIT_ANONYMOUS_USERS", &limits.anonymous_users),
            ("RATE_LIMIT_TOKEN_REFRESH", &limits.token_refresh),
            ("RATE_LIMIT_OTP", &limits.sign_in_sign_ups),
            ("RATE_LIMIT_VERIFY", &limits.token_verifications),
            ("RATE_LIMIT_SMS_SENT", &limits.sms_sent),
            ("RATE_LIMIT_WEB3", &limits.web3),
        ],
    );
}

fn mail(vars: &mut Vars, project: &Project, around: &Surroundings<'_>) {
    let email = &project.config.auth.email;
    let mailbox = &project.config.local_smtp;
    put(
        vars,
        &[
            (
                "MAILER_SECURE_EMAIL_CHANGE_ENABLED",
                &email.double_confirm_changes,
            ),
            ("MAILER_AUTOCONFIRM", &!email.enable_confirmations),
            ("MAILER_OTP_LENGTH", &email.otp_length),
            ("MAILER_OTP_EXP", &email.otp_expiry),
            ("SMTP_MAX_FREQUENCY", &email.max_frequency),
            // Templates are edited while the platform runs.
            ("MAILER_TEMPLATE_MAX_AGE", &"1s"),
            ("SMTP_ADMIN_EMAIL", &mailbox.admin_email),
            ("SMTP_SENDER_NAME", &mailbox.sender_name),
        ],
    );
    if let Some(smtp) = email
        .smtp
        .as_ref()
        .filter(|smtp| smtp.enabled.unwrap_or(true))
    {
        put(
            vars,
            &[
                (
                    "RATE_LIMIT_EMAIL_SENT",
                    &project.config.auth.rate_limit.email_sent,
                ),
                ("SMTP_HOST", &on_this_machine(&smtp.host)),
                ("SMTP_PORT", &smtp.port),
                ("SMTP_USER", &smtp.user),
                ("SMTP_PASS", &smtp.pass),
                ("SMTP_ADMIN_EMAIL", &smtp.admin_email),
                ("SMTP_SENDER_NAME", &smtp.sender_name),
            ],
        );
    } else if !mailbox.enabled {
        put(vars, &[("SMTP_HOST", &"")]);
    }
    for (name, template) in &email.template {
        one_mail(vars, name, template, around);
    }
    for (name, template) in &email.notification {
        if template.enabled {
            let name = format!("{name}_notification");
            let kind = name.to_uppercase().replace("_NOTIFICATION", "");
            put(
                vars,
                &[(&format!("MAILER_NOTIFICATIONS_{kind}_ENABLED"), &true)],
            );
            one_mail(vars, &name, template, around);
        }
    }
}

fn one_mail(vars: &mut Vars, name: &str, template: &Template, around: &Surroundings<'_>) {
    let kind = name.to_uppercase();
    if !template.content_path.is_empty() {
        let url = format!("{}{TEMPLATES_PATH}/{name}", around.mailbox_url);
        put(vars, &[(&format!("MAILER_TEMPLATES_{kind}"), &url)]);
    }
    if let Some(subject) = &template.subject {
        put(vars, &[(&format!("MAILER_SUBJECTS_{kind}"), subject)]);
    }
}

impl Project {
    /// The text of a mail by the name under which [`settings`] announced it, read anew each time.
    pub(crate) fn mail_template(&self, name: &str) -> Option<String> {
        let email = &self.config.auth.email;
        let notification = name
            .strip_suffix("_notification")
            .and_then(|name| email.notification.get(name));
        let path = &email.template.get(name).or(notification)?.content_path;
        // Templates are named from the project's root on, but some write their paths as everything else is.
        [self.root.join(path), self.resolve(path)]
            .iter()
            .find_map(|path| std::fs::read_to_string(path).ok())
    }

    /// The templates whose files are missing.
    pub(crate) fn missing_templates(&self) -> Vec<String> {
        let email = &self.config.auth.email;
        let used = email
            .notification
            .iter()
            .filter(|(_, template)| template.enabled);
        email
            .template
            .iter()
            .chain(used)
            .map(|(_, template)| &template.content_path)
            .filter(|path| !path.is_empty())
            .filter(|path| !self.root.join(path).is_file() && !self.resolve(path).is_file())
            .cloned()
            .collect()
    }

    /// The file of private keys that tokens are signed with.
    pub(crate) fn signing_keys_file(&self) -> Option<std::path::PathBuf> {
        let path = &self.config.auth.signing_keys_path;
        (!path.is_empty()).then(|| {
            if Path::new(path).is_absolute() {
                path.into()
            } else {
                self.resolve(path)
            }
        })
    }
}

fn text_messages(vars: &mut Vars, auth: &Auth) {
    let sms = &auth.sms;
    let test: Vec<_> = sms
        .test_otp
        .iter()
        .map(|(phone, code)| format!("{phone}:{code}"))
        .collect();
    put(
        vars,
        &[
            ("EXTERNAL_PHONE_ENABLED", &sms.enabled),
            ("SMS_AUTOCONFIRM", &!sms.enable_confirmations),
            ("SMS_MAX_FREQUENCY", &sms.max_frequency),
            ("SMS_OTP_EXP", &6000),
            ("SMS_OTP_LENGTH", &6),
            ("SMS_TEMPLATE", &sms.template),
            ("SMS_TEST_OTP", &test.join(",")),
        ],
    );
    let Some((name, carrier)) = carrier(auth) else {
        return;
    };
    put(vars, &[("SMS_PROVIDER", &name)]);
    // Messages leave by the carrier, so the mailbox gets none.
    put(vars, &[("HOOK_SEND_SMS_ENABLED", &false)]);
    for (setting, value) in &carrier.settings {
        let name = format!("SMS_{}_{}", name.to_uppercase(), setting.to_uppercase());
        put(vars, &[(&name, value)]);
    }
}

fn carrier(auth: &Auth) -> Option<(&'static str, &Carrier)> {
    let sms = &auth.sms;
    [
        ("twilio", &sms.twilio),
        ("twilio_verify", &sms.twilio_verify),
        ("messagebird", &sms.messagebird),
        ("textlocal", &sms.textlocal),
        ("vonage", &sms.vonage),
    ]
    .into_iter()
    .find_map(|(name, carrier)| Some((name, carrier.as_ref().filter(|carrier| carrier.enabled)?)))
}

fn second_factors(vars: &mut Vars, auth: &Auth) {
    let mfa = &auth.mfa;
    put(
        vars,
        &[
            ("MFA_MAX_ENROLLED_FACTORS", &mfa.max_enrolled_factors),
            ("MFA_TOTP_ENROLL_ENABLED", &mfa.totp.enroll_enabled),
            ("MFA_TOTP_VERIFY_ENABLED", &mfa.totp.verify_enabled),
            ("MFA_PHONE_ENROLL_ENABLED", &mfa.phone.enroll_enabled),
            ("MFA_PHONE_VERIFY_ENABLED", &mfa.phone.verify_enabled),
            ("MFA_PHONE_OTP_LENGTH", &mfa.phone.otp_length),
            ("MFA_PHONE_TEMPLATE", &mfa.phone.template),
            ("MFA_PHONE_MAX_FREQUENCY", &mfa.phone.max_frequency),
            (
                "MFA_WEB_AUTHN_ENROLL_ENABLED",
                &mfa.web_authn.enroll_enabled,
            ),
            (
                "MFA_WEB_AUTHN_VERIFY_ENABLED",
                &mfa.web_authn.verify_enabled,
            ),
        ],
    );
    if let Some(passkey) = &auth.passkey {
        put(vars, &[("PASSKEY_ENABLED", &passkey.enabled)]);
    }
    if let Some(webauthn) = &auth.webauthn {
        put(
            vars,
            &[
                ("WEBAUTHN_RP_ID", &webauthn.id),
                ("WEBAUTHN_RP_DISPLAY_NAME", &webauthn.display_name),
                ("WEBAUTHN_RP_ORIGINS", &webauthn.origins.join(",")),
            ],
        );
    }
}

fn hooks(vars: &mut Vars, auth: &Auth) {
    for (name, hook) in auth.hook.iter().filter(|(_, hook)| hook.enabled) {
        let name = name.to_uppercase();
        put(
            vars,
            &[
                (&format!("HOOK_{name}_ENABLED"), &true),
                (&format!("HOOK_{name}_URI"), &on_this_machine(&hook.uri)),
                (&format!("HOOK_{name}_SECRETS"), &hook.secrets),
            ],
        );
    }
}

/// Containers call their host by a name of its own; nothing here is in one.
fn on_this_machine(address: &str) -> String {
    address.replace("host.docker.internal", "127.0.0.1")
}

fn providers(vars: &mut Vars, auth: &Auth, issuer: &str) {
    for (name, provider) in &auth.external {
        let field = |field: &str| format!("EXTERNAL_{}_{field}", name.to_uppercase());
        let redirect = if provider.redirect_uri.is_empty() {
            format!("{issuer}/callback")
        } else {
            provider.redirect_uri.clone()
        };
        put(
            vars,
            &[
                (&field("ENABLED"), &provider.enabled),
                (&field("CLIENT_ID"), &provider.client_id),
                (&field("SECRET"), &provider.secret),
                (&field("SKIP_NONCE_CHECK"), &provider.skip_nonce_check),
                (&field("EMAIL_OPTIONAL"), &provider.email_optional),
                (&field("REDIRECT_URI"), &redirect),
            ],
        );
        if !provider.url.is_empty() {
            put(vars, &[(&field("URL"), &provider.url)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{keys::Keys, project::Config};

    fn said(text: &str) -> Vars {
        let (config, _) = Config::parse(text, &Vars::default()).unwrap();
        let project = Project {
            root: "/p".into(),
            config,
        };
        let keys = Keys::local().unwrap();
        let around = Surroundings {
            api_url: "http://127.0.0.1:54321",
            mailbox_url: "http://127.0.0.1:54324",
            keys: &keys,
        };
        settings(&project, &around)
    }

    #[track_caller]
    fn check(vars: &Vars, expected: &[(&str, &str)]) {
        for (name, value) in expected {
            assert_eq!(vars.get(name), Some(*value), "{name}");
        }
    }

    #[test]
    fn a_project_that_says_nothing_is_as_the_cli_starts_it() {
        let vars = said("");
        check(
            &vars,
            &[
                ("GOTRUE_SITE_URL", "http://127.0.0.1:3000"),
                ("GOTRUE_URI_ALLOW_LIST", "https://127.0.0.1:3000"),
                ("GOTRUE_MAILER_AUTOCONFIRM", "true"),
                ("GOTRUE_EXTERNAL_PHONE_ENABLED", "false"),
                ("GOTRUE_JWT_ISSUER", "http://127.0.0.1:54321/auth/v1"),
                (
                    "GOTRUE_MAILER_URLPATHS_RECOVERY",
                    "http://127.0.0.1:54321/auth/v1/verify",
                ),
                ("GOTRUE_MFA_TOTP_ENROLL_ENABLED", "false"),
            ],
        );
        assert_eq!(vars.get("GOTRUE_SMS_PROVIDER"), None);
    }

    #[test]
    fn what_the_file_says_reaches_the_service_under_its_own_names() {
        let vars = said(
            r#"
            [auth]
            enable_signup = false
            password_requirements = "letters_digits"
            [auth.sessions]
            timebox = "24h"
            [auth.email]
            enable_confirmations = true
            [auth.email.smtp]
            host = "host.docker.internal"
            port = 25
            user = "u"
            pass = "p"
            admin_email = "a@b.c"
            [auth.email.template.invite]
            subject = "Come in"
            content_path = "./supabase/templates/invite.html"
            [auth.email.notification.password_changed]
            enabled = true
            content_path = "./templates/changed.html"
            [auth.sms]
            enable_signup = true
            test_otp = { 4152127777 = "123456" }
            [auth.sms.vonage]
            enabled = true
            from = "me"
            api_key = "k"
            api_secret = "s"
            [auth.hook.send_email]
            enabled = true
            uri = "http://host.docker.internal:54321/functions/v1/mail"
            secrets = "v1,whsec_x"
            [auth.external.github]
            enabled = true
            client_id = "id"
            secret = "secret"
            [auth.web3.solana]
            enabled = true
            "#,
        );
        check(
            &vars,
            &[
                ("GOTRUE_DISABLE_SIGNUP", "true"),
                ("GOTRUE_SESSIONS_TIMEBOX", "24h"),
                ("GOTRUE_MAILER_AUTOCONFIRM", "false"),
                ("GOTRUE_SMTP_HOST", "127.0.0.1"),
                ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "2"),
                ("GOTRUE_MAILER_SUBJECTS_INVITE", "Come in"),
                (
                    "GOTRUE_MAILER_TEMPLATES_INVITE",
                    "http://127.0.0.1:54324/project/templates/invite",
                ),
                (
                    "GOTRUE_MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED",
                    "true",
                ),
                (
                    "GOTRUE_MAILER_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION",
                    "http://127.0.0.1:54324/project/templates/password_changed_notification",
                ),
                ("GOTRUE_EXTERNAL_PHONE_ENABLED", "true"),
                ("GOTRUE_SMS_TEST_OTP", "4152127777:123456"),
                ("GOTRUE_SMS_PROVIDER", "vonage"),
                ("GOTRUE_SMS_VONAGE_API_SECRET", "s"),
                (
                    "GOTRUE_HOOK_SEND_EMAIL_URI",
                    "http://127.0.0.1:54321/functions/v1/mail",
                ),
                ("GOTRUE_EXTERNAL_GITHUB_CLIENT_ID", "id"),
                (
                    "GOTRUE_EXTERNAL_GITHUB_REDIRECT_URI",
                    "http://127.0.0.1:54321/auth/v1/callback",
                ),
                ("GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED", "true"),
            ],
        );
    }

    #[test]
    fn addresses_that_the_environment_does_not_have_are_left_out() {
        let vars = said(
            "[auth]\nsite_url = \"env(NOWHERE)\"\nadditional_redirect_urls = [\"env(NOWHERE)\", \"http://a\"]",
        );
        check(
            &vars,
            &[
                ("GOTRUE_SITE_URL", DEFAULT_SITE),
                ("GOTRUE_URI_ALLOW_LIST", "http://a"),
            ],
        );
    }

    #[test]
    fn templates_are_found_from_the_root_or_from_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let templates = dir.path().join("supabase/templates");
        std::fs::create_dir_all(&templates).unwrap();
        std::fs::write(templates.join("a.html"), "A").unwrap();
        let text = "[auth.email.template.invite]\ncontent_path = \"./supabase/templates/a.html\"\n\
                    [auth.email.template.recovery]\ncontent_path = \"./templates/a.html\"\n\
                    [auth.email.template.magic_link]\ncontent_path = \"./none.html\"";
        let (config, _) = Config::parse(text, &Vars::default()).unwrap();
        let project = Project {
            root: dir.path().to_owned(),
            config,
        };
        assert_eq!(project.mail_template("invite").as_deref(), Some("A"));
        assert_eq!(project.mail_template("recovery").as_deref(), Some("A"));
        assert_eq!(project.mail_template("confirmation"), None);
        assert_eq!(project.missing_templates(), ["./none.html"]);
    }
}
