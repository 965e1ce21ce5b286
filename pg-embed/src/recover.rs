//! What an earlier server left behind: a stale pid file, or a server whose parent was killed.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::Error;

/// How long an orphan may take to write its last checkpoint.
const ORPHAN_STOPS_WITHIN: Duration = Duration::from_secs(30);

/// Leaves the data folder without a server, whatever state it was found in.
///
/// A server that is still running here belongs to nobody any more: the caller holds the folder's lock. It
/// is asked to stop in good order, and its backends are waited for, because a new server refuses to start
/// while one of them still has the shared memory.
pub(crate) async fn clear(data_dir: &Path) -> Result<(), Error> {
    let pid_file = data_dir.join("postmaster.pid");
    if let Some(pid) = pid_in(&pid_file).filter(|pid| serves(*pid, data_dir)) {
        tracing::info!(pid, "stopping the server that an earlier run left behind");
        signal(pid, Signal::SIGINT);
        if !gone(data_dir, ORPHAN_STOPS_WITHIN).await {
            signal(pid, Signal::SIGQUIT);
            if !gone(data_dir, Duration::from_secs(10)).await {
                return Err(Error::InUse {
                    pid,
                    data_dir: data_dir.to_owned(),
                });
            }
        }
    }
    if !gone(data_dir, Duration::from_secs(5)).await {
        for pid in processes_of(data_dir) {
            tracing::warn!(pid, "ending a server process without its postmaster");
            signal(pid, Signal::SIGQUIT);
        }
        if !gone(data_dir, Duration::from_secs(5)).await {
            for pid in processes_of(data_dir) {
                signal(pid, Signal::SIGKILL);
            }
            gone(data_dir, Duration::from_secs(5)).await;
        }
    }
    match fs::remove_file(&pid_file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Io {
            path: pid_file,
            source: error,
        }),
        _ => Ok(()),
    }
}

/// The process id in the first line of `postmaster.pid`.
fn pid_in(pid_file: &Path) -> Option<i32> {
    fs::read_to_string(pid_file)
        .ok()?
        .lines()
        .next()?
        .trim()
        .parse()
        .ok()
}

fn signal(pid: i32, signal: Signal) {
    // It may have ended by itself in the meantime.
    let _ = kill(Pid::from_raw(pid), signal);
}

async fn gone(data_dir: &Path, within: Duration) -> bool {
    let started = Instant::now();
    loop {
        if processes_of(data_dir).is_empty() {
            return true;
        }
        if started.elapsed() > within {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// All processes of a server work in its data folder; an unrelated process that got the old pid does not.
#[cfg(target_os = "linux")]
fn processes_of(data_dir: &Path) -> Vec<i32> {
    let Ok(data_dir) = data_dir.canonicalize() else {
        return Vec::new();
    };
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<i32>().ok())
        .filter(|pid| works_in(*pid, &data_dir))
        .collect()
}

#[cfg(target_os = "linux")]
fn works_in(pid: i32, data_dir: &Path) -> bool {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let is_server = fs::read_link(process.join("exe")).is_ok_and(|exe| {
        exe.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("postgres"))
    });
    is_server && fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == data_dir)
}

#[cfg(not(target_os = "linux"))]
fn processes_of(data_dir: &Path) -> Vec<i32> {
    pid_in(&data_dir.join("postmaster.pid"))
        .filter(|pid| serves(*pid, data_dir))
        .into_iter()
        .collect()
}

#[cfg(target_os = "linux")]
fn serves(pid: i32, data_dir: &Path) -> bool {
    data_dir
        .canonicalize()
        .is_ok_and(|data_dir| works_in(pid, &data_dir))
}

#[cfg(not(target_os = "linux"))]
fn serves(pid: i32, _data_dir: &Path) -> bool {
    kill(Pid::from_raw(pid), None).is_ok()
}
