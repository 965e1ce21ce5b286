//! One line per response on standard output, in Apache's combined format with the database role as user.

use std::{io::Write as _, net::SocketAddr};

use axum::{
    extract::{ConnectInfo, Request},
    response::Response,
};
use http::{HeaderValue, header};

use crate::{App, config::LogLevel, routes};

/// The role that a request ran as; responses carry it to the log.
#[derive(Clone, Debug)]
pub(crate) struct Role(pub(crate) String);

/// Answers the request and writes its line, if the log level wants it.
pub(crate) async fn serve(app: App, request: Request) -> Response {
    let level = app.config().log_level;
    if level == LogLevel::Crit {
        return routes::serve(app, request).await;
    }
    // Few lines are wanted at the usual level, so nothing is made into text before.
    let referer = request.headers().get(header::REFERER).cloned();
    let agent = request.headers().get(header::USER_AGENT).cloned();
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|info| info.0.ip());
    let (method, uri, version) = (
        request.method().clone(),
        request.uri().clone(),
        request.version(),
    );
    let response = routes::serve(app, request).await;
    let status = response.status().as_u16();
    if level.shows(response.status()) {
        let role = response.extensions().get::<Role>();
        let length = axum::body::HttpBody::size_hint(response.body()).exact();
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let line = format!(
            "{} - {} [{}] \"{method} {uri} {version:?}\" {status} {} \"{}\" \"{}\"\n",
            or_dash(peer.map(|ip| ip.to_string())),
            role.map_or("-", |role| role.0.as_str()),
            chrono::Local::now().format("%d/%b/%Y:%H:%M:%S %z"),
            or_dash(length.map(|length| length.to_string())),
            text(referer.as_ref()),
            text(agent.as_ref()),
        );
        // A log that nobody reads any more must not end the service.
        let _ = std::io::stdout().lock().write_all(line.as_bytes());
    }
    response
}

fn text(value: Option<&HeaderValue>) -> &str {
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}
