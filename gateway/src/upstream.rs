//! Where services are, and handing requests to them.

mod answer;
mod balancer;
mod check;
mod copy;
mod link;
mod send;

use std::{collections::BTreeMap, fmt};

use axum::Router;
use url::Url;

pub(crate) use balancer::Balancer;
pub(crate) use check::{PROBE, is_ready, watch};
pub(crate) use copy::{Slot, set_shard};
pub(crate) use link::connect;
pub(crate) use send::{Patience, send};

use crate::Service;

/// Where a service is: in this process or behind URLs.
#[derive(Clone)]
pub enum Upstream {
    /// A router of this process, called without a network hop.
    Mounted(Router),
    /// Copies of a service that are processes of their own, at the addresses of each URL's host. The path of the
    /// URL is put in front of the request's.
    Remote(Vec<Url>),
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounted(_) => f.write_str("Mounted"),
            Self::Remote(urls) => {
                let places = urls
                    .iter()
                    .map(|url| (url.host_str().unwrap_or(""), url.port()));
                f.debug_list().entries(places).finish()
            }
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
}
