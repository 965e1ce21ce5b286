//! What a command is about: a project or the marketplace, and the folder of its data.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use crate::{cli::FolderArgs, project};

/// The folders of a deployment.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where the database, the keys and the state file are.
    pub data_dir: PathBuf,
    /// The project's root, if this is about one.
    pub(crate) project: Option<PathBuf>,
}

impl FolderArgs {
    /// Finds out from the arguments and the working folder.
    pub fn target(&self) -> anyhow::Result<Target> {
        let project = project::Project::find(self.project.as_deref())?;
        let data_dir = match (&self.data_dir, &project) {
            (Some(given), _) => given.clone(),
            (None, Some(root)) => project::data_dir(root),
            (None, None) => default_data_dir(),
        };
        Ok(Target { data_dir, project })
    }
}

impl Target {
    /// Makes the folder. What is in a project is kept out of its repository.
    pub(crate) fn prepare(&self) -> anyhow::Result<()> {
        let dir = &self.data_dir;
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        let ignore = dir.join(".gitignore");
        let inside = self
            .project
            .as_ref()
            .is_some_and(|root| dir.starts_with(root));
        if inside && !ignore.exists() {
            fs::write(&ignore, "*\n").with_context(|| ignore.display().to_string())?;
        }
        Ok(())
    }
}

/// `./data`, unless root starts us where the account that runs Postgres cannot go.
fn default_data_dir() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    if open_to_others(&here) {
        here.join("data")
    } else {
        PathBuf::from("/var/lib/nilam")
    }
}

/// False if we are root and the account that Postgres runs under cannot enter a folder.
pub(crate) fn open_to_others(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    !nix::unistd::geteuid().is_root()
        || folder.ancestors().all(|folder| {
            folder
                .metadata()
                .is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0)
        })
}
