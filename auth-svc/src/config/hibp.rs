//! Passwords that are known from leaks: `GOTRUE_PASSWORD_HIBP_*`.

use svc_kit::env::Reader;

/// How HaveIBeenPwned.org is asked.
#[derive(Clone, Debug)]
pub struct Hibp {
    /// `…_FAIL_CLOSED`: while it cannot be asked, no password is taken. Default false.
    pub fail_closed: bool,
    /// `…_USER_AGENT`: who we say that we are.
    pub user_agent: String,
    /// `…_BLOOM_*`: leaked passwords that were seen before are known without asking.
    pub bloom: Option<Bloom>,
}

/// The size of that memory.
#[derive(Clone, Copy, Debug)]
pub struct Bloom {
    /// `…_BLOOM_ITEMS`, default 100,000.
    pub items: u32,
    /// `…_BLOOM_FALSE_POSITIVES`, default 0.0000099: how often a password is taken for a leaked one.
    pub false_positives: f64,
}

/// Nothing unless `…_ENABLED`.
pub(super) fn read(r: &mut Reader<'_>) -> Option<Hibp> {
    const PREFIX: &str = "GOTRUE_PASSWORD_HIBP_";
    /// Some 600 MiB at the default rate; more is a slip.
    const MAX_ITEMS: u32 = 200_000_000;
    let name = |rest: &str| format!("{PREFIX}{rest}");
    if !r.flag(&[&name("ENABLED")], false) {
        return None;
    }
    let bloom = Bloom {
        items: r.parse_or(&[&name("BLOOM_ITEMS")], 100_000),
        false_positives: r.parse_or(&[&name("BLOOM_FALSE_POSITIVES")], 0.000_009_9),
    };
    let is_enabled = r.flag(&[&name("BLOOM_ENABLED")], false);
    if is_enabled && !(1..=MAX_ITEMS).contains(&bloom.items) {
        r.problem(format!("{PREFIX}BLOOM_ITEMS: expected 1 to {MAX_ITEMS}"));
    }
    if is_enabled && !(1e-12..=0.5).contains(&bloom.false_positives) {
        r.problem(format!(
            "{PREFIX}BLOOM_FALSE_POSITIVES: expected a rate of no more than 0.5"
        ));
    }
    Some(Hibp {
        fail_closed: r.flag(&[&name("FAIL_CLOSED")], false),
        user_agent: r.text_or(&[&name("USER_AGENT")], "https://github.com/supabase/gotrue"),
        bloom: is_enabled.then_some(bloom),
    })
}
