//! The SQL of the service, a file per table. Every function takes a connection, so that the caller owns
//! the transaction.

pub mod accounts;
pub mod audit;
pub mod challenges;
pub mod cleanup;
pub mod custom_providers;
pub mod external_flows;
pub mod factors;
pub mod flow_state;
pub mod identities;
pub mod oauth_client_states;
pub mod oauth_clients;
pub mod oauth_grants;
pub mod one_time_tokens;
pub mod passkeys;
pub mod rate_limits;
pub mod refresh_tokens;
pub mod rotation;
pub mod saml_relay_states;
pub mod sessions;
pub mod sso;
pub mod users;
