//! The public paths, the longest prefix first, and what each needs.

use crate::keys::Synthesis;

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

/// Which key a path asks for, where keys are required at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyRule {
    /// None: the service decides.
    Open,
    /// A known key of either kind.
    Known,
    /// A missing key passes, an unknown one does not.
    KnownIfGiven,
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
    route("/rest-admin/v1/", Service::RestAdmin, Open, Untouched, "/"),
    exact(route(
        "/graphql/v1",
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
    route("/storage/v1/s3", Service::Storage, Open, Untouched, "/s3"),
    route("/storage/v1/", Service::Storage, Open, Bearer, "/"),
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
    /// The path sent upstream. Only the prefix changes: escapes and double slashes may be part of an
    /// object's name.
    pub(crate) fn rewrite(&self, path: &str) -> String {
        format!("{}{}", self.upstream_prefix, &path[self.prefix.len()..])
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
                (route.service, route.rewrite(path).as_str()),
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
