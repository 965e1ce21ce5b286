//! The project's migrations and seeds, noted in the tables of the CLI, so that either goes on where the other was.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};

use super::{Project, script};
use crate::progress::Progress;

const TABLES: &str = "
    set lock_timeout = '4s';
    set client_min_messages = warning;
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
    alter table supabase_migrations.schema_migrations add column if not exists statements text[];
    alter table supabase_migrations.schema_migrations add column if not exists name text;
    create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
    reset all";

/// A file of the folder `migrations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Migration {
    pub(crate) version: String,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// How far a database is brought.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extent {
    /// The last version, if not all.
    pub(crate) version: Option<String>,
    /// Seeds are left out.
    pub(crate) without_seed: bool,
}

/// Applies what the database does not have yet.
///
/// # Errors
/// A file failed; of that file nothing is left, and those before it stay.
pub(crate) async fn apply(
    project: &Project,
    url: &str,
    extent: &Extent,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url)
        .await
        .context("the database cannot be reached as postgres")?;
    let migrations = if project.config.db.migrations.enabled {
        list(&project.dir().join("migrations"), progress)?
    } else {
        Vec::new()
    };
    let seeds = if project.config.db.seed.enabled && !extent.without_seed {
        seeds(project, progress)
    } else {
        Vec::new()
    };
    let globals = project.dir().join("roles.sql");
    if globals.is_file() && is_new(&mut connection).await? {
        progress.say(format!(
            "Seeding globals from {}...",
            project.shown(&globals)
        ));
        script::run(
            &mut connection,
            &project.shown(&globals),
            &read(&globals)?,
            "",
        )
        .await?;
    }
    if !migrations.is_empty() || !seeds.is_empty() || globals.is_file() {
        sqlx::raw_sql(TABLES)
            .execute(&mut connection)
            .await
            .context("the tables of the migrations cannot be made")?;
        run_migrations(project, &mut connection, &migrations, extent, progress).await?;
        run_seeds(project, &mut connection, &seeds, progress).await?;
    }
    connection.close().await?;
    Ok(())
}

/// True for a database that nothing of the project was applied to.
async fn is_new(connection: &mut PgConnection) -> anyhow::Result<bool> {
    let table = "select to_regclass('supabase_migrations.schema_migrations') is null";
    Ok(sqlx::query_scalar(table).fetch_one(connection).await?)
}

/// The files of the folder whose names the CLI takes, in order.
fn list(folder: &Path, progress: &Progress) -> anyhow::Result<Vec<Migration>> {
    let mut names = Vec::new();
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                let entry = entry.with_context(|| folder.display().to_string())?;
                if !entry.path().is_dir() {
                    names.push(entry.file_name().to_string_lossy().into_owned());
                }
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| folder.display().to_string()),
    }
    names.sort();
    let mut migrations = Vec::new();
    for (position, name) in names.into_iter().enumerate() {
        let Some((version, title)) = parse_name(&name) else {
            progress.say(format!(
                "Skipping migration {name}... (file name must match pattern \"<timestamp>_name.sql\")"
            ));
            continue;
        };
        // What the first versions of the CLI wrote as `…_init.sql` was a dump of the platform's own schemas.
        let dump = title == "init" && version.len() == 14 && version < "20211209000000";
        if position == 0 && dump {
            progress.say(format!("Skipping migration {name}..."));
            continue;
        }
        migrations.push(Migration {
            version: version.to_owned(),
            name: title.to_owned(),
            path: folder.join(&name),
        });
    }
    Ok(migrations)
}

/// `20240101000000_create_users.sql` gives its version and its name.
fn parse_name(file: &str) -> Option<(&str, &str)> {
    let (version, name) = file.strip_suffix(".sql")?.split_once('_')?;
    let digits = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some((version, name))
}

