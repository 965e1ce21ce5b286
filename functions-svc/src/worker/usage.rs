//! What a process uses, as the kernel counts it.

use std::{fs, time::Duration};

use super::Worker;
use crate::config::Limits;

/// What is to be done about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    /// Nearly out of memory.
    NearlyFull,
    /// It has used the CPU time that should be enough.
    CpuSoft,
    Cpu,
    Memory,
}

/// What was seen of a process so far.
///
/// CPU time of a request is exact to a tenth of a second if it is alone: what was used since the process was idle. When
/// several share the process it is what was used since any of them got on: a busy process that answers is not at fault.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    busy_period: u64,
    progress: u64,
    cpu: Duration,
    charged_from: Duration,
    progressed_at: Duration,
}

impl Usage {
    /// Looks at the process and judges.
    pub(crate) fn look(&mut self, worker: &Worker, limits: &Limits) -> Verdict {
        use std::sync::atomic::Ordering::Relaxed;
        let pid = worker.process.pid;
        if let Some(cpu) = cpu_time(pid) {
            self.cpu = cpu;
        }
        let period = worker.busy_periods.load(Relaxed);
        let progress = worker.progress.load(Relaxed);
        if period != self.busy_period
            || (worker.inflight() == 0 && worker.process.background() == 0)
        {
            self.busy_period = period;
            self.charged_from = self.cpu;
        }
        if progress != self.progress || worker.is_idle() {
            self.progress = progress;
            self.progressed_at = self.cpu;
        }
        let from = if worker.inflight() == 1 && worker.peak.load(Relaxed) <= 1 {
            self.charged_from
        } else {
            self.progressed_at
        };
        let used = self.cpu.saturating_sub(from);
        let memory = private_memory(pid).unwrap_or(0);
        let limit = limits.memory_mb << 20;
        if used >= limits.cpu_hard {
            Verdict::Cpu
        } else if memory >= limit {
            Verdict::Memory
        } else if used >= limits.cpu_soft {
            Verdict::CpuSoft
        } else if memory >= limit / 10 * 9 {
            Verdict::NearlyFull
        } else {
            Verdict::Fine
        }
    }
}

/// Kernel ticks are hundredths of a second wherever Deno runs.
const TICK_MS: u64 = 10;

/// User and system time of a process.
fn cpu_time(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse_cpu_time(&text)
}

fn parse_cpu_time(stat: &str) -> Option<Duration> {
    // The name of the process may hold anything, also brackets and spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * TICK_MS))
}

/// Bytes in memory that belong to this process alone; Deno's own code is shared by all of them.
pub(super) fn private_memory(pid: u32) -> Option<u64> {
    const PAGE: u64 = 4096;
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut fields = text.split_ascii_whitespace().skip(1);
    let resident: u64 = fields.next()?.parse().ok()?;
    let shared: u64 = fields.next()?.parse().ok()?;
    Some(resident.saturating_sub(shared) * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_line_is_read_whatever_the_process_is_called() {
        let line = "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 150 25 0 0 20 0 1 0 100 0 0";
        assert_eq!(parse_cpu_time(line), Some(Duration::from_millis(1750)));
        assert_eq!(parse_cpu_time("42 (a) S 1"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        let pid = std::process::id();
        assert!(private_memory(pid).unwrap() > 0);
        assert!(cpu_time(pid).is_some());
    }
}
