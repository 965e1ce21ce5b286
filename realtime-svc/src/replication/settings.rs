use std::{fmt, time::Duration};

use svc_kit::wire::Target;

/// What the log is read with.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The database, as a role that may replicate.
    pub(crate) target: Target,
    /// The name of the slot: lower-case letters, digits and underscores, up to 63 bytes. Slots belong to the whole
    /// cluster.
    pub(crate) slot: String,
    /// The publication of the user's tables. It is read while it exists, and never changed.
    pub(crate) changes: String,
    /// The publication of `realtime.messages`, which is made when it is missing.
    pub(crate) messages: String,
    /// How long the slot is kept when nobody needs it any more.
    pub(crate) idle_after: Duration,
    /// How much of the log, in bytes, the server may have to keep for us. Beyond it we begin anew, with a gap.
    pub(crate) max_lag_bytes: u64,
    /// How often the catalog is asked about publications and the slot.
    pub(crate) check_every: Duration,
    /// Leaves the slot behind at a graceful stop, for another copy that goes on where this one stopped.
    pub(crate) keep_slot_on_stop: bool,
    /// How many items wait for a slow consumer.
    pub(crate) queue: usize,
    /// How many bytes they may have together, one large item excepted.
    pub(crate) queue_bytes: u32,
}

impl Settings {
    /// The usual settings; the suffix tells several services of one cluster apart.
    pub(crate) fn new(target: Target, suffix: Option<&str>) -> Self {
        Self {
            target,
            slot: suffix.map_or_else(
                || "nilam_realtime".to_owned(),
                |suffix| format!("nilam_realtime_{suffix}"),
            ),
            changes: "supabase_realtime".to_owned(),
            messages: "supabase_realtime_messages_publication".to_owned(),
            idle_after: Duration::from_mins(10),
            max_lag_bytes: 1024 * 1024 * 1024,
            check_every: Duration::from_secs(3),
            keep_slot_on_stop: false,
            queue: 4096,
            queue_bytes: 32 * 1024 * 1024,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the target, which has a password.
        formatter
            .debug_struct("Settings")
            .field("slot", &self.slot)
            .field("changes", &self.changes)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}
