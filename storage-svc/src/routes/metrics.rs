//! What is counted, and how Prometheus reads it: the original's names, as far as there is the same thing to count.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode, header};
use svc_kit::observe::{CONTENT_TYPE, Requests, Text, render_pools};

use crate::{App, domain::upload::UploadType};

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "other"];
const FAMILIES: [&str; 8] = [
    "object", "bucket", "render", "s3", "upload", "cdn", "health", "other",
];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper bounds in seconds; behind the last there is no bound.
const BOUNDS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];
const UPLOADS: [UploadType; 3] = [UploadType::Standard, UploadType::S3, UploadType::Resumable];

const DURATION: &str = "storage_api_http_request_duration_seconds";

type Counter = AtomicU64;

/// Durations of the answers of one family.
#[derive(Debug, Default)]
struct Durations {
    within: [Counter; BOUNDS.len()],
    count: Counter,
    micros: Counter,
}

/// What is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: [[[Counter; CLASSES.len()]; FAMILIES.len()]; METHODS.len()],
    durations: [Durations; FAMILIES.len()],
    uploads: [Counter; UPLOADS.len()],
    common: Requests,
}

fn place(names: &[&str], name: &str) -> usize {
    let found = names.iter().position(|known| *known == name);
    found.unwrap_or(names.len() - 1)
}

impl Metrics {
    /// An answer whose head is ready.
    pub(crate) fn answered(
        &self,
        method: &Method,
        family: &str,
        status: StatusCode,
        took: Duration,
    ) {
        let method = place(&METHODS, method.as_str());
        let family = place(&FAMILIES, family);
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        self.requests[method][family][class].fetch_add(1, Ordering::Relaxed);
        let durations = &self.durations[family];
        durations.count.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        durations.micros.fetch_add(micros, Ordering::Relaxed);
        let seconds = took.as_secs_f64();
        if let Some(bound) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            durations.within[bound].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What is counted under the names of every service.
    pub(crate) fn requests(&self) -> &Requests {
        &self.common
    }

    /// An upload whose row is committed.
    pub(crate) fn uploaded(&self, kind: UploadType) {
        if let Some(place) = UPLOADS.iter().position(|known| *known == kind) {
            self.uploads[place].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// `GET /metrics`
pub(super) fn show(app: &App) -> Response {
    let metrics = app.metrics();
    let count = |counter: &Counter| counter.load(Ordering::Relaxed);
    let mut text = String::new();
    // Writing to a text does not fail.
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(arguments);
        text.push('\n');
    };
    line(format_args!(
        "# TYPE storage_api_http_requests_total counter"
    ));
    for (method, families) in METHODS.iter().zip(&metrics.requests) {
        for (family, classes) in FAMILIES.iter().zip(families) {
            for (class, counter) in CLASSES.iter().zip(classes) {
                let value = count(counter);
                if value > 0 {
                    line(format_args!(
                        "storage_api_http_requests_total{{method=\"{method}\",family=\"{family}\",status_code=\"{class}\"}} {value}"
                    ));
                }
            }
        }
    }
    line(format_args!("# TYPE {DURATION} histogram"));
    for (family, durations) in FAMILIES.iter().zip(&metrics.durations) {
        let all = count(&durations.count);
        if all == 0 {
            continue;
        }
        let mut within = 0;
        for (bound, counter) in BOUNDS.iter().zip(&durations.within) {
            within += count(counter);
            line(format_args!(
                "{DURATION}_bucket{{family=\"{family}\",le=\"{bound}\"}} {within}"
            ));
        }
        line(format_args!(
            "{DURATION}_bucket{{family=\"{family}\",le=\"+Inf\"}} {all}"
        ));
        let seconds = Duration::from_micros(count(&durations.micros)).as_secs_f64();
        line(format_args!(
            "{DURATION}_sum{{family=\"{family}\"}} {seconds}"
        ));
        line(format_args!(
            "{DURATION}_count{{family=\"{family}\"}} {all}"
        ));
    }
    line(format_args!("# TYPE storage_api_upload_success counter"));
    for (kind, counter) in UPLOADS.iter().zip(&metrics.uploads) {
        line(format_args!(
            "storage_api_upload_success{{uploadType=\"{}\"}} {}",
            kind.text(),
            count(counter)
        ));
    }
    let pool = app.db().status();
    for (name, value) in [
        ("storage_api_db_connections", pool.size),
        (
            "storage_api_db_connections_in_use",
            pool.size.saturating_sub(pool.available),
        ),
        ("storage_api_db_requests_waiting", pool.waiting),
    ] {
        line(format_args!("# TYPE {name} gauge\n{name} {value}"));
    }
    let mut common = Text::default();
    metrics.common.render(&mut common);
    render_pools(&mut common, &[app.db().pool_state()]);
    text.push_str(&common.into_string());
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
