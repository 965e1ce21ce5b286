//! Typed reading of variables. The only place that looks at the process environment.
//!
//! A service gets its settings from a [`Vars`]: its own binary fills one from the process, and
//! `standalone` builds one per service. Wrong values are collected, so that a start that fails names
//! every one of them at once, and never prints a value, which may be a secret.

mod file;

use std::{collections::BTreeMap, fmt::Display, str::FromStr, time::Duration};

use file::FileValue;

/// A set of variables by name.
///
/// In the process environment, `NAME_FILE` gives the file that holds the value of `NAME`, as container
/// platforms mount secrets; a `NAME` that is set itself wins. The file is read when `NAME` is first asked for, so
/// that a variable which merely ends in `_FILE` costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Vars {
    values: BTreeMap<String, String>,
    files: BTreeMap<String, FileValue>,
}

impl Vars {
    /// The environment of this process. Entries that are not UTF-8 are left out.
    pub fn from_process() -> Self {
        Self::with_files(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
    }

    fn with_files(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let values: BTreeMap<_, _> = pairs.into_iter().collect();
        let files = values
            .iter()
            .filter(|(_, path)| !path.is_empty())
            .filter_map(|(name, path)| {
                let name = name.strip_suffix("_FILE")?;
                Some((name.to_owned(), FileValue::new(path)))
            })
            .collect();
        Self { values, files }
    }

    /// The value as it is, an empty one included.
    pub fn get(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some(value) if !value.is_empty() => Some(value),
            empty => self
                .files
                .get(name)
                .and_then(FileValue::get)
                .or_else(|| empty.map(String::as_str)),
        }
    }

    /// The names asked for whose files could not be read.
    fn unreadable(&self) -> impl Iterator<Item = String> {
        self.files
            .iter()
            .filter(|(_, file)| file.failed())
            .map(|(name, _)| format!("{name}_FILE: cannot be read as text of at most 64 KiB"))
    }

    /// The value, unless it is missing or empty.
    pub fn non_empty(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Sets a variable, replacing an earlier value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.values.insert(name.into(), value.into());
    }

    /// Sets a variable unless it has a value already.
    pub fn set_default(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let name = name.into();
        if self.non_empty(&name).is_none() && !self.values.contains_key(&name) {
            self.values.insert(name, value.into());
        }
    }

    /// All variables in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Vars {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self {
            values: pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            files: BTreeMap::new(),
        }
    }
}

/// All variables that could not be used, each with the reason and without its content.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("invalid configuration: {}", .0.join("; "))]
pub struct ConfigError(pub Vec<String>);

/// Reads typed values and remembers what was wrong with them.
///
/// A read that fails gives the default, so that the reader can go on; [`Reader::finish`] then fails.
#[derive(Debug)]
pub struct Reader<'a> {
    vars: &'a Vars,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Starts reading.
    pub fn new(vars: &'a Vars) -> Self {
        Self {
            vars,
            problems: Vec::new(),
        }
    }

    /// The first of several names that has a non-empty value.
    pub fn text(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.vars.non_empty(name))
    }

    /// The text, or the default.
    pub fn text_or(&self, names: &[&str], default: &str) -> String {
        self.text(names).unwrap_or(default).to_owned()
    }

    /// The text; its absence is a problem.
    pub fn required(&mut self, names: &[&str]) -> String {
        self.text(names).map_or_else(
            || {
                self.problems
                    .push(format!("{} is required", names.join(" or ")));
                String::new()
            },
            str::to_owned,
        )
    }

    /// A value of any type that parses from text.
    pub fn parse<T: FromStr>(&mut self, names: &[&str]) -> Option<T>
    where
        T::Err: Display,
    {
        self.parse_with(names, |text| {
            text.parse::<T>().map_err(|error| error.to_string())
        })
    }

    /// The parsed value, or the default.
    pub fn parse_or<T: FromStr>(&mut self, names: &[&str], default: T) -> T
    where
        T::Err: Display,
    {
        self.parse(names).unwrap_or(default)
    }

    /// `true` for true, t, yes, y, on and 1 in any case, `false` for their opposites.
    pub fn flag(&mut self, names: &[&str], default: bool) -> bool {
        self.parse_with(names, |text| match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
            "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
            _ => Err("expected true or false".to_owned()),
        })
        .unwrap_or(default)
    }

    /// A duration as Go writes it (`1h30m`, `250ms`) or a bare number of seconds.
    pub fn duration(&mut self, names: &[&str], default: Duration) -> Duration {
        self.parse_with(names, parse_duration).unwrap_or(default)
    }

    /// A value read by the function given; its error text must not repeat the value.
    pub fn parse_with<T>(
        &mut self,
        names: &[&str],
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let (name, text) = names
            .iter()
            .find_map(|name| Some((*name, self.vars.non_empty(name)?)))?;
        match parse(text) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.problems.push(format!("{name}: {reason}"));
                None
            }
        }
    }

    /// Adds a problem that the caller found.
    pub fn problem(&mut self, text: impl Into<String>) {
        self.problems.push(text.into());
    }

    /// Fails with everything that was wrong.
    pub fn finish(mut self) -> Result<(), ConfigError> {
        self.problems.extend(self.vars.unreadable());
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(ConfigError(self.problems))
        }
    }
}

