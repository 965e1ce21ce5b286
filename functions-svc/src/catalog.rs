//! Which functions there are: what lies in the folder, and what is said about it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Policy,
    config::{Config, is_secret_name, is_visible},
    settings::Project,
};

mod dotenv;
mod fingerprint;

use fingerprint::Fingerprint;

/// What a function's modules are found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ModuleConfig {
    /// Nothing but what the modules say themselves.
    None,
    /// A `deno.json` or `deno.jsonc`, or an import map: `imports` and `scopes` mean the same in both.
    Deno(PathBuf),
    /// A `package.json`, whose dependencies can be imported by name.
    Package(PathBuf),
}

/// A function as it can be started.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// The folder of the entry module; it and [`Definition::readable`] are all that the function can read.
    pub(crate) folder: PathBuf,
    pub(crate) entrypoint: PathBuf,
    pub(crate) modules: ModuleConfig,
    pub(crate) verify_jwt: bool,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) readable: Vec<PathBuf>,
    /// Changes when anything does that a running process would not notice.
    pub(crate) fingerprint: u64,
}

/// All functions at one moment.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) functions: HashMap<String, Definition>,
    pub(crate) policy: Option<Policy>,
}

/// The forms of an entry module, best first.
const ENTRIES: [&str; 5] = [
    "index.ts",
    "index.js",
    "index.tsx",
    "index.jsx",
    "index.mjs",
];

impl Catalog {
    /// Looks at the disk. What cannot be read is left out with a warning: one function's mistake is not another's.
    pub(crate) fn load(config: &Config) -> Self {
        let source = &config.source;
        let project = read_project(&source.config_file);
        if !project.enabled {
            return Self::default();
        }
        let secrets = secrets(config, &project);
        let Ok(entries) = fs::read_dir(&source.dir) else {
            return Self::default();
        };
        let mut names = Vec::new();
        let mut shared = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !path.is_dir() {
                continue;
            }
            if name.starts_with('_') {
                shared.push(path);
            } else if is_name(&name) && Some(&name) != source.main_service.as_ref() {
                names.push(name);
            }
        }
        // A function may live elsewhere, if its entry module is named.
        names.extend(
            project
                .functions
                .keys()
                .chain(source.settings.keys())
                .filter(|name| is_name(name))
                .cloned(),
        );
        names.sort_unstable();
        names.dedup();
        shared.sort_unstable();
        let mut common = Fingerprint::default();
        for folder in &shared {
            common.add_tree(folder);
        }
        let functions = names
            .into_iter()
            .filter_map(|name| {
                let definition = define(&name, config, &project, &secrets, &shared, &common)?;
                Some((name, definition))
            })
            .collect();
        Self {
            functions,
            policy: project.policy,
        }
    }
}

/// A name that can be a path segment, a folder and a log field without quoting.
pub(crate) fn is_name(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn define(
    name: &str,
    config: &Config,
    project: &Project,
    secrets: &BTreeMap<String, String>,
    shared: &[PathBuf],
    common: &Fingerprint,
) -> Option<Definition> {
    let source = &config.source;
    let settings = project.settings(name, &source.settings, &source.dir);
    if settings.enabled == Some(false) {
        return None;
    }
    let home = source.dir.join(name);
    let entrypoint = match &settings.entrypoint {
        Some(path) => fs::canonicalize(path).ok()?,
        None => ENTRIES
            .iter()
            .map(|entry| home.join(entry))
            .find(|path| path.is_file())?,
    };
    let folder = entrypoint.parent()?.to_owned();
    let modules = modules(settings.import_map.as_deref(), &folder, &source.dir);
    let mut env = config.env.platform.clone();
    let own = config
        .env
        .passed
        .iter()
        .chain(secrets)
        .chain(&settings.env)
        .filter(|(name, _)| is_secret_name(name));
    for (name, value) in own {
        env.insert(name.clone(), value.clone());
    }
    env.retain(|name, _| is_visible(name));
    let readable: Vec<_> = shared
        .iter()
        .cloned()
        .chain(settings.static_files.iter().map(|path| literal_part(path)))
        .chain((home != folder && home.is_dir()).then_some(home))
        .collect();

    let mut fingerprint = common.clone();
    fingerprint.add_tree(&folder);
    fingerprint.add(&(&entrypoint, &modules, &env, &readable));
    if let ModuleConfig::Deno(path) | ModuleConfig::Package(path) = &modules {
        fingerprint.add_file(path);
    }
    Some(Definition {
        name: name.to_owned(),
        folder,
        entrypoint,
        modules,
        verify_jwt: settings.verify_jwt.unwrap_or(config.verify_jwt),
        env,
        readable,
        fingerprint: fingerprint.finish(),
    })
}

/// What is said in settings, before what lies beside the function, before what lies beside all of them or above.
fn modules(said: Option<&Path>, folder: &Path, all: &Path) -> ModuleConfig {
    if let Some(path) = said {
        return ModuleConfig::Deno(path.to_owned());
    }
    let first = |folder: &Path, names: &[&str]| {
        names
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.is_file())
    };
    let own = first(folder, &["deno.json", "deno.jsonc", "import_map.json"]);
    if let Some(path) = own {
        return ModuleConfig::Deno(path);
    }
    if let Some(path) = first(all, &["import_map.json", "deno.json", "deno.jsonc"]) {
        return ModuleConfig::Deno(path);
    }
    if let Some(path) = first(folder, &["package.json"]) {
        return ModuleConfig::Package(path);
    }
    // Deno takes the nearest of the folders above, up to that of the project.
    let project = all.parent().unwrap_or(all);
    folder
        .ancestors()
        .skip(1)
        .take_while(|above| above.starts_with(project))
        .find_map(|above| first(above, &["deno.json", "deno.jsonc"]))
        .map_or(ModuleConfig::None, ModuleConfig::Deno)
}

/// The folder or file that a pattern lies in for certain.
fn literal_part(pattern: &Path) -> PathBuf {
    let wild = |part: &std::ffi::OsStr| {
        part.to_string_lossy()
            .contains(['*', '?', '[', ']', '{', '}'])
    };
    let mut path = PathBuf::new();
    for part in pattern {
        if wild(part) {
            break;
        }
        match part.to_str() {
            Some(".") => {}
            Some("..") => {
                path.pop();
            }
            _ => path.push(part),
        }
    }
    path
}

fn read_project(path: &Path) -> Project {
    let Ok(text) = fs::read_to_string(path) else {
        return Project::default();
    };
    let folder = path.parent().unwrap_or(path);
    Project::read(&text, folder).unwrap_or_else(|error| {
        tracing::warn!(
            file = %path.display(),
            reason = error.message(),
            "the project's settings cannot be read"
        );
        Project::default()
    })
}

/// The secrets of all functions: those of the project's file, and over them those of the file of secrets.
fn secrets(config: &Config, project: &Project) -> BTreeMap<String, String> {
    let mut secrets = project.secrets.clone();
    if let Ok(text) = fs::read_to_string(&config.source.env_file) {
        secrets.extend(dotenv::parse(&text));
    }
    for name in secrets.keys().filter(|name| !is_secret_name(name)) {
        tracing::warn!(name, "a secret of this name is not passed on");
    }
    secrets
}

#[cfg(test)]
mod tests;
