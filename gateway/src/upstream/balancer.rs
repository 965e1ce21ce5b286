//! Which copy of a service gets a request.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use axum::Router;
use http::HeaderValue;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    Upstream,
    copy::{Copy, Slot},
};
use crate::{Service, config::Balancing, error::Error, metrics::Metrics};

/// How long a name server may take.
const LOOKUP: Duration = Duration::from_secs(5);

/// A service and its copies.
#[derive(Debug)]
pub(crate) struct Balancer {
    pub(crate) service: Service,
    pub(crate) settings: Balancing,
    pub(crate) metrics: Arc<Metrics>,
    /// Cancelled when the gateway stops: web sockets are told.
    pub(crate) closing: CancellationToken,
    place: Place,
}

enum Place {
    Mounted(Router),
    Remote(Remote),
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mounted(_) => f.write_str("Mounted"),
            Self::Remote(remote) => remote.fmt(f),
        }
    }
}

#[derive(Debug)]
struct Remote {
    targets: Vec<Target>,
    copies: ArcSwap<Vec<Arc<Copy>>>,
    /// When the names were last looked up; none while there is no answer.
    looked_up: Mutex<Option<Instant>>,
    is_looking: AtomicBool,
    first_look: tokio::sync::Mutex<()>,
    next: AtomicUsize,
}

/// What a URL says.
#[derive(Debug)]
struct Target {
    host: String,
    port: u16,
    address: Option<IpAddr>,
    prefix: String,
    header: HeaderValue,
}

impl Target {
    fn new(url: &Url, service: Service, settings: &Balancing) -> Option<Self> {
        let address = match url.host()? {
            url::Host::Ipv4(address) => Some(address.into()),
            url::Host::Ipv6(address) => Some(address.into()),
            url::Host::Domain(_) => None,
        };
        let host = url.host_str()?.to_owned();
        let shown = match (service, url.port()) {
            // Realtime takes its tenant from the first part of the name.
            (Service::Realtime, _) => settings.realtime_host.clone(),
            (_, Some(port)) => format!("{host}:{port}"),
            (_, None) => host.clone(),
        };
        Some(Self {
            host,
            port: url.port_or_known_default()?,
            address,
            prefix: url.path().trim_end_matches('/').to_owned(),
            header: HeaderValue::try_from(shown).ok()?,
        })
    }
}

impl Balancer {
    /// The service at this place. Copies that an earlier one knows are taken over with their connections.
    pub(crate) fn new(
        service: Service,
        upstream: &Upstream,
        settings: &Balancing,
        shared: (&Arc<Metrics>, &CancellationToken),
        earlier: Option<&Self>,
    ) -> Self {
        let place = match upstream {
            Upstream::Mounted(router) => Place::Mounted(router.clone()),
            Upstream::Remote(urls) => {
                let targets = urls
                    .iter()
                    .filter_map(|url| Target::new(url, service, settings));
                let known = earlier.map(Self::copies).unwrap_or_default();
                let remote = Remote::new(targets.collect());
                let fixed = remote.targets.iter().filter_map(|target| {
                    let address = SocketAddr::new(target.address?, target.port);
                    Some(target.copy_at(address, &known))
                });
                let mut copies: Vec<_> = fixed.collect();
                if !remote.is_fixed() {
                    // Until the names are looked up again, what they meant before is as good.
                    for copy in known.iter() {
                        if !copies.iter().any(|other| Arc::ptr_eq(other, copy)) {
                            copies.push(Arc::clone(copy));
                        }
                    }
                }
                remote.copies.store(Arc::new(copies));
                Place::Remote(remote)
            }
        };
        Self {
            service,
            settings: settings.clone(),
            metrics: Arc::clone(shared.0),
            closing: shared.1.clone(),
            place,
        }
    }

    /// The router, if the service is part of this process.
    pub(crate) fn mounted(&self) -> Option<&Router> {
        match &self.place {
            Place::Mounted(router) => Some(router),
            Place::Remote(_) => None,
        }
    }

    /// All copies that are known now.
    pub(crate) fn copies(&self) -> Arc<Vec<Arc<Copy>>> {
        match &self.place {
            Place::Mounted(_) => Arc::default(),
            Place::Remote(remote) => remote.copies.load_full(),
        }
    }

    /// True if the copies are asked from time to time whether they are ready.
    pub(super) fn asks(&self) -> bool {
        !self.settings.check_interval.is_zero()
            && self.service.probe().is_some()
            && self.copies().len() > 1
    }

