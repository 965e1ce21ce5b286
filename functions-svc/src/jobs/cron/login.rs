//! Becoming the role of a job, so that the job cannot become anybody else.
//!
//! `SET ROLE` and `SET SESSION AUTHORIZATION` can be taken back by whatever runs in the session, so a session of the
//! service is never given to a job. Nor can the service log in as the role, whose password it does not know. Instead
//! each role has a stand-in, `nilam_cron_<database>_<role>`: it can log in, with a password that only the service knows and that is
//! good for a minute, and its one right is to be a member of the role. A job that takes `SET ROLE` back finds itself
//! to be the stand-in, which may do what the role may do, and nothing else.
//!
//! Superusers have none: whoever may create roles could change its password. Their jobs run if the service itself
//! logs in as that superuser.

use std::{collections::HashMap, fmt::Write as _, time::Duration};

use rand::Rng as _;
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, PgConnection};
use svc_kit::{
    pg::{quote_ident, quote_literal},
    wire::Target,
};
use url::Url;

use super::{session::Session, store::Job};
use crate::jobs::{CronConfig, Database};

/// Shown in `pg_stat_activity`, as the original's jobs are.
const APPLICATION: &str = "pg_cron";
const PREFIX: &str = "nilam_cron_";
/// As long as Postgres keeps a name.
const LONGEST_NAME: usize = 63;
/// The class of the advisory locks under which stand-ins get their passwords; the letters of `nils`.
const STAND_INS: i32 = 0x6e69_6c73;
/// The class of the advisory locks that running jobs hold; the letters of `nilj`.
const RUNNING: i32 = 0x6e69_6c6a;

/// The passwords of the stand-ins, by their roles; made anew with each start of the service.
#[derive(Debug, Default)]
pub(super) struct StandIns(tokio::sync::Mutex<HashMap<String, Password>>);

#[derive(Clone)]
struct Password {
    text: String,
    /// What Postgres keeps of it.
    verifier: String,
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password")
    }
}

impl Password {
    fn new() -> Self {
        let text = hex::encode(rand::rng().random::<[u8; 32]>());
        let verifier = postgres_protocol::password::scram_sha_256(text.as_bytes());
        Self { text, verifier }
    }
}

/// Why a job has no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoginError {
    #[error("role \"{0}\" does not exist")]
    NoRole(String),
    #[error("role \"{0}\" is not permitted to log in")]
    NoLogin(String),
    #[error("permission denied for database \"{0}\"")]
    NoDatabase(String),
    #[error("jobs of superusers are not allowed")]
    SuperuserJobs,
    #[error("jobs of the superuser \"{0}\" run only if the service logs in as that role")]
    OtherSuperuser(String),
    #[error("role \"{0}\" has rights that no stand-in may have")]
    StandIn(String),
    #[error("the role of the job could not be prepared")]
    Prepare(#[from] sqlx::Error),
    #[error("{0}")]
    Connect(String),
    #[error("job startup timeout")]
    TimedOut,
    #[error("the session of the job could not be prepared: {0}")]
    Session(String),
}

struct Facts {
    is_superuser: bool,
    can_log_in: bool,
    can_connect: bool,
    is_ours: bool,
    /// `name=value`, as the role would find them after a login.
    settings: Vec<String>,
}

