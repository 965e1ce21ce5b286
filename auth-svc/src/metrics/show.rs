//! The counters as text.

use std::collections::BTreeMap;

use svc_kit::observe::{Kind, PoolState, Requests, Text, render_pools};

use super::{Counts, HOOK_BOUNDS, Metrics, locked};
use crate::app::App;

const HTTP_DURATION: &str = "http_server_duration_milliseconds";
const HOOK_DURATION: &str = "auth_hook_duration_seconds";

impl App {
    /// Everything that is counted, in Prometheus's text format.
    pub fn metrics_text(&self) -> String {
        let metrics = self.metrics();
        let mut text = Text::default();
        text.single("gotrue_running", Kind::Gauge, "Always 1.", 1);
        metrics.show_originals(&mut text);
        show_passwords(self, &mut text);
        metrics.show_own(&mut text);
        let limiter = self.limiter();
        let name = "gotrue_email_rate_limit_counter_total";
        let mails = limiter.refused_mails();
        text.single(name, Kind::Counter, "Mails beyond the limits.", mails);
        show(
            &mut text,
            "auth_rate_limited_total",
            "Requests beyond the limits.",
            ["code"],
            limiter.refused(),
        );
        metrics.requests.render(&mut text);
        let mut pools = vec![PoolState::of_sqlx(
            "auth",
            self.pool(),
            Some(&metrics.connections),
        )];
        pools.extend(limiter.pool_state());
        render_pools(&mut text, &pools);
        text.into_string()
    }
}

fn show<const N: usize>(
    text: &mut Text,
    name: &str,
    help: &str,
    labels: [&'static str; N],
    counts: &Counts<N>,
) {
    text.family(name, Kind::Counter, help);
    let all = counts.all();
    if N == 0 && all.is_empty() {
        text.sample(name, &[], 0);
    }
    for (values, count) in all {
        let labels: Vec<_> = labels.into_iter().zip(values).collect();
        text.sample(name, &labels, count);
    }
}

/// The hashing of passwords: under the original's names what was begun and what was done.
fn show_passwords(app: &App, text: &mut Text) {
    let work = app.hasher().work();
    for (name, help, value) in [
        (
            "gotrue_generate_from_password_submitted_total",
            "Hashes that were asked for.",
            work.hashes.begun(),
        ),
        (
            "gotrue_generate_from_password_completed_total",
            "Hashes that were made.",
            work.hashes.done(),
        ),
        (
            "gotrue_compare_hash_and_password_submitted_total",
            "Comparisons that were asked for.",
            work.comparisons.begun(),
        ),
        (
            "gotrue_compare_hash_and_password_completed_total",
            "Comparisons that were made.",
            work.comparisons.done(),
        ),
    ] {
        text.single(name, Kind::Counter, help, value);
    }
    for (name, help, value) in [
        (
            "auth_password_hash_places",
            "How many passwords are hashed at a time.",
            work.places,
        ),
        (
            "auth_password_hash_running",
            "Passwords that are hashed now.",
            work.running,
        ),
        (
            "auth_password_hash_waiting",
            "Passwords that wait for a place.",
            work.waiting,
        ),
    ] {
        text.single(name, Kind::Gauge, help, value);
    }
}

impl Metrics {
    fn show_originals(&self, text: &mut Text) {
        show_statuses(&self.requests, text);
        show_durations(&self.requests, text);
        show(
            text,
            "global_auth_email_send_operations_total",
            "Mails that were to be sent.",
            ["type"],
            &self.mails,
        );
        show(
            text,
            "global_auth_email_send_errors_total",
            "Of these, those that could not be.",
            ["type"],
            &self.failed_mails,
        );
    }

    fn show_own(&self, text: &mut Text) {
        show(
            text,
            "auth_sign_ins_total",
            "Sign-ins by what the user proved, and what came of it.",
            ["method", "result"],
            &self.sign_ins,
        );
        show(
            text,
            "auth_sms_send_operations_total",
            "Text messages that were to be sent.",
            [],
            &self.texts,
        );
        show(
            text,
            "auth_sms_send_errors_total",
            "Of these, those that could not be.",
            [],
            &self.failed_texts,
        );
        show(
            text,
            "auth_hook_calls_total",
            "Calls of hooks.",
            ["hook", "result"],
            &self.hooks,
        );
        text.family(
            HOOK_DURATION,
            Kind::Histogram,
            "How long hooks took, with all attempts.",
        );
        let (bucket, sum, count) = (
            format!("{HOOK_DURATION}_bucket"),
            format!("{HOOK_DURATION}_sum"),
            format!("{HOOK_DURATION}_count"),
        );
        for (hook, times) in locked(&self.hook_times).iter() {
            let label = ("hook", *hook);
            for (bound, within) in HOOK_BOUNDS.iter().zip(times.within) {
                let bound = bound.to_string();
                text.sample(&bucket, &[label, ("le", &bound)], within);
            }
            text.sample(&bucket, &[label, ("le", "+Inf")], times.count);
            text.sample(&sum, &[label], times.total.as_secs_f64());
            text.sample(&count, &[label], times.count);
        }
    }
}

fn show_statuses(requests: &Requests, text: &mut Text) {
    let name = "http_status_codes_total";
    let mut statuses: BTreeMap<_, u64> = BTreeMap::new();
    for one in requests.counted() {
        *statuses.entry((one.status, one.route)).or_default() += one.count;
    }
    text.family(name, Kind::Counter, "Answers by status.");
    for ((status, route), count) in statuses {
        text.sample(name, &[("code", &status), ("http_route", &route)], count);
    }
}

/// What the original has of OpenTelemetry's older conventions.
fn show_durations(requests: &Requests, text: &mut Text) {
    text.family(
        HTTP_DURATION,
        Kind::Histogram,
        "Time from a request to the head of its answer.",
    );
    let (bucket, sum, count) = (
        format!("{HTTP_DURATION}_bucket"),
        format!("{HTTP_DURATION}_sum"),
        format!("{HTTP_DURATION}_count"),
    );
    for one in requests.counted() {
        let labels = [
            ("http_method", one.method),
            ("http_route", one.route.as_str()),
            ("http_status_code", one.status.as_str()),
        ];
        let [method, route, status] = labels;
        for (bound, within) in &one.within {
            let bound = (bound.as_secs_f64() * 1e3).to_string();
            text.sample(&bucket, &[method, route, status, ("le", &bound)], within);
        }
        text.sample(&bucket, &[method, route, status, ("le", "+Inf")], one.count);
        text.sample(&sum, &labels, one.total.as_secs_f64() * 1e3);
        text.sample(&count, &labels, one.count);
    }
}
