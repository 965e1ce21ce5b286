//! The authentication service on its own: migrates unless told not to, then serves.

use anyhow::Context as _;
use auth_svc::{
    App, Config,
    cli::{self, Cli, Command},
    config::files,
    metrics::Listener,
    migrations,
    reload::{Running, Settings},
};
use clap::Parser as _;
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection};
use svc_kit::{env::Vars, http, telemetry};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if matches!(cli.command, Some(Command::Version)) {
        println!("{}", auth_svc::routes::VERSION);
        return Ok(());
    }
    let mut base = Vars::from_process();
    files::add_file(&mut base, cli.config.as_deref())?;
    let mut vars = base.clone();
    let directory = cli.config_dir.as_deref();
    let added = directory.map_or(Ok(()), |path| files::add_directory(&mut vars, path));
    telemetry::init_from(&vars, &["GOTRUE_LOG_LEVEL", "LOG_LEVEL"]);
    if let Err(error) = added {
        // As in the original, the service starts without.
        tracing::error!(%error, "the directory of settings cannot be used");
    }
    let config = Config::from_vars(&vars)?;
    match &cli.command {
        None => migrate(&config).await?,
        Some(Command::Migrate) => return migrate(&config).await,
        Some(Command::Admin { aud, command }) => {
            let app = App::connect(config).await?;
            println!("{}", cli::administer(&app, aud.as_deref(), command).await?);
            return Ok(());
        }
        Some(Command::Serve | Command::Version) => {}
    }
    let stop = http::shutdown_signal()?;
    let address = (config.api.host.clone(), config.api.port);
    let metrics = Listener::bind(&config.metrics).await;
    let metrics = metrics.context("the port for metrics cannot be listened on")?;
    let app = App::connect(config).await?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    let Some(directory) = directory else {
        let workers = app.spawn_workers(stop.clone());
        if let Some(metrics) = metrics {
            let app = app.clone();
            tokio::spawn(metrics.serve(move || app.clone(), stop.clone()));
        }
        http::serve(listener, app.router(), stop).await?;
        workers.wait().await;
        return Ok(());
    };
    let settings = Settings::from_vars(&vars)?;
    let running = Running::new(base, directory, &app);
    let router = running.router();
    if let Some(metrics) = metrics {
        tokio::spawn(metrics.serve(running.current(), stop.clone()));
    }
    let watching = tokio::spawn(running.watch(settings, stop.clone()));
    http::serve(listener, router, stop).await?;
    watching.await?
}

async fn migrate(config: &Config) -> anyhow::Result<()> {
    let connecting = PgConnection::connect(config.db.url.expose_secret());
    let mut connection = connecting.await.context("connecting to the database")?;
    migrations().run(&mut connection).await?;
    Ok(())
}
