use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    middleware,
    response::Response,
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header, uri::Authority};
use http_body_util::Limited;
use svc_kit::http::lingering;

use crate::{
    Config, Service, cors,
    error::Error,
    frontend::Frontend,
    health::health,
    keys::{self, Consumer},
    proxy::Proxy,
    routes::{self, KeyRule, Route},
};

/// The gateway.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    config: Config,
    proxy: Proxy,
    frontend: Frontend,
}

impl App {
    /// Prepares the gateway; nothing is connected before the first request.
    pub fn new(config: Config) -> Self {
        let frontend = Frontend::new(&config);
        Self(Arc::new(Inner {
            config,
            proxy: Proxy::new(),
            frontend,
        }))
    }

    /// Everything, on every path.
    pub fn router(&self) -> Router {
        Router::new()
            .fallback(answer)
            .layer(middleware::from_fn(svc_kit::http::request_id_layer))
            .with_state(self.clone())
    }

    /// Checks the key, rewrites and forwards.
    async fn forward(&self, route: &'static Route, request: Request) -> Result<Response, Error> {
        let config = &self.0.config;
        let upstream = config
            .upstreams
            .get(route.service)
            .ok_or(Error::NotDeployed)?;
        let (mut parts, body) = request.into_parts();
        let given =
            keys::given_key(&parts.headers, parts.uri.query()).map(std::borrow::Cow::into_owned);
        check_key(config, route, &parts.headers, given.as_deref())?;
        keys::authorize(
            &mut parts.headers,
            &config.keys,
            given.as_deref(),
            route.synthesis,
        )?;
        let query = self.rewrite_query(route, parts.uri.query(), given.as_deref());
        self.add_service_headers(route, &mut parts.headers, given.as_deref())?;
        let peer = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map(|info| info.0);
        forwarded(&mut parts.headers, peer, parts.uri.authority(), route);
        let path = route.rewrite(parts.uri.path());
        parts.uri = match query {
            Some(query) => Uri::try_from(format!("{path}?{query}")),
            None => Uri::try_from(path),
        }
        .map_err(|_| Error::BadRequest)?;
        // The router below would otherwise see the path that the gateway matched.
        parts.extensions.remove::<axum::extract::OriginalUri>();
        parts.extensions.remove::<axum::extract::MatchedPath>();
        let body = match route.service {
            // Storage has limits of its own, per bucket; who sends more gets to read the refusal.
            Service::Storage => lingering(&parts.headers, body),
            _ => Body::new(Limited::new(body, config.max_body_size)),
        };
        let request = Request::from_parts(parts, body);
        self.0
            .proxy
            .send(upstream, request, self.timeout(route.service))
            .await
    }

    /// How long the head of an answer may take; uploads and sockets have no such limit.
    fn timeout(&self, service: Service) -> Option<Duration> {
        match service {
            Service::Storage | Service::Realtime => None,
            Service::Functions => Some(self.0.config.functions_timeout),
            _ => Some(self.0.config.timeout),
        }
    }

    /// The query as the service may see it: a key in it is no filter for rest, and realtime gets the token.
    fn rewrite_query(
        &self,
        route: &Route,
        query: Option<&str>,
        given: Option<&str>,
    ) -> Option<String> {
        let query = query?;
        if !query.contains("apikey=") {
            return Some(query.to_owned());
        }
        let token = given.map(|given| self.0.config.keys.token_for(given));
        let pairs: Vec<_> = query
            .split('&')
            .filter_map(
                |pair| match (pair.starts_with("apikey="), route.service, token) {
                    (true, Service::Rest, _) => None,
                    (true, Service::Realtime, Some(token)) => Some(format!("apikey={token}")),
                    _ => Some(pair.to_owned()),
                },
            )
            .collect();
        Some(pairs.join("&")).filter(|query| !query.is_empty())
    }

