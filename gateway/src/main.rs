//! The gateway as a process of its own.

use svc_kit::{env::Vars, http, telemetry};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let vars = Vars::from_process();
    telemetry::init(&vars);
    let config = gateway::Config::from_vars(&vars)?;
    let stop = http::shutdown_signal()?;
    let listener = TcpListener::bind((config.host.as_str(), config.port)).await?;
    tracing::info!(address = %listener.local_addr()?, "gateway listening");
    http::serve(listener, gateway::App::new(config).router(), stop).await?;
    Ok(())
}
