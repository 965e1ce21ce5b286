//! What the gateway counts, in the format of Prometheus.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use http::StatusCode;

use crate::Service;

/// Upper ends of the classes of durations, in milliseconds.
const CLASSES: [u64; 12] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 30_000];
const STATUSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// The services, and one place for what the gateway answers itself.
const PLACES: usize = Service::ALL.len() + 1;

/// Counters of the process.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: [PerPlace; PLACES],
    retries: [AtomicU64; PLACES],
    in_flight: AtomicI64,
    connections: AtomicI64,
    websockets: AtomicI64,
    pub(crate) refused_connections: AtomicU64,
    pub(crate) rate_limited: AtomicU64,
    pub(crate) rate_store_failures: AtomicU64,
    pub(crate) lost_log_lines: AtomicU64,
    pub(crate) failed_handshakes: AtomicU64,
    pub(crate) failed_reloads: AtomicU64,
}

#[derive(Debug, Default)]
struct PerPlace {
    by_status: [AtomicU64; STATUSES.len()],
    by_duration: [AtomicU64; CLASSES.len() + 1],
    total_us: AtomicU64,
}

fn place(service: Option<Service>) -> usize {
    service.map_or(PLACES - 1, |service| service as usize)
}

fn name(place: usize) -> &'static str {
    Service::ALL
        .get(place)
        .map_or("gateway", |service| service.name())
}

/// Something that is there while this is.
#[derive(Debug)]
pub(crate) struct Present(Arc<Metrics>, fn(&Metrics) -> &AtomicI64);

impl Present {
    fn new(metrics: &Arc<Metrics>, of: fn(&Metrics) -> &AtomicI64) -> Self {
        of(metrics).fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(metrics), of)
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.1(&self.0).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts an answer of a service, or of the gateway itself.
    pub(crate) fn answered(&self, service: Option<Service>, status: StatusCode, after: Duration) {
        let place = &self.requests[place(service)];
        let class = usize::from(status.as_u16() / 100).clamp(1, STATUSES.len()) - 1;
        place.by_status[class].fetch_add(1, Ordering::Relaxed);
        let millis = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        let class = CLASSES.partition_point(|end| *end <= millis);
        place.by_duration[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        place.total_us.fetch_add(micros, Ordering::Relaxed);
    }

    /// A request was sent once more.
    pub(crate) fn retried(&self, service: Service) {
        self.retries[place(Some(service))].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn request_began(self: &Arc<Self>) -> Present {
        Present::new(self, |metrics| &metrics.in_flight)
    }

    pub(crate) fn connection_opened(self: &Arc<Self>) -> Present {
        Present::new(self, |metrics| &metrics.connections)
    }

    pub(crate) fn websocket_opened(self: &Arc<Self>) -> Present {
        Present::new(self, |metrics| &metrics.websockets)
    }

    /// How many connections of clients are open.
    pub(crate) fn connections(&self) -> i64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Everything as text.
    pub(crate) fn render(&self, copies: &[(Service, Arc<str>, bool)]) -> String {
        let mut text = Text::default();
        text.head(
            "gateway_requests_total",
            "counter",
            "Answers by service and class of status.",
        );
        for (index, requests) in self.requests.iter().enumerate() {
            for (class, count) in STATUSES.iter().zip(&requests.by_status) {
                let labels = format!("service=\"{}\",status=\"{class}\"", name(index));
                text.line(
                    "gateway_requests_total",
                    &labels,
                    count.load(Ordering::Relaxed),
                );
            }
        }
        self.render_durations(&mut text);
        text.head(
            "gateway_retries_total",
            "counter",
            "Requests that were sent once more, by service.",
        );
        for (index, count) in self.retries.iter().enumerate().take(PLACES - 1) {
            let labels = format!("service=\"{}\"", name(index));
            text.line(
                "gateway_retries_total",
                &labels,
                count.load(Ordering::Relaxed),
            );
        }
        text.head(
            "gateway_upstream_available",
            "gauge",
            "1 for a copy of a service that gets requests.",
        );
        for (service, copy, is_available) in copies {
            let labels = format!("service=\"{}\",copy=\"{copy}\"", service.name());
            text.line(
                "gateway_upstream_available",
                &labels,
                u64::from(*is_available),
            );
        }
        for (name, help, value) in [
            (
                "gateway_requests_in_flight",
                "Requests without an answer.",
                &self.in_flight,
            ),
            (
                "gateway_connections",
                "Open connections of clients.",
                &self.connections,
            ),
            (
                "gateway_websockets",
                "Open web sockets to services.",
                &self.websockets,
            ),
        ] {
            text.head(name, "gauge", help);
            text.line(
                name,
                "",
                value.load(Ordering::Relaxed).max(0).unsigned_abs(),
            );
        }
        for (name, help, value) in [
            (
                "gateway_refused_connections_total",
                "Connections beyond the limits.",
                &self.refused_connections,
            ),
            (
                "gateway_rate_limited_total",
                "Requests beyond the limits per key or address.",
                &self.rate_limited,
            ),
            (
                "gateway_rate_limit_store_failures_total",
                "Times that limits were not shared with other copies.",
                &self.rate_store_failures,
            ),
            (
                "gateway_access_log_lost_total",
                "Lines of the access log that could not be written.",
                &self.lost_log_lines,
            ),
            (
                "gateway_tls_failures_total",
                "Handshakes that failed.",
                &self.failed_handshakes,
            ),
            (
                "gateway_reload_failures_total",
                "Settings that could not be taken over.",
                &self.failed_reloads,
            ),
        ] {
            text.head(name, "counter", help);
            text.line(name, "", value.load(Ordering::Relaxed));
        }
        text.0
    }

    fn render_durations(&self, text: &mut Text) {
        const NAME: &str = "gateway_request_duration_seconds";
        text.head(
            NAME,
            "histogram",
            "Time to the head of an answer, by service.",
        );
        for (index, requests) in self.requests.iter().enumerate() {
            let service = name(index);
            let mut sum = 0;
            for (place, count) in requests.by_duration.iter().enumerate() {
                sum += count.load(Ordering::Relaxed);
                let end = CLASSES
                    .get(place)
                    .map_or("+Inf".to_owned(), |end| seconds(*end * 1000));
                let labels = format!("service=\"{service}\",le=\"{end}\"");
                text.line(&format!("{NAME}_bucket"), &labels, sum);
            }
            let total = requests.total_us.load(Ordering::Relaxed);
            let labels = format!("service=\"{service}\"");
            text.value(&format!("{NAME}_sum"), &labels, &seconds(total));
            text.line(&format!("{NAME}_count"), &labels, sum);
        }
    }
}

fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing into a string does not fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: u64) {
        self.value(name, labels, &value.to_string());
    }