    fn add_service_headers(
        &self,
        route: &Route,
        headers: &mut HeaderMap,
        given: Option<&str>,
    ) -> Result<(), Error> {
        let token = given.map(|given| self.0.config.keys.token_for(given));
        let token = token
            .map(HeaderValue::try_from)
            .transpose()
            .map_err(|_| Error::InvalidApiKey)?;
        match route.service {
            Service::Functions => {
                headers.remove("sb-api-key");
                if let Some(token) = token {
                    headers.insert("sb-api-key", token);
                }
            }
            Service::Realtime => {
                if let Some(token) = token {
                    headers.insert("x-api-key", token);
                }
            }
            Service::Rest if route.prefix == "/graphql/v1" => {
                headers.insert(
                    "content-profile",
                    HeaderValue::from_static("graphql_public"),
                );
            }
            _ => {}
        }
        Ok(())
    }
}

/// Preflights, health, services, and the front end for the rest.
async fn answer(State(app): State<App>, request: Request) -> Response {
    if cors::is_preflight(request.method(), request.headers()) {
        return cors::preflight(request.headers());
    }
    let path = request.uri().path();
    if path == "/health" {
        return health(&app.0.proxy, &app.0.config.upstreams).await;
    }
    let Some(route) = routes::find(path) else {
        let mut response = app.0.frontend.serve(request).await;
        if response.status().is_client_error() {
            cors::expose(response.headers_mut());
        }
        return response;
    };
    let mut response = app
        .forward(route, request)
        .await
        .unwrap_or_else(axum::response::IntoResponse::into_response);
    // Errors too: without these headers a browser hides the body from the page.
    cors::expose(response.headers_mut());
    response
}

fn check_key(
    config: &Config,
    route: &Route,
    headers: &HeaderMap,
    given: Option<&str>,
) -> Result<(), Error> {
    if route.key == KeyRule::Blocked {
        return Err(Error::Forbidden);
    }
    let consumer = given.map(|given| config.keys.consumer(given));
    // postgres-meta runs any SQL as a superuser, so its key is not negotiable.
    let required = config.require_apikey || route.service == Service::Meta;
    if !required {
        return Ok(());
    }
    match (route.key, consumer) {
        (KeyRule::Open, _) | (KeyRule::KnownIfGiven, None) => Ok(()),
        // A function may be called with a session alone; what is given as a key must still be one.
        (KeyRule::Known | KeyRule::Service, None) if headers.contains_key("apikey") => {
            Err(Error::InvalidApiKey)
        }
        (KeyRule::Known | KeyRule::Service, None) => Err(Error::MissingApiKey),
        (_, Some(None)) => Err(Error::InvalidApiKey),
        (KeyRule::Service, Some(Some(Consumer::Anon))) => Err(Error::WrongApiKeyType),
        _ => Ok(()),
    }
}

/// Tells the service how the client reached us. At the edge nobody else's word is taken, except for the
/// chain of addresses, to which ours is added.
fn forwarded(
    headers: &mut HeaderMap,
    peer: Option<SocketAddr>,
    authority: Option<&Authority>,
    route: &Route,
) {
    const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    set("x-forwarded-prefix", route.public_prefix());
    set("x-forwarded-proto", "http");
    let peer = peer.map(|peer| peer.ip().to_string());
    if let Some(peer) = &peer {
        set("x-real-ip", peer);
    }
    let host = headers
        .get(header::HOST)
        .cloned()
        .or_else(|| HeaderValue::from_str(authority?.as_str()).ok());
    if let Some(host) = host {
        let text = host.to_str().unwrap_or_default();
        let port = text
            .rsplit_once(':')
            .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
        let port = port.map_or_else(|| "80".to_owned(), |(_, port)| port.to_owned());
        if let Ok(port) = HeaderValue::from_str(&port) {
            headers.insert("x-forwarded-port", port);
        }
        headers.insert("x-forwarded-host", host);
    }
    if let Some(peer) = peer {
        let chain = match headers.get(FOR).and_then(|chain| chain.to_str().ok()) {
            Some(chain) => format!("{chain}, {peer}"),
            None => peer,
        };
        if let Ok(chain) = HeaderValue::from_str(&chain) {
            headers.insert(FOR, chain);
        }
    }
}
