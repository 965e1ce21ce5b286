//! The rules of the service. Nothing in here knows HTTP routing or SQL text.

pub mod account;
pub mod address;
pub mod audit;
pub mod captcha;
pub mod clock;
pub mod confirm;
pub mod custom_providers;
pub mod encryption;
pub mod external;
pub mod hooks;
pub mod jwt;
pub mod limiter;
pub mod mfa;
pub mod oauth_server;
pub mod otp;
pub mod outside;
pub mod passkeys;
pub mod password;
pub mod pkce;
pub mod redirect;
pub mod refresh;
pub mod send;
pub mod session;
pub mod signup;
pub mod web3;
pub mod webauthn;