/// Opens a session as the job's role in the job's database, and gives its process's number.
pub(super) async fn open(
    database: &Database,
    config: &CronConfig,
    stand_ins: &StandIns,
    job: &Job,
) -> Result<(Session, i32), LoginError> {
    let mut control = database.pool.acquire().await?;
    let facts = facts(&mut control, job).await?;
    if facts.is_ours {
        drop(control);
        if facts.is_superuser && !config.superuser_jobs {
            return Err(LoginError::SuperuserJobs);
        }
        let opening = connect(database.url.clone(), job, "", &facts.settings);
        return within(config.startup_timeout, opening).await;
    }
    drop(control);
    // One at a time, so that jobs which begin together do not take all connections of the pool.
    let mut passwords = stand_ins.0.lock().await;
    let password = passwords.entry(job.username.clone());
    let password = password.or_insert_with(Password::new);
    let mut control = database.pool.acquire().await?;
    let opening = async {
        let name = stand_in(&mut control, &job.username, password).await?;
        let mut url = database.url.clone();
        // These fail for URLs without a host only.
        let _ = url.set_username(&name);
        let _ = url.set_password(Some(&password.text));
        let mut become_role = String::new();
        let _ = write!(become_role, "set role {};", quote_ident(&job.username));
        connect(url, job, &become_role, &facts.settings).await
    };
    let opened = within(config.startup_timeout, opening).await;
    let unlocked = sqlx::query("select pg_advisory_unlock_all()");
    if unlocked.execute(&mut *control).await.is_err() {
        control.close_on_drop();
    }
    opened
}

async fn within<T>(
    limit: Duration,
    opening: impl Future<Output = Result<T, LoginError>>,
) -> Result<T, LoginError> {
    let opened = tokio::time::timeout(limit, opening).await;
    opened.unwrap_or(Err(LoginError::TimedOut))
}

async fn connect(
    mut url: Url,
    job: &Job,
    become_role: &str,
    settings: &[String],
) -> Result<(Session, i32), LoginError> {
    url.set_path(&job.database);
    let refused = |error: String| LoginError::Connect(error);
    let target = Target::new(url.as_str(), APPLICATION, |_| None);
    let target = target.map_err(|error| refused(error.to_string()))?;
    let stream = target.stream().await;
    let mut session = Session::new(stream.map_err(|error| refused(error.to_string()))?);
    let pid = prepare(&mut session, become_role, settings).await?;
    Ok((session, pid))
}

async fn facts(control: &mut PgConnection, job: &Job) -> Result<Facts, LoginError> {
    let facts: Option<(bool, bool, bool, bool, Vec<String>)> = sqlx::query_as(
        "select r.rolsuper as is_superuser, r.rolcanlogin as can_log_in, r.rolname = session_user as is_ours,
             coalesce(has_database_privilege(r.oid, d.oid, 'connect') and d.datallowconn, false) as can_connect,
             array(
                 select unnest(s.setconfig) from pg_db_role_setting s
                 where s.setrole = r.oid and s.setdatabase in (0, d.oid)
                 order by s.setdatabase
             ) as settings
         from pg_roles r left join pg_database d on d.datname = $2
         where r.rolname = $1",
    )
    .bind(&job.username)
    .bind(&job.database)
    .fetch_optional(control)
    .await?;
    let role = || job.username.clone();
    let (is_superuser, can_log_in, is_ours, can_connect, settings) =
        facts.ok_or_else(|| LoginError::NoRole(role()))?;
    let facts = Facts {
        is_superuser,
        can_log_in,
        can_connect,
        is_ours,
        settings,
    };
    if !facts.can_log_in {
        return Err(LoginError::NoLogin(role()));
    }
    if !facts.can_connect {
        return Err(LoginError::NoDatabase(job.database.clone()));
    }
    if facts.is_superuser && !facts.is_ours {
        return Err(LoginError::OtherSuperuser(role()));
    }
    Ok(facts)
}

