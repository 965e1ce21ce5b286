//! Webhooks and scheduled jobs on a real database, with a real receiver.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod delivery;
mod escapes;
mod jobs;
mod receiver;
mod requests;
mod runs;
mod takeover;
mod webhooks;

use std::time::Duration;

use axum::body::Body;
use functions_svc::{App, Config};
use http::Request;
use http_body_util::BodyExt as _;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};
use svc_kit::{
    env::Vars,
    testing::{Template, TestDb},
};
use tokio::time::{Instant, sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

/// Nothing here takes that long unless it never happens.
const PATIENCE: Duration = Duration::from_secs(120);

async fn database() -> TestDb {
    let template = Template::new("functions")
        .migrated(functions_svc::migrations())
        .fixture(include_str!("fixture.sql"));
    TestDb::new(&template).await
}

/// A copy of the service with its workers.
struct Service {
    app: App,
    stop: CancellationToken,
    workers: TaskTracker,
}

impl Service {
    async fn start(db: &TestDb, more: &[(&str, &str)]) -> Self {
        Self::at(db.url(), more).await
    }

    async fn at(url: &str, more: &[(&str, &str)]) -> Self {
        let mut vars: Vars = [
            ("VERIFY_JWT", "false"),
            ("DATABASE_URL", url),
            // No function is called here.
            ("FUNCTIONS_POOL_SIZE", "0"),
            // Logins take long in unoptimised code on a busy machine.
            ("CRON_STARTUP_TIMEOUT", "120s"),
        ]
        .into_iter()
        .collect();
        for (name, value) in more {
            vars.set(*name, *value);
        }
        let app = App::connect(Config::from_vars(&vars).unwrap())
            .await
            .unwrap();
        let stop = CancellationToken::new();
        let workers = app.spawn_workers(stop.clone());
        workers.close();
        Self { app, stop, workers }
    }

    async fn metrics(&self) -> String {
        let request = Request::get("/_internal/metrics")
            .body(Body::empty())
            .unwrap();
        let response = self.app.router().oneshot(request).await.unwrap();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(bytes.into()).unwrap()
    }

    async fn stop(self) {
        self.stop.cancel();
        self.workers.wait().await;
    }
}

async fn execute(pool: &PgPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(pool)
        .await
        .unwrap();
}

/// What the database says against a statement.
async fn refusal(pool: &PgPool, sql: &str) -> String {
    let outcome = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(pool)
        .await;
    let error = outcome.unwrap_err();
    error.as_database_error().unwrap().message().to_owned()
}

/// The rows of a query as JSON.
async fn rows(pool: &PgPool, sql: &str) -> Vec<Value> {
    let sql = format!("select to_jsonb(r) from ({sql}) r");
    sqlx::query_scalar(AssertSqlSafe(sql))
        .fetch_all(pool)
        .await
        .unwrap()
}

/// Asks again until the query has as many rows.
async fn wait_for(pool: &PgPool, count: usize, sql: &str) -> Vec<Value> {
    let end = Instant::now() + PATIENCE;
    loop {
        let found = rows(pool, sql).await;
        if found.len() == count {
            return found;
        }
        assert!(Instant::now() < end, "{sql}: {found:?}");
        sleep(Duration::from_millis(10)).await;
    }
}