/// Reads a duration in Go's notation; a bare number counts seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    const REASON: &str = "expected a duration such as 10s, 1h30m or a number of seconds";
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| REASON.to_owned());
    }
    let mut rest = text;
    let mut total = 0.0_f64;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or(REASON)?;
        let amount: f64 = rest[..digits].parse().map_err(|_| REASON)?;
        rest = &rest[digits..];
        let unit_len = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        total += amount
            * match &rest[..unit_len] {
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 1e-3,
                "us" | "µs" => 1e-6,
                "ns" => 1e-9,
                _ => return Err(REASON.to_owned()),
            };
        rest = &rest[unit_len..];
    }
    Duration::try_from_secs_f64(total).map_err(|_| REASON.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, expected) in [
            ("90", Duration::from_secs(90)),
            ("1h30m", Duration::from_secs(5400)),
            ("250ms", Duration::from_millis(250)),
            ("1.5s", Duration::from_millis(1500)),
        ] {
            assert_eq!(parse_duration(text), Ok(expected), "{text}");
        }
        for text in ["", "h", "5 parsecs", "-3", "1h-"] {
            if text.is_empty() {
                continue; // an empty variable counts as unset before it comes here
            }
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_may_stand_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "hunter2\n").unwrap();
        let path = secret.to_str().unwrap();
        let missing = folder.path().join("missing");
        let vars = Vars::with_files(
            [
                ("SECRET_FILE", path),
                ("BOTH", "own"),
                ("BOTH_FILE", path),
                ("EMPTY", ""),
                ("EMPTY_FILE", path),
                ("UNUSED_FILE", missing.to_str().unwrap()),
                ("GONE_FILE", missing.to_str().unwrap()),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        let mut reader = Reader::new(&vars);
        assert_eq!(reader.required(&["SECRET"]), "hunter2");
        assert_eq!(reader.text(&["BOTH"]), Some("own"));
        assert_eq!(reader.text(&["EMPTY"]), Some("hunter2"));
        assert_eq!(reader.text(&["SECRET_FILE"]), Some(path));
        assert_eq!(reader.text(&["GONE"]), None);
        let problems = reader.finish().unwrap_err().0;
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("GONE_FILE"), "{problems:?}");
    }

    #[test]
    fn every_wrong_value_is_named_and_none_is_shown() {
        let vars: Vars = [("PORT", "hunter2"), ("FLAG", "perhaps")]
            .into_iter()
            .collect();
        let mut reader = Reader::new(&vars);
        assert_eq!(reader.parse_or(&["PORT"], 80_u16), 80);
        assert!(reader.flag(&["FLAG"], true));
        reader.required(&["SECRET"]);
        let message = reader.finish().unwrap_err().to_string();
        for name in ["PORT", "FLAG", "SECRET"] {
            assert!(message.contains(name), "{message}");
        }
        assert!(
            !message.contains("hunter2") && !message.contains("perhaps"),
            "{message}"
        );
    }
}
