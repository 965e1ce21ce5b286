//! Where sockets and temporary files of processes are.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use tempfile::TempDir;

use crate::worker::remove;

const PREFIX: &str = "nilam-fn-";
const LOCK: &str = "lock";

/// A folder for the processes of this service, removed at the end. As long as it is ours its lock is held, so that somebody
/// can remove what a service leaves that is killed.
#[derive(Debug)]
pub(super) struct RunDir {
    dir: TempDir,
    _lock: File,
}

impl RunDir {
    /// In a given folder, or in the temporary one.
    pub(super) fn new(given: Option<&Path>) -> io::Result<Self> {
        let parent = match given {
            Some(dir) => {
                fs::create_dir_all(dir)?;
                dir.to_owned()
            }
            None => std::env::temp_dir(),
        };
        // As the system names it where it lists a process's open files.
        let parent = parent.canonicalize()?;
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
        Ok(Self { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes folders of services that ended without doing so themselves.
fn remove_abandoned(parent: &Path) {
    let owner = |path: &Path| fs::symlink_metadata(path).ok().map(|meta| meta.uid());
    let us = owner(Path::new("/proc/self"));
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_one = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // In somebody else's, what is named like a lock could be anything.
        if !is_one || owner(&folder) != us {
            continue;
        }
        let Ok(lock) = File::open(folder.join(LOCK)) else {
            continue;
        };
        if lock.try_lock().is_err() {
            continue;
        }
        // The lock last: what cannot be removed now is tried again.
        for left in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left.file_name() != LOCK && left.path().is_dir() {
                remove(&left.path());
            }
        }
        let rest = fs::read_dir(&folder).into_iter().flatten().flatten();
        if rest.filter(|left| left.path().is_dir()).count() == 0 {
            let _ = fs::remove_dir_all(folder);
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
        let RunDir { dir, _lock: lock } = RunDir::within(parent.path()).unwrap();
        let killed = dir.keep();
        fs::write(killed.join("left"), "").unwrap();
        remove_abandoned(parent.path());
        assert!(held.path().is_dir() && killed.is_dir());
        drop(lock);
        remove_abandoned(parent.path());
        assert!(held.path().is_dir() && !killed.exists());
    }
}
