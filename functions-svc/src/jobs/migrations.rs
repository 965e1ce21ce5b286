use svc_kit::migrate::{Bookkeeping, Set};

/// The migrations of the schemas `net`, `supabase_functions` and `cron`. A database of the original's image is
/// recognised; what its extensions own is left to them.
pub fn migrations() -> Set {
    Set::converging(
        "functions",
        "supabase_admin",
        Bookkeeping::Functions,
        &[
            include_str!("../../../sql/platform/functions/0001_net.sql"),
            include_str!("../../../sql/platform/functions/0002_webhooks.sql"),
            include_str!("../../../sql/platform/functions/0003_cron.sql"),
        ],
        include_str!("../../../sql/platform/functions/versions.txt"),
    )
}
