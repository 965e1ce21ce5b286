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
    /// Work on the database of a project.
    #[command(subcommand)]
    Db(DbCommand),
    /// Migrate a database for services that run apart: everything, in order.
    Migrate(MigrateArgs),
    /// Print what makes a shell complete this command.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `db`.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Make the database anew: the platform, the project's migrations, seeds and buckets. All data go.
    Reset(ResetArgs),
}

/// `db reset`.
#[derive(Debug, Args)]
pub struct ResetArgs {
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would print it as help")]
    pub start: StartArgs,
    /// The last migration to apply; default: all.
    #[arg(long)]
    pub version: Option<String>,
    /// Leave the seeds out.
    #[arg(long)]
    pub no_seed: bool,
}

/// Which project this is about, and where the platform keeps what it owns.
#[derive(Clone, Debug, Default, Args)]
pub struct FolderArgs {
    /// The folder of a Supabase project, with `supabase/` in it; default: the working folder, if it has
    /// `supabase/config.toml`.
    #[arg(long, env = "NILAM_PROJECT")]
    pub project: Option<PathBuf>,
    /// The folder of the database, the keys and the state file; of a project: `supabase/.nilam`.
    #[arg(long, env = "NILAM_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
}

/// `start`.
#[derive(Clone, Debug, Args)]
pub struct StartArgs {
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would print it as help")]
    pub folder: FolderArgs,
    /// The address for the API; anything but loopback makes keys of its own.
    #[arg(long, env = "NILAM_HOST", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// The port of the API and the front end; default: the project's, else 54321.
    #[arg(long, env = "NILAM_API_PORT")]
    pub api_port: Option<u16>,
    /// The port of the private Postgres, always on loopback; default: the project's, else 54322.
    #[arg(long, env = "NILAM_DB_PORT")]
    pub db_port: Option<u16>,
    /// The port of the mailbox, always on loopback; default: the project's, else 54324.
    #[arg(long, env = "NILAM_MAILBOX_PORT")]
    pub mailbox_port: Option<u16>,
    /// An existing server instead of a private one; the role must be a superuser for the first start.
    #[arg(long, env = "NILAM_DATABASE_URL")]
    pub database_url: Option<String>,
    /// What to fill a new database with; the default is demo for a private one on loopback, else none. A
    /// project has its own seeds.
    #[arg(long, env = "NILAM_SEED")]
    pub seed: Option<Seed>,
    /// The built front end; default: `frontend/dist` here or beside the binary, and none for a project.
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
    #[arg(short, long, default_value = "pretty")]
    pub output: Output,
    /// Another name for a variable, such as `api.url=NEXT_PUBLIC_SUPABASE_URL`.
    #[arg(long, value_delimiter = ',')]
    pub override_name: Vec<String>,
}

/// How to print.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Output {
    /// `NAME="value"` lines.
    Env,
    /// One JSON object.
    Json,
    /// For people.
    Pretty,
}

/// `migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// The database, as a superuser. `NILAM_DATABASE_URL_FILE` may name a file with it.
    #[arg(long, env = "NILAM_DATABASE_URL")]
    pub database_url: Option<String>,
    /// What to fill it with.
    #[arg(long, default_value = "none")]
    pub seed: Seed,
    /// Leave the marketplace out: only what any project stands on.
    #[arg(long, conflicts_with = "seed")]
    pub platform_only: bool,
}
