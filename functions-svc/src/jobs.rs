//! Database webhooks and scheduled jobs: what the extensions `pg_net` and `pg_cron` do inside of Postgres, done from
//! outside, so that a plain Postgres has both.

mod config;
mod cron;
mod metrics;
mod migrations;
mod net;

use std::{str::FromStr as _, sync::Arc, time::Duration};

use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use sqlx::{
    Connection as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use svc_kit::observe::PoolState;
use tokio::time::sleep;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

pub use config::{CronConfig, JobsConfig, NetConfig};
pub use migrations::migrations;

use metrics::Counters;

/// Shown in `pg_stat_activity`; the original's worker is looked for by this name.
const APPLICATION: &str = "pg_net functions-svc";
/// Listens, notes answers, cares for runs, answers metrics.
const POOL_SIZE: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Both workers and what they share.
#[derive(Clone, Debug)]
pub(crate) struct Jobs {
    config: JobsConfig,
    counters: Arc<Counters>,
    database: Option<Database>,
}

/// Where the queue and the jobs are.
#[derive(Clone, Debug)]
struct Database {
    url: Url,
    options: PgConnectOptions,
    pool: PgPool,
}

impl Jobs {
    /// Connects when it is first needed.
    pub(crate) fn new(config: JobsConfig) -> anyhow::Result<Self> {
        let database = match &config.database_url {
            Some(url) => Some(Database::new(url.expose_secret())?),
            None => None,
        };
        Ok(Self {
            config,
            counters: Arc::default(),
            database,
        })
    }

    /// Starts the workers.
    pub(crate) fn spawn(&self, tracker: &TaskTracker, stop: CancellationToken) {
        let Some(database) = self.database.clone() else {
            tracing::info!(
                "no DATABASE_URL or SUPABASE_DB_URL: no webhook is sent and no job runs"
            );
            return;
        };
        let jobs = self.clone();
        tracker.spawn(async move {
            keep_alive("migrations", &stop, || database.migrate()).await;
            let runs = cron::Runs::new(
                database.clone(),
                jobs.config.cron.clone(),
                jobs.counters.clone(),
            );
            let cron = async {
                if jobs.config.cron.enabled {
                    keep_alive("jobs", &stop, || {
                        cron::run(&database, &jobs.config.cron, &runs, &stop)
                    })
                    .await;
                    runs.finish().await;
                }
            };
            let net = async {
                if jobs.config.net.enabled {
                    keep_alive("webhooks", &stop, || {
                        net::run(&database, &jobs.config.net, &jobs.counters, &stop)
                    })
                    .await;
                }
            };
            tokio::join!(net, cron);
            database.pool.close().await;
        });
    }

    /// The connections of the workers, which wait for nobody's request; nothing where they are off.
    pub(crate) fn pool_state(&self) -> Option<PoolState> {
        let database = self.database.as_ref()?;
        Some(PoolState::of_sqlx("jobs", &database.pool, None))
    }

    /// Counters in Prometheus's text format; empty where the workers are off.
    pub(crate) async fn metrics(&self) -> String {
        match &self.database {
            Some(database) => self.counters.text(&database.pool).await,
            None => String::new(),
        }
    }
}

impl Database {
    fn new(url: &str) -> anyhow::Result<Self> {
        let url = Url::parse(url).context("DATABASE_URL is no URL")?;
        let options = PgConnectOptions::from_str(url.as_str())
            .context("DATABASE_URL cannot be read")?
            .application_name(APPLICATION)
            // No name in another schema may take the place of one in the workers' statements.
            .options([("search_path", "pg_catalog")]);
        let pool = PgPoolOptions::new()
            .max_connections(POOL_SIZE)
            .connect_lazy_with(options.clone());
        Ok(Self { url, options, pool })
    }

    async fn migrate(&self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect_with(&self.options).await?;
        let set = migrations();
        if !set.pending(&mut connection).await?.is_empty() {
            let outcome = set.run(&mut connection).await;
            outcome.context("the schemas of webhooks and jobs are made by a superuser")?;
        }
        connection.close().await?;
        Ok(())
    }
}

/// Does something again and again until it is done, or until it is time to stop.
async fn keep_alive<F>(name: &str, stop: &CancellationToken, mut work: impl FnMut() -> F)
where
    F: Future<Output = anyhow::Result<()>>,
{
    let mut wait = FIRST_WAIT;
    loop {
        let began = tokio::time::Instant::now();
        let Err(error) = work().await else { return };
        if began.elapsed() > LONGEST_WAIT {
            wait = FIRST_WAIT;
        }
        tracing::warn!(
            name,
            error = format!("{error:#}"),
            "interrupted, tried again soon"
        );
        tokio::select! {
            () = sleep(wait) => {}
            () = stop.cancelled() => return,
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
