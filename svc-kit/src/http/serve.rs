use std::{convert::Infallible, future::IntoFuture as _, io, net::SocketAddr, time::Duration};

use axum::{ServiceExt as _, extract::Request, response::Response, serve::ListenerExt as _};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;
use tower::Service;

/// How long requests in flight may still run after the stop was asked for.
const DRAIN: Duration = Duration::from_secs(25);

/// Serves until `stop`, then lets the requests in flight finish. `service` is a router, or one handler of all requests.
///
/// Handlers can extract the peer's address with [`axum::extract::ConnectInfo`].
pub async fn serve<S>(listener: TcpListener, service: S, stop: CancellationToken) -> io::Result<()>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let service = service.into_make_service_with_connect_info::<SocketAddr>();
    let listener = listener.tap_io(|stream| {
        // Small responses must not wait for Nagle's algorithm; a socket that refuses still serves.
        let _ = stream.set_nodelay(true);
    });
    let drained = stop.clone();
    let server = axum::serve(listener, service)
        .with_graceful_shutdown(async move { stop.cancelled().await });
    tokio::select! {
        result = server.into_future() => result,
        () = async { drained.cancelled().await; tokio::time::sleep(DRAIN).await } => {
            tracing::warn!("requests were still running when the time to drain was over");
            Ok(())
        }
    }
}

/// A token that SIGTERM or SIGINT cancels.
pub fn shutdown_signal() -> io::Result<CancellationToken> {
    let token = CancellationToken::new();
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let cancel = token.clone();
    tokio::spawn(async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        tracing::info!("Received termination unix signal {name}");
        cancel.cancel();
    });
    Ok(token)
}
