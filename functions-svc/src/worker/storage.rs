//! What a process keeps in its `/tmp`.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use crate::process::{Cause, Process};

/// A file takes some room whatever is in it, and some time to be counted.
const LEAST: u64 = 16 << 10;
/// How long after one look comes the next.
const PERIOD: Duration = Duration::from_millis(100);
/// The part of the time that may go into counting, and how long that may put it off.
const SHARE: u32 = 20;
const LONGEST: Duration = Duration::from_secs(2);

/// The `/tmp` of a process.
#[derive(Clone, Debug)]
struct Storage {
    folder: PathBuf,
    pid: u32,
    /// When the folder was changed last, before anybody used it.
    made: Option<SystemTime>,
}

/// Ends a process when there is more in its `/tmp` than so many bytes. Begins before the function is loaded, which may take
/// as long as a request waits. Costs next to nothing for functions that do not use theirs.
pub(crate) fn watch_storage(process: &Process, limit: u64) {
    let storage = Storage {
        folder: process.tmp.clone(),
        pid: process.pid,
        made: process.tmp_made,
    };
    let (ended, end) = (process.ended_signal(), process.end());
    let watching = async move {
        while !storage.is_used() {
            tokio::time::sleep(PERIOD).await;
        }
        loop {
            let looked = storage.clone();
            let counted = tokio::task::spawn_blocking(move || {
                let began = Instant::now();
                (looked.bytes(limit), began.elapsed())
            });
            let (bytes, took) = counted.await.unwrap_or((u64::MAX, PERIOD));
            if bytes > limit {
                return end.kill(Cause::Storage);
            }
            tokio::time::sleep((took * SHARE).clamp(PERIOD, LONGEST)).await;
        }
    };
    tokio::spawn(async move {
        tokio::select! {
            _ = ended => {}
            () = watching => {}
        }
    });
}

impl Storage {
    /// True once something was in it.
    fn is_used(&self) -> bool {
        changed(&self.folder) != self.made
    }

    /// Bytes that are in it; counts no further than to `enough`.
    fn bytes(&self, enough: u64) -> u64 {
        listed(&self.folder, enough).saturating_add(unlisted(&self.folder, self.pid))
    }
}

/// When something came into a folder or went last.
pub(crate) fn changed(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).and_then(|meta| meta.modified()).ok()
}

fn size(meta: &fs::Metadata) -> u64 {
    (meta.blocks() * 512).max(LEAST)
}

/// Bytes of all files in a folder; counts no further than to `enough`. What cannot be looked at is too much: a function could
/// hide in a folder that it may enter and we may not read, or whose path is too long.
fn listed(folder: &Path, enough: u64) -> u64 {
    count(folder, enough).unwrap_or(u64::MAX)
}

fn count(folder: &Path, enough: u64) -> io::Result<u64> {
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(folder) {
            Err(error) if gone(&error) => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let meta = match entry.metadata() {
                Err(error) if gone(&error) => continue,
                meta => meta?,
            };
            bytes += size(&meta);
            if bytes > enough {
                return Ok(bytes);
            }
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(bytes)
}

/// Removes a folder that a function wrote in, whatever rights it left behind.
pub(crate) fn remove(folder: &Path) {
    let mut removed = fs::remove_dir_all(folder);
    if removed.is_err() {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            folders.extend(inner.map(|entry| entry.path()));
        }
        removed = fs::remove_dir_all(folder);
    }
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(folder = %folder.display(), %error, "what a function left cannot be removed");
        }
        _ => {}
    }
}

/// Bytes of files that were removed while they are open.
fn unlisted(folder: &Path, pid: u32) -> u64 {
    fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            fs::read_link(entry.path()).is_ok_and(|target| {
                target.starts_with(folder) && target.to_string_lossy().ends_with(" (deleted)")
            })
        })
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .map(|meta| size(&meta))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_also_when_they_are_small_deep_or_gone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let storage = Storage {
            folder: folder.to_owned(),
            pid: std::process::id(),
            made: changed(folder),
        };
        let exceeds = |limit| storage.bytes(limit) > limit;
        assert!(!storage.is_used() && !exceeds(0));
        // The clock of a file system is a coarse one.
        let before = changed(folder);
        while changed(folder) == before {
            fs::create_dir_all(folder.join("a")).unwrap();
            fs::remove_dir(folder.join("a")).unwrap();
        }
        assert!(storage.is_used());
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("a/b/small"), "x").unwrap();
        assert!(exceeds(3 * LEAST - 1) && !exceeds(3 * LEAST));
        let large = folder.join("large");
        fs::write(&large, vec![1; 1 << 20]).unwrap();
        assert!(exceeds(1 << 20));
        let open = fs::File::open(&large).unwrap();
        fs::remove_file(&large).unwrap();
        assert!(exceeds(1 << 20));
        drop(open);
        assert!(!exceeds(1 << 20));
    }

    #[test]
    fn what_cannot_be_looked_at_is_too_much_and_goes_all_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("t");
        let mut deep = folder.clone();
        fs::create_dir_all(&deep).unwrap();
        // Made from within, a path can be longer than the system takes one.
        let name = "n".repeat(200);
        for _ in 0..12 {
            deep.push(&name);
        }
        fs::create_dir_all(&deep).unwrap();
        let inner = dir.path().join("inner").join(&name).join(&name);
        let tail: std::path::PathBuf = (0..10).map(|_| name.as_str()).collect();
        fs::create_dir_all(inner.join(&tail)).unwrap();
        fs::rename(dir.path().join("inner"), deep.join("inner")).unwrap();
        assert_eq!(listed(&folder, u64::MAX - 1), u64::MAX);
        remove(&folder);
        assert!(!folder.exists());
    }
}
