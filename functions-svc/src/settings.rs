//! What is said about functions: by the service's own settings and by the project's `config.toml`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::config::Policy;

/// Settings by the name of the function.
pub type SettingsByName = BTreeMap<String, FunctionSettings>;

/// What is said about one function. What is left out has the default of its place.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
pub struct FunctionSettings {
    /// False takes the function out of service.
    pub enabled: Option<bool>,
    /// Whether a call needs a token.
    pub verify_jwt: Option<bool>,
    /// The module to start, relative to the folder of the file that says so.
    pub entrypoint: Option<PathBuf>,
    /// An import map or `deno.json`, relative likewise.
    pub import_map: Option<PathBuf>,
    /// Patterns of files that the function may read beside its own folder.
    #[serde(default)]
    pub static_files: Vec<PathBuf>,
    /// Variables of this function alone.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

// Values of variables are secrets.
impl std::fmt::Debug for FunctionSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FunctionSettings")
            .field("enabled", &self.enabled)
            .field("verify_jwt", &self.verify_jwt)
            .field("entrypoint", &self.entrypoint)
            .field("import_map", &self.import_map)
            .field("static_files", &self.static_files)
            .field("env", &self.env.keys())
            .finish()
    }
}

impl FunctionSettings {
    /// Makes paths absolute.
    fn within(mut self, folder: &Path) -> Self {
        for path in self
            .entrypoint
            .iter_mut()
            .chain(&mut self.import_map)
            .chain(&mut self.static_files)
        {
            *path = folder.join(&path);
        }
        self
    }

    /// Takes from `weaker` what is not said here.
    fn or(mut self, weaker: &Self) -> Self {
        self.enabled = self.enabled.or(weaker.enabled);
        self.verify_jwt = self.verify_jwt.or(weaker.verify_jwt);
        self.entrypoint = self.entrypoint.or_else(|| weaker.entrypoint.clone());
        self.import_map = self.import_map.or_else(|| weaker.import_map.clone());
        if self.static_files.is_empty() {
            self.static_files.clone_from(&weaker.static_files);
        }
        for (name, value) in &weaker.env {
            self.env
                .entry(name.clone())
                .or_insert_with(|| value.clone());
        }
        self
    }
}

/// Reads `FUNCTIONS_SETTINGS`. The reason of an error repeats nothing of the text.
pub(crate) fn from_json(text: &str) -> Result<SettingsByName, String> {
    serde_json::from_str(text).map_err(|error| {
        format!(
            "not an object of settings by function name (line {}, column {})",
            error.line(),
            error.column()
        )
    })
}

/// What the project says about its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    /// Settings by the name of the function, with absolute paths.
    pub(crate) functions: SettingsByName,
    /// `[edge_runtime] enabled`.
    pub(crate) enabled: bool,
    /// `[edge_runtime] policy`.
    pub(crate) policy: Option<Policy>,
    /// `[edge_runtime.secrets]`.
    pub(crate) secrets: BTreeMap<String, String>,
}

impl Default for Project {
    fn default() -> Self {
        Self {
            functions: SettingsByName::new(),
            enabled: true,
            policy: None,
            secrets: BTreeMap::new(),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    functions: SettingsByName,
    edge_runtime: EdgeRuntime,
}

#[derive(Deserialize)]
#[serde(default)]
struct EdgeRuntime {
    enabled: bool,
    policy: Option<String>,
    secrets: BTreeMap<String, String>,
}

impl Default for EdgeRuntime {
    fn default() -> Self {
        Self {
            enabled: true,
            policy: None,
            secrets: BTreeMap::new(),
        }
    }
}

impl Project {
    /// Reads a project's file. Values of the form `env(NAME)` are for the tool that the file belongs to, which knows the
    /// environment; secrets of that form are left out.
    pub(crate) fn read(text: &str, folder: &Path) -> Result<Self, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let secrets = file
            .edge_runtime
            .secrets
            .into_iter()
            .filter(|(_, value)| !(value.starts_with("env(") && value.ends_with(')')))
            .collect();
        Ok(Self {
            functions: file
                .functions
                .into_iter()
                .map(|(name, settings)| (name, settings.within(folder)))
                .collect(),
            enabled: file.edge_runtime.enabled,
            policy: file
                .edge_runtime
                .policy
                .and_then(|policy| policy.parse().ok()),
            secrets,
        })
    }

    /// What holds for a function: `stronger`, whose paths are relative to `folder`, before the project's file.
    pub(crate) fn settings(
        &self,
        name: &str,
        stronger: &SettingsByName,
        folder: &Path,
    ) -> FunctionSettings {
        let own = stronger
            .get(name)
            .cloned()
            .unwrap_or_default()
            .within(folder);
        match self.functions.get(name) {
            Some(weaker) => own.or(weaker),
            None => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_settings_win_over_the_projects() {
        let project = Project::read(
            r#"
            project_id = "x"
            [api]
            port = 1
            [edge_runtime]
            policy = "oneshot"
            [edge_runtime.secrets]
            A = "1"
            B = "env(B)"
            [functions.hello]
            verify_jwt = false
            entrypoint = "./functions/hello/main.ts"
            static_files = ["./functions/hello/*.html"]
            "#,
            Path::new("/p"),
        )
        .unwrap();
        assert_eq!(project.policy, Some(Policy::Oneshot));
        assert_eq!(project.secrets.keys().collect::<Vec<_>>(), ["A"]);
        let stronger =
            from_json(r#"{"hello": {"entrypoint": "hello/other.ts", "env": {"K": "v"}}}"#).unwrap();
        let settings = project.settings("hello", &stronger, Path::new("/p/functions"));
        assert_eq!(settings.verify_jwt, Some(false));
        assert_eq!(
            settings.entrypoint,
            Some(PathBuf::from("/p/functions/hello/other.ts"))
        );
        assert_eq!(settings.env["K"], "v");
        assert_eq!(
            project.settings("other", &stronger, Path::new("/p/functions")),
            FunctionSettings::default()
        );
    }

    #[test]
    fn settings_that_do_not_parse_are_not_repeated() {
        let error = from_json(r#"{"a": {"env": {"KEY": 1, "B": "hunter2"}}}"#).unwrap_err();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
