//! PostgREST's command line.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::Parser;

use crate::{Config, VERSION};

/// Creates a REST API to an existing Postgres database.
#[derive(Debug, Parser)]
#[command(name = "rest-svc", disable_version_flag = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Cli {
    /// Show the version information
    #[arg(short, long)]
    pub version: bool,
    /// Show an example configuration file
    #[arg(short, long)]
    pub example: bool,
    /// Dump loaded configuration and exit
    #[arg(long)]
    pub dump_config: bool,
    /// Dump loaded schema as JSON and exit (for debugging, output structure is unstable)
    #[arg(long)]
    pub dump_schema: bool,
    /// Checks the health of the service by doing a request on the admin server /ready endpoint
    #[arg(long)]
    pub ready: bool,
    /// Path to configuration file
    pub filename: Option<PathBuf>,
}

/// What `--version` prints.
pub fn version() -> String {
    format!(
        "PostgREST {VERSION} (rest-svc {})",
        env!("CARGO_PKG_VERSION")
    )
}

/// What `--example` prints.
pub const EXAMPLE: &str = include_str!("../example.config");

/// Asks the admin server of a running service whether it is ready.
pub fn ready(config: &Config) -> ExitCode {
    match ask(config) {
        Ok(url) => {
            println!("OK: {url}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("ERROR: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn ask(config: &Config) -> Result<String, String> {
    let number = config
        .admin_port_number
        .ok_or("Admin server is not running. Please check admin-server-port config.")?;
    let host = config.admin_host.as_str();
    if matches!(host, "*" | "*4" | "!4" | "*6" | "!6") {
        return Err(format!(
            "The `--ready` flag cannot be used when server-host is configured as \"{host}\". \
             Please update your server-host config to \"localhost\"."
        ));
    }
    let shown = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    let url = format!("http://{shown}:{number}/ready");
    let port = config
        .admin_port
        .ok_or_else(|| format!("invalid url - {url}"))?;
    let refused = |_| format!("connection refused to {url}");
    let mut stream = TcpStream::connect((host, port)).map_err(refused)?;
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .map_err(refused)?;
    let request = format!("GET /ready HTTP/1.0\r\nHost: {shown}:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(refused)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(refused)?;
    let status = answer.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') {
        Ok(url)
    } else {
        Err(url)
    }
}
