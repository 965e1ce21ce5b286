//! What the schema `realtime` does for its users, on a real database.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails where something unexpected happens"
)]

mod broadcast;
mod bus;
mod changes;
mod channels;
mod client;
mod delivery;
mod metrics;
mod migrations;
mod private;
mod refusals;
mod rows;

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use svc_kit::testing::{Template, TestDb};

/// A database with the service's schema and a table `public.notes` under row-level security.
async fn database() -> TestDb {
    let template = Template::new("realtime")
        .migrated(realtime_svc::migrations())
        .migrated(realtime_svc::service_migrations())
        .fixture(include_str!("fixture.sql"));
    TestDb::new(&template).await
}

/// Slots belong to the whole cluster, so every test has its own: named for its database.
fn suffix(db: &TestDb) -> String {
    let (_, name) = db.url().rsplit_once('/').unwrap();
    name.to_owned()
}

async fn execute(pool: &PgPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(pool)
        .await
        .unwrap();
}

/// Becomes a caller for the rest of the transaction.
async fn become_caller(connection: &mut PgConnection, role: &str, sub: &str, topic: &str) {
    let claims = serde_json::json!({ "role": role, "sub": sub }).to_string();
    sqlx::query("select set_config('role', $1, true), set_config('request.jwt.claims', $2, true), set_config('realtime.topic', $3, true)")
        .bind(role)
        .bind(claims)
        .bind(topic)
        .execute(connection)
        .await
        .unwrap();
}

/// The rows of a query as JSON.
async fn rows(pool: &PgPool, sql: &str) -> Vec<Value> {
    let sql = format!("select to_jsonb(r) from ({sql}) r");
    sqlx::query_scalar(AssertSqlSafe(sql))
        .fetch_all(pool)
        .await
        .unwrap()
}
