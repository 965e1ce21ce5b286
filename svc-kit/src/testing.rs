//! A real Postgres database for each test.
//!
//! The test run starts one cluster and names it in `NILAM_TEST_DATABASE_URL` (`make test` does; by hand:
//! `cargo run -p pg-embed --bin with-postgres -- cargo test`). The first test that needs a [`Template`]
//! makes it, every test gets a copy of its own, so tests run in parallel and see nothing of each other.
//! Roles belong to the whole cluster: a test that changes one starts a cluster with `pg-embed`.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot get its database fails"
)]

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::atomic::{AtomicU32, Ordering},
};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, postgres::PgPoolOptions};
use url::Url;

use crate::{migrate::Set, pg::quote_ident};

/// The password of every login role of the test cluster.
pub const PASSWORD: &str = "postgres";

/// What a test database contains before the test.
#[derive(Clone, Debug)]
pub struct Template {
    name: &'static str,
    sets: Vec<Set>,
    fixtures: Vec<&'static str>,
}

impl Template {
    /// A database with the base: roles, schemas, default privileges.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            sets: vec![crate::migrate::base(PASSWORD)],
            fixtures: Vec::new(),
        }
    }

    /// Adds the migrations of a service.
    #[must_use]
    pub fn migrated(mut self, set: Set) -> Self {
        self.sets.push(set);
        self
    }

    /// Adds SQL that runs as the superuser, after the migrations.
    #[must_use]
    pub fn fixture(mut self, sql: &'static str) -> Self {
        self.fixtures.push(sql);
        self
    }

    /// Changes with the content, so that a cluster that outlives a run never serves an old template.
    fn database(&self) -> String {
        let mut hasher = DefaultHasher::new();
        for set in &self.sets {
            for migration in &set.migrations {
                migration.sql.hash(&mut hasher);
            }
        }
        self.fixtures.hash(&mut hasher);
        format!("template_{}_{:016x}", self.name, hasher.finish())
    }
}

/// A database of one test.
#[derive(Clone, Debug)]
pub struct TestDb {
    url: Url,
}

impl TestDb {
    /// Copies the template, making it first if this run has not yet.
    pub async fn new(template: &Template) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let cluster = cluster_url();
        let source = template.database();
        let mut admin = PgConnection::connect(cluster.as_str())
            .await
            .expect("connect to the test cluster");
        ensure(&mut admin, &cluster, template, &source).await;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("t_{}_{}_{count}", template.name, std::process::id());
        execute(
            &mut admin,
            format!(
                "drop database if exists {} with (force)",
                quote_ident(&name)
            ),
        )
        .await;
        let copy = format!(
            "create database {} template {} owner postgres",
            quote_ident(&name),
            quote_ident(&source)
        );
        execute(&mut admin, copy).await;
        admin.close().await.expect("close the connection");
        Self {
            url: with_database(&cluster, &name),
        }
    }

    /// The URL of the superuser.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The URL of one of the platform's login roles.
    pub fn url_as(&self, role: &str) -> String {
        let mut url = self.url.clone();
        url.set_username(role).expect("a role name");
        url.set_password(Some(PASSWORD)).expect("a password");
        url.into()
    }

    /// A pool of the superuser, for arranging and inspecting.
    pub fn pool(&self) -> PgPool {
        PgPoolOptions::new()
            .max_connections(2)
            .connect_lazy(self.url())
            .expect("a valid URL")
    }
}

fn cluster_url() -> Url {
    let vars = crate::env::Vars::from_process();
    let text = vars.non_empty("NILAM_TEST_DATABASE_URL").expect(
        "NILAM_TEST_DATABASE_URL names no cluster: run `make test`, or \
         `cargo run -p pg-embed --bin with-postgres -- cargo test …`",
    );
    Url::parse(text).expect("NILAM_TEST_DATABASE_URL is a URL")
}

fn with_database(cluster: &Url, name: &str) -> Url {
    let mut url = cluster.clone();
    url.set_path(name);
    url
}

async fn execute(connection: &mut PgConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql.clone()))
        .execute(connection)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Makes the template under a lock of the whole cluster: several test processes may want it at once, and
/// two bases at a time would alter the same roles.
async fn ensure(admin: &mut PgConnection, cluster: &Url, template: &Template, name: &str) {
    const LOCK: i64 = 0x7465_7374;
    sqlx::query("select pg_advisory_lock($1)")
        .bind(LOCK)
        .execute(&mut *admin)
        .await
        .expect("lock");
    let exists: bool =
        sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
            .bind(name)
            .fetch_one(&mut *admin)
            .await
            .expect("look up the template");
    if !exists {
        let unfinished = format!("{name}_unfinished");
        let quoted = quote_ident(&unfinished);
        execute(
            admin,
            format!("drop database if exists {quoted} with (force)"),
        )
        .await;
        execute(
            admin,
            format!("create database {quoted} template template0"),
        )
        .await;
        let url = with_database(cluster, &unfinished);
        let mut connection = PgConnection::connect(url.as_str())
            .await
            .expect("connect to the template");
        for set in &template.sets {
            set.run(&mut connection)
                .await
                .unwrap_or_else(|error| panic!("{error}: {error:?}"));
        }
        for sql in &template.fixtures {
            execute(&mut connection, (*sql).to_owned()).await;
        }
        connection.close().await.expect("close the connection");
        execute(
            admin,
            format!("alter database {quoted} rename to {}", quote_ident(name)),
        )
        .await;
    }
    sqlx::query("select pg_advisory_unlock($1)")
        .bind(LOCK)
        .execute(admin)
        .await
        .expect("unlock");
}
