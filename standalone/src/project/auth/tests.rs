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
