//! One line per response on standard output, in Apache's combined format with the database role as user.

use std::{io::Write as _, net::SocketAddr};

use axum::{
    extract::{ConnectInfo, Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderName, header};

use crate::{App, config::LogLevel};

/// The role that a request ran as; responses carry it to the log.
#[derive(Clone, Debug)]
pub(crate) struct Role(pub(crate) String);

fn text(request: &Request, name: &HeaderName) -> String {
    let value = request.headers().get(name);
    let value = value.and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// Lets the request through and writes its line, if the log level wants it.
pub(crate) async fn write(State(app): State<App>, request: Request, next: Next) -> Response {
    let referer = text(&request, &header::REFERER);
    let agent = text(&request, &header::USER_AGENT);
    let peer = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or_else(|| "-".to_owned(), |info| info.0.ip().to_string());
    let head = format!(
        "{} {} {:?}",
        request.method(),
        request.uri(),
        request.version()
    );
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let wanted = match app.config().log_level {
        LogLevel::Crit => false,
        LogLevel::Error => status >= 500,
        LogLevel::Warn => status >= 400,
        LogLevel::Info | LogLevel::Debug => true,
    };
    if wanted {
        let role = response.extensions().get::<Role>();
        let length = axum::body::HttpBody::size_hint(response.body()).exact();
        let line = format!(
            "{peer} - {} [{}] \"{head}\" {status} {} \"{referer}\" \"{agent}\"\n",
            role.map_or("-", |role| role.0.as_str()),
            chrono::Local::now().format("%d/%b/%Y:%H:%M:%S %z"),
            length.map_or_else(|| "-".to_owned(), |length| length.to_string()),
        );
        // A log that nobody reads any more must not end the service.
        let _ = std::io::stdout().lock().write_all(line.as_bytes());
    }
    response
}
