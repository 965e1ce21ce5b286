//! The command line.

use std::{collections::HashMap, str::FromStr};

use anyhow::Context as _;

/// A mode and `--name value` pairs.
pub(crate) struct Options {
    mode: String,
    values: HashMap<String, String>,
}

impl Options {
    pub(crate) fn from_arguments(
        mut arguments: impl Iterator<Item = String>,
    ) -> anyhow::Result<Self> {
        let mode = arguments.next().context("the mode is missing")?;
        let mut values = HashMap::new();
        while let Some(name) = arguments.next() {
            let name = name.strip_prefix("--").context("--name value is wanted")?;
            let value = arguments.next().context("a value is missing")?;
            values.insert(name.to_owned(), value);
        }
        Ok(Self { mode, values })
    }

    pub(crate) fn mode(&self) -> &str {
        &self.mode
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn required(&self, name: &str) -> anyhow::Result<&str> {
        self.text(name)
            .with_context(|| format!("--{name} is missing"))
    }

    pub(crate) fn number<T: FromStr>(&self, name: &str, default: T) -> anyhow::Result<T> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .ok()
                .with_context(|| format!("--{name} is no number")),
        }
    }

    /// A rate per second; none stands for as fast as possible.
    pub(crate) fn rate(&self, default: &str) -> anyhow::Result<Option<f64>> {
        match self.text("rate").unwrap_or(default) {
            "max" => Ok(None),
            text => Ok(Some(text.parse().context("--rate is no number")?)),
        }
    }
}
