//! The gateway as a process of its own.

use svc_kit::{env::Vars, http, telemetry};

// One thread takes connections and looks after things; those that serve are made by the server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let vars = Vars::from_process();
    telemetry::init(&vars);
    gateway::raise_open_files();
    let config = gateway::Config::from_vars(&gateway::with_file(&vars)?)?;
    let stop = http::shutdown_signal()?;
    let app = gateway::App::new(config);
    let server = gateway::Server::bind(&app).await?;
    tracing::info!(address = %server.http_address()?, "gateway listening");
    if let Some(address) = server.https_address() {
        tracing::info!(%address, "gateway listening for TLS");
    }
    tokio::spawn(app.clone().reload_on_hangup());
    let workers = app.spawn_workers(stop.clone());
    server.serve(app, stop).await?;
    workers.wait().await;
    Ok(())
}
