//! Deno: where it is, and what every call of it has in common.

use std::{
    ffi::OsString,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
};

use tokio::process::Command;
use uuid::Uuid;

use crate::config;

const SERVE: &str = "serve.ts";
const TYPES: &str = "types.ts";
const FS: &str = "fs.ts";
const FS_PROMISES: &str = "fs_promises.ts";
const BOOT: &str = "boot.ts";

/// Our modules, each behind those that it imports.
const RUNTIME: [(&str, &str); 7] = [
    ("files.ts", include_str!("runtime/files.ts")),
    ("requests.ts", include_str!("runtime/requests.ts")),
    (FS_PROMISES, include_str!("runtime/fs_promises.ts")),
    (FS, include_str!("runtime/fs.ts")),
    (BOOT, include_str!("runtime/boot.ts")),
    (SERVE, include_str!("runtime/serve.ts")),
    (TYPES, include_str!("runtime/types.ts")),
];

/// Deno and the files that we give it.
#[derive(Debug)]
pub(crate) struct Deno {
    config: config::Deno,
    /// Where our modules are.
    modules: PathBuf,
    /// `setpriv`, by which a process dies with this one however that ends. Not every system has it.
    setpriv: Option<PathBuf>,
}

impl Deno {
    /// Writes our modules where Deno can read them.
    pub(crate) fn new(config: config::Deno) -> io::Result<Self> {
        let setpriv = config
            .search_path
            .as_deref()
            .into_iter()
            .chain(["/usr/bin:/bin"])
            .flat_map(std::env::split_paths)
            .map(|dir| dir.join("setpriv"))
            .find(|path| cfg!(target_os = "linux") && path.is_file());
        let mut hasher = DefaultHasher::new();
        RUNTIME.hash(&mut hasher);
        // Copies of the service share the cache also while they are of different versions.
        let version = format!("runtime/{:016x}", hasher.finish());
        let deno = Self {
            modules: config.cache_dir.join(version),
            config,
            setpriv,
        };
        fs::create_dir_all(&deno.modules)?;
        for (name, text) in RUNTIME {
            let path = deno.modules.join(name);
            // Other copies of the service may be reading the same file.
            if fs::read_to_string(&path).is_ok_and(|present| present == text) {
                continue;
            }
            let fresh = path.with_extension(format!("{}.new", Uuid::new_v4().simple()));
            fs::write(&fresh, text)?;
            fs::rename(&fresh, &path)?;
        }
        Ok(deno)
    }

