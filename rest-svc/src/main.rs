//! rest-svc as a process of its own.

use svc_kit::{env::Vars, http, telemetry};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let vars = Vars::from_process();
    telemetry::init(&vars);
    let config = rest_svc::Config::from_vars(&vars)?;
    let stop = http::shutdown_signal()?;
    let listener = TcpListener::bind((config.listen_host(), config.port)).await?;
    let admin = match config.admin_port {
        Some(port) => Some(TcpListener::bind((config.listen_host(), port)).await?),
        None => None,
    };
    tracing::info!(address = %listener.local_addr()?, "rest-svc listening");
    let app = rest_svc::App::connect(config).await?;
    let workers = app.spawn_workers(stop.clone());
    if let Some(admin) = admin {
        tokio::spawn(http::serve(admin, app.admin_router(), stop.clone()));
    }
    http::serve(listener, app.router(), stop).await?;
    workers.close();
    workers.wait().await;
    Ok(())
}
