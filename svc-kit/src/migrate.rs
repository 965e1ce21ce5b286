//! The migration runner, with the bookkeeping of whichever original owns a schema.
//!
//! Each original notes what it has applied in a table of its own. A dump of an existing project contains
//! those tables, so a [`Set`] reads and writes them as the original does: what is noted there is not run
//! again, and what is run is noted under the original's version, so the original still recognises it.
//!
//! Every migration runs in one transaction under one advisory lock, together with its note. Two services
//! that start at the same moment therefore apply it once, and a crash leaves either all of it or nothing.

use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use crate::pg::quote_ident;

/// The key of the advisory lock; the letters of `nilam`.
const LOCK: i64 = 0x006e_696c_616d;

/// One step.
#[derive(Clone, Debug)]
pub struct Migration {
    /// The versions that are noted once it ran. It is run while one of them is missing.
    pub versions: Vec<Version>,
    /// The statements, one or many.
    pub sql: String,
}

/// How a migration is called in the table that notes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The identifying column's value.
    pub id: String,
    /// The name, where the table has a column for it.
    pub name: String,
    /// The checksum, where the table has a column for it.
    pub hash: String,
}

/// Which table notes a set's versions, and in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bookkeeping {
    /// Ours, for the roles and schemas below all services: `nilam.migrations(version, applied_at)`.
    Base,
    /// GoTrue's `auth.schema_migrations(version)`.
    Auth,
    /// storage-api's `storage.migrations(id, name, hash, executed_at)`.
    Storage,
    /// Realtime's `realtime.schema_migrations(version, inserted_at)`.
    Realtime,
    /// Realtime's other table, of its own schema: `_realtime.schema_migrations(version, inserted_at)`.
    RealtimeService,
    /// The image's webhooks script: `supabase_functions.migrations(version, inserted_at)`.
    Functions,
    /// The Supabase CLI's `supabase_migrations.schema_migrations(version, statements, name)`.
    Project,
}

