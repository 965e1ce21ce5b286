//! The schema `auth`, as GoTrue's own migrations leave it.

use svc_kit::migrate::{Bookkeeping, Set};

macro_rules! script {
    ($file:literal) => {
        include_str!(concat!("../../sql/platform/auth/", $file))
    };
}

const SCRIPTS: [&str; 10] = [
    script!("0001_functions.sql"),
    script!("0002_users_and_identities.sql"),
    script!("0003_factors.sql"),
    script!("0004_oauth_server.sql"),
    script!("0005_sessions.sql"),
    script!("0006_external_login.sql"),
    script!("0007_webauthn.sql"),
    script!("0008_rights.sql"),
    script!("0009_rate_limits.sql"),
    script!("0010_comments.sql"),
];

/// What has to run before the service does. A database that GoTrue migrated is recognised.
pub fn migrations() -> Set {
    Set::converging(
        "auth",
        "supabase_auth_admin",
        Bookkeeping::Auth,
        &SCRIPTS,
        script!("versions.txt"),
    )
}