    /// Changes with the modules that stand for others, which are in what is made of a function.
    pub(crate) fn runtime_fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.modules.hash(&mut hasher);
        hasher.finish()
    }

    /// Modules that any function may read; the folder is named for what is in them.
    pub(crate) fn modules_dir(&self) -> PathBuf {
        self.modules.clone()
    }

    pub(crate) fn boot_module(&self) -> PathBuf {
        self.modules.join(BOOT)
    }

    /// What imports of std/http's `serve` get instead.
    pub(crate) fn serve_module(&self) -> PathBuf {
        self.modules.join(SERVE)
    }

    /// What imports of types alone get instead.
    pub(crate) fn types_module(&self) -> PathBuf {
        self.modules.join(TYPES)
    }

    /// What imports of `node:fs` get instead.
    pub(crate) fn fs_module(&self) -> PathBuf {
        self.modules.join(FS)
    }

    /// What imports of `node:fs/promises` get instead.
    pub(crate) fn fs_promises_module(&self) -> PathBuf {
        self.modules.join(FS_PROMISES)
    }

    /// Where packages of functions lie, once they are fetched.
    pub(crate) fn packages_dir(&self) -> PathBuf {
        self.deno_dir().join("npm")
    }

    /// What is made for each function.
    pub(crate) fn prepared_dir(&self) -> PathBuf {
        self.config.cache_dir.join("functions")
    }

    fn deno_dir(&self) -> PathBuf {
        self.config.cache_dir.join("deno")
    }

    /// The binary, looked for anew each time: it may be installed while we run.
    pub(crate) fn binary(&self) -> Option<PathBuf> {
        if let Some(path) = &self.config.binary {
            return path.is_file().then(|| path.clone());
        }
        let on_path = self
            .config
            .search_path
            .iter()
            .flat_map(std::env::split_paths)
            .map(|dir| dir.join("deno"))
            .find(|path| path.is_file());
        on_path.or_else(|| near().iter().find_map(|folder| in_node_modules(folder)))
    }

    /// A call of Deno with nothing in its environment but its own folder and what is given.
    pub(crate) fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        self.environment(&mut command);
        command
    }

    /// The same, for a process that serves: it ends when the thread that starts it does, and can get no privileges.
    pub(crate) fn guarded_command(&self, binary: &Path) -> Command {
        let Some(setpriv) = &self.setpriv else {
            return self.command(binary);
        };
        let mut command = Command::new(setpriv);
        command.args(["--pdeathsig", "KILL", "--no-new-privs", "--"]);
        command.arg(binary);
        self.environment(&mut command);
        command
    }

    fn environment(&self, command: &mut Command) {
        command
            .env_clear()
            .env("DENO_DIR", self.deno_dir())
            .env("DENO_NO_UPDATE_CHECK", "1")
            .env("DENO_NO_PACKAGE_JSON", "1")
            .env("NO_COLOR", "1")
            .envs(
                self.config
                    .trust_env
                    .iter()
                    .map(|(name, value)| (name, value)),
            );
    }

    /// Variables that say whose certificates are trusted.
    pub(crate) fn trust_env(&self) -> &[(String, String)] {
        &self.config.trust_env
    }

    /// Variables by which a registry or a proxy is chosen.
    pub(crate) fn fetch_env(&self) -> &[(String, String)] {
        &self.config.fetch_env
    }
}

/// Arguments for fetching and for running that have to agree.
pub(crate) fn module_arguments(config: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = [
        "--no-lock",
        "--node-modules-dir=none",
        "--allow-import",
        "--quiet",
        "--config",
    ]
    .map(OsString::from)
    .into();
    arguments.push(config.into());
    arguments
}

/// A path within a list of paths in one of Deno's arguments.
pub(crate) fn list_item(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

/// The working folder and the folder of this binary, each with all folders above it.
fn near() -> Vec<PathBuf> {
    let binary = std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(Path::to_owned));
    std::env::current_dir()
        .into_iter()
        .chain(binary)
        .flat_map(|folder| folder.ancestors().map(Path::to_owned).collect::<Vec<_>>())
        .collect()
}

/// npm has the binary in a package per system; the one named `deno` starts as a script that needs Node.
fn in_node_modules(folder: &Path) -> Option<PathBuf> {
    let modules = folder.join("node_modules");
    let systems = fs::read_dir(modules.join("@deno"))
        .ok()
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("deno"))
        .find(|path| path.is_file());
    systems.or_else(|| {
        let linked = modules.join(".bin/deno");
        linked.is_file().then_some(linked)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_other_versions_have_modules_of_their_own() {
        let cache = tempfile::tempdir().unwrap();
        let new = || {
            Deno::new(config::Deno {
                binary: None,
                search_path: None,
                cache_dir: cache.path().to_owned(),
                run_dir: None,
                bundles: true,
                fetch_env: Vec::new(),
                trust_env: Vec::new(),
            })
            .unwrap()
        };
        let other = cache.path().join("runtime/0123456789abcdef/boot.ts");
        fs::create_dir_all(other.parent().unwrap()).unwrap();
        fs::write(&other, "another version").unwrap();
        let (one, same) = (new(), new());
        assert_eq!(one.modules_dir(), same.modules_dir());
        assert_ne!(one.boot_module(), other);
        assert_eq!(fs::read_to_string(other).unwrap(), "another version");
        for (name, text) in RUNTIME {
            let path = one.modules_dir().join(name);
            assert_eq!(fs::read_to_string(path).unwrap(), text);
        }
        assert_eq!(
            fs::read_dir(one.modules_dir()).unwrap().count(),
            RUNTIME.len()
        );
    }
}
