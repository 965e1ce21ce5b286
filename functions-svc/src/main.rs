//! The functions service as a process of its own.

use clap::Parser as _;
use svc_kit::{env::Vars, http, telemetry};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut vars = Vars::from_process();
    functions_svc::Cli::parse().apply(&mut vars);
    telemetry::init(&vars);
    let config = functions_svc::Config::from_vars(&vars)?;
    let stop = http::shutdown_signal()?;
    let listener = TcpListener::bind((config.host.as_str(), config.port)).await?;
    let app = functions_svc::App::connect(config).await?;
    tracing::info!(address = %listener.local_addr()?, "functions listening");
    // Requests that drain may still need the workers, so these stop last.
    let workers_stop = CancellationToken::new();
    let workers = app.spawn_workers(workers_stop.clone());
    http::serve(listener, app.router(), stop).await?;
    workers_stop.cancel();
    workers.close();
    workers.wait().await;
    Ok(())
}
