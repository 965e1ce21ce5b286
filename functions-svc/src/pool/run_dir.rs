//! Where sockets and temporary files of processes are.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

const PREFIX: &str = "nilam-fn-";
const LOCK: &str = "lock";

/// A folder for the processes of this service.
#[derive(Debug)]
pub(super) enum RunDir {
    /// In the temporary folder, and removed at the end. As long as it is ours its lock is held, so that somebody can remove
    /// what a service leaves that is killed.
    Ours {
        dir: TempDir,
        _lock: File,
    },
    Given(PathBuf),
}

impl RunDir {
    pub(super) fn new(given: Option<&Path>) -> io::Result<Self> {
        if let Some(dir) = given {
            fs::create_dir_all(dir)?;
            return Ok(Self::Given(dir.to_owned()));
        }
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        Self::within(&parent)
    }

    fn within(parent: &Path) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let fresh = dir.path().join("new");
        let lock = File::create(&fresh)?;
        lock.lock()?;
        // Nobody sees it before it is held.
        fs::rename(fresh, dir.path().join(LOCK))?;
        Ok(Self::Ours { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Ours { dir, .. } => dir.path(),
            Self::Given(dir) => dir,
        }
    }
}

/// Removes folders of services that ended without doing so themselves.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let Ok(lock) = File::open(entry.path().join(LOCK)) else {
            continue;
        };
        if lock.try_lock().is_ok() {
            // What cannot be removed is somebody else's.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_holds_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let held = RunDir::within(parent.path()).unwrap();
        let RunDir::Ours { dir, _lock: lock } = RunDir::within(parent.path()).unwrap() else {
            panic!("it is ours");
        };
        let killed = dir.keep();
        fs::write(killed.join("left"), "").unwrap();
        remove_abandoned(parent.path());
        assert!(held.path().is_dir() && killed.is_dir());
        drop(lock);
        remove_abandoned(parent.path());
        assert!(held.path().is_dir() && !killed.exists());
    }
}
