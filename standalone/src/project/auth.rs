//! `[auth]` as settings of auth-svc.

mod mail;
mod text_messages;

use svc_kit::env::Vars;

pub(crate) use self::mail::TEMPLATES_PATH;
use super::{
    Project, Surroundings,
    config::{Auth, reference},
};

const DEFAULT_SITE: &str = "http://127.0.0.1:3000";

pub(super) fn settings(project: &Project, around: &Surroundings<'_>) -> Vars {
    let mut vars = Vars::default();
    let auth = &project.config.auth;
    general(&mut vars, project, around);
    limits(&mut vars, auth);
    mail::put_all(&mut vars, project, around);
    text_messages::put_all(&mut vars, auth);
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
mod tests;
