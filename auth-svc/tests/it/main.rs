//! The authentication service as its clients see it: the real router on a real Postgres, with a mail
//! server that takes mails and a receiver of the send-SMS hook.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails where something unexpected happens"
)]

mod admin;
mod admin_credentials;
mod attacks;
mod authenticator;
mod browser;
mod captcha;
mod command_line;
mod custom_providers;
mod email;
mod encryption;
mod errors;
mod experimental;
mod external;
mod hook_receiver;
mod id_token;
mod identity_provider;
mod leaked_passwords;
mod limits;
mod linking;
mod mail_sink;
mod mail_templates;
mod metrics;
mod mfa_phone;
mod mfa_totp;
mod mfa_webauthn;
mod notifications;
mod oauth_server;
mod passkeys;
mod password_hashes;
mod phone;
mod provider;
mod refresh;
mod refresh_signed;
mod saml;
mod session_list;
mod sessions;
mod sms;
mod sms_carrier;
mod sso_providers;
mod test_app;
mod twitter;
mod user;
mod verify_page;
mod web3;
mod wire;
