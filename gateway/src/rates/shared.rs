//! Telling other copies of the gateway what was counted, over Postgres.
//!
//! Nobody waits for it. Without the database each copy counts alone until it is back.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use sqlx::PgPool;
use svc_kit::pg::{PoolSettings, pool};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Counter, Rates};
use crate::App;

/// How often what nobody looks at any more is removed.
const TIDY: Duration = Duration::from_secs(60);

/// Shares counts until `stop`, whenever the settings name a database.
pub(crate) async fn share(app: App, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = share_always(&app) => {}
    }
}

async fn share_always(app: &App) {
    let mut store: Option<Store> = None;
    loop {
        let rates = Arc::clone(&app.live().rates);
        tokio::time::sleep(rates.settings.interval.max(Duration::from_millis(10))).await;
        let Some(url) = &rates.settings.database_url else {
            store = None;
            continue;
        };
        if store.as_ref().is_none_or(|store| store.url != *url) {
            store = Store::new(url);
        }
        let told = match &mut store {
            Some(store) => store.tell(&rates).await,
            None => Err(sqlx::Error::PoolClosed),
        };
        if let Err(error) = told {
            let failures = &app.metrics().rate_store_failures;
            if failures.fetch_add(1, Ordering::Relaxed).is_multiple_of(100) {
                tracing::warn!(%error, "limits are counted in this process alone");
            }
        }
    }
}

struct Store {
    url: String,
    pool: PgPool,
    is_ready: bool,
    tidied: Instant,
}

impl Store {
    fn new(url: &str) -> Option<Self> {
        let settings = PoolSettings {
            max_connections: 1,
            acquire_timeout: Duration::from_secs(2),
            ..PoolSettings::new("gateway")
        };
        Some(Self {
            url: url.to_owned(),
            pool: pool(url, &settings).ok()?,
            is_ready: false,
            tidied: Instant::now(),
        })
    }

    async fn tell(&mut self, rates: &Rates) -> Result<(), sqlx::Error> {
        if !self.is_ready {
            self.prepare().await?;
        }
        let news =
            std::mem::take(&mut *rates.untold.lock().unwrap_or_else(PoisonError::into_inner));
        if let Err(error) = self.tell_news(rates, &news).await {
            // To be told another time, as far as there is room.
            let mut untold = rates.untold.lock().unwrap_or_else(PoisonError::into_inner);
            let room = rates.settings.entries.saturating_sub(untold.len());
            untold.extend(news.into_iter().take(room));
            return Err(error);
        }
        if self.tidied.elapsed() >= TIDY {
            self.tidied = Instant::now();
            sqlx::query(
                "delete from gateway.rate_limits where updated_at < now() - interval '1 day'",
            )
            .execute(&self.pool)
            .await?;
        }
        Ok(())
    }

    /// The counts are worth nothing after a crash, so nothing is logged of them.
    async fn prepare(&mut self) -> Result<(), sqlx::Error> {
        // Two copies that start together would otherwise both make the schema, which Postgres refuses one of them.
        let sql = "do $$ begin
               perform pg_advisory_xact_lock(hashtext('gateway.rate_limits'));
               create schema if not exists gateway;
               create unlogged table if not exists gateway.rate_limits (
                 id uuid not null,
                 window_index bigint not null,
                 requests bigint not null,
                 updated_at timestamptz not null default now(),
                 primary key (id, window_index)
               );
             end $$";
        sqlx::raw_sql(sql).execute(&self.pool).await?;
        self.is_ready = true;
        Ok(())
    }

    async fn tell_news(
        &self,
        rates: &Rates,
        news: &[(Uuid, Arc<Counter>)],
    ) -> Result<(), sqlx::Error> {
        if news.is_empty() {
            return Ok(());
        }
        let mut own: HashMap<(Uuid, i64), u32> = HashMap::new();
        for (id, counter) in news {
            let window = counter.lock().unwrap_or_else(PoisonError::into_inner);
            let index = i64::try_from(window.index()).unwrap_or(i64::MAX);
            own.insert((*id, index), window.untold());
        }
        let mut rows: Vec<_> = own
            .iter()
            .map(|((id, index), count)| (*id, *index, i64::from(*count)))
            .collect();
        // In one order everywhere, so that copies never wait for each other in a circle.
        rows.sort_unstable();
        let (ids, rest): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .map(|(id, index, count)| (id, (index, count)))
            .unzip();
        let (indexes, counts): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
        let totals: Vec<(Uuid, i64, i64)> = sqlx::query_as(
            "insert into gateway.rate_limits as known (id, window_index, requests)
             select * from unnest($1::uuid[], $2::bigint[], $3::bigint[])
             on conflict (id, window_index) do update
             set requests = known.requests + excluded.requests, updated_at = now()
             returning id, window_index, requests",
        )
        .bind(ids)
        .bind(indexes)
        .bind(counts)
        .fetch_all(&self.pool)
        .await?;
        let counters: HashMap<_, _> = news.iter().map(|(id, counter)| (*id, counter)).collect();
        let mut newer = Vec::new();
        for (id, index, all) in totals {
            let (Some(counter), Some(own)) = (counters.get(&id), own.get(&(id, index))) else {
                continue;
            };
            let mut window = counter.lock().unwrap_or_else(PoisonError::into_inner);
            let index = u64::try_from(index).unwrap_or(0);
            if window.tell(index, *own, u32::try_from(all).unwrap_or(u32::MAX)) {
                newer.push((id, Arc::clone(counter)));
            }
        }
        // Only a first request reports itself; those that came meanwhile were not the first.
        rates
            .untold
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(newer);
        Ok(())
    }
}
