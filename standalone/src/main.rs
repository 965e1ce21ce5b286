//! The command line of the whole platform.

use clap::{CommandFactory as _, Parser as _};
use standalone::{
    cli::{Cli, Command, DbCommand},
    compose, control, database, state,
};
use svc_kit::{env::Vars, telemetry};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let environment = Vars::from_process();
    telemetry::init(&environment);
    gateway::raise_open_files();
    match Cli::parse().command {
        Command::Start(arguments) => compose::start(arguments, &environment).await,
        Command::Status(arguments) => state::print(
            &arguments.folder.target()?.data_dir,
            arguments.output,
            &arguments.override_name,
        ),
        Command::Stop(folder) => state::stop(&folder.target()?.data_dir),
        Command::Db(DbCommand::Reset(arguments)) => control::reset(arguments, &environment).await,
        Command::Migrate(arguments) => database::migrate(&arguments, &environment).await,
        Command::Completions { shell } => {
            clap_complete::generate(
                shell,
                &mut Cli::command(),
                "standalone",
                &mut std::io::stdout(),
            );
            Ok(())
        }
    }
}