/// The migrations of one owner, in order.
#[derive(Clone, Debug)]
pub struct Set {
    /// For logs and errors.
    pub name: &'static str,
    /// The role that runs them and so owns what they make.
    pub role: &'static str,
    /// Where they are noted.
    pub bookkeeping: Bookkeeping,
    /// The steps.
    pub migrations: Vec<Migration>,
    /// Transaction-local settings that the scripts read with `current_setting`.
    pub settings: Vec<(&'static str, String)>,
}

/// A migration that failed; nothing of it is left in the database.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The database refused a step.
    #[error("migration {set}/{version} failed")]
    Step {
        /// The set.
        set: &'static str,
        /// The step's last version.
        version: String,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
    /// The table of versions could not be made or read.
    #[error("the migrations of {set} could not be looked up")]
    Lookup {
        /// The set.
        set: &'static str,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
}

impl Set {
    /// A set whose scripts together stand for all versions of the original: they are run, all of them
    /// and in order, until every version is noted. Each script must be safe to run on any earlier state.
    ///
    /// `versions` has one line per version of the original: the id, then name and checksum after tabs.
    pub fn converging(
        name: &'static str,
        role: &'static str,
        bookkeeping: Bookkeeping,
        scripts: &[&str],
        versions: &str,
    ) -> Self {
        let versions = versions
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|line| {
                let mut fields = line.split('\t').map(|field| field.trim().to_owned());
                let mut next = || fields.next().unwrap_or_default();
                Version {
                    id: next(),
                    name: next(),
                    hash: next(),
                }
            })
            .collect();
        let migrations = vec![Migration {
            versions,
            sql: scripts.join("\n;\n"),
        }];
        Self {
            name,
            role,
            bookkeeping,
            migrations,
            settings: Vec::new(),
        }
    }

    /// A set of numbered files, each a version of its own: `(file name without .sql, text)`.
    pub fn numbered(
        name: &'static str,
        role: &'static str,
        bookkeeping: Bookkeeping,
        files: &[(&str, &str)],
    ) -> Self {
        let migrations = files
            .iter()
            .map(|(file, sql)| {
                let (id, title) = file.split_once('_').unwrap_or((file, ""));
                let version = Version {
                    id: id.to_owned(),
                    name: title.to_owned(),
                    hash: String::new(),
                };
                Migration {
                    versions: vec![version],
                    sql: (*sql).to_owned(),
                }
            })
            .collect();
        Self {
            name,
            role,
            bookkeeping,
            migrations,
            settings: Vec::new(),
        }
    }

    /// Adds a setting for the scripts to read.
    #[must_use]
    pub fn with_setting(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.settings.push((name, value.into()));
        self
    }

    /// Runs what is missing and says how many steps that were. Needs the set's role, or one that may
    /// become it.
    pub async fn run(&self, connection: &mut PgConnection) -> Result<usize, MigrateError> {
        let mut applied = 0;
        for migration in &self.migrations {
            let outcome = self.run_one(connection, migration).await;
            applied += usize::from(outcome.map_err(|source| {
                MigrateError::Step {
                    set: self.name,
                    version: migration
                        .versions
                        .last()
                        .map(|v| v.id.clone())
                        .unwrap_or_default(),
                    source,
                }
            })?);
        }
        if applied > 0 {
            tracing::info!(set = self.name, steps = applied, "migrated");
        }
        Ok(applied)
    }

    async fn run_one(
        &self,
        connection: &mut PgConnection,
        migration: &Migration,
    ) -> Result<bool, sqlx::Error> {
        let mut tx = connection.begin().await?;
        sqlx::query("select pg_advisory_xact_lock($1)")
            .bind(LOCK)
            .execute(&mut *tx)
            .await?;
        let known = self.bookkeeping.known(&mut tx).await?;
        let missing: Vec<_> = migration
            .versions
            .iter()
            .filter(|version| !known.contains(&version.id))
            .collect();
        if missing.is_empty() {
            return Ok(false);
        }
        let current: String = sqlx::query_scalar("select current_user::text")
            .fetch_one(&mut *tx)
            .await?;
        let mut setup = String::from(
            "set local check_function_bodies = off; set local client_min_messages = warning; set local statement_timeout = 0; set local lock_timeout = 0;",
        );
        // The base makes the roles, so it runs as whoever was trusted with the connection.
        if current != self.role && self.bookkeeping != Bookkeeping::Base {
            let _ = write!(setup, "set local role {};", quote_ident(self.role));
        }
        let _ = write!(
            setup,
            "set local search_path = {};",
            self.bookkeeping.search_path()
        );
        sqlx::raw_sql(AssertSqlSafe(setup))
            .execute(&mut *tx)
            .await?;
        for (name, value) in &self.settings {
            let set = sqlx::query("select set_config($1, $2, true)");
            set.bind(*name).bind(value).execute(&mut *tx).await?;
        }
        sqlx::raw_sql(AssertSqlSafe(self.bookkeeping.table()))
            .execute(&mut *tx)
            .await?;
        sqlx::raw_sql(AssertSqlSafe(migration.sql.as_str()))
            .execute(&mut *tx)
            .await?;
        // A script may have left another role or search path behind.
        for version in missing {
            self.bookkeeping
                .note(&mut tx, version, &migration.sql)
                .await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The versions that are not noted yet.
    pub async fn pending(
        &self,
        connection: &mut PgConnection,
    ) -> Result<Vec<String>, MigrateError> {
        let known =
            self.bookkeeping
                .known(connection)
                .await
                .map_err(|source| MigrateError::Lookup {
                    set: self.name,
                    source,
                })?;
        Ok(self
            .migrations
            .iter()
            .flat_map(|migration| &migration.versions)
            .filter(|version| !known.contains(&version.id))
            .map(|version| version.id.clone())
            .collect())
    }
}

impl Bookkeeping {
    fn table_name(self) -> &'static str {
        match self {
            Self::Base => "nilam.migrations",
            Self::Auth => "auth.schema_migrations",
            Self::Storage => "storage.migrations",
            Self::Realtime => "realtime.schema_migrations",
            Self::RealtimeService => "_realtime.schema_migrations",
            Self::Functions => "supabase_functions.migrations",
            Self::Project => "supabase_migrations.schema_migrations",
        }
    }

    fn id_column(self) -> &'static str {
        if self == Self::Storage {
            "id"
        } else {
            "version"
        }
    }

    fn search_path(self) -> &'static str {
        match self {
            Self::Base
            | Self::Realtime
            | Self::RealtimeService
            | Self::Functions
            | Self::Project => "public, extensions",
            Self::Auth => "auth, extensions",
            Self::Storage => "storage, extensions",
        }
    }

