use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Instant,
};

use arc_swap::{ArcSwap, ArcSwapOption};
use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    middleware,
    response::{IntoResponse as _, Response},
};
use http::Method;
use svc_kit::env::Vars;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::Notify,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config, Service,
    access_log::AccessLog,
    compress, cors,
    error::Error,
    forward::forward,
    frontend::Frontend,
    headers::Peer,
    health::{Known, health},
    metrics::Metrics,
    rates::{self, Rates},
    routes,
    upstream::{self, Balancer},
    with_file,
};

/// The gateway.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    live: ArcSwap<Live>,
    reloading: Mutex<()>,
    metrics: Arc<Metrics>,
    closing: CancellationToken,
    reloads: Notify,
    log: ArcSwapOption<AccessLog>,
}

/// The settings, and what is made from them. A reload makes a new one; a request sees one from its beginning to its end.
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) rates: Arc<Rates>,
    pub(crate) health: Known,
    frontend: Frontend,
    balancers: [Option<Arc<Balancer>>; Service::ALL.len()],
}

impl Live {
    fn new(
        config: Config,
        metrics: &Arc<Metrics>,
        closing: &CancellationToken,
        earlier: Option<&Self>,
    ) -> Self {
        let frontend = Frontend::new(&config);
        // The same limits go on with their counts.
        let known = earlier.filter(|earlier| earlier.rates.settings == config.rates);
        let rates = known.map_or_else(
            || Arc::new(Rates::new(&config.rates)),
            |known| Arc::clone(&known.rates),
        );
        let balancers = Service::ALL.map(|service| {
            let upstream = config.upstreams.0.get(&service)?;
            let earlier = earlier.and_then(|earlier| earlier.balancer(service));
            let earlier = earlier.map(Arc::as_ref);
            let shared = (metrics, closing);
            let balancer = Balancer::new(service, upstream, &config.balancing, shared, earlier);
            Some(Arc::new(balancer))
        });
        Self {
            config,
            rates,
            health: Known::default(),
            frontend,
            balancers,
        }
    }

    pub(crate) fn balancer(&self, service: Service) -> Option<&Arc<Balancer>> {
        self.balancers[service as usize].as_ref()
    }

    /// The services of this deployment.
    pub(crate) fn balancers(&self) -> impl Iterator<Item = &Arc<Balancer>> {
        self.balancers.iter().flatten()
    }
}

impl App {
    /// Prepares the gateway; nothing is connected before the first request.
    pub fn new(config: Config) -> Self {
        let metrics = Arc::default();
        let closing = CancellationToken::new();
        let live = Live::new(config, &metrics, &closing, None);
        Self(Arc::new(Inner {
            live: ArcSwap::from_pointee(live),
            reloading: Mutex::default(),
            metrics,
            closing,
            reloads: Notify::new(),
            log: ArcSwapOption::empty(),
        }))
    }

    /// Takes over other keys, services and limits. Requests under way end with the former ones; connections of clients
    /// and to services that are still there stay. Ports and threads stay what they are.
    pub fn reload(&self, config: Config) {
        let _turn = self
            .0
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let earlier = self.live();
        let live = Live::new(config, &self.0.metrics, &self.0.closing, Some(&earlier));
        self.0.live.store(Arc::new(live));
        self.0.reloads.notify_waiters();
        if let Some(log) = &*self.0.log.load() {
            log.reopen();
        }
    }

    /// Until the next reload.
    pub(crate) async fn reloaded(&self) {
        self.0.reloads.notified().await;
    }

    /// The log whose file a reload opens anew.
    pub(crate) fn set_access_log(&self, log: Option<Arc<AccessLog>>) {
        self.0.log.store(log);
    }

    /// Reads the settings of the process again at each SIGHUP, with the files that they name; what cannot be used changes
    /// nothing.
    pub async fn reload_on_hangup(self) -> io::Result<()> {
        let mut hangups = signal(SignalKind::hangup())?;
        while hangups.recv().await.is_some() {
            let config = with_file(&Vars::from_process())
                .map_err(|error| error.to_string())
                .and_then(|vars| Config::from_vars(&vars).map_err(|error| error.to_string()));
            match config {
                Ok(config) => {
                    self.reload(config);
                    tracing::info!("the settings were read again");
                }
                Err(error) => {
                    let failures = &self.0.metrics.failed_reloads;
                    failures.fetch_add(1, Ordering::Relaxed);
                    tracing::error!(error, "the former settings stay");
                }
            }
        }
        Ok(())
    }

    /// Everything, on every path.
    pub fn router(&self) -> Router {
        Router::new()
            .fallback(answer)
            .layer(middleware::from_fn(svc_kit::http::request_id_layer))
            .with_state(self.clone())
    }

    /// Starts what goes on beside requests: copies of services are asked whether they are ready, and
    /// copies of the gateway tell each other what they counted.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let workers = TaskTracker::new();
        workers.spawn(upstream::watch(self.clone(), stop.clone()));
        workers.spawn(rates::share(self.clone(), stop));
        workers.close();
        workers
    }

    pub(crate) fn live(&self) -> Arc<Live> {
        self.0.live.load_full()
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// Tells web sockets that the gateway goes.
    pub(crate) fn close(&self) {
        self.0.closing.cancel();
    }

    /// Preflights, health, services, and the front end for the rest. Says which service answered.
    pub(crate) async fn answer(
        &self,
        request: Request,
        peer: Option<Peer>,
    ) -> (Response, Option<Service>) {
        let began = Instant::now();
        let _present = self.0.metrics.request_began();
        let (response, service) = self.answer_uncounted(request, peer).await;
        self.0
            .metrics
            .answered(service, response.status(), began.elapsed());
        (response, service)
    }

    async fn answer_uncounted(
        &self,
        request: Request,
        peer: Option<Peer>,
    ) -> (Response, Option<Service>) {
        if cors::is_preflight(request.method(), request.headers()) {
            return (cors::preflight(request.headers()), None);
        }
        // What neither is for services nor may be shown to anybody.
        if matches!(*request.method(), Method::CONNECT | Method::TRACE) {
            return (Error::BadMethod.into_response(), None);
        }
        let live = self.live();
        let path = request.uri().path();
        if path == "/health" {
            return (Box::pin(health(&live)).await, None);
        }
        let found = match routes::resolve(path) {
            Ok(Some(found)) => found,
            Ok(None) => {
                let mut response = Box::pin(live.frontend.serve(request)).await;
                if response.status().is_client_error() {
                    cors::expose(response.headers_mut());
                }
                return (response, None);
            }
            Err(error) => {
                let mut response = error.into_response();
                cors::expose(response.headers_mut());
                return (response, None);
            }
        };
        let wish = compress::wish(found.0.service, request.method(), request.headers());
        let answer = forward(self, &live, found, request, peer).await;
        let service = answer.is_ok().then_some(found.0.service);
        let mut response = answer.unwrap_or_else(axum::response::IntoResponse::into_response);
        // Errors too: without these headers a browser hides the body from the page.
        match service {
            Some(Service::Functions) => cors::expose_also(response.headers_mut()),
            _ => cors::expose(response.headers_mut()),
        }
        if let Some(wish) = wish {
            response = Box::pin(compress::compress(wish, response)).await;
        }
        (response, service)
    }
}

async fn answer(State(app): State<App>, request: Request<Body>) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|info| Peer {
        address: info.0,
        is_tls: false,
    });
    app.answer(request, peer).await.0
}
