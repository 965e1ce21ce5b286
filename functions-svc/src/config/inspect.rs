//! Debugging of functions.

use std::{
    net::{Ipv4Addr, SocketAddr},
    str::FromStr,
    time::Duration,
};

use svc_kit::env::Reader;

use super::Limits;

/// Whoever reaches an inspector can do what the function can, so it listens to this machine alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inspect {
    /// `FUNCTIONS_INSPECT`, default none: where debuggers find what they can attach to. `true` or `1` is `127.0.0.1:9229`.
    pub address: SocketAddr,
    /// `FUNCTIONS_INSPECT_MODE`, default `run`.
    pub mode: InspectMode,
}

/// What a process does until a debugger is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InspectMode {
    /// It runs.
    #[default]
    Run,
    /// It waits.
    Wait,
    /// It waits, and stops again before the function is loaded.
    Break,
}

impl FromStr for InspectMode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "run" => Ok(Self::Run),
            "wait" => Ok(Self::Wait),
            "brk" => Ok(Self::Break),
            _ => Err("expected run, wait or brk"),
        }
    }
}

impl Inspect {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mode = reader.parse_or(&["FUNCTIONS_INSPECT_MODE"], InspectMode::default());
        let address = reader.parse_with(&["FUNCTIONS_INSPECT"], address)??;
        Some(Self { address, mode })
    }
}

fn address(text: &str) -> Result<Option<SocketAddr>, String> {
    let address = match text {
        "false" | "0" => return Ok(None),
        "true" | "1" => SocketAddr::from((Ipv4Addr::LOCALHOST, 9229)),
        _ => text
            .parse()
            .map_err(|_| "expected HOST:PORT with a numeric host".to_owned())?,
    };
    if address.ip().is_loopback() {
        Ok(Some(address))
    } else {
        Err("must be an address of this machine alone, such as 127.0.0.1:9229".to_owned())
    }
}

impl Limits {
    /// While somebody looks at a function nothing of it takes too long.
    pub(super) fn while_inspected(self) -> Self {
        const LONG: Duration = Duration::from_hours(24 * 365);
        Self {
            request_wait: LONG,
            request_idle: LONG,
            worker_idle: LONG,
            wall_clock: LONG,
            cpu_soft: LONG,
            cpu_hard: LONG,
            // They would be there to attach to, and run nothing.
            spares: 0,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_reaches_an_inspector() {
        assert_eq!(address("false"), Ok(None));
        for text in ["1", "127.0.0.1:9229", "[::1]:0"] {
            assert!(matches!(address(text), Ok(Some(_))), "{text}");
        }
        for text in ["0.0.0.0:9229", "10.0.0.1:1", "localhost:1", "[::]:1"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
