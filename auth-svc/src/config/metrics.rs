//! Reading where metrics are served.

use svc_kit::env::Reader;

/// Where metrics are served.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// `OTEL_EXPORTER_PROMETHEUS_HOST`, default `0.0.0.0`, and `OTEL_EXPORTER_PROMETHEUS_PORT`, default 9100; nothing unless
    /// `GOTRUE_METRICS_ENABLED` and `GOTRUE_METRICS_EXPORTER` is `prometheus`.
    pub prometheus: Option<(String, u16)>,
}

pub(super) fn read(r: &mut Reader<'_>) -> Metrics {
    let enabled = r.flag(&["GOTRUE_METRICS_ENABLED"], false);
    // The original's default; it pushes to a collector.
    let exporter = r.text_or(&["GOTRUE_METRICS_EXPORTER"], "opentelemetry");
    let host = r.text_or(&["OTEL_EXPORTER_PROMETHEUS_HOST"], "0.0.0.0");
    let port = r.parse_or(&["OTEL_EXPORTER_PROMETHEUS_PORT"], 9100);
    if enabled && exporter != "prometheus" {
        tracing::warn!("no metrics are sent: GOTRUE_METRICS_EXPORTER is not prometheus");
    }
    Metrics {
        prometheus: (enabled && exporter == "prometheus").then_some((host, port)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_kit::env::Vars;

    #[test]
    fn metrics_are_served_when_prometheus_is_the_exporter_and_they_are_on() {
        let on = ("GOTRUE_METRICS_ENABLED", "true");
        let prometheus = ("GOTRUE_METRICS_EXPORTER", "prometheus");
        let port = ("OTEL_EXPORTER_PROMETHEUS_PORT", "9464");
        for (vars, expected) in [
            (vec![], None),
            (vec![on], None),
            (vec![prometheus], None),
            (vec![on, prometheus], Some(9100)),
            (vec![on, prometheus, port], Some(9464)),
        ] {
            let vars: Vars = vars.into_iter().collect();
            let found = read(&mut Reader::new(&vars)).prometheus;
            let expected = expected.map(|port| ("0.0.0.0".to_owned(), port));
            assert_eq!(found, expected);
        }
    }
}
