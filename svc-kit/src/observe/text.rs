//! Prometheus's text format.

use std::fmt::{Display, Write as _};

/// The content type of [`Text`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What kind of number a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number that only grows.
    Counter,
    /// A number of now.
    Gauge,
    /// Counts by classes of a size.
    Histogram,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Metrics as text: a head per family, then its samples.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// Begins a family of samples.
    pub fn family(&mut self, name: &str, kind: Kind, help: &str) {
        // Writing to a string cannot fail, here and below.
        let kind = kind.name();
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// Adds a sample of the family that was begun last. `name` may be that of a histogram's part.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (index, (label, value)) in labels.iter().enumerate() {
            self.0.push(if index == 0 { '{' } else { ',' });
            let _ = write!(self.0, "{label}=\"");
            for letter in value.chars() {
                match letter {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    other => self.0.push(other),
                }
            }
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// A family of one sample without labels.
    pub fn single(&mut self, name: &str, kind: Kind, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_labels_and_no_label_ends_early() {
        let mut text = Text::default();
        text.family("a_total", Kind::Counter, "What is counted.");
        text.sample("a_total", &[("x", "1"), ("y", "a\"b\\c\nd")], 3);
        text.single("b", Kind::Gauge, "Another.", 0.5);
        assert_eq!(
            text.into_string(),
            "# HELP a_total What is counted.\n# TYPE a_total counter\na_total{x=\"1\",y=\"a\\\"b\\\\c\\nd\"} 3\n\
             # HELP b Another.\n# TYPE b gauge\nb 0.5\n"
        );
    }
}