    fn value(&mut self, name: &str, labels: &str, value: &str) {
        let _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_service_status_and_duration() {
        let metrics = Arc::new(Metrics::default());
        metrics.answered(
            Some(Service::Rest),
            StatusCode::OK,
            Duration::from_millis(3),
        );
        metrics.answered(
            Some(Service::Rest),
            StatusCode::NOT_FOUND,
            Duration::from_secs(60),
        );
        metrics.answered(None, StatusCode::UNAUTHORIZED, Duration::ZERO);
        let open = metrics.websocket_opened();
        let text = metrics.render(&[(Service::Auth, "127.0.0.1:1".into(), false)]);
        for line in [
            "gateway_requests_total{service=\"rest\",status=\"2xx\"} 1",
            "gateway_requests_total{service=\"rest\",status=\"4xx\"} 1",
            "gateway_requests_total{service=\"gateway\",status=\"4xx\"} 1",
            "gateway_request_duration_seconds_bucket{service=\"rest\",le=\"0.002\"} 0",
            "gateway_request_duration_seconds_bucket{service=\"rest\",le=\"0.005\"} 1",
            "gateway_request_duration_seconds_bucket{service=\"rest\",le=\"+Inf\"} 2",
            "gateway_request_duration_seconds_sum{service=\"rest\"} 60.003",
            "gateway_upstream_available{service=\"auth\",copy=\"127.0.0.1:1\"} 0",
            "gateway_websockets 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        drop(open);
        assert!(metrics.render(&[]).contains("gateway_websockets 0"));
    }
}
