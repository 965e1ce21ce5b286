//! The project's edge functions, as functions-svc is told about them.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Serialize;

use super::{Project, environment};

/// What is known of one function.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Settings {
    verify_jwt: bool,
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    entrypoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    import_map: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    static_files: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
}

/// The settings of every function that has any: those of the file, and all that are there if there are secrets.
pub(crate) fn settings(project: &Project) -> BTreeMap<String, Settings> {
    let config = &project.config;
    let folder = project.dir().join("functions");
    let env = secrets(project);
    let mut names: Vec<String> = config.functions.keys().cloned().collect();
    if !env.is_empty() {
        names.extend(folders(&folder));
    }
    names
        .into_iter()
        .map(|name| {
            let function = config.functions.get(&name).cloned().unwrap_or_default();
            let path = |text: &str| {
                (!text.is_empty()).then(|| project.resolve(text).display().to_string())
            };
            let settings = Settings {
                verify_jwt: function.verify_jwt.unwrap_or(true),
                enabled: function.enabled.unwrap_or(true),
                entrypoint: path(&function.entrypoint),
                import_map: path(&function.import_map),
                static_files: function
                    .static_files
                    .iter()
                    .filter_map(|file| path(file))
                    .collect(),
                env: env.clone(),
            };
            (name, settings)
        })
        .collect()
}

/// `[edge_runtime.secrets]`, without those that `functions/.env` sets, too: that file wins.
fn secrets(project: &Project) -> BTreeMap<String, String> {
    let file = project.dir().join("functions/.env");
    let in_file = environment::read(&file).unwrap_or_default();
    project
        .config
        .edge_runtime
        .secrets
        .iter()
        .map(|(name, value)| (name.to_uppercase(), value.clone()))
        .filter(|(name, value)| {
            !name.starts_with("SUPABASE_")
                && super::config::reference(value).is_none()
                && in_file.iter().all(|(other, _)| other != name)
        })
        .collect()
}

/// The names of the folders that hold a function; those with an underscore hold what functions share.
fn folders(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Config;

    #[test]
    fn secrets_reach_every_function_unless_the_file_beside_them_says_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let functions = dir.path().join("supabase/functions");
        for name in ["hello", "_shared"] {
            fs::create_dir_all(functions.join(name)).unwrap();
        }
        fs::write(functions.join(".env"), "BOTH=file\n").unwrap();
        let text = "[edge_runtime.secrets]\none = \"1\"\nboth = \"config\"\nSUPABASE_URL = \"no\"\n\
                    unset = \"env(NOWHERE)\"\n[functions.open]\nverify_jwt = false\nentrypoint = \"./functions/x.ts\"";
        let (config, _) = Config::parse(text, &svc_kit::env::Vars::default()).unwrap();
        let project = Project {
            root: dir.path().to_owned(),
            config,
        };
        let found = settings(&project);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["hello", "open"]);
        assert_eq!(
            found["hello"].env,
            BTreeMap::from([("ONE".to_owned(), "1".to_owned())])
        );
        assert!(found["hello"].verify_jwt && !found["open"].verify_jwt);
        assert_eq!(
            found["open"].entrypoint.as_deref(),
            Some(functions.join("x.ts").to_str().unwrap())
        );
    }
}
