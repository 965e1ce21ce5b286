//! Requests as they are counted. By the handler itself: a layer would cost each request an allocation.

use axum::extract::Request;
use svc_kit::observe::{Pending, Requests, Route};

/// The requests, and the numbers of the three routes there are.
pub(crate) struct Traffic {
    requests: Requests,
    root: Route,
    relation: Route,
    routine: Route,
}

impl Traffic {
    pub(crate) fn new() -> Self {
        let requests = Requests::new();
        Self {
            root: requests.route("/"),
            relation: requests.route("/{relation}"),
            routine: requests.route("/rpc/{function}"),
            requests,
        }
    }

    /// A request came.
    pub(crate) fn begin(&self, request: &Request) -> Pending {
        let mut pending = self.requests.begin(request.method());
        pending.set_route(self.route(request.uri().path()));
        pending
    }

    pub(crate) fn requests(&self) -> &Requests {
        &self.requests
    }

    fn route(&self, path: &str) -> Route {
        let mut segments = path.trim_start_matches('/').split('/');
        match (segments.next(), segments.next(), segments.next()) {
            (Some("") | None, None, _) => self.root,
            (Some("rpc"), Some(name), None) if !name.is_empty() => self.routine,
            (Some(_), None, _) => self.relation,
            _ => Route::OTHER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_of_three_routes_or_none() {
        let traffic = Traffic::new();
        for (path, expected) in [
            ("/", traffic.root),
            ("", traffic.root),
            ("/places", traffic.relation),
            ("//places", traffic.relation),
            ("/rpc", traffic.relation),
            ("/rpc/add", traffic.routine),
            ("/rpc/", Route::OTHER),
            ("/rpc/add/more", Route::OTHER),
            ("/places/more", Route::OTHER),
        ] {
            assert_eq!(traffic.route(path), expected, "{path}");
        }
    }
}
