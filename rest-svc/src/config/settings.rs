//! Settings by name from three sources: the database before the environment before the file.

use std::{collections::BTreeMap, path::PathBuf};

use svc_kit::env::{ConfigError, Vars};

use super::file::{self, Value};

/// Where settings come from. Kept with the configuration, which is made anew when the database or the file changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// The configuration file.
    pub(crate) file: Option<PathBuf>,
    /// The environment.
    pub(crate) vars: Vars,
    /// What the database says, by name with underscores.
    pub(crate) database: BTreeMap<String, String>,
}

/// The sources as they are now, and what was wrong with values so far.
pub(super) struct Settings<'a> {
    sources: &'a Sources,
    file: file::Settings,
    problems: Vec<String>,
}

impl<'a> Settings<'a> {
    pub(super) fn read(sources: &'a Sources) -> Result<Self, ConfigError> {
        let file = match &sources.file {
            Some(path) => file::load(path).map_err(|reason| ConfigError(vec![reason]))?,
            None => file::Settings::new(),
        };
        Ok(Self {
            sources,
            file,
            problems: Vec::new(),
        })
    }

    fn value(&self, name: &str) -> Option<Value> {
        let underscored = name.replace('-', "_");
        let text = self.sources.database.get(&underscored).cloned();
        let text = text.or_else(|| {
            let variable = format!("PGRST_{}", underscored.to_uppercase());
            self.sources.vars.get(&variable).map(str::to_owned)
        });
        text.map(Value::Text)
            .or_else(|| self.file.get(name).cloned())
    }

    /// The text, also an empty one.
    pub(super) fn emptyable(&self, name: &str) -> Option<String> {
        self.value(name).map(|value| shown(&value))
    }

    /// The text of the first name that has one.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        let mut found = names.iter().filter_map(|name| self.emptyable(name));
        found.find(|text| !text.is_empty())
    }

    /// The number of the first name that has one; what is no number counts as unset.
    pub(super) fn number<T: std::str::FromStr>(&self, names: &[&str]) -> Option<T> {
        names.iter().find_map(|name| match self.value(name)? {
            Value::Number(number) if number.fract() == 0.0 => number.to_string().parse().ok(),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        })
    }

    /// The truth of the first name that has one: a boolean, such a word in any case, or a number above nought.
    pub(super) fn flag(&self, names: &[&str], default: bool) -> bool {
        let found = names.iter().find_map(|name| match self.value(name)? {
            Value::Bool(value) => Some(value),
            Value::Number(_) => None,
            Value::Text(text) => {
                let word: String = text.chars().filter(|c| c.is_alphabetic()).collect();
                match word.to_lowercase().as_str() {
                    "true" => Some(true),
                    "false" => Some(false),
                    _ => text.trim().parse::<i64>().ok().map(|number| number > 0),
                }
            }
        });
        found.unwrap_or(default)
    }

    /// The parts between commas.
    pub(super) fn list(text: &str) -> Vec<String> {
        if text.is_empty() {
            return Vec::new();
        }
        text.split(',').map(|part| part.trim().to_owned()).collect()
    }

    /// `app.settings.…` of the file and of the environment, which wins.
    pub(super) fn app_settings(&self) -> Vec<(String, String)> {
        let mut found: BTreeMap<String, String> = self
            .file
            .iter()
            .filter(|(name, _)| name.starts_with("app.settings."))
            .map(|(name, value)| (name.clone(), shown(value)))
            .collect();
        for (name, value) in self.sources.vars.iter() {
            if let Some(name) = name.strip_prefix("PGRST_APP_SETTINGS_") {
                found.insert(format!("app.settings.{name}"), value.to_owned());
            }
        }
        found.into_iter().collect()
    }

    /// Notes a problem and gives the default.
    pub(super) fn problem<T>(&mut self, found: Result<T, String>, default: T) -> T {
        found.unwrap_or_else(|reason| {
            self.problems.push(reason);
            default
        })
    }

    pub(super) fn finish(self) -> Result<(), ConfigError> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(ConfigError(self.problems))
        }
    }
}

/// A value where text is wanted; others show in the notation of PostgREST's own library.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Bool(true) => "Bool True".to_owned(),
        Value::Bool(false) => "Bool False".to_owned(),
        Value::Number(number) => format!("Number {number:?}"),
    }
}
