//! Taking over settings that change while the service runs (`--config-dir`).

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use anyhow::Context as _;
use arc_swap::ArcSwap;
use axum::{Router, extract::Request};
use svc_kit::env::{Reader, Vars};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt as _, service_fn};

use crate::{
    app::App,
    config::{Config, files},
};

/// How often is looked whether something changed.
const TICK: Duration = Duration::from_secs(1);

/// When settings are read again.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `GOTRUE_RELOADING_NOTIFY_ENABLED` (default true): files are looked at every second; or
    /// `GOTRUE_RELOADING_POLLER_ENABLED`: every `GOTRUE_RELOADING_POLLER_INTERVAL`, default 10 s.
    pub look_every: Option<Duration>,
    /// `GOTRUE_RELOADING_SIGNAL_ENABLED`: this signal, `GOTRUE_RELOADING_SIGNAL_NUMBER`, says so; default 10.
    pub signal: Option<i32>,
    /// `GOTRUE_RELOADING_GRACE_PERIOD_INTERVAL`, default 5 s: so long nothing more may change.
    pub grace_period: Duration,
}

impl Settings {
    /// Reads the settings about reading settings, once.
    pub fn from_vars(vars: &Vars) -> anyhow::Result<Self> {
        let mut reader = Reader::new(vars);
        let r = &mut reader;
        let name = |what: &str| format!("GOTRUE_RELOADING_{what}");
        let polling = r.flag(&[&name("POLLER_ENABLED"), &name("POLLERENABLED")], false);
        let interval = r.duration(&[&name("POLLER_INTERVAL")], Duration::from_secs(10));
        let look_every = if r.flag(&[&name("NOTIFY_ENABLED")], true) {
            Some(TICK)
        } else {
            polling.then_some(interval.max(TICK))
        };
        let number = r.parse_or(&[&name("SIGNAL_NUMBER")], 10);
        let settings = Self {
            look_every,
            signal: r.flag(&[&name("SIGNAL_ENABLED")], false).then_some(number),
            grace_period: r.duration(&[&name("GRACE_PERIOD_INTERVAL")], Duration::from_secs(5)),
        };
        reader.finish()?;
        Ok(settings)
    }
}

/// The service with the settings of now.
pub struct Running {
    base: Vars,
    directory: PathBuf,
    router: Arc<ArcSwap<Router>>,
    app: Arc<ArcSwap<App>>,
    workers: CancellationToken,
}

impl Running {
    /// The settings that no file of the directory changes, and the directory.
    pub fn new(base: Vars, directory: &Path, app: &App) -> Self {
        Self {
            base,
            directory: directory.to_owned(),
            router: Arc::new(ArcSwap::from_pointee(app.router())),
            app: Arc::new(ArcSwap::from_pointee(app.clone())),
            workers: start(app),
        }
    }

    /// All routes, always of the settings of now. A request ends with those that it began with.
    pub fn router(&self) -> Router {
        let current = Arc::clone(&self.router);
        Router::new().fallback_service(service_fn(move |request: Request| {
            let router = Router::clone(&current.load());
            router.oneshot(request)
        }))
    }

    /// Gives the service with the settings of now.
    pub fn current(&self) -> impl Fn() -> App + Clone + Send + Sync + 'static {
        let current = Arc::clone(&self.app);
        move || App::clone(&current.load())
    }

    /// Takes the settings over; those that are wrong change nothing.
    pub async fn reload(&mut self) -> anyhow::Result<()> {
        let mut vars = self.base.clone();
        files::add_directory(&mut vars, &self.directory)?;
        let app = App::connect(Config::from_vars(&vars)?).await?;
        let workers = start(&app);
        self.router.store(Arc::new(app.router()));
        self.app.store(Arc::new(app));
        std::mem::replace(&mut self.workers, workers).cancel();
        Ok(())
    }

    /// Reloads whenever it is time to, until the service stops.
    pub async fn watch(
        mut self,
        settings: Settings,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        let mut signals = match settings.signal {
            Some(number) => Some(
                signal(SignalKind::from_raw(number))
                    .with_context(|| format!("signal {number} cannot be waited for"))?,
            ),
            None => None,
        };
        let mut watch = Watch::new(settings.grace_period, seen(&self.directory));
        let mut ticks = tokio::time::interval(TICK);
        let mut looked_at = Instant::now();
        loop {
            let signalled = tokio::select! {
                () = stop.cancelled() => break,
                () = received(signals.as_mut()) => true,
                _ = ticks.tick() => false,
            };
            let now = Instant::now();
            let look = settings
                .look_every
                .is_some_and(|every| now - looked_at >= every);
            let files = look.then(|| {
                looked_at = now;
                seen(&self.directory)
            });
            if !watch.is_due(now, files, signalled) {
                continue;
            }
            match self.reload().await {
                Ok(()) => tracing::info!("settings were taken over"),
                Err(error) => tracing::error!(?error, "settings stay as they were"),
            }
        }
        self.workers.cancel();
        Ok(())
    }
}