/// Makes the stand-in if there is none, and gives it its password. A lock keeps other copies from changing that
/// before it was used; the caller has to give it back.
async fn stand_in(
    control: &mut PgConnection,
    role: &str,
    password: &Password,
) -> Result<String, LoginError> {
    // Advisory locks belong to a database and roles to all of them, so each database has stand-ins of its own.
    let database: i64 = sqlx::query_scalar(
        "select oid::bigint from pg_database, pg_advisory_lock($1, hashtext($2))
         where datname = current_database()",
    )
    .bind(STAND_INS)
    .bind(role)
    .fetch_one(&mut *control)
    .await?;
    let name = stand_in_name(database, role);
    let known: Option<bool> = sqlx::query_scalar(
        "select rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
         from pg_roles where rolname = $1",
    )
    .bind(&name)
    .fetch_optional(&mut *control)
    .await?;
    let quoted = quote_ident(&name);
    match known {
        // Somebody has made more of it than it is.
        Some(true) => return Err(LoginError::StandIn(name)),
        Some(false) => {}
        None => execute(control, format!("create role {quoted} inherit")).await?,
    }
    let groups: Vec<String> = sqlx::query_scalar(
        "select distinct g.rolname::text from pg_auth_members m
         join pg_roles g on g.oid = m.roleid join pg_roles s on s.oid = m.member
         where s.rolname = $1",
    )
    .bind(&name)
    .fetch_all(&mut *control)
    .await?;
    // A role of another name may have been this one's before.
    for group in groups.iter().filter(|group| *group != role) {
        execute(
            control,
            format!("revoke {} from {quoted}", quote_ident(group)),
        )
        .await?;
    }
    if !groups.iter().any(|group| group == role) {
        execute(control, format!("grant {} to {quoted}", quote_ident(role))).await?;
    }
    // What is logged of the statement is no password.
    let until = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now())
        + chrono::TimeDelta::minutes(1);
    let sql = format!(
        "alter role {quoted} login password {} valid until {}",
        quote_literal(&password.verifier),
        quote_literal(&until.to_rfc3339())
    );
    execute(control, sql).await?;
    Ok(name)
}

async fn execute(control: &mut PgConnection, sql: String) -> sqlx::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(control).await?;
    Ok(())
}

fn stand_in_name(database: i64, role: &str) -> String {
    let name = format!("{PREFIX}{database}_{role}");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let digest = hex::encode(Sha256::digest(role.as_bytes()));
    format!("{PREFIX}{database}_{}", &digest[..32])
}

/// What the role would find after a login of its own.
async fn prepare(
    session: &mut Session,
    become_role: &str,
    settings: &[String],
) -> Result<i32, LoginError> {
    let failed = |words: String| LoginError::Session(words);
    let refused = |error: std::io::Error| failed(error.to_string());
    // A job whose service is gone ends; not every system can tell.
    let _ = session
        .run("set client_connection_check_interval = '10s'")
        .await
        .map_err(refused)?;
    let ended = session
        .run(&format!("{become_role} select pg_catalog.pg_backend_pid()"))
        .await
        .map_err(refused)?;
    if !ended.succeeded {
        return Err(failed(ended.words));
    }
    let pid = ended.value.and_then(|text| text.parse().ok());
    let pid = pid.ok_or_else(|| failed("no process".to_owned()))?;
    for setting in settings {
        let Some((name, value)) = setting.split_once('=') else {
            continue;
        };
        let sql = format!(
            "select pg_catalog.set_config({}, {}, false)",
            quote_literal(name),
            quote_literal(value)
        );
        // What only a superuser may set for the role stays as it is.
        let _ = session.run(&sql).await.map_err(refused)?;
    }
    Ok(pid)
}

/// Keeps every other session from running the job, for as long as this one lives; false if one runs it now.
pub(super) async fn lock(session: &mut Session, job: &Job) -> Result<bool, LoginError> {
    // The identifiers of a sequence fit for as long as anybody schedules jobs.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "two jobs would have to be 2^32 apart"
    )]
    let key = job.id as i32;
    let sql = format!("select pg_catalog.pg_try_advisory_lock({RUNNING}, {key})");
    let ended = session.run(&sql).await;
    let ended = ended.map_err(|error| LoginError::Session(error.to_string()))?;
    Ok(ended.value.as_deref() == Some("t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_has_a_name_that_postgres_keeps() {
        assert_eq!(stand_in_name(5, "postgres"), "nilam_cron_5_postgres");
        let (a, b) = ("x".repeat(60), format!("{}y", "x".repeat(59)));
        assert!(stand_in_name(i64::from(u32::MAX), &a).len() <= LONGEST_NAME);
        assert_ne!(
            stand_in_name(i64::from(u32::MAX), &a),
            stand_in_name(i64::from(u32::MAX), &b)
        );
    }
}
