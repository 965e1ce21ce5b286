//! The database server of a deployment: a private one, or somebody else's.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use pg_embed::{Cluster, ClusterConfig};

use crate::{cli::StartArgs, progress::Progress, project::Project};

/// The working folder and the folder of this binary: what npm and the front end's build left is near one.
pub(crate) fn near() -> Vec<PathBuf> {
    let binary = std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(Path::to_owned));
    std::env::current_dir().into_iter().chain(binary).collect()
}

/// A folder of that name in one of those, or in a folder above.
pub(crate) fn find_near(name: &str, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    near()
        .iter()
        .flat_map(|folder| folder.ancestors())
        .map(|folder| folder.join(name))
        .find(|dir| is_it(dir))
}

/// Starts the private server.
pub(crate) async fn start(
    arguments: &StartArgs,
    data_dir: &Path,
    port: u16,
    project: Option<&Project>,
    progress: &Progress,
) -> anyhow::Result<Cluster> {
    let mut config = ClusterConfig::new(data_dir, port);
    config.roots = near();
    config.roots.extend(project.map(Project::dir));
    config.binaries.clone_from(&arguments.postgres_bin);
    config.settings = vec![("max_connections".to_owned(), "200".to_owned())];
    let mut preloaded = String::new();
    if let Some(project) = project {
        let pgdata = data_dir.join("pgdata");
        let binaries = pg_embed::find(arguments.postgres_bin.as_deref(), &config.roots, &pgdata)?;
        let wanted = project.config.db.major_version;
        if binaries.major != wanted {
            progress.warn(format!(
                "the project asks for PostgreSQL {wanted}, and this is {} ({})",
                binaries.major,
                binaries.dir.display()
            ));
        }
        if has_library(&binaries.dir, "pg_stat_statements") {
            "pg_stat_statements".clone_into(&mut preloaded);
        }
        config.binaries = Some(binaries.dir);
        for (name, value) in &project.config.db.settings {
            config.settings.push((name.clone(), value.clone()));
        }
    }
    config
        .settings
        .push(("shared_preload_libraries".to_owned(), preloaded));
    Ok(Cluster::start(&config).await?)
}

/// True if the server can preload a library; one that is missing would keep it from starting.
fn has_library(binaries: &Path, name: &str) -> bool {
    ["../lib", "../lib/postgresql"].iter().any(|folder| {
        ["so", "dylib"].iter().any(|kind| {
            binaries
                .join(folder)
                .join(format!("{name}.{kind}"))
                .is_file()
        })
    })
}

/// Removes the cluster of a server that is stopped, and the blobs that only its rows named.
pub(crate) fn remove_data(data_dir: &Path) -> anyhow::Result<()> {
    let cluster = data_dir.join("pgdata");
    let leaving = data_dir.join("pgdata.leaving");
    for (path, is_cluster) in [(&leaving, false), (&cluster, true)] {
        if !path.exists() {
            continue;
        }
        let mut path = path;
        if is_cluster {
            // Renamed first, so that a crash half-way leaves nothing that looks like a cluster.
            fs::rename(path, &leaving).with_context(|| path.display().to_string())?;
            path = &leaving;
        }
        fs::remove_dir_all(path).with_context(|| path.display().to_string())?;
    }
    let blobs = data_dir.join("storage");
    if blobs.exists() {
        fs::remove_dir_all(&blobs).with_context(|| blobs.display().to_string())?;
    }
    Ok(())
}
