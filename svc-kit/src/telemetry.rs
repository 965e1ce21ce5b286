//! Logs: one line per event on standard error, as text or, with `LOG_FORMAT=json`, as JSON.

use std::io::IsTerminal as _;

use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    fmt::{self, FormatEvent, format::DefaultFields},
    layer::Layered,
    prelude::*,
};

use crate::{env::Vars, observe};

/// Installs the process's subscriber. `LOG_LEVEL` takes a level or a filter such as `info,sqlx=warn`.
///
/// A second call does nothing, which tests rely on.
pub fn init(vars: &Vars) {
    init_from(vars, &["LOG_LEVEL"]);
}

/// The same; the level is that of the first of these variables that has one.
pub fn init_from(vars: &Vars, names: &[&str]) {
    let level = names.iter().find_map(|name| vars.non_empty(name));
    install(vars, filter(level.unwrap_or("info")));
}

/// The same for a process that has an access log of its own: services write no line per request unless `LOG_LEVEL` asks for
/// them (`info,http=info`).
pub fn init_without_requests(vars: &Vars) {
    let wanted = vars.non_empty("LOG_LEVEL").unwrap_or("info");
    install(vars, filter(&without_requests(wanted)));
}

/// The same with lines of a form of their own, unless `LOG_FORMAT` asks for JSON, and with another level where
/// `LOG_LEVEL` says none.
pub fn init_as<F>(vars: &Vars, form: F, usual: &str)
where
    F: FormatEvent<Filtered, DefaultFields> + Send + Sync + 'static,
{
    let filter = filter(vars.non_empty("LOG_LEVEL").unwrap_or(usual));
    let layer = fmt::layer().with_writer(std::io::stderr);
    if vars.get("LOG_FORMAT") == Some("json") {
        install_layer(filter, layer.json());
    } else {
        install_layer(filter, layer.with_ansi(false).event_format(form));
    }
}

/// What a formatter is asked to format events of.
pub type Filtered = Layered<EnvFilter, Registry>;

fn install(vars: &Vars, filter: EnvFilter) {
    let layer = fmt::layer()
        .with_writer(std::io::stderr)
        .with_target(true)
        .with_ansi(has_colours(vars, std::io::stderr().is_terminal()));
    if vars.get("LOG_FORMAT") == Some("json") {
        install_layer(filter, layer.json());
    } else {
        install_layer(filter, layer);
    }
}

fn install_layer(filter: EnvFilter, layer: impl Layer<Filtered> + Send + Sync) {
    let registry = tracing_subscriber::registry().with(filter);
    // Failing means that a subscriber is installed already.
    let _ = registry.with(layer).try_init();
}

/// Colours are for people: not for files and pipes, nor with `NO_COLOR` (<https://no-color.org>).
fn has_colours(vars: &Vars, is_terminal: bool) -> bool {
    is_terminal && vars.non_empty("NO_COLOR").is_none()
}

/// A level or a filter. What cannot be read is `info`.
fn filter(text: &str) -> EnvFilter {
    EnvFilter::try_new(level(text)).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// A level under the name that we have for it: the originals have more of them, and a word that is no level would be
/// taken for a module whose lines alone are wanted.
fn level(text: &str) -> &str {
    match text.trim().to_ascii_lowercase().as_str() {
        "panic" | "fatal" | "emergency" | "alert" | "critical" => "error",
        "warning" => "warn",
        "notice" => "info",
        "silent" => "off",
        _ => text,
    }
}

fn without_requests(wanted: &str) -> String {
    let target = observe::TARGET;
    let names_them = wanted.split(',').any(|directive| {
        let name = directive.split(['=', '[']).next();
        name.is_some_and(|name| name.trim() == target)
    });
    if names_them {
        return wanted.to_owned();
    }
    format!("{},{target}=off", level(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_originals_names_of_levels_are_known() {
        for (text, expected) in [
            ("info", "info"),
            ("warning", "warn"),
            ("Warning", "warn"),
            ("fatal", "error"),
            ("critical", "error"),
            ("notice", "info"),
            ("silent", "off"),
            ("info,sqlx=warn", "info,sqlx=warn"),
            ("=,=", "info"),
        ] {
            assert_eq!(
                filter(text).to_string(),
                EnvFilter::new(expected).to_string(),
                "{text}"
            );
        }
    }

    #[test]
    fn requests_have_no_line_unless_it_is_asked_for() {
        for (wanted, expected) in [
            ("info", "info,http=off"),
            ("warning", "warn,http=off"),
            ("debug,sqlx=warn", "debug,sqlx=warn,http=off"),
            ("info,http=info", "info,http=info"),
            ("http=warn,info", "http=warn,info"),
            ("info,https=info", "info,https=info,http=off"),
        ] {
            assert_eq!(without_requests(wanted), expected);
        }
    }

    #[test]
    fn colours_are_for_terminals() {
        let vars = |pairs: &[(&str, &str)]| pairs.iter().copied().collect::<Vars>();
        assert!(has_colours(&vars(&[]), true));
        assert!(has_colours(&vars(&[("NO_COLOR", "")]), true));
        assert!(!has_colours(&vars(&[("NO_COLOR", "1")]), true));
        assert!(!has_colours(&vars(&[]), false));
    }
}
