//! The authentication service as its clients see it: the real router on a real Postgres, with a mail
//! server that takes mails and a receiver of the send-SMS hook.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails where something unexpected happens"
)]

mod admin;
mod admin_credentials;
mod authenticator;
mod browser;
mod captcha;
mod custom_providers;
mod email;
mod encryption;
mod errors;
mod experimental;
mod external;
mod hook_receiver;
mod id_token;
mod leaked_passwords;
mod linking;
mod mail_sink;
mod mfa_phone;
mod mfa_totp;
mod mfa_webauthn;
mod oauth_server;
mod passkeys;
mod phone;
mod provider;
mod refresh;
mod refresh_signed;
mod sessions;
mod test_app;
mod twitter;
mod user;
mod web3;
