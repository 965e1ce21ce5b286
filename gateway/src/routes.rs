//! The public paths, the longest prefix first, and what each needs.

mod path;

use crate::{error::Error, keys::Synthesis};

/// A service behind the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Service {
    /// auth-svc or GoTrue.
    Auth,
    /// rest-svc or PostgREST.
    Rest,
    /// The admin server of rest-svc or PostgREST.
    RestAdmin,
    /// realtime-svc or Realtime.
    Realtime,
    /// storage-svc or storage-api.
    Storage,
    /// functions-svc or edge-runtime.
    Functions,
    /// postgres-meta.
    Meta,
}

impl Service {
    /// All services, in the order of their numbers.
    pub(crate) const ALL: [Self; 7] = [
        Self::Auth,
        Self::Rest,
        Self::RestAdmin,
        Self::Realtime,
        Self::Storage,
        Self::Functions,
        Self::Meta,
    ];

    /// What logs and metrics call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Rest => "rest",
            Self::RestAdmin => "rest-admin",
            Self::Realtime => "realtime",
            Self::Storage => "storage",
            Self::Functions => "functions",
            Self::Meta => "meta",
        }
    }
}

/// Which key a path asks for, where keys are required at all.
///
/// In the order of how much they ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyRule {
    /// None: the service decides.
    Open,
    /// A missing key passes, an unknown one does not.
    KnownIfGiven,
    /// A known key of either kind.
    Known,
    /// The service role's key, always required where anything reaches beyond row-level security.
    Service,
    /// Nobody may pass.
    Blocked,
}

/// How a public path is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) prefix: &'static str,
    /// True if the path must equal the prefix.
    pub(crate) exact: bool,
    pub(crate) service: Service,
    pub(crate) key: KeyRule,
    pub(crate) synthesis: Synthesis,
    /// What takes the place of the prefix upstream.
    pub(crate) upstream_prefix: &'static str,
}

const fn route(
    prefix: &'static str,
    service: Service,
    key: KeyRule,
    synthesis: Synthesis,
    upstream_prefix: &'static str,
) -> Route {
    Route {
        prefix,
        exact: false,
        service,
        key,
        synthesis,
        upstream_prefix,
    }
}

const fn exact(mut route: Route) -> Route {
    route.exact = true;
    route
}

use KeyRule::{Blocked, Known, KnownIfGiven, Open, Service as ServiceKey};
use Synthesis::{Bare, Bearer, None as Untouched};

const ROUTES: &[Route] = &[
    route("/auth/v1/verify", Service::Auth, Open, Bare, "/verify"),
    route("/auth/v1/callback", Service::Auth, Open, Bare, "/callback"),
    route(
        "/auth/v1/authorize",
        Service::Auth,
        Open,
        Bare,
        "/authorize",
    ),
    route(
        "/auth/v1/.well-known/",
        Service::Auth,
        Open,
        Bare,
        "/.well-known/",
    ),
    route("/auth/v1/", Service::Auth, Known, Bare, "/"),
    route(
        "/sso/saml/acs",
        Service::Auth,
        Open,
        Untouched,
        "/sso/saml/acs",
    ),
    route(
        "/sso/saml/metadata",
        Service::Auth,
        Open,
        Untouched,
        "/sso/saml/metadata",
    ),
    route(
        "/.well-known/oauth-authorization-server",
        Service::Auth,
        Open,
        Untouched,
        "/.well-known/oauth-authorization-server",
    ),
    exact(route("/rest/v1/", Service::Rest, ServiceKey, Bearer, "/")),
    exact(route("/rest/v1", Service::Rest, ServiceKey, Bearer, "/")),
    route("/rest/v1/", Service::Rest, Known, Bearer, "/"),
    // Open in the CLI's stack, which asks for no keys at all: it shows the whole catalog.
    route(
        "/rest-admin/v1/",
        Service::RestAdmin,
        ServiceKey,
        Untouched,
        "/",
    ),
    exact(route(
        "/graphql/v1",
        Service::Rest,
        Known,
        Bearer,
        "/rpc/graphql",
    )),
    exact(route(
        "/graphql/v1/",
        Service::Rest,
        Known,
        Bearer,
        "/rpc/graphql",
    )),
    route(
        "/realtime/v1/api/openapi",
        Service::Realtime,
        Blocked,
        Untouched,
        "/",
    ),
    route(
        "/realtime/v1/api/tenants",
        Service::Realtime,
        Blocked,
        Untouched,
        "/",
    ),
    route(
        "/realtime/v1/api/",
        Service::Realtime,
        Known,
        Bearer,
        "/api/",
    ),
    route(
        "/realtime/v1/",
        Service::Realtime,
        Known,
        Untouched,
        "/socket/",
    ),
    exact(route(
        "/storage/v1/metrics",
        Service::Storage,
        ServiceKey,
        Untouched,
        "/metrics",
    )),
    route("/storage/v1/s3", Service::Storage, Open, Untouched, "/s3"),
    route("/storage/v1/", Service::Storage, Open, Bearer, "/"),
    route(
        "/functions/v1/_internal/metric",
        Service::Functions,
        ServiceKey,
        Untouched,
        "/_internal/metric",
    ),
    route(
        "/functions/v1/",
        Service::Functions,
        KnownIfGiven,
        Untouched,
        "/",
    ),
    route("/pg/", Service::Meta, ServiceKey, Untouched, "/"),
];

