//! Everything that a database needs before the services use it, in order.

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use svc_kit::{
    env::Vars,
    migrate::{Bookkeeping, Set, base},
};
use url::Url;

use crate::cli::{MigrateArgs, Seed};

/// The product's own schema; versions and bookkeeping are the CLI's, so `db push` goes on from there.
const MARKETPLACE: &[(&str, &str)] = &[
    (
        "20260101000000_accounts",
        include_str!("../../sql/marketplace/20260101000000_accounts.sql"),
    ),
    (
        "20260101000100_coworking",
        include_str!("../../sql/marketplace/20260101000100_coworking.sql"),
    ),
    (
        "20260101000200_properties",
        include_str!("../../sql/marketplace/20260101000200_properties.sql"),
    ),
    (
        "20260101000300_activity",
        include_str!("../../sql/marketplace/20260101000300_activity.sql"),
    ),
    (
        "20260101000400_search",
        include_str!("../../sql/marketplace/20260101000400_search.sql"),
    ),
    (
        "20260101000500_storage",
        include_str!("../../sql/marketplace/20260101000500_storage.sql"),
    ),
    (
        "20260101000600_review_pictures_and_place",
        include_str!("../../sql/marketplace/20260101000600_review_pictures_and_place.sql"),
    ),
    (
        "20260101000700_owners",
        include_str!("../../sql/marketplace/20260101000700_owners.sql"),
    ),
    (
        "20260101000800_administration",
        include_str!("../../sql/marketplace/20260101000800_administration.sql"),
    ),
    (
        "20260101000900_save_space",
        include_str!("../../sql/marketplace/20260101000900_save_space.sql"),
    ),
];

/// The demonstration data, under the path by which the CLI notes it.
const DEMO_SEED: (&str, &str) = (
    "sql/marketplace/seed/demo.sql",
    include_str!("../../sql/marketplace/seed/demo.sql"),
);

/// A database server and the password of the platform's login roles on it.
#[derive(Clone)]
pub struct Database {
    url: Url,
}

impl Database {
    /// Takes the URL of a superuser. Its password becomes that of the platform's login roles.
    pub fn new(url: &str) -> anyhow::Result<Self> {
        let url = Url::parse(url).context("the database URL is not a URL")?;
        Ok(Self { url })
    }

    /// The same database as another role.
    pub fn url_as(&self, role: &str) -> String {
        let mut url = self.url.clone();
        // Fails only for URLs without a host, which the connection refuses with a better message.
        let _ = url.set_username(role);
        url.into()
    }

    fn password(&self) -> &str {
        self.url.password().unwrap_or_default()
    }

    async fn connect(&self) -> anyhow::Result<PgConnection> {
        PgConnection::connect(self.url.as_str())
            .await
            .context("the database cannot be reached")
    }

    /// Migrates what every project stands on: base, auth, storage, realtime and functions.
    pub async fn migrate_platform(&self) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        for set in self.platform() {
            set.run(&mut connection).await?;
        }
        connection.close().await?;
        Ok(())
    }

    fn platform(&self) -> [Set; 6] {
        [
            base(self.password()),
            auth_svc::migrations(),
            storage_svc::migrations(),
            realtime_svc::migrations(),
            realtime_svc::service_migrations(),
            functions_svc::migrations(),
        ]
    }

    /// Takes the API's roles what they would get on tables, functions and sequences that are made later.
    pub async fn hide_new_tables(&self) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        for kind in ["tables", "functions", "sequences"] {
            sqlx::raw_sql(AssertSqlSafe(format!(
                "alter default privileges for role postgres in schema public \
                 revoke all on {kind} from anon, authenticated, service_role"
            )))
            .execute(&mut connection)
            .await?;
        }
        connection.close().await?;
        Ok(())
    }

    /// Migrates base, auth, storage, realtime, functions and the product, and fills a database that is new.
    pub async fn migrate(&self, seed: Seed) -> anyhow::Result<()> {
        let mut connection = self.connect().await?;
        let product = Set::numbered("marketplace", "postgres", Bookkeeping::Project, MARKETPLACE);
        for set in self.platform().into_iter().chain([product]) {
            set.run(&mut connection).await?;
        }
        if seed == Seed::Demo {
            fill(&mut connection, DEMO_SEED.0, DEMO_SEED.1)
                .await
                .context("the demonstration data failed")?;
        }
        connection.close().await?;
        Ok(())
    }

    /// Tells the product's triggers where the functions are, and the key that calls them.
    pub async fn point_to_functions(&self, url: &str, key: &str) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(self.url.as_str()).await?;
        sqlx::query(
            "insert into private.settings (name, value)
             values ('functions_url', $1), ('service_role_key', $2)
             on conflict (name) do update set value = excluded.value",
        )
        .bind(url)
        .bind(key)
        .execute(&mut connection)
        .await?;
        connection.close().await?;
        Ok(())
    }
}

/// `standalone migrate`.
pub async fn migrate(arguments: &MigrateArgs, environment: &Vars) -> anyhow::Result<()> {
    let url = arguments
        .database_url
        .as_deref()
        .or_else(|| environment.non_empty("NILAM_DATABASE_URL"))
        .context("--database-url is required")?;
    let database = Database::new(url)?;
    if arguments.platform_only {
        database.migrate_platform().await
    } else {
        database.migrate(arguments.seed).await
    }
}

/// Runs a seed file once, and notes it as the CLI's `db push --include-seed` does.
async fn fill(connection: &mut PgConnection, path: &str, sql: &str) -> anyhow::Result<()> {
    let mut tx = connection.begin().await?;
    let table = "create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null)";
    sqlx::raw_sql("set local role postgres; set local statement_timeout = 0; set local search_path = public, extensions")
        .execute(&mut *tx)
        .await?;
    sqlx::raw_sql(table).execute(&mut *tx).await?;
    let known: bool = sqlx::query_scalar(
        "select exists (select from supabase_migrations.seed_files where path = $1)",
    )
    .bind(path)
    .fetch_one(&mut *tx)
    .await?;
    if known {
        return Ok(());
    }
    sqlx::raw_sql(AssertSqlSafe("reset role"))
        .execute(&mut *tx)
        .await?;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await?;
    let hash = Sha256::digest(sql.as_bytes())
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    sqlx::query("insert into supabase_migrations.seed_files (path, hash) values ($1, $2)")
        .bind(path)
        .bind(hash)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(())
}
