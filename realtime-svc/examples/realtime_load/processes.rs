//! CPU time and memory of processes, from Linux's `/proc`.

use std::{fs, process};

use crate::options::Options;

/// What `/proc` counts in; the kernel tells every program this number.
const TICKS_PER_SECOND: f64 = 100.0;

/// The processes that are looked at.
pub(crate) struct Processes {
    server: Option<u32>,
    postgres: Option<u32>,
    /// A connection of ours, whose work is not the service's doing.
    pub(crate) writer: Option<u32>,
}

/// Seconds of CPU time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    pub(crate) own: f64,
    pub(crate) server: f64,
    pub(crate) postgres: f64,
    pub(crate) writer: f64,
}

impl Processes {
    pub(crate) fn new(options: &Options) -> Self {
        let pid = |name| options.text(name).and_then(|pid| pid.parse().ok());
        Self {
            server: pid("server-pid"),
            postgres: pid("postgres-pid"),
            writer: None,
        }
    }

    pub(crate) fn spent(&self) -> Spent {
        let writer = self.writer.map_or(0.0, |pid| seconds(pid, false));
        Spent {
            own: seconds(process::id(), false),
            server: self.server.map_or(0.0, |pid| seconds(pid, true)),
            postgres: self.postgres.map_or(0.0, of_family) - writer,
            writer,
        }
    }

    /// Resident memory of the server in bytes.
    pub(crate) fn resident(&self) -> u64 {
        let status = self
            .server
            .and_then(|pid| fs::read_to_string(format!("/proc/{pid}/status")).ok());
        let of = |line: &str| {
            line.strip_prefix("VmRSS:")?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        };
        let kilobytes: Option<u64> = status.and_then(|text| text.lines().find_map(of));
        kilobytes.unwrap_or(0) * 1024
    }
}

impl Spent {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            own: self.own - before.own,
            server: self.server - before.server,
            postgres: self.postgres - before.postgres,
            writer: self.writer - before.writer,
        }
    }
}

fn of_family(pid: u32) -> f64 {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let pids = children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok());
    seconds(pid, true) + pids.map(|pid| seconds(pid, false)).sum::<f64>()
}

/// User and system time; that of children that have ended, too, if it is wanted.
fn seconds(pid: u32, with_children: bool) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let count = if with_children { 4 } else { 2 };
    let ticks = fields.split(' ').skip(11).take(count);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / TICKS_PER_SECOND
}