/// The first path segments that belong to services: no page of the front end may lie below them.
const SERVICE_SEGMENTS: &[&str] = &[
    "auth/v1",
    "rest/v1",
    "rest-admin",
    "graphql",
    "realtime",
    "storage/v1",
    "functions/v1",
    "pg",
    "sso/saml",
    ".well-known",
    "health",
    "analytics",
    "pooler",
    "mcp",
];

/// The route of a path, and the key that it asks for.
///
/// A service may read a path in ways of its own, and take `%74enants` or `//tenants` for `tenants`. So the most
/// that any reading asks for is what counts, and what would climb out of a prefix is refused.
pub(crate) fn resolve(path: &str) -> Result<Option<(&'static Route, KeyRule)>, Error> {
    let Some(route) = find(path) else {
        return Ok(None);
    };
    if path::is_plain(path) {
        return Ok(Some((route, route.key)));
    }
    let read = path::readings(path).ok_or(Error::BadPath)?;
    let strictest = read
        .iter()
        .filter_map(|path| find(path))
        .map(|route| route.key);
    let key = strictest.max().unwrap_or(Open).max(route.key);
    Ok(Some((route, key)))
}

/// Finds the route of a path; the table is ordered so that the first match is the longest.
pub(crate) fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| {
        if route.exact {
            path == route.prefix
        } else {
            path.starts_with(route.prefix)
        }
    })
}

