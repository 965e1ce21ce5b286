//! What a function needs before it can start: its packages, and one configuration that says what imports mean.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value, json};
use url::Url;

use crate::{
    catalog::{Definition, ModuleConfig},
    deno::{Deno, module_arguments},
};

mod sources;

/// A function that can be started without asking the network for anything.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The `deno.json` that was made for it.
    pub(crate) config: PathBuf,
    /// False if something could not be fetched. The function may work all the same.
    pub(crate) is_complete: bool,
}

/// Why a function cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    #[error("{path}: {reason}")]
    Config { path: PathBuf, reason: String },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl PrepareError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

/// Writes the configuration and fetches packages, unless that was done for this very state of the files.
pub(crate) async fn prepare(
    deno: &Deno,
    binary: &Path,
    definition: &Definition,
    limit: Duration,
) -> Result<Prepared, PrepareError> {
    let folder = deno.prepared_dir().join(format!(
        "{}-{:016x}",
        definition.name,
        definition.fingerprint ^ deno.runtime_fingerprint()
    ));
    let config = folder.join("deno.json");
    let done = folder.join("fetched");
    if done.is_file() {
        return Ok(Prepared {
            config,
            is_complete: true,
        });
    }
    let text = {
        let definition = definition.clone();
        let shims = Shims {
            serve: deno.serve_module(),
            types: deno.types_module(),
            fs: deno.fs_module(),
            fs_promises: deno.fs_promises_module(),
        };
        tokio::task::spawn_blocking(move || configuration(&definition, &shims))
            .await
            .map_err(|_| PrepareError::Config {
                path: folder.clone(),
                reason: "cannot be made".to_owned(),
            })??
    };
    fs::create_dir_all(&folder).map_err(PrepareError::io(&folder))?;
    fs::write(&config, text).map_err(PrepareError::io(&config))?;
    let is_complete = fetch(deno, binary, definition, &config, limit).await;
    if is_complete {
        // Not being able to note it costs time at the next start, and nothing else.
        let _ = fs::write(&done, "");
        forget_former(deno, definition, &folder);
    }
    Ok(Prepared {
        config,
        is_complete,
    })
}

/// Fetches everything that the modules name. A failure is the function's to show when it starts, so this only says that
/// there was one.
async fn fetch(
    deno: &Deno,
    binary: &Path,
    definition: &Definition,
    config: &Path,
    limit: Duration,
) -> bool {
    let mut command = deno.command(binary);
    command
        .arg("cache")
        .args(module_arguments(config))
        .arg(deno.boot_module())
        .arg(&definition.entrypoint)
        .current_dir(&definition.folder)
        .envs(deno.fetch_env().iter().map(|(name, value)| (name, value)))
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true);
    let name = &definition.name;
    match tokio::time::timeout(limit, command.output()).await {
        Ok(Ok(output)) if output.status.success() => true,
        Ok(Ok(output)) => {
            let text = String::from_utf8_lossy(&output.stderr);
            tracing::warn!(
                function = name,
                reason = text.trim(),
                "modules cannot be fetched"
            );
            false
        }
        Ok(Err(error)) => {
            tracing::warn!(function = name, %error, "modules cannot be fetched");
            false
        }
        Err(_) => {
            tracing::warn!(function = name, "fetching modules takes too long");
            false
        }
    }
}

/// Puts all modules of a function into one, which Deno loads in half of the time.
///
/// There is none for functions that import nothing from outside, or to which it matters where their modules are, and none
/// if it cannot be made: the function then starts as it is.
pub(crate) async fn bundle(
    deno: &Deno,
    binary: &Path,
    definition: &Definition,
    prepared: &Prepared,
    limit: Duration,
) -> Option<PathBuf> {
    let folder = prepared.config.parent()?;
    let (module, none) = (folder.join("bundle/index.js"), folder.join("unbundled"));
    if module.is_file() {
        return Some(module);
    }
    if none.is_file() {
        return None;
    }
    let found = {
        let definition = definition.clone();
        tokio::task::spawn_blocking(move || sources::imports(&definition))
            .await
            .ok()?
    };
    let imports = found.packages || definition.modules != ModuleConfig::None;
    if imports
        && !found.placed
        && make_bundle(deno, binary, definition, prepared, limit).await == Some(())
    {
        return Some(module);
    }
    // Not being able to note it costs time at the next start, and nothing else.
    let _ = fs::write(&none, "");
    None
}