async fn run_migrations(
    project: &Project,
    connection: &mut PgConnection,
    migrations: &[Migration],
    extent: &Extent,
    progress: &Progress,
) -> anyhow::Result<()> {
    let applied: Vec<String> = sqlx::query_scalar(
        "select version from supabase_migrations.schema_migrations order by version",
    )
    .fetch_all(&mut *connection)
    .await?;
    let last = applied.last().cloned().unwrap_or_default();
    let applied: BTreeSet<_> = applied.into_iter().collect();
    let local: BTreeSet<_> = migrations
        .iter()
        .map(|migration| &migration.version)
        .collect();
    for version in applied.iter().filter(|version| !local.contains(version)) {
        progress.warn(format!(
            "the database has the migration {version}, which the project has no file of"
        ));
    }
    if let Some(version) = &extent.version
        && !local.contains(version)
    {
        bail!("there is no migration {version}");
    }
    for migration in migrations {
        let beyond = extent
            .version
            .as_ref()
            .is_some_and(|version| migration.version > *version);
        if beyond || applied.contains(&migration.version) {
            continue;
        }
        let shown = project.shown(&migration.path);
        if migration.version < last {
            progress.warn(format!(
                "{shown} is older than the last migration of the database"
            ));
        }
        let file = migration
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        progress.say(format!("Applying migration {file}..."));
        let sql = read(&migration.path)?;
        let note = script::migration_note(&migration.version, &migration.name, &sql);
        script::run(connection, &shown, &sql, &note).await?;
    }
    Ok(())
}

/// The seed files, in the order of their patterns.
fn seeds(project: &Project, progress: &Progress) -> Vec<PathBuf> {
    let mut known = BTreeSet::new();
    let mut files = Vec::new();
    for pattern in &project.config.db.seed.sql_paths {
        let found = project.glob(pattern);
        if found.is_empty() {
            progress.warn(format!("no files matched pattern: {pattern}"));
        }
        files.extend(found.into_iter().filter(|path| known.insert(path.clone())));
    }
    files
}

async fn run_seeds(
    project: &Project,
    connection: &mut PgConnection,
    files: &[PathBuf],
    progress: &Progress,
) -> anyhow::Result<()> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("select path, hash from supabase_migrations.seed_files")
            .fetch_all(&mut *connection)
            .await?;
    let known: BTreeMap<_, _> = rows.into_iter().collect();
    for path in files {
        let shown = project.shown(path);
        let bytes = fs::read(path).with_context(|| shown.clone())?;
        let hash = Sha256::digest(&bytes)
            .iter()
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        let note = script::seed_note(&shown, &hash);
        match known.get(&shown) {
            Some(noted) if *noted == hash => {}
            Some(_) => {
                // As the CLI: data are not filled in twice, only the file's new hash is noted.
                progress.say(format!(
                    "Updating seed hash to {shown}... (`db reset` runs it anew)"
                ));
                script::run(connection, &shown, "", &note).await?;
            }
            None => {
                progress.say(format!("Seeding data from {shown}..."));
                script::run(connection, &shown, &text(bytes, &shown)?, &note).await?;
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<String> {
    let shown = path.display().to_string();
    text(fs::read(path).with_context(|| shown.clone())?, &shown)
}

fn text(bytes: Vec<u8>, shown: &str) -> anyhow::Result<String> {
    String::from_utf8(bytes).with_context(|| format!("{shown} is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbered_sql_files_are_migrations() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "20200101000000_init.sql",
            "20240102000000_b.sql",
            "20240101000000_a_b.sql",
            "1_.sql",
            "notes.md",
            "x_y.sql",
            "20240103000000.sql",
        ] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        fs::create_dir(dir.path().join("20240104000000_folder.sql")).unwrap();
        let found: Vec<_> = list(dir.path(), &Progress::quiet())
            .unwrap()
            .into_iter()
            .map(|migration| (migration.version, migration.name))
            .collect();
        let expected = [
            ("1", ""),
            // Only the very first file is taken for a dump.
            ("20200101000000", "init"),
            ("20240101000000", "a_b"),
            ("20240102000000", "b"),
        ];
        assert_eq!(
            found,
            expected.map(|(version, name)| (version.to_owned(), name.to_owned()))
        );
    }

    #[test]
    fn a_folder_that_is_missing_has_no_migrations() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            list(&dir.path().join("none"), &Progress::quiet()).unwrap(),
            []
        );
    }
}
