//! Taking connections: a thread per core, each with its own reactor, so that a request never changes threads.
//!
//! Beside mounted services there are no threads: what those spawn has to outlive a connection and belongs on the
//! process's runtime, so connections are served there too.

mod connection;
mod limits;
mod patient;

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream, lookup_host},
    sync::mpsc,
};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

use crate::{App, access_log::AccessLog, admin, metrics::Present, tls::Tls, upstream::set_shard};
use connection::Context;
use limits::{Limits, Permit};

pub use limits::raise_open_files;

/// Connections that wait to be taken.
const BACKLOG: u32 = 4096;

/// The gateway's ports.
#[derive(Debug)]
pub struct Server {
    http: TcpListener,
    https: Option<(TcpListener, Tls)>,
    admin: Option<TcpListener>,
}

/// A connection on its way to a worker.
struct Accepted {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    is_tls: bool,
    present: Present,
    permit: Permit,
}

/// What counts a connection for as long as its bytes flow, as a web socket too.
#[derive(Debug)]
struct Held {
    load: Arc<AtomicUsize>,
    _present: Present,
    _permit: Permit,
}

/// What the worker waits for before it ends. A tunnel takes it over: the connection it was made from ends at once. A web
/// socket of a mounted service does not: that service tells it when to end.
pub(crate) type Awaited = Arc<TaskTrackerToken>;

impl Drop for Held {
    fn drop(&mut self) {
        self.load.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Worker {
    connections: mpsc::UnboundedSender<Accepted>,
    load: Arc<AtomicUsize>,
    running: Running,
}

/// Where a worker works.
enum Running {
    Thread(std::thread::JoinHandle<()>),
    Task(tokio::task::JoinHandle<()>),
}

impl Server {
    /// Listens on the ports that the settings name, and reads certificates.
    pub async fn bind(app: &App) -> anyhow::Result<Self> {
        let live = app.live();
        let config = &live.config;
        let http = listen(&config.host, config.port).await?;
        Self::with_listener(app, http).await
    }

    /// Takes a port that is listened on already for plain HTTP.
    pub async fn with_listener(app: &App, http: TcpListener) -> anyhow::Result<Self> {
        let live = app.live();
        let config = &live.config;
        let https = match &config.serving.tls {
            Some(settings) => {
                let tls = Tls::new(settings)?;
                Some((listen(&config.host, settings.port).await?, tls))
            }
            None => None,
        };
        let admin = match &config.serving.admin {
            Some((host, port)) => Some(listen(host, *port).await?),
            None => None,
        };
        Ok(Self { http, https, admin })
    }

    /// Where plain HTTP is.
    pub fn http_address(&self) -> io::Result<SocketAddr> {
        self.http.local_addr()
    }

    /// Where HTTPS is, if anywhere.
    pub fn https_address(&self) -> Option<SocketAddr> {
        self.https.as_ref()?.0.local_addr().ok()
    }

    /// Where health and metrics are, if anywhere.
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref()?.local_addr().ok()
    }

    /// Serves until `stop`, then lets the requests in flight finish and tells web sockets to connect anew.
    pub async fn serve(self, app: App, stop: CancellationToken) -> io::Result<()> {
        self.run(app, stop, true).await
    }

    /// The same on the runtime of the caller, for an app with mounted services.
    pub async fn serve_here(self, app: App, stop: CancellationToken) -> io::Result<()> {
        self.run(app, stop, false).await
    }

    async fn run(self, app: App, stop: CancellationToken, in_threads: bool) -> io::Result<()> {
        let serving = app.live().config.serving.clone();
        let log = AccessLog::open(
            &serving.access_log,
            serving.json_log,
            serving.workers,
            app.metrics(),
        )?;
        app.set_access_log(log.clone());
        let tls = self.https.as_ref().map(|(_, tls)| tls.clone());
        let beside = TaskTracker::new();
        if let Some(tls) = &tls {
            beside.spawn(tls.clone().keep(app.clone(), stop.clone()));
        }
        if let Some(admin) = self.admin {
            let router = admin::router(&app);
            beside.spawn(svc_kit::http::serve(admin, router, stop.clone()));
        }
        let context = |index| {
            let (tls, log) = (tls.as_ref(), log.as_ref());
            Arc::new(Context::new(index, &app, tls, log, &serving, &stop))
        };
        let drain = serving.drain_timeout;
        let workers: Vec<Worker> = if in_threads {
            (0..serving.workers)
                .map(|index| Worker::in_thread(index, context(index), drain))
                .collect::<io::Result<_>>()?
        } else {
            vec![Worker::here(context(0), drain)]
        };
        let limits = Limits::new(&serving, app.metrics());
        let https = self.https.map(|(listener, _)| listener);
        tokio::select! {
            () = stop.cancelled() => {}
            () = accept(self.http, false, &workers, &limits, &app) => {}
            () = accept_some(https, &workers, &limits, &app) => {}
        }
        app.close();
        for worker in workers {
            worker.running.ended().await?;
        }
        if let Some(log) = log {
            let finished = tokio::task::spawn_blocking(move || log.finish());
            finished.await.map_err(io::Error::other)?;
        }
        beside.close();
        // Nothing beside the requests is worth waiting for.
        let _ = tokio::time::timeout(Duration::from_secs(1), beside.wait()).await;
        Ok(())
    }
}

async fn listen(host: &str, port: u16) -> io::Result<TcpListener> {
    let addresses = lookup_host((host, port)).await?;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        match socket.bind(address).and_then(|()| socket.listen(BACKLOG)) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(io::Error::new(
        last.kind(),
        format!("cannot listen on {host}:{port}: {last}"),
    ))
}

async fn accept_some(
    listener: Option<TcpListener>,
    workers: &[Worker],
    limits: &Limits,
    app: &App,
) {
    match listener {
        Some(listener) => accept(listener, true, workers, limits, app).await,
        None => std::future::pending().await,
    }
}

/// Hands each connection to the worker that has the fewest.
async fn accept(
    listener: TcpListener,
    is_tls: bool,
    workers: &[Worker],
    limits: &Limits,
    app: &App,
) {
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely there are no descriptors left; some connection will end soon.
                tracing::warn!(%error, "no connection could be taken");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(permit) = limits.permit(peer.ip()) else {
            refuse(&stream, is_tls);
            continue;
        };
        let Some(worker) = workers
            .iter()
            .min_by_key(|worker| worker.load.load(Ordering::Relaxed))
        else {
            return;
        };
        // A socket that refuses still serves.
        let _ = stream.set_nodelay(true);
        let Ok(stream) = stream.into_std() else {
            continue;
        };
        worker.load.fetch_add(1, Ordering::Relaxed);
        let accepted = Accepted {
            stream,
            peer,
            is_tls,
            present: app.metrics().connection_opened(),
            permit,
        };
        if worker.connections.send(accepted).is_err() {
            return;
        }
    }
}

