//! What a running platform writes down about itself, for `status` and `stop`.

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde::{Deserialize, Serialize};

use crate::{cli::Output, keys::Keys};

/// The region of a local stack.
pub const S3_REGION: &str = "local";

/// The addresses and keys of a running platform, under the names that the CLI's `status` prints.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct Endpoints {
    /// The gateway.
    pub api_url: String,
    /// The REST API behind it.
    pub rest_url: String,
    /// GraphQL behind it.
    pub graphql_url: String,
    /// Edge functions behind it.
    pub functions_url: String,
    /// Storage's S3 protocol behind it.
    pub storage_s3_url: String,
    /// Who S3 clients are.
    pub s3_protocol_access_key_id: String,
    /// What they sign with.
    pub s3_protocol_access_key_secret: String,
    /// The region that they sign for.
    pub s3_protocol_region: String,
    /// The database, for `psql` and migrations.
    pub db_url: String,
    /// The mailbox's page and API.
    pub mailpit_url: String,
    /// Where the mailbox takes mail.
    pub smtp_url: String,
    /// The token of `anon`.
    pub anon_key: String,
    /// The token of `service_role`.
    pub service_role_key: String,
    /// The opaque public key.
    pub publishable_key: String,
    /// The opaque secret key.
    pub secret_key: String,
    /// What signs tokens.
    pub jwt_secret: String,
    /// What signs the calls of the send-SMS hook, for an auth service that runs apart.
    pub sms_hook_secret: String,
}

impl Endpoints {
    /// Builds every URL from the bases.
    pub fn new(
        api_url: String,
        db_url: String,
        mailpit_url: String,
        smtp_url: String,
        keys: &Keys,
    ) -> anyhow::Result<Self> {
        let (id, secret) = keys.s3_credentials()?;
        Ok(Self {
            s3_protocol_access_key_id: id,
            s3_protocol_access_key_secret: secret,
            s3_protocol_region: S3_REGION.to_owned(),
            rest_url: format!("{api_url}/rest/v1"),
            graphql_url: format!("{api_url}/graphql/v1"),
            functions_url: format!("{api_url}/functions/v1"),
            storage_s3_url: format!("{api_url}/storage/v1/s3"),
            api_url,
            db_url,
            mailpit_url,
            smtp_url,
            anon_key: keys.anon_key.clone(),
            service_role_key: keys.service_role_key.clone(),
            publishable_key: keys.publishable_key.clone(),
            secret_key: keys.secret_key.clone(),
            jwt_secret: keys.jwt_secret.clone(),
            sms_hook_secret: keys.sms_hook_secret.clone(),
        })
    }
}

/// The file, and who wrote it.
#[derive(Serialize, Deserialize)]
struct State {
    pid: i32,
    endpoints: Endpoints,
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("standalone.json")
}

/// Writes the state for others to read; it holds keys, so only for the same account.
pub fn write(data_dir: &Path, endpoints: &Endpoints) -> anyhow::Result<()> {
    let state = State {
        pid: i32::try_from(std::process::id())?,
        endpoints: endpoints.clone(),
    };
    let path = file(data_dir);
    let unfinished = path.with_extension("unfinished");
    let mut handle = File::options()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(&unfinished)?;
    handle.write_all(serde_json::to_string_pretty(&state)?.as_bytes())?;
    fs::rename(unfinished, path)?;
    Ok(())
}

/// Removes the state at the end.
pub fn remove(data_dir: &Path) {
    // Only information: a file that stays is recognised as stale by its process id.
    let _ = fs::remove_file(file(data_dir));
}

fn read(data_dir: &Path) -> anyhow::Result<State> {
    let path = file(data_dir);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("not running: {} cannot be read", path.display()))?;
    let state: State =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    if kill(Pid::from_raw(state.pid), None).is_err() {
        bail!(
            "not running: process {} of {} has ended",
            state.pid,
            path.display()
        );
    }
    Ok(state)
}

/// Prints the endpoints of the running platform.
pub fn print(data_dir: &Path, output: Output) -> anyhow::Result<()> {
    let endpoints = serde_json::to_value(read(data_dir)?.endpoints)?;
    match output {
        Output::Json => println!("{}", serde_json::to_string_pretty(&endpoints)?),
        Output::Env => {
            for (name, value) in endpoints.as_object().into_iter().flatten() {
                println!("{name}={value}");
            }
        }
    }
    Ok(())
}

/// Asks the running platform to stop and waits for it.
pub fn stop(data_dir: &Path) -> anyhow::Result<()> {
    const WITHIN: Duration = Duration::from_secs(60);
    let pid = Pid::from_raw(read(data_dir)?.pid);
    kill(pid, Signal::SIGTERM).context("the process cannot be signalled")?;
    let started = Instant::now();
    while kill(pid, None).is_ok() {
        if started.elapsed() > WITHIN {
            bail!(
                "process {pid} has not stopped within {} s",
                WITHIN.as_secs()
            );
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
