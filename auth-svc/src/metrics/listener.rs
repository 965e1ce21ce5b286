//! The port that Prometheus asks.

use std::net::SocketAddr;

use axum::{
    Router,
    response::{IntoResponse as _, Response},
};
use http::header;
use svc_kit::observe::CONTENT_TYPE;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{app::App, config};

/// A port that is listened on.
#[derive(Debug)]
pub struct Listener(TcpListener);

impl Listener {
    /// Listens where the settings say; nothing if they want no metrics.
    pub async fn bind(settings: &config::Metrics) -> std::io::Result<Option<Self>> {
        let Some((host, port)) = &settings.prometheus else {
            return Ok(None);
        };
        let listener = TcpListener::bind((host.as_str(), *port)).await?;
        tracing::info!(address = %listener.local_addr()?, "prometheus server listening");
        Ok(Some(Self(listener)))
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers with what the service of now has counted, until it is time to stop.
    pub async fn serve(
        self,
        app: impl Fn() -> App + Clone + Send + Sync + 'static,
        stop: CancellationToken,
    ) {
        if let Err(error) = svc_kit::http::serve(self.0, router(app), stop).await {
            tracing::error!(%error, "metrics are not served any more");
        }
    }
}

/// On every path, as in the original.
fn router(app: impl Fn() -> App + Clone + Send + Sync + 'static) -> Router {
    Router::new().fallback(async move || -> Response {
        ([(header::CONTENT_TYPE, CONTENT_TYPE)], app().metrics_text()).into_response()
    })
}
