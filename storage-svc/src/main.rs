//! The storage service as a process of its own.

use svc_kit::{env::Vars, http, telemetry};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let vars = Vars::from_process();
    telemetry::init(&vars);
    let config = storage_svc::Config::from_vars(&vars)?;
    let stop = http::shutdown_signal()?;
    let listener = TcpListener::bind((config.host.as_str(), config.port)).await?;
    storage_svc::migrate(&config).await?;
    let app = storage_svc::App::connect(config).await?;
    tracing::info!(address = %listener.local_addr()?, "storage listening");
    // Requests that drain may still need the workers, so these stop last.
    let workers_stop = CancellationToken::new();
    let workers = app.spawn_workers(workers_stop.clone());
    http::serve(listener, app.router(), stop).await?;
    workers_stop.cancel();
    workers.close();
    workers.wait().await;
    Ok(())
}
