//! The command line.

use std::{net::IpAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The whole platform in one process.
#[derive(Debug, Parser)]
#[command(name = "standalone", version)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve in the foreground until SIGTERM or Ctrl-C.
    Start(StartArgs),
    /// Say where a running platform is and which keys it has.
    Status(StatusArgs),
    /// Ask a running platform to stop, and wait until it has.
    Stop(FolderArgs),
    /// Migrate a database for services that run apart: everything, in order.
    Migrate(MigrateArgs),
}

/// Where the platform keeps what it owns.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// The folder of the database, the keys and the state file.
    #[arg(long, env = "NILAM_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
}

/// `start`.
#[derive(Debug, Args)]
pub struct StartArgs {
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would print it as help")]
    pub folder: FolderArgs,
    /// The address for the API; anything but loopback makes keys of its own.
    #[arg(long, env = "NILAM_HOST", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// The port of the API and the front end.
    #[arg(long, env = "NILAM_API_PORT", default_value_t = 54321)]
    pub api_port: u16,
    /// The port of the private Postgres, always on loopback.
    #[arg(long, env = "NILAM_DB_PORT", default_value_t = 54322)]
    pub db_port: u16,
    /// The port of the mailbox, always on loopback.
    #[arg(long, env = "NILAM_MAILBOX_PORT", default_value_t = 54324)]
    pub mailbox_port: u16,
    /// An existing server instead of a private one; the role must be a superuser for the first start.
    #[arg(long, env = "NILAM_DATABASE_URL")]
    pub database_url: Option<String>,
    /// What to fill a new database with; the default is demo for a private one on loopback, else none.
    #[arg(long, env = "NILAM_SEED")]
    pub seed: Option<Seed>,
    /// The built front end; default: `frontend/dist` here or beside the binary.
    #[arg(long, env = "NILAM_FRONTEND")]
    pub frontend: Option<PathBuf>,
    /// A file with one table of variables per service.
    #[arg(long, env = "NILAM_CONFIG")]
    pub config: Option<PathBuf>,
    /// The folder of the Postgres server binaries.
    #[arg(long, env = "NILAM_POSTGRES_BIN")]
    pub postgres_bin: Option<PathBuf>,
}

/// What a new database is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Seed {
    /// The demonstration data, with accounts whose passwords are public.
    Demo,
    /// Nothing.
    None,
}

/// `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would print it as help")]
    pub folder: FolderArgs,
    /// How to print.
    #[arg(short, long, default_value = "env")]
    pub output: Output,
}

/// How to print.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Output {
    /// `NAME="value"` lines.
    Env,
    /// One JSON object.
    Json,
}

/// `migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// The database, as a superuser.
    #[arg(long, env = "NILAM_DATABASE_URL")]
    pub database_url: String,
    /// What to fill it with.
    #[arg(long, default_value = "none")]
    pub seed: Seed,
}
