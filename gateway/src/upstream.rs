use std::{collections::BTreeMap, fmt};

use axum::Router;
use url::Url;

use crate::Service;

/// Where a service is: in this process or behind a URL.
#[derive(Clone)]
pub enum Upstream {
    /// A router of this process, called without a network hop.
    Mounted(Router),
    /// A service of its own; the path of the URL is put in front of the request's.
    Remote(Url),
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounted(_) => f.write_str("Mounted"),
            Self::Remote(url) => write!(
                f,
                "Remote({}:{:?})",
                url.host_str().unwrap_or(""),
                url.port()
            ),
        }
    }
}

/// The services of a deployment. One that is missing answers 404.
#[derive(Clone, Debug, Default)]
pub struct Upstreams(pub(crate) BTreeMap<Service, Upstream>);

impl Upstreams {
    /// Adds or replaces a service.
    pub fn set(&mut self, service: Service, upstream: Upstream) {
        self.0.insert(service, upstream);
    }

    pub(crate) fn get(&self, service: Service) -> Option<&Upstream> {
        self.0.get(&service)
    }
}
