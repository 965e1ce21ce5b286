//! The authentication service on its own: migrates unless told not to, then serves.

use anyhow::{Context as _, bail};
use auth_svc::{App, Config, migrations};
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection};
use svc_kit::{env::Vars, http, telemetry};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let vars = Vars::from_process();
    telemetry::init(&vars);
    let command = std::env::args().nth(1).unwrap_or_default();
    if command == "version" {
        println!("{}", auth_svc::routes::VERSION);
        return Ok(());
    }
    let config = Config::from_vars(&vars)?;
    match command.as_str() {
        "" => migrate(&config).await?,
        "serve" => {}
        "migrate" => return migrate(&config).await,
        other => bail!("unknown command {other}; there are serve, migrate and version"),
    }
    let stop = http::shutdown_signal()?;
    let address = (config.api.host.clone(), config.api.port);
    let app = App::connect(config).await?;
    let workers = app.spawn_workers(stop.clone());
    let listener = tokio::net::TcpListener::bind(address).await?;
    http::serve(listener, app.router(), stop).await?;
    workers.wait().await;
    Ok(())
}

async fn migrate(config: &Config) -> anyhow::Result<()> {
    let connecting = PgConnection::connect(config.db.url.expose_secret());
    let mut connection = connecting.await.context("connecting to the database")?;
    migrations().run(&mut connection).await?;
    Ok(())
}
