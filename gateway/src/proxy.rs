//! Handing a request to an upstream and its answer back, both streamed.

use std::time::Duration;

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri, header};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tower::ServiceExt as _;
use url::Url;

use crate::{Upstream, error::Error};

/// Forwards requests; the connections to remote services are kept and shared.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    client: Client<HttpConnector, Body>,
}

/// What concerns one hop only and must not be passed on.
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

impl Proxy {
    pub(crate) fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(Duration::from_secs(5)));
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(55))
            .http1_preserve_header_case(false)
            .build(connector);
        Self { client }
    }

    /// Sends the request, whose path is already the upstream's, and waits at most `timeout` for the head
    /// of the answer. The body may take as long as it takes.
    pub(crate) async fn send(
        &self,
        upstream: &Upstream,
        request: Request<Body>,
        timeout: Option<Duration>,
    ) -> Result<Response, Error> {
        let answer = async {
            match upstream {
                Upstream::Mounted(router) => {
                    // A router's error type has no values.
                    router
                        .clone()
                        .oneshot(request)
                        .await
                        .map_err(|never| match never {})
                }
                Upstream::Remote(base) => self.send_remote(base, request).await,
            }
        };
        match timeout {
            Some(timeout) => tokio::time::timeout(timeout, answer)
                .await
                .unwrap_or(Err(Error::UpstreamSlow)),
            None => answer.await,
        }
    }

    async fn send_remote(&self, base: &Url, mut request: Request<Body>) -> Result<Response, Error> {
        *request.uri_mut() = remote_uri(base, request.uri())?;
        *request.version_mut() = http::Version::HTTP_11;
        request.headers_mut().remove(header::HOST);
        let upgrade = upgrade_of(request.headers());
        let client_side = upgrade.is_some().then(|| hyper::upgrade::on(&mut request));
        strip_hop_by_hop(request.headers_mut());
        if let Some(protocol) = &upgrade {
            request
                .headers_mut()
                .insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
            request
                .headers_mut()
                .insert(header::UPGRADE, protocol.clone());
        }
        let mut response = self.client.request(request).await.map_err(|error| {
            tracing::warn!(upstream = base.as_str(), %error, "upstream failed");
            Error::UpstreamDown
        })?;
        match (client_side, upgrade) {
            (Some(client_side), Some(protocol))
                if response.status() == StatusCode::SWITCHING_PROTOCOLS =>
            {
                let upstream_side = hyper::upgrade::on(&mut response);
                tokio::spawn(join(client_side, upstream_side));
                strip_hop_by_hop(response.headers_mut());
                response
                    .headers_mut()
                    .insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
                response.headers_mut().insert(header::UPGRADE, protocol);
            }
            _ => strip_hop_by_hop(response.headers_mut()),
        }
        Ok(response.map(Body::new))
    }
}

/// Copies bytes both ways until one side closes.
async fn join(client: hyper::upgrade::OnUpgrade, upstream: hyper::upgrade::OnUpgrade) {
    let (client, upstream) = match tokio::try_join!(client, upstream) {
        Ok(sides) => sides,
        Err(error) => {
            tracing::debug!(%error, "upgrade failed");
            return;
        }
    };
    // An error here is a connection that was cut, which is how most websockets end.
    let _ =
        tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(upstream)).await;
}

/// The protocol that a request wants to switch to.
fn upgrade_of(headers: &HeaderMap) -> Option<HeaderValue> {
    let wants = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|token| token.trim().eq_ignore_ascii_case("upgrade"));
    headers.get(header::UPGRADE).filter(|_| wants).cloned()
}

fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
    headers.remove("keep-alive");
}

/// The query stays byte for byte: in rest it is a program.
fn remote_uri(base: &Url, path: &Uri) -> Result<Uri, Error> {
    let authority = base.host_str().map(|host| match base.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    });
    let prefix = base.path().trim_end_matches('/');
    let rest = path.path_and_query().map_or("/", |rest| rest.as_str());
    Uri::builder()
        .scheme("http")
        .authority(authority.unwrap_or_default())
        .path_and_query(format!("{prefix}{rest}"))
        .build()
        .map_err(|_| Error::BadRequest)
}