/// True if an unknown path lies where only services live, so that it must not be answered with a page.
pub(crate) fn is_service_path(path: &str) -> bool {
    let path = path.trim_start_matches('/');
    SERVICE_SEGMENTS.iter().any(|segment| {
        path.strip_prefix(segment)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

impl Route {
    /// What follows the prefix. Escapes and double slashes may be part of an object's name, so nothing of it changes.
    pub(crate) fn rest_of<'a>(&self, path: &'a str) -> &'a str {
        &path[self.prefix.len()..]
    }

    /// What the client sees in front of the service's own paths, for `X-Forwarded-Prefix`.
    pub(crate) fn public_prefix(&self) -> &'static str {
        match self.service {
            Service::Auth if self.prefix.starts_with("/auth/v1") => "/auth/v1",
            Service::Rest => "/rest/v1",
            Service::RestAdmin => "/rest-admin/v1",
            Service::Realtime => "/realtime/v1",
            Service::Storage => "/storage/v1",
            Service::Functions => "/functions/v1",
            Service::Meta => "/pg",
            Service::Auth => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_reach_the_service_under_its_own_names() {
        for (path, service, upstream) in [
            ("/auth/v1/verify", Service::Auth, "/verify"),
            ("/auth/v1/token", Service::Auth, "/token"),
            (
                "/auth/v1/.well-known/jwks.json",
                Service::Auth,
                "/.well-known/jwks.json",
            ),
            ("/sso/saml/acs", Service::Auth, "/sso/saml/acs"),
            ("/rest/v1/", Service::Rest, "/"),
            ("/rest/v1/t%2Fx//y", Service::Rest, "/t%2Fx//y"),
            ("/graphql/v1", Service::Rest, "/rpc/graphql"),
            (
                "/realtime/v1/websocket",
                Service::Realtime,
                "/socket/websocket",
            ),
            (
                "/realtime/v1/api/broadcast",
                Service::Realtime,
                "/api/broadcast",
            ),
            ("/storage/v1/s3/b/k", Service::Storage, "/s3/b/k"),
            (
                "/storage/v1/object/b/a%20b",
                Service::Storage,
                "/object/b/a%20b",
            ),
            ("/functions/v1/hello/x", Service::Functions, "/hello/x"),
            ("/pg/query", Service::Meta, "/query"),
        ] {
            let route = find(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(
                (
                    route.service,
                    format!("{}{}", route.upstream_prefix, route.rest_of(path)).as_str()
                ),
                (service, upstream),
                "{path}"
            );
        }
    }

    #[test]
    fn administration_is_never_open() {
        assert_eq!(
            find("/realtime/v1/api/tenants/x").map(|route| route.key),
            Some(Blocked)
        );
        assert_eq!(find("/rest/v1/").map(|route| route.key), Some(ServiceKey));
        assert_eq!(find("/pg/tables").map(|route| route.key), Some(ServiceKey));
        assert_eq!(find("/coworking"), None);
    }

    #[test]
    fn no_spelling_of_a_path_asks_for_less() {
        for (path, key) in [
            ("/realtime/v1/api/%74enants/x", Blocked),
            ("/realtime/v1/api//tenants", Blocked),
            ("/realtime/v1/api/%2Ftenants", Blocked),
            ("/realtime/v1/api/\\tenants", Blocked),
            ("/realtime/v1/api/%2574enants", Blocked),
            ("/realtime/v1//api/tenants", Blocked),
            ("/realtime/v1/%61pi/openapi", Blocked),
            ("/functions/v1/_internal/metrics", ServiceKey),
            ("/functions/v1/%5Finternal/metrics", ServiceKey),
            ("/storage/v1/metrics", ServiceKey),
            ("/storage/v1/%6Detrics", ServiceKey),
            ("/rest/v1//", ServiceKey),
            ("/rest/v1/%2F", ServiceKey),
            ("/auth/v1/%76erify", Known),
            ("/storage/v1/object/a//b%2Fc", Open),
        ] {
            let found = resolve(path).unwrap().map(|(_, key)| key);
            assert_eq!(found, Some(key), "{path}");
        }
    }

    #[test]
    fn no_path_climbs_out_of_its_prefix() {
        for path in [
            "/rest/v1/../../pg/query",
            "/rest/v1/%2e%2e/%2E./pg/query",
            "/rest/v1/..%2f..%2fpg/query",
            "/rest/v1/..\\..\\pg",
            "/rest/v1/%252e%252e/pg",
            "/auth/v1/verify/../admin/users",
            "/storage/v1/object/b/./x",
            "/storage/v1/object/b/..;/x",
        ] {
            assert!(resolve(path).is_err(), "{path}");
        }
        for path in [
            "/storage/v1/object/b/.hidden",
            "/rest/v1/a..b",
            "/rest/v1/...",
        ] {
            assert!(resolve(path).unwrap().is_some(), "{path}");
        }
    }

    #[test]
    fn pages_live_outside_the_service_prefixes() {
        for page in [
            "/",
            "/coworking",
            "/auth/login",
            "/authors",
            "/healthy",
            "/auth/reset",
        ] {
            assert!(!is_service_path(page), "{page}");
        }
        for api in [
            "/auth/v1",
            "/rest/v1/x",
            "/pg",
            "/health",
            "/storage/v1/x",
            "/realtime/x",
        ] {
            assert!(is_service_path(api), "{api}");
        }
    }
}