/// Says why, if that can be said without waiting.
fn refuse(stream: &TcpStream, is_tls: bool) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
    if !is_tls {
        let _ = stream.try_write(ANSWER);
    }
}

impl Worker {
    fn in_thread(index: usize, context: Arc<Context>, drain: Duration) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (connections, received) = mpsc::unbounded_channel();
        let load = Arc::new(AtomicUsize::new(0));
        let of_worker = Arc::clone(&load);
        let thread = std::thread::Builder::new()
            .name(format!("worker-{index}"))
            .spawn(move || {
                set_shard(index);
                runtime.block_on(work(received, context, of_worker, drain));
            })?;
        Ok(Self {
            connections,
            load,
            running: Running::Thread(thread),
        })
    }

    fn here(context: Arc<Context>, drain: Duration) -> Self {
        let (connections, received) = mpsc::unbounded_channel();
        let load = Arc::new(AtomicUsize::new(0));
        let task = tokio::spawn(work(received, context, Arc::clone(&load), drain));
        Self {
            connections,
            load,
            running: Running::Task(task),
        }
    }
}

impl Running {
    /// Waits for the worker's end. A panic there was reported there.
    async fn ended(self) -> io::Result<()> {
        match self {
            Self::Thread(thread) => {
                let joined = tokio::task::spawn_blocking(move || thread.join());
                let _ = joined.await.map_err(io::Error::other)?;
            }
            Self::Task(task) => {
                let _ = task.await;
            }
        }
        Ok(())
    }
}

/// Serves connections until no more come, and those that are there have ended or used up their time.
async fn work(
    mut received: mpsc::UnboundedReceiver<Accepted>,
    context: Arc<Context>,
    load: Arc<AtomicUsize>,
    drain: Duration,
) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = received.recv() => accepted,
            () = context.stop.cancelled() => None,
        };
        let Some(accepted) = accepted else {
            break;
        };
        let context = Arc::clone(&context);
        let Accepted {
            stream,
            peer,
            is_tls,
            present,
            permit,
        } = accepted;
        let held = Held {
            load: Arc::clone(&load),
            _present: present,
            _permit: permit,
        };
        let awaited = Arc::new(connections.token());
        if let Ok(stream) = TcpStream::from_std(stream) {
            tokio::spawn(connection::serve(
                context, stream, peer, is_tls, held, awaited,
            ));
        }
    }
    connections.close();
    if tokio::time::timeout(drain, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!("requests were still running when the time to drain was over");
    }
}
