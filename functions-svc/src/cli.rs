//! The original's command line, as far as it concerns us: each option is a setting under another name.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use svc_kit::env::Vars;

/// Edge functions.
#[derive(Debug, Parser)]
#[command(name = "functions-svc", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve until SIGTERM or Ctrl-C; the same as no command.
    Start(Start),
}

#[derive(Debug, Args)]
struct Start {
    /// `EDGE_RUNTIME_HOST`.
    #[arg(short, long)]
    ip: Option<String>,
    /// `EDGE_RUNTIME_PORT`.
    #[arg(short, long)]
    port: Option<u16>,
    /// The original's own entry. Functions are looked for beside it, unless `FUNCTIONS_DIR` says where they are.
    #[arg(long)]
    main_service: Option<PathBuf>,
    /// `FUNCTIONS_POLICY`.
    #[arg(long)]
    policy: Option<String>,
    /// `FUNCTIONS_MAX_PARALLELISM`.
    #[arg(long)]
    max_parallelism: Option<u32>,
    /// `FUNCTIONS_REQUEST_WAIT_TIMEOUT`, in milliseconds.
    #[arg(long)]
    request_wait_timeout: Option<u64>,
    /// `FUNCTIONS_REQUEST_IDLE_TIMEOUT`, in milliseconds.
    #[arg(long)]
    user_worker_request_idle_timeout: Option<u64>,
    /// `FUNCTIONS_INSPECT`.
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "1", group = "inspector")]
    inspect: Option<String>,
    /// The same with `FUNCTIONS_INSPECT_MODE` `brk`.
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "1", group = "inspector")]
    inspect_brk: Option<String>,
    /// The same with `FUNCTIONS_INSPECT_MODE` `wait`.
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "1", group = "inspector")]
    inspect_wait: Option<String>,
    /// Accepted because scripts say it: there is no main service to debug.
    #[arg(long, requires = "inspector")]
    inspect_main: bool,
    /// `RUST_LOG` decides what is logged; this is accepted because scripts say it.
    #[arg(short, long)]
    verbose: bool,
    /// Likewise.
    #[arg(short, long)]
    quiet: bool,
}

impl Cli {
    /// Puts what the command line says over the variables.
    pub fn apply(self, vars: &mut Vars) {
        let Some(Command::Start(start)) = self.command else {
            return;
        };
        if let Some(main) = &start.main_service {
            if let Some(parent) = main.parent() {
                vars.set_default("FUNCTIONS_DIR", parent.display().to_string());
            }
            if let Some(name) = main.file_name() {
                vars.set("FUNCTIONS_MAIN_SERVICE", name.to_string_lossy());
            }
        }
        let inspected = [
            ("run", start.inspect),
            ("brk", start.inspect_brk),
            ("wait", start.inspect_wait),
        ];
        for (mode, address) in inspected {
            if let Some(address) = address {
                vars.set("FUNCTIONS_INSPECT", address);
                vars.set("FUNCTIONS_INSPECT_MODE", mode);
            }
        }
        let settings = [
            ("EDGE_RUNTIME_HOST", start.ip),
            ("EDGE_RUNTIME_PORT", start.port.map(|port| port.to_string())),
            ("FUNCTIONS_POLICY", start.policy),
            (
                "FUNCTIONS_MAX_PARALLELISM",
                start.max_parallelism.map(|count| count.to_string()),
            ),
            (
                "FUNCTIONS_REQUEST_WAIT_TIMEOUT",
                start.request_wait_timeout.map(|ms| format!("{ms}ms")),
            ),
            (
                "FUNCTIONS_REQUEST_IDLE_TIMEOUT",
                start
                    .user_worker_request_idle_timeout
                    .map(|ms| format!("{ms}ms")),
            ),
        ];
        for (name, value) in settings {
            if let Some(value) = value {
                vars.set(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_the_originals_compose_file_is_understood() {
        let line = "functions-svc start --main-service /home/deno/functions/main --policy oneshot --request-wait-timeout 1500 -p 8081 --inspect-brk";
        let mut vars = Vars::default();
        Cli::try_parse_from(line.split(' '))
            .unwrap()
            .apply(&mut vars);
        for (name, expected) in [
            ("FUNCTIONS_DIR", "/home/deno/functions"),
            ("FUNCTIONS_MAIN_SERVICE", "main"),
            ("FUNCTIONS_POLICY", "oneshot"),
            ("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "1500ms"),
            ("EDGE_RUNTIME_PORT", "8081"),
            ("FUNCTIONS_INSPECT", "1"),
            ("FUNCTIONS_INSPECT_MODE", "brk"),
        ] {
            assert_eq!(vars.get(name), Some(expected), "{name}");
        }
    }
}