async fn make_bundle(
    deno: &Deno,
    binary: &Path,
    definition: &Definition,
    prepared: &Prepared,
    limit: Duration,
) -> Option<()> {
    let folder = prepared.config.parent()?;
    let fresh = tempfile::Builder::new()
        .prefix("bundle-")
        .tempdir_in(folder)
        .ok()?;
    let module = fresh.path().join("index.js");
    let mut command = deno.command(binary);
    command
        .arg("bundle")
        .args(module_arguments(&prepared.config))
        // So that errors name the lines that somebody wrote.
        .arg("--sourcemap=linked")
        .arg("--output")
        .arg(&module)
        .arg(&definition.entrypoint)
        .current_dir(&definition.folder)
        .envs(deno.fetch_env().iter().map(|(name, value)| (name, value)))
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(limit, command.output())
        .await
        .ok()?
        .ok()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        tracing::debug!(
            function = definition.name,
            reason = text.trim(),
            "modules cannot be put into one"
        );
        return None;
    }
    // Packages may ask, too.
    let text = fs::read_to_string(&module).ok()?;
    if sources::is_placed(&text) {
        return None;
    }
    fs::rename(fresh.keep(), folder.join("bundle")).ok()
}

/// Removes what was made for earlier states of the files. Processes have read it long ago.
fn forget_former(deno: &Deno, definition: &Definition, current: &Path) {
    let prefix = format!("{}-", definition.name);
    let Ok(entries) = fs::read_dir(deno.prepared_dir()) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let of_function = name
            .to_str()
            .and_then(|name| name.strip_prefix(&prefix))
            .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_hexdigit()));
        let old = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .is_ok_and(|at| {
                at.elapsed()
                    .is_ok_and(|age| age > Duration::from_secs(3600))
            });
        if of_function && old && entry.path() != current {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

struct Shims {
    serve: PathBuf,
    types: PathBuf,
    fs: PathBuf,
    fs_promises: PathBuf,
}

/// One `deno.json` in place of the function's own, its import map or its `package.json`.
///
/// Deno takes the place of a configuration for a permission to make it a project: to find packages beside it, to write
/// lock files. Ours lies elsewhere, and addresses in it are absolute.
fn configuration(definition: &Definition, shims: &Shims) -> Result<String, PrepareError> {
    let mut config = match &definition.modules {
        ModuleConfig::None => Map::new(),
        ModuleConfig::Deno(path) => from_deno(path)?,
        ModuleConfig::Package(path) => from_package(path)?,
    };
    let imports = object(&mut config, "imports");
    let found = sources::imports(definition);
    let mut stand_in = |specifiers: BTreeSet<String>, module: &Path| {
        let url = file_url(module);
        for specifier in specifiers {
            imports.entry(specifier).or_insert_with(|| json!(url));
        }
    };
    stand_in(found.serve, &shims.serve);
    stand_in(found.types, &shims.types);
    for name in found.bare {
        let within = format!("{name}/");
        let is_said = |key: &String| {
            *key == name || *key == within || (key.ends_with('/') && name.starts_with(key.as_str()))
        };
        if !imports.keys().any(is_said) {
            imports.insert(name.clone(), json!(platform_package(&name)));
        }
    }
    let files = [
        ("fs", file_url(&shims.fs)),
        ("fs/promises", file_url(&shims.fs_promises)),
    ];
    for (name, stand_in) in &files {
        for specifier in [format!("node:{name}"), (*name).to_owned()] {
            imports.entry(specifier).or_insert_with(|| json!(stand_in));
        }
    }
    // They themselves mean what they say.
    let scopes = object(&mut config, "scopes");
    for (_, stand_in) in &files {
        let real = files
            .iter()
            .map(|(name, _)| (format!("node:{name}"), json!(format!("node:{name}"))));
        scopes.insert(stand_in.clone(), Value::Object(real.collect()));
    }
    Ok(Value::Object(config).to_string())
}

/// Where a package of the platform comes from if nobody says it.
///
/// edge-runtime fails with these. Other packages fail here, too: a name that nobody chose could be anybody's, while this
/// scope is the platform's own.
fn platform_package(name: &str) -> String {
    const CLIENTS: [&str; 6] = [
        "supabase",
        "auth",
        "functions",
        "postgrest",
        "realtime",
        "storage",
    ];
    let is_client = name
        .strip_prefix("@supabase/")
        .and_then(|rest| rest.strip_suffix("-js"))
        .is_some_and(|client| CLIENTS.contains(&client));
    let version = if is_client { "@2" } else { "" };
    format!("npm:{name}{version}")
}

/// What a `deno.json` or an import map says that concerns running.
fn from_deno(path: &Path) -> Result<Map<String, Value>, PrepareError> {
    const KEPT: [&str; 3] = ["compilerOptions", "unstable", "minimumDependencyAge"];
    let file = read_json(path)?;
    let mut config = Map::new();
    for key in KEPT {
        if let Some(value) = file.get(key) {
            config.insert(key.to_owned(), value.clone());
        }
    }
    // A separate map replaces the imports beside it.
    let (map, place) = match file.get("importMap").and_then(Value::as_str) {
        Some(other) => {
            let place = path.parent().unwrap_or(path).join(other);
            (read_json(&place)?, place)
        }
        None => (file, path.to_owned()),
    };
    let base = Url::from_file_path(&place).map_err(|()| PrepareError::Config {
        path: place.clone(),
        reason: "is no absolute path".to_owned(),
    })?;
    if let Some(imports) = map.get("imports").and_then(Value::as_object) {
        config.insert("imports".to_owned(), absolute(imports, &base).into());
    }
    if let Some(scopes) = map.get("scopes").and_then(Value::as_object) {
        let scopes: Map<String, Value> = scopes
            .iter()
            .filter_map(|(scope, imports)| {
                Some((
                    absolute_address(scope, &base),
                    absolute(imports.as_object()?, &base).into(),
                ))
            })
            .collect();
        config.insert("scopes".to_owned(), scopes.into());
    }
    Ok(config)
}

fn absolute(imports: &Map<String, Value>, base: &Url) -> Map<String, Value> {
    imports
        .iter()
        .map(|(specifier, address)| {
            let address = match address.as_str() {
                Some(text) => json!(absolute_address(text, base)),
                None => address.clone(),
            };
            // A specifier may be a path, too.
            (absolute_address(specifier, base), address)
        })
        .collect()
}

fn absolute_address(address: &str, base: &Url) -> String {
    if ["./", "../", "/"]
        .iter()
        .any(|start| address.starts_with(start))
    {
        base.join(address)
            .map_or_else(|_| address.to_owned(), Into::into)
    } else {
        address.to_owned()
    }
}

/// The dependencies of a `package.json` as imports.
fn from_package(path: &Path) -> Result<Map<String, Value>, PrepareError> {
    let file = read_json(path)?;
    let mut imports = Map::new();
    for key in ["devDependencies", "optionalDependencies", "dependencies"] {
        let Some(dependencies) = file.get(key).and_then(Value::as_object) else {
            continue;
        };
        for (name, version) in dependencies {
            let Some(version) = version.as_str() else {
                continue;
            };
            let address = match version.split_once(':') {
                None => format!("npm:{name}@{version}"),
                // An alias: `npm:other@1`.
                Some(("npm" | "jsr", _)) => version.to_owned(),
                Some(_) => continue,
            };
            imports.insert(name.clone(), json!(address));
        }
    }
    let mut config = Map::new();
    config.insert("imports".to_owned(), imports.into());
    Ok(config)
}

fn object<'a>(config: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let value = config.entry(key).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(object) => object,
        _ => unreachable!("it was made one"),
    }
}

fn read_json(path: &Path) -> Result<Value, PrepareError> {
    let text = fs::read_to_string(path).map_err(PrepareError::io(path))?;
    jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).map_err(
        |error| PrepareError::Config {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    )
}

pub(crate) fn file_url(path: &Path) -> String {
    Url::from_file_path(path).map_or_else(|()| path.display().to_string(), Into::into)
}
