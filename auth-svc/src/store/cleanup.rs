//! Rows that nobody needs any more.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

/// A few rows of each kind at a time, and none that somebody works with.
const STATEMENTS: [&str; 9] = [
    "delete from auth.refresh_tokens where id in (
         select id from auth.refresh_tokens
         where revoked is true and updated_at < $1 - interval '24 hours'
         limit 100 for update skip locked)",
    "delete from auth.flow_state where id in (
         select id from auth.flow_state where created_at < $1 - interval '24 hours'
         limit 100 for update skip locked)",
    "delete from auth.oauth_client_states where id in (
         select id from auth.oauth_client_states where created_at < $1 - interval '24 hours'
         limit 100 for update skip locked)",
    "delete from auth.saml_relay_states where id in (
         select id from auth.saml_relay_states where created_at < $1 - interval '24 hours'
         limit 100 for update skip locked)",
    "delete from auth.mfa_challenges where id in (
         select id from auth.mfa_challenges where created_at < $1 - interval '24 hours'
         limit 100 for update skip locked)",
    "delete from auth.mfa_factors where id in (
         select id from auth.mfa_factors
         where created_at < $1 - interval '24 hours' and status = 'unverified'
         limit 100 for update skip locked)",
    "delete from auth.webauthn_challenges where id in (
         select id from auth.webauthn_challenges where expires_at < $1
         limit 100 for update skip locked)",
    "delete from auth.sessions where id in (
         select id from auth.sessions where not_after < $1 - interval '72 hours'
         limit 100 for update skip locked)",
    "delete from auth.users where id in (
         select id from auth.users where is_anonymous is true and created_at < $1 - interval '30 days'
         limit 100 for update skip locked)",
];

/// Removes them.
pub async fn run(db: &PgPool, now: DateTime<Utc>) -> Result<(), sqlx::Error> {
    for statement in STATEMENTS {
        sqlx::query(statement).bind(now).execute(db).await?;
    }
    Ok(())
}
