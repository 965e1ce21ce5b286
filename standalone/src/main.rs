//! The command line of the whole platform.

use std::path::PathBuf;

use clap::Parser as _;
use standalone::{
    cli::{Cli, Command},
    compose, database, state,
};
use svc_kit::{env::Vars, telemetry};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let environment = Vars::from_process();
    telemetry::init(&environment);
    let data_dir = |given: Option<PathBuf>| given.unwrap_or_else(compose::default_data_dir);
    match Cli::parse().command {
        Command::Start(mut arguments) => {
            let data_dir = data_dir(arguments.folder.data_dir.take());
            compose::start(arguments, data_dir, &environment).await
        }
        Command::Status(arguments) => {
            state::print(&data_dir(arguments.folder.data_dir), arguments.output)
        }
        Command::Stop(arguments) => state::stop(&data_dir(arguments.data_dir)),
        Command::Migrate(arguments) => {
            database::migrate(&arguments.database_url, arguments.seed).await
        }
    }
}
