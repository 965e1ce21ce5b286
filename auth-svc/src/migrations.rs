//! The schema `auth`, as GoTrue's own migrations leave it.

use svc_kit::migrate::{Bookkeeping, Set};

/// What has to run before the service does. A database that GoTrue migrated is recognised.
pub fn migrations() -> Set {
    Set::converging("auth", "supabase_auth_admin", Bookkeeping::Auth, &[], "")
}
