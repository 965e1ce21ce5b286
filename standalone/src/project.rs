//! A Supabase project folder: `supabase/config.toml`, migrations, seeds, functions, files for buckets.

mod auth;
pub(crate) mod buckets;
mod certificate;
mod config;
mod environment;
mod functions;
pub(crate) mod migrations;
mod script;
mod services;
mod signing;
mod statements;

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use svc_kit::env::Vars;

pub(crate) use self::{
    auth::TEMPLATES_PATH,
    certificate::Certificate,
    config::Config,
    services::{Layer, Surroundings},
};
use crate::progress::Progress;

/// A project and what its files say.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    root: PathBuf,
    pub(crate) config: Config,
}

impl Project {
    /// The folder that a command is about: the one that is given, else the working folder if there is a
    /// project in it.
    pub(crate) fn find(given: Option<&Path>) -> anyhow::Result<Option<PathBuf>> {
        let here = std::env::current_dir().context("there is no working folder")?;
        let Some(given) = given else {
            return Ok(here.join("supabase/config.toml").is_file().then_some(here));
        };
        let root = here.join(given);
        if !root.join("supabase").is_dir() {
            bail!("{} has no folder `supabase`", root.display());
        }
        Ok(Some(root.canonicalize().unwrap_or(root)))
    }

    /// Reads the project's settings and says what it could not use.
    pub(crate) fn load(
        root: PathBuf,
        environment: &Vars,
        progress: &Progress,
    ) -> anyhow::Result<Self> {
        let environment = environment::with_files(&root, environment)?;
        let path = root.join("supabase/config.toml");
        let (config, unknown) = Config::load(&path, &environment)?;
        for key in unknown {
            progress.warn(format!("{key} in supabase/config.toml is not known here"));
        }
        let project = Self { root, config };
        project.check(progress);
        Ok(project)
    }

    /// The folder `supabase`.
    pub(crate) fn dir(&self) -> PathBuf {
        self.root.join("supabase")
    }

    /// A path of the configuration, which is relative to the folder `supabase`.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        normalised(&self.dir().join(path))
    }

    /// A path as users know it, from the project's root on; the CLI notes seeds by it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }

    /// The files that a pattern means, in the order of their names.
    pub(crate) fn glob(&self, pattern: &str) -> Vec<PathBuf> {
        let pattern = if Path::new(pattern).is_absolute() {
            pattern.to_owned()
        } else {
            let inside = normalised(&Path::new("supabase").join(pattern));
            let root = glob::Pattern::escape(&self.root.to_string_lossy());
            format!("{root}/{}", inside.display())
        };
        glob::glob(&pattern)
            .map(|paths| {
                paths
                    .filter_map(Result::ok)
                    .filter(|path| path.is_file())
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Says what the project wants and does not get.
    fn check(&self, progress: &Progress) {
        let config = &self.config;
        if !config.db.vault.is_empty() {
            progress.warn("[db.vault] is skipped: the extension supabase_vault is not there");
        }
        for path in self.missing_templates() {
            progress.warn(format!("the mail template {path} is missing"));
        }
        for url in [&config.auth.site_url]
            .into_iter()
            .chain(&config.auth.additional_redirect_urls)
        {
            if let Some(name) = config::reference(url) {
                progress.warn(format!("environment variable is unset: {name}"));
            }
        }
        for (name, provider) in &config.auth.external {
            for value in [&provider.client_id, &provider.secret] {
                if provider.enabled
                    && let Some(variable) = config::reference(value)
                {
                    progress.warn(format!(
                        "environment variable is unset: {variable}, for [auth.external.{name}]"
                    ));
                }
            }
        }
    }
}

/// The path of the data of a project: in the project, unless root runs this where the account that runs
/// Postgres cannot go.
pub(crate) fn data_dir(root: &Path) -> PathBuf {
    if crate::target::open_to_others(root) {
        return root.join("supabase/.nilam");
    }
    let name = root.display().to_string().replace('/', "_");
    PathBuf::from("/var/lib/nilam").join(name.trim_start_matches('_'))
}

/// Without `.` and `..`, as the names of files are noted.
fn normalised(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_relative_to_the_folder_and_match_files_in_order() {
        let dir = tempfile::tempdir().unwrap();
        // Brackets in the project's own path are no pattern.
        let root = dir.path().join("a[b]");
        std::fs::create_dir_all(root.join("supabase/seeds")).unwrap();
        for name in [
            "supabase/seed.sql",
            "supabase/seeds/2.sql",
            "supabase/seeds/1.sql",
        ] {
            std::fs::write(root.join(name), "").unwrap();
        }
        let (config, _) = Config::parse("", &Vars::default()).unwrap();
        let project = Project { root, config };
        let shown = |pattern: &str| -> Vec<String> {
            project
                .glob(pattern)
                .iter()
                .map(|path| project.shown(path))
                .collect()
        };
        assert_eq!(shown("./seed.sql"), ["supabase/seed.sql"]);
        assert_eq!(
            shown("seeds/*.sql"),
            ["supabase/seeds/1.sql", "supabase/seeds/2.sql"]
        );
        assert_eq!(shown("none.sql"), [""; 0]);
    }
}