fn start(app: &App) -> CancellationToken {
    let stop = CancellationToken::new();
    app.spawn_workers(stop.clone());
    stop
}

async fn received(signals: Option<&mut Signal>) {
    match signals {
        Some(signals) => drop(signals.recv().await),
        None => std::future::pending().await,
    }
}

type Seen = Vec<(PathBuf, Option<SystemTime>, u64)>;

/// What tells one state of the files from another.
fn seen(directory: &Path) -> Seen {
    let paths = files::list(directory).unwrap_or_default();
    let state = |path: PathBuf| {
        let metadata = path.metadata().ok();
        let modified = metadata.as_ref().and_then(|known| known.modified().ok());
        (path, modified, metadata.map_or(0, |known| known.len()))
    };
    paths.into_iter().map(state).collect()
}

/// Whether something changed, and long enough ago that it is complete.
struct Watch {
    grace_period: Duration,
    files: Seen,
    changed: Option<Instant>,
}

impl Watch {
    fn new(grace_period: Duration, files: Seen) -> Self {
        Self {
            grace_period,
            files,
            changed: None,
        }
    }

    fn is_due(&mut self, now: Instant, files: Option<Seen>, signalled: bool) -> bool {
        let changed = files.is_some_and(|files| {
            let changed = files != self.files;
            self.files = files;
            changed
        });
        if changed || signalled {
            self.changed = Some(now);
        }
        let due = self
            .changed
            .is_some_and(|since| now.duration_since(since) >= self.grace_period);
        if due {
            self.changed = None;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_changes_is_one_reload() {
        let file = |size| Some(vec![(PathBuf::from("a.env"), None, size)]);
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut watch = Watch::new(Duration::from_secs(5), file(1).unwrap());
        for (second, files, signalled, due) in [
            (1, file(1), false, false),
            (10, file(2), false, false),
            (12, file(3), false, false),
            (16, file(3), false, false),
            (17, file(3), false, true),
            (18, file(3), false, false),
            (40, None, true, false),
            (45, None, false, true),
            (60, Some(Vec::new()), false, false),
            (65, Some(Vec::new()), false, true),
            (99, Some(Vec::new()), false, false),
        ] {
            assert_eq!(watch.is_due(at(second), files, signalled), due, "{second}");
        }
    }

    #[test]
    fn files_are_watched_unless_that_is_switched_off() {
        let read = |vars: &[(&str, &str)]| {
            let vars: Vars = vars.iter().copied().collect();
            Settings::from_vars(&vars).unwrap()
        };
        let usual = read(&[]);
        assert_eq!((usual.look_every, usual.signal), (Some(TICK), None));
        assert_eq!(usual.grace_period, Duration::from_secs(5));
        let off = ("GOTRUE_RELOADING_NOTIFY_ENABLED", "false");
        assert_eq!(read(&[off]).look_every, None);
        let polled = read(&[off, ("GOTRUE_RELOADING_POLLERENABLED", "true")]);
        assert_eq!(polled.look_every, Some(Duration::from_secs(10)));
        let signalled = read(&[("GOTRUE_RELOADING_SIGNAL_ENABLED", "true")]);
        assert_eq!(signalled.signal, Some(10));
    }
}
