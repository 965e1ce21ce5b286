//! Counters in Prometheus's text format.

use std::{fmt::Write as _, sync::atomic::Ordering};

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, header};

use svc_kit::observe::{CONTENT_TYPE, Text, render_pools};

use super::tenants::check;
use crate::{app::App, error::Error};

/// `GET /metrics`, for who has a token signed with `METRICS_JWT_SECRET`.
pub(super) async fn index(State(app): State<App>, headers: HeaderMap) -> Result<Response, Error> {
    let keys = app.config().metrics_keys.as_ref();
    check(&headers, keys.ok_or(Error::AdminForbidden)?)?;
    let mut common = Text::default();
    app.requests().render(&mut common);
    render_pools(&mut common, &app.pool_states());
    let text = text(&app) + &common.into_string();
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}

fn text(app: &App) -> String {
    let metrics = app.metrics();
    let tenant = &app.config().tenant;
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, help: &str, value: u64| {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{{tenant=\"{tenant}\"}} {value}\n"
        );
    };
    let count = |value: &std::sync::atomic::AtomicUsize| value.load(Ordering::Relaxed) as u64;
    add(
        "realtime_connections_connected",
        "gauge",
        "Sockets that are open.",
        count(&metrics.sockets),
    );
    add(
        "realtime_connections_limit_concurrent",
        "gauge",
        "Sockets with a channel that are allowed.",
        app.config().limits.max_concurrent_users as u64,
    );
    add(
        "realtime_users",
        "gauge",
        "Sockets with a channel.",
        count(&metrics.users),
    );
    add(
        "realtime_channels",
        "gauge",
        "Channels that are joined.",
        count(&metrics.channels),
    );
    add(
        "realtime_rooms",
        "gauge",
        "Topics that somebody has joined.",
        app.hub().len() as u64,
    );
    add(
        "realtime_subscriptions",
        "gauge",
        "Subscriptions to changes; one on several tables counts for each.",
        app.engine().len() as u64,
    );
    let changes = app.engine().metrics().counts();
    for (name, help, value) in [
        (
            "realtime_changes",
            "Changed rows that somebody listened to.",
            changes.changes,
        ),
        (
            "realtime_changes_checks",
            "Questions about who may see changed rows, by groups of equal claims.",
            changes.checks,
        ),
        (
            "realtime_changes_batches",
            "Batches of changes.",
            changes.batches,
        ),
        (
            "realtime_changes_busy_milliseconds",
            "Time spent on batches of changes.",
            u64::try_from(changes.busy.as_millis()).unwrap_or(u64::MAX),
        ),
    ] {
        add(name, "counter", help, value);
    }
    if let Some(log) = app.log_counters() {
        add(
            "realtime_replication_lag_bytes",
            "gauge",
            "What the database keeps of its log for the service.",
            log.lag_bytes(),
        );
        for (name, help, value) in [
            (
                "realtime_replication_changes",
                "Changes that were read from the log.",
                log.changes(),
            ),
            (
                "realtime_replication_transactions",
                "Transactions that were read from the log.",
                log.transactions(),
            ),
            (
                "realtime_replication_reconnects",
                "Connections to the log after the first.",
                log.reconnects(),
            ),
            (
                "realtime_replication_gaps",
                "How often changes were lost.",
                log.gaps(),
            ),
        ] {
            add(name, "counter", help, value);
        }
    }
    for (name, help, rate) in [
        ("realtime_channel_joins", "Joins.", &metrics.joins),
        (
            "realtime_channel_events",
            "Messages sent and delivered.",
            &metrics.events,
        ),
        (
            "realtime_channel_presence_events",
            "Presence messages.",
            &metrics.presence_events,
        ),
        (
            "realtime_channel_db_events",
            "Changes of rows that were delivered.",
            &metrics.db_events,
        ),
    ] {
        add(name, "counter", help, rate.total());
    }
    let total = |value: &std::sync::atomic::AtomicU64| value.load(Ordering::Relaxed);
    add(
        "realtime_channel_input_bytes",
        "counter",
        "Bytes of frames that were read.",
        total(&metrics.input_bytes),
    );
    add(
        "realtime_channel_output_bytes",
        "counter",
        "Bytes of frames that were written.",
        total(&metrics.output_bytes),
    );
    add(
        "realtime_socket_overflows",
        "counter",
        "Sockets that were closed because they did not read.",
        total(&metrics.overflows),
    );
    text.push_str("# HELP realtime_channel_error Errors that clients were told.\n# TYPE realtime_channel_error counter\n");
    for (code, count) in metrics.errors() {
        let _ = writeln!(
            text,
            "realtime_channel_error{{code=\"{code}\",tenant=\"{tenant}\"}} {count}"
        );
    }
    text
}
