//! Reading which mails tell users of what changed, and how texts of the project's own are kept.

use std::time::Duration;

use svc_kit::env::Reader;

use crate::mail::Kind;

/// The mails that tell a user what changed; all are off by default.
#[derive(Clone, Debug, Default)]
pub struct Notifications(Vec<Kind>);

impl Notifications {
    /// `GOTRUE_MAILER_NOTIFICATIONS_<KIND>_ENABLED`.
    pub fn are_enabled(&self, kind: Kind) -> bool {
        self.0.contains(&kind)
    }
}

/// How texts are kept that were fetched from the project.
#[derive(Clone, Copy, Debug)]
pub struct TemplateCache {
    /// `GOTRUE_MAILER_TEMPLATE_MAX_AGE`, default 10 min: how long one is used before it is fetched again.
    pub max_age: Duration,
    /// `GOTRUE_MAILER_TEMPLATE_RETRY_INTERVAL`, default 10 s: until the next attempt, while an older one is
    /// there to be used.
    pub retry_interval: Duration,
    /// `GOTRUE_MAILER_TEMPLATE_MAX_SIZE`, default 1,000,000 bytes.
    pub max_size: usize,
}

pub(super) fn read(r: &mut Reader<'_>) -> Notifications {
    let enabled = Kind::NOTIFICATIONS.into_iter().filter(|kind| {
        let what = kind.as_str().trim_end_matches("_notification");
        let name = format!(
            "GOTRUE_MAILER_NOTIFICATIONS_{}_ENABLED",
            what.to_uppercase()
        );
        r.flag(&[&name], false)
    });
    Notifications(enabled.collect())
}

pub(super) fn template_cache(r: &mut Reader<'_>) -> TemplateCache {
    let name = |what: &str| format!("GOTRUE_MAILER_TEMPLATE_{what}");
    let seconds = Duration::from_secs;
    TemplateCache {
        max_age: r.duration(&[&name("MAX_AGE")], seconds(600)),
        retry_interval: r.duration(&[&name("RETRY_INTERVAL")], seconds(10)),
        max_size: r.parse_or(&[&name("MAX_SIZE")], 1_000_000),
    }
}
