//! What a running platform writes down about itself, for `status` and `stop`.

use std::{
    fmt::Write as _,
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

use crate::{cli::Output, control::Address, keys::Keys};

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
    /// The same, under its older name.
    pub inbucket_url: String,
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
            inbucket_url: mailpit_url.clone(),
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

impl Endpoints {
    /// Everything by groups, for people.
    pub(crate) fn pretty(&self) -> String {
        let groups: [(&str, &[(&str, &str)]); 5] = [
            (
                "APIs",
                &[
                    ("Project URL", &self.api_url),
                    ("REST", &self.rest_url),
                    ("GraphQL", &self.graphql_url),
                    ("Edge Functions", &self.functions_url),
                ],
            ),
            ("Database", &[("URL", &self.db_url)]),
            ("Development Tools", &[("Mailpit", &self.mailpit_url)]),
            (
                "Authentication Keys",
                &[
                    ("Publishable", &self.publishable_key),
                    ("Secret", &self.secret_key),
                    ("anon", &self.anon_key),
                    ("service_role", &self.service_role_key),
                ],
            ),
            (
                "Storage (S3)",
                &[
                    ("URL", &self.storage_s3_url),
                    ("Access Key", &self.s3_protocol_access_key_id),
                    ("Secret Key", &self.s3_protocol_access_key_secret),
                    ("Region", &self.s3_protocol_region),
                ],
            ),
        ];
        let mut text = String::new();
        for (group, items) in groups {
            text.push_str(group);
            for (label, value) in items {
                let _ = write!(text, "\n  {label:<15} {value}");
            }
            text.push_str("\n\n");
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// The file, and who wrote it.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    pid: i32,
    endpoints: Endpoints,
    /// How the process is asked for more than to stop.
    pub(crate) control: Address,
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("standalone.json")
}

/// Writes the state for others to read; it holds keys, so only for the same account.
pub(crate) fn write(
    data_dir: &Path,
    endpoints: &Endpoints,
    control: &Address,
) -> anyhow::Result<()> {
    let state = State {
        pid: i32::try_from(std::process::id())?,
        endpoints: endpoints.clone(),
        control: control.clone(),
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

/// What a running process wrote.
///
/// # Errors
/// None runs, or its file cannot be read.
pub(crate) fn read(data_dir: &Path) -> anyhow::Result<State> {
    let path = file(data_dir);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("not running: {} cannot be read", path.display()))?;
    let state: State =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    // Another process may have the number by now.
    if kill(Pid::from_raw(state.pid), None).is_err() || !state.control.answers() {
        bail!(
            "not running: process {} of {} has ended",
            state.pid,
            path.display()
        );
    }
    Ok(state)
}

/// Prints the endpoints of the running platform; `renamed` has `api.url=NAME` entries, as the CLI takes them.
pub fn print(data_dir: &Path, output: Output, renamed: &[String]) -> anyhow::Result<()> {
    let endpoints = read(data_dir)?.endpoints;
    if matches!(output, Output::Pretty) {
        return show(&endpoints.pretty());
    }
    let mut values = serde_json::to_value(&endpoints)?;
    let Some(values) = values.as_object_mut() else {
        bail!("the state has no names");
    };
    for entry in renamed {
        let Some((key, name)) = entry.split_once('=') else {
            bail!("{entry:?} is not like api.url=NAME");
        };
        let known = variable(key).with_context(|| format!("{key} is no name of a value"))?;
        if let Some(value) = values.remove(known) {
            values.insert(name.to_owned(), value);
        }
    }
    values.sort_keys();
    if matches!(output, Output::Json) {
        return show(&serde_json::to_string_pretty(values)?);
    }
    let lines: Vec<_> = values
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    show(&lines.join("\n"))
}

/// Writes to standard output, whose reader may have seen enough before the end.
fn show(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The variable of a value, by the name that the CLI's `--override-name` has for it.
fn variable(key: &str) -> Option<&'static str> {
    Some(match key {
        "api.url" => "API_URL",
        "api.rest_url" => "REST_URL",
        "api.graphql_url" => "GRAPHQL_URL",
        "api.storage_s3_url" => "STORAGE_S3_URL",
        "api.functions_url" => "FUNCTIONS_URL",
        "db.url" => "DB_URL",
        "inbucket.url" => "INBUCKET_URL",
        "mailpit.url" => "MAILPIT_URL",
        "auth.publishable_key" => "PUBLISHABLE_KEY",
        "auth.secret_key" => "SECRET_KEY",
        "auth.jwt_secret" => "JWT_SECRET",
        "auth.anon_key" => "ANON_KEY",
        "auth.service_role_key" => "SERVICE_ROLE_KEY",
        "storage.s3_access_key_id" => "S3_PROTOCOL_ACCESS_KEY_ID",
        "storage.s3_secret_access_key" => "S3_PROTOCOL_ACCESS_KEY_SECRET",
        "storage.s3_region" => "S3_PROTOCOL_REGION",
        _ => return None,
    })
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
