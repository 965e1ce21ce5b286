//! A request on its way through the gateway: key, headers and path.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
};

use axum::{
    body::Body,
    extract::{ConnectInfo, MatchedPath, OriginalUri, Request},
    response::Response,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header, uri::PathAndQuery};
use http_body::Body as _;
use svc_kit::http::lingering;

use crate::{
    App, Config, Service,
    app::Live,
    error::Error,
    headers::{self, Claims, Peer, SB_API_KEY, X_API_KEY},
    inbound::Inbound,
    keys::{self, Consumer, Given},
    routes::{KeyRule, Route},
    upstream::{Patience, send},
};

const CONTENT_PROFILE: HeaderName = HeaderName::from_static("content-profile");

/// Checks the key, rewrites and forwards.
pub(crate) async fn forward(
    app: &App,
    live: &Arc<Live>,
    (route, key): (&'static Route, KeyRule),
    request: Request,
    peer: Option<Peer>,
) -> Result<Response, Error> {
    let (mut parts, body) = request.into_parts();
    let prepared = prepare(live, route, key, &mut parts, peer);
    let balancer = live.balancer(route.service).ok_or(Error::NotDeployed);
    let balancer = match prepared.and(balancer) {
        Ok(balancer) => balancer,
        Err(error) => {
            if matches!(error, Error::RateLimited { .. }) {
                app.metrics().rate_limited.fetch_add(1, Ordering::Relaxed);
            }
            // Who still sends gets to read the refusal.
            drop(lingering(&parts.headers, body));
            return Err(error);
        }
    };
    let (body, progress) = guard(live, route.service, &parts.headers, body)?;
    if balancer.mounted().is_some() {
        // The router would otherwise see the path that the gateway matched.
        parts.extensions.remove::<OriginalUri>();
        parts.extensions.remove::<MatchedPath>();
        if let Some(peer) = peer {
            parts
                .extensions
                .insert(ConnectInfo::<SocketAddr>(peer.address));
        }
    }
    let patience = Patience {
        wait: wait(&live.config, route.service),
        progress,
    };
    send(balancer, Request::from_parts(parts, body), &patience).await
}

/// Everything that is decided before the body is looked at.
fn prepare(
    live: &Live,
    route: &'static Route,
    key: KeyRule,
    parts: &mut http::request::Parts,
    peer: Option<Peer>,
) -> Result<(), Error> {
    let config = &live.config;
    if parts.headers.get_all(header::HOST).iter().nth(1).is_some() {
        return Err(Error::BadRequest);
    }
    let claims = peer.map_or_else(Claims::default, |peer| {
        Claims::read(&parts.headers, peer.address.ip(), &config.trusted_proxies)
    });
    if let Some(client) = claims.client.or(peer.map(|peer| peer.address.ip())) {
        live.rates.count_ip(client)?;
    }
    let is_websocket = headers::wants_websocket(&parts.headers);
    headers::clean_request(&mut parts.headers)?;
    let rewritten = {
        let given = config.keys.given(&parts.headers, parts.uri.query());
        check_key(config, route, key, &parts.headers, given.as_ref())?;
        if let Some(known) = given.as_ref().and_then(|given| given.known) {
            live.rates.count_key(known.fingerprint)?;
        }
        let authorization = keys::authorization(
            &parts.headers,
            &config.keys,
            given.as_ref(),
            route.synthesis,
        )?;
        let token = service_token(route, given.as_ref())?;
        let uri = rewrite(route, &parts.uri, given.as_ref())?;
        (authorization, token, uri)
    };
    let (authorization, token, uri) = rewritten;
    if let Some(authorization) = authorization {
        parts.headers.insert(header::AUTHORIZATION, authorization);
    }
    if let Some((name, value)) = token {
        parts.headers.insert(name, value);
    }
    headers::tell_origin(
        &mut parts.headers,
        peer,
        claims,
        parts.uri.authority(),
        route.public_prefix(),
    );
    if is_websocket {
        let upgrade = HeaderValue::from_static("upgrade");
        parts.headers.insert(header::CONNECTION, upgrade);
        let websocket = HeaderValue::from_static("websocket");
        parts.headers.insert(header::UPGRADE, websocket);
    }
    parts.uri = uri;
    Ok(())
}

/// The body with its limits, and how it gets on.
fn guard(
    live: &Live,
    service: Service,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Body, Option<Arc<crate::inbound::Progress>>), Error> {
    if body.is_end_stream() {
        return Ok((body, None));
    }
    let (limit, body) = match service {
        // Storage has limits of its own, per bucket; who sends more gets to read the refusal.
        Service::Storage => (u64::MAX, lingering(headers, body)),
        _ => (live.config.max_body_size, body),
    };
    if body.size_hint().lower() > limit {
        drop(lingering(headers, body));
        return Err(Error::TooLarge);
    }
    let idle = live.config.balancing.idle_timeout;
    let (body, progress) = Inbound::new(body, limit, idle);
    Ok((Body::new(body), Some(progress)))
}

/// How long the head of an answer may take; uploads and long polls have no limit but silence.
fn wait(config: &Config, service: Service) -> std::time::Duration {
    match service {
        Service::Storage | Service::Realtime => config.balancing.idle_timeout,
        Service::Functions => config.functions_timeout,
        _ => config.timeout,
    }
}

fn check_key(
    config: &Config,
    route: &Route,
    key: KeyRule,
    headers: &HeaderMap,
    given: Option<&Given<'_>>,
) -> Result<(), Error> {
    if key == KeyRule::Blocked {
        return Err(Error::Forbidden);
    }
    // postgres-meta runs any SQL as a superuser, so its key is not negotiable.
    if !config.require_apikey && route.service != Service::Meta {
        return Ok(());
    }
    let consumer = given.map(|given| given.known.map(|known| known.consumer));
    match (key, consumer) {
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

/// What some services get besides `Authorization`.
fn service_token(
    route: &Route,
    given: Option<&Given<'_>>,
) -> Result<Option<(HeaderName, HeaderValue)>, Error> {
    let name = match route.service {
        Service::Functions => SB_API_KEY,
        Service::Realtime => X_API_KEY,
        Service::Rest if route.prefix.starts_with("/graphql/v1") => {
            let profile = HeaderValue::from_static("graphql_public");
            return Ok(Some((CONTENT_PROFILE, profile)));
        }
        _ => return Ok(None),
    };
    let token = given.map(Given::token).transpose()?;
    Ok(token.map(|token| (name, token)))
}

/// The path and query as the service may see them: a key in the query is no filter for rest, and realtime gets the
/// token in its place. All other bytes stay.
fn rewrite(route: &Route, uri: &Uri, given: Option<&Given<'_>>) -> Result<Uri, Error> {
    let rest = route.rest_of(uri.path());
    let query = uri.query();
    let size = route.upstream_prefix.len() + rest.len() + query.map_or(0, |query| 1 + query.len());
    let mut text = String::with_capacity(size);
    text.push_str(route.upstream_prefix);
    text.push_str(rest);
    if let Some(query) = query {
        if query.contains("apikey=") && matches!(route.service, Service::Rest | Service::Realtime) {
            replace_key(&mut text, query, route, given)?;
        } else {
            text.push('?');
            text.push_str(query);
        }
    }
    let path = PathAndQuery::from_maybe_shared(Bytes::from(text)).map_err(|_| Error::BadRequest)?;
    let mut parts = http::uri::Parts::default();
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).map_err(|_| Error::BadRequest)
}

fn replace_key(
    text: &mut String,
    query: &str,
    route: &Route,
    given: Option<&Given<'_>>,
) -> Result<(), Error> {
    let token = given.map(Given::token).transpose()?;
    let mut separator = '?';
    for pair in query.split('&') {
        let is_key = pair.starts_with("apikey=");
        let token = token.as_ref().and_then(|token| token.to_str().ok());
        match (is_key, route.service, token) {
            (true, Service::Rest, _) => continue,
            (true, Service::Realtime, Some(token)) => {
                text.extend([separator]);
                text.push_str("apikey=");
                text.push_str(token);
            }
            _ => {
                text.extend([separator]);
                text.push_str(pair);
            }
        }
        separator = '&';
    }
    Ok(())
}