    fn table(self) -> &'static str {
        match self {
            Self::Base => {
                "create schema if not exists nilam;
                 create table if not exists nilam.migrations (
                     version text primary key, applied_at timestamptz not null default now())"
            }
            Self::Auth => {
                "create table if not exists auth.schema_migrations (version character varying(14) primary key)"
            }
            Self::Storage => {
                "create table if not exists storage.migrations (
                     id integer primary key, name varchar(100) unique not null, hash varchar(40) not null,
                     executed_at timestamp default current_timestamp)"
            }
            Self::Realtime => {
                "create table if not exists realtime.schema_migrations (
                     version bigint primary key, inserted_at timestamp(0))"
            }
            Self::RealtimeService => {
                "create table if not exists _realtime.schema_migrations (
                     version bigint primary key, inserted_at timestamp(0))"
            }
            Self::Functions => {
                "create table if not exists supabase_functions.migrations (
                     version text primary key, inserted_at timestamptz not null default now())"
            }
            Self::Project => {
                "create schema if not exists supabase_migrations;
                 create table if not exists supabase_migrations.schema_migrations (
                     version text primary key, statements text[], name text)"
            }
        }
    }

    async fn known(self, connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
        let exists: bool = sqlx::query_scalar("select to_regclass($1) is not null")
            .bind(self.table_name())
            .fetch_one(&mut *connection)
            .await?;
        if !exists {
            return Ok(Vec::new());
        }
        let sql = format!(
            "select {}::text from {}",
            self.id_column(),
            self.table_name()
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .fetch_all(connection)
            .await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }

    async fn note(
        self,
        connection: &mut PgConnection,
        version: &Version,
        sql: &str,
    ) -> Result<(), sqlx::Error> {
        let Version { id, name, hash } = version;
        match self {
            Self::Base => {
                let sql =
                    "insert into nilam.migrations (version) values ($1) on conflict do nothing";
                sqlx::query(sql).bind(id).execute(connection).await?;
            }
            Self::Auth => {
                let sql = "insert into auth.schema_migrations (version) values ($1) on conflict do nothing";
                sqlx::query(sql).bind(id).execute(connection).await?;
            }
            Self::Storage => {
                let sql =
                    "insert into storage.migrations (id, name, hash) values ($1::integer, $2, $3)
                           on conflict do nothing";
                sqlx::query(sql)
                    .bind(id)
                    .bind(name)
                    .bind(hash)
                    .execute(connection)
                    .await?;
            }
            Self::Realtime => {
                let sql = "insert into realtime.schema_migrations (version, inserted_at)
                           values ($1::bigint, now()) on conflict do nothing";
                sqlx::query(sql).bind(id).execute(connection).await?;
            }
            Self::RealtimeService => {
                let sql = "insert into _realtime.schema_migrations (version, inserted_at)
                           values ($1::bigint, now()) on conflict do nothing";
                sqlx::query(sql).bind(id).execute(connection).await?;
            }
            Self::Functions => {
                let sql = "insert into supabase_functions.migrations (version) values ($1) on conflict do nothing";
                sqlx::query(sql).bind(id).execute(connection).await?;
            }
            Self::Project => {
                let insert =
                    "insert into supabase_migrations.schema_migrations (version, statements, name)
                              values ($1, array[$2], $3) on conflict do nothing";
                sqlx::query(insert)
                    .bind(id)
                    .bind(sql)
                    .bind(name)
                    .execute(connection)
                    .await?;
            }
        }
        Ok(())
    }
}

/// What lies below all services: roles, extensions, default privileges, the publication.
///
/// Run by the bootstrap superuser `supabase_admin`, or on a server of somebody else's by any superuser.
/// The login roles that it makes get `password`.
pub fn base(password: &str) -> Set {
    Set::numbered("base", "supabase_admin", Bookkeeping::Base, BASE)
        .with_setting("nilam.db_password", password)
}

const BASE: &[(&str, &str)] = &[
    (
        "0001_roles",
        include_str!("../../sql/platform/base/0001_roles.sql"),
    ),
    (
        "0002_schemas",
        include_str!("../../sql/platform/base/0002_schemas.sql"),
    ),
    (
        "0003_graphql",
        include_str!("../../sql/platform/base/0003_graphql.sql"),
    ),
    (
        "0004_publication",
        include_str!("../../sql/platform/base/0004_publication.sql"),
    ),
    (
        "0005_schema_cache",
        include_str!("../../sql/platform/base/0005_schema_cache.sql"),
    ),
    (
        "0006_jwt",
        include_str!("../../sql/platform/base/0006_jwt.sql"),
    ),
    (
        "0007_settings",
        include_str!("../../sql/platform/base/0007_settings.sql"),
    ),
    (
        "0008_schema_owners",
        include_str!("../../sql/platform/base/0008_schema_owners.sql"),
    ),
];
