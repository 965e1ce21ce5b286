//! Media types and the header `Accept`.

use std::borrow::Cow;

/// How EXPLAIN answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the format of its name")]
pub enum PlanFormat {
    Json,
    Text,
}

/// A media type that a response can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`
    Json,
    /// `application/vnd.pgrst.array+json;nulls=stripped`
    ArrayStripped,
    /// `application/vnd.pgrst.object+json`, and whether nulls are stripped.
    Object(bool),
    /// `text/csv`
    Csv,
    /// `application/geo+json`
    GeoJson,
    /// `application/openapi+json`
    OpenApi,
    /// `application/vnd.pgrst.plan`
    Plan {
        /// The format.
        format: PlanFormat,
        /// The type whose statement is explained.
        of: Box<MediaType>,
        /// EXPLAIN's options.
        options: Vec<&'static str>,
    },
    /// `*/*`
    Any,
    /// Everything else, as written.
    Other(String),
}

/// What a client accepts, the best first.
pub type Accept = Vec<MediaType>;

const PLAN_OPTIONS: [&str; 5] = ["analyze", "verbose", "settings", "buffers", "wal"];

impl MediaType {
    /// Reads one media type with its parameters.
    pub fn parse(text: &str) -> Self {
        let compact: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let mut parts = compact.split(';');
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let parameters: Vec<(String, String)> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(key, value)| (key.to_ascii_lowercase(), value.trim_matches('"').to_owned()))
            .collect();
        let parameter = |key: &str| {
            parameters
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value.as_str())
        };
        let stripped = parameter("nulls") == Some("stripped");
        match name.as_str() {
            "*/*" | "" => Self::Any,
            "application/json" => Self::Json,
            "application/geo+json" => Self::GeoJson,
            "text/csv" => Self::Csv,
            "application/openapi+json" => Self::OpenApi,
            "application/vnd.pgrst.object" | "application/vnd.pgrst.object+json" => {
                Self::Object(stripped)
            }
            "application/vnd.pgrst.array" | "application/vnd.pgrst.array+json" => {
                if stripped {
                    Self::ArrayStripped
                } else {
                    Self::Json
                }
            }
            "application/vnd.pgrst.plan"
            | "application/vnd.pgrst.plan+text"
            | "application/vnd.pgrst.plan+json" => {
                let format = if name.ends_with("+json") {
                    PlanFormat::Json
                } else {
                    PlanFormat::Text
                };
                let of = parameter("for").map_or(Self::Json, Self::parse);
                let given: Vec<_> = parameter("options")
                    .unwrap_or_default()
                    .split('|')
                    .collect();
                let options = PLAN_OPTIONS
                    .into_iter()
                    .filter(|option| given.contains(option))
                    .collect();
                Self::Plan {
                    format,
                    of: Box::new(of),
                    options,
                }
            }
            _ => Self::Other(compact.split(";q=").next().unwrap_or_default().to_owned()),
        }
    }

    /// The name as responses and error messages show it, without the character set.
    pub fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Json => "application/json",
            Self::ArrayStripped => "application/vnd.pgrst.array+json;nulls=stripped",
            Self::Object(false) => "application/vnd.pgrst.object+json",
            Self::Object(true) => "application/vnd.pgrst.object+json;nulls=stripped",
            Self::Csv => "text/csv",
            Self::GeoJson => "application/geo+json",
            Self::OpenApi => "application/openapi+json",
            Self::Any => "*/*",
            Self::Other(name) => name,
            Self::Plan {
                format,
                of,
                options,
            } => {
                let format = if *format == PlanFormat::Json {
                    "json"
                } else {
                    "text"
                };
                let options = if options.is_empty() {
                    String::new()
                } else {
                    format!("; options={}", options.join("|"))
                };
                return Cow::Owned(format!(
                    "application/vnd.pgrst.plan+{format}; for=\"{}\"{options}",
                    of.name()
                ));
            }
        })
    }

    /// The value of `Content-Type`.
    pub fn content_type(&self) -> Cow<'_, str> {
        match self {
            Self::Json => Cow::Borrowed("application/json; charset=utf-8"),
            Self::Other(name) if !matches!(name.as_str(), "text/plain" | "text/xml") => {
                Cow::Borrowed(name)
            }
            Self::Any => Cow::Borrowed("application/octet-stream"),
            _ => Cow::Owned(format!("{}; charset=utf-8", self.name())),
        }
    }
}

/// Reads `Accept`: by quality, then by how specific an entry is, otherwise in the order given.
pub fn parse_accept(header: Option<&str>) -> Accept {
    let Some(header) = header else {
        return vec![MediaType::Any];
    };
    let mut entries: Vec<(i64, i64, MediaType)> = split_outside_quotes(header)
        .map(|entry| {
            let compact: String = entry.chars().filter(|c| !c.is_ascii_whitespace()).collect();
            let quality = compact
                .split(';')
                .find_map(|part| part.strip_prefix("q=")?.parse::<f64>().ok())
                .filter(|quality| (0.0..=1.0).contains(quality))
                .unwrap_or(1.0);
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
            let quality = (quality * 1000.0) as i64;
            let count = |wanted: char| i64::try_from(compact.matches(wanted).count()).unwrap_or(0);
            (quality, count(';') - count('*'), MediaType::parse(entry))
        })
        .collect();
    entries.sort_by_key(|(quality, specific, _)| (-quality, -specific));
    entries.into_iter().map(|(_, _, media)| media).collect()
}

fn split_outside_quotes(header: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    header.split(move |c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
}