    /// Makes sure that there are copies to choose from, and that names are looked up again from time to time.
    pub(crate) async fn refresh(self: &Arc<Self>) {
        let Place::Remote(remote) = &self.place else {
            return;
        };
        if remote.is_fixed() {
            return;
        }
        if remote.copies.load().is_empty() {
            let _turn = remote.first_look.lock().await;
            if remote.copies.load().is_empty() {
                remote.look_up().await;
            }
        } else if remote.is_stale(self.settings.lookup_interval)
            && !remote.is_looking.swap(true, Ordering::AcqRel)
        {
            let balancer = Arc::clone(self);
            tokio::spawn(async move {
                if let Place::Remote(remote) = &balancer.place {
                    remote.look_up().await;
                    remote.is_looking.store(false, Ordering::Release);
                }
            });
        }
    }

    /// The best copy that was not tried yet: available ones first, then the one with the least to do.
    pub(super) fn pick(&self, tried: &[Arc<Copy>]) -> Result<Slot, Error> {
        let Place::Remote(remote) = &self.place else {
            return Err(Error::UpstreamDown);
        };
        let copies = remote.copies.load();
        let start = remote.next.fetch_add(1, Ordering::Relaxed);
        let mut best: Option<(bool, usize, &Arc<Copy>)> = None;
        for index in 0..copies.len() {
            let copy = &copies[(start + index) % copies.len()];
            if tried.iter().any(|tried| Arc::ptr_eq(tried, copy)) {
                continue;
            }
            // Where nobody is available, somebody may be all the same.
            let found = (!copy.is_available(), copy.in_flight(), copy);
            if best.is_none_or(|best| (found.0, found.1) < (best.0, best.1)) {
                best = Some(found);
            }
        }
        match best {
            Some((_, in_flight, _)) if in_flight >= self.settings.max_requests => {
                Err(Error::UpstreamFull)
            }
            Some((_, _, copy)) => Ok(Slot::new(Arc::clone(copy))),
            None => Err(Error::UpstreamDown),
        }
    }
}

impl Remote {
    fn new(targets: Vec<Target>) -> Self {
        Self {
            targets,
            copies: ArcSwap::default(),
            looked_up: Mutex::default(),
            is_looking: AtomicBool::new(false),
            first_look: tokio::sync::Mutex::default(),
            next: AtomicUsize::new(0),
        }
    }

    /// True if there are no names to look up.
    fn is_fixed(&self) -> bool {
        self.targets.iter().all(|target| target.address.is_some())
    }

    fn is_stale(&self, interval: Duration) -> bool {
        let looked_up = self
            .looked_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        looked_up.is_none_or(|at| at.elapsed() >= interval)
    }

    /// Looks all names up; one that cannot be keeps the copies that it had.
    async fn look_up(&self) {
        let known = self.copies.load_full();
        let mut copies: Vec<Arc<Copy>> = Vec::new();
        for target in &self.targets {
            let found = match target.address {
                Some(address) => vec![SocketAddr::new(address, target.port)],
                None => target.look_up().await,
            };
            let found: Vec<_> = if found.is_empty() {
                known
                    .iter()
                    .filter(|copy| copy.host == target.header)
                    .cloned()
                    .collect()
            } else {
                found
                    .into_iter()
                    .map(|address| target.copy_at(address, &known))
                    .collect()
            };
            for copy in found {
                if !copies.iter().any(|other| Arc::ptr_eq(other, &copy)) {
                    copies.push(copy);
                }
            }
        }
        self.copies.store(Arc::new(copies));
        *self
            .looked_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl Target {
    /// The addresses of the name, none if it has none or nobody says.
    async fn look_up(&self) -> Vec<SocketAddr> {
        let lookup = tokio::net::lookup_host((self.host.as_str(), self.port));
        match tokio::time::timeout(LOOKUP, lookup).await {
            Ok(Ok(addresses)) => addresses.collect(),
            Ok(Err(error)) => {
                tracing::warn!(host = self.host, %error, "the name of a service could not be looked up");
                Vec::new()
            }
            Err(_) => {
                tracing::warn!(
                    host = self.host,
                    "looking up the name of a service took too long"
                );
                Vec::new()
            }
        }
    }

    fn copy_at(&self, address: SocketAddr, known: &[Arc<Copy>]) -> Arc<Copy> {
        let same = known.iter().find(|copy| {
            copy.address == address && *copy.prefix == *self.prefix && copy.host == self.header
        });
        same.cloned()
            .unwrap_or_else(|| Arc::new(Copy::new(address, &self.prefix, self.header.clone())))
    }
}
