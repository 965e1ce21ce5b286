use std::time::Duration;

use chrono_tz::Tz;
use secrecy::SecretString;
use svc_kit::env::Reader;

/// Webhooks and scheduled jobs.
#[derive(Clone, Debug)]
pub struct JobsConfig {
    /// `DATABASE_URL`, else `SUPABASE_DB_URL`: a superuser, for which jobs of all roles run. Without either, nothing
    /// is sent and no job runs.
    pub database_url: Option<SecretString>,
    /// What `net.http_post` and its like ask for.
    pub net: NetConfig,
    /// What `cron.schedule` asks for.
    pub cron: CronConfig,
}

/// How requests of the queue are sent.
#[derive(Clone, Debug)]
pub struct NetConfig {
    /// `PG_NET_ENABLED`, default true.
    pub enabled: bool,
    /// `PG_NET_CONCURRENCY`, default 256: requests in flight.
    pub concurrency: usize,
    /// `PG_NET_BATCH_SIZE`, default 200: requests taken from the queue at a time.
    pub batch_size: usize,
    /// `PG_NET_TTL`, default 6 hours: how long answers are kept.
    pub ttl: Duration,
    /// `PG_NET_RETRIES`, default 3: how often a connection is tried again that could not be made.
    pub retries: u32,
    /// `PG_NET_RETRY_DELAY`, default 500 ms: how long the first of them waits; each further one waits twice as long.
    pub retry_delay: Duration,
    /// `PG_NET_MAX_TIMEOUT`, default 10 minutes: the longest timeout, whatever a request asks for.
    pub max_timeout: Duration,
    /// `PG_NET_MAX_RESPONSE_BYTES`, default 4 MiB: the longest body of an answer.
    pub max_response_bytes: usize,
}

/// How scheduled jobs run.
#[derive(Clone, Debug)]
pub struct CronConfig {
    /// `CRON_LAUNCH_ACTIVE_JOBS`, default true.
    pub enabled: bool,
    /// `CRON_TIMEZONE`, default GMT: where the schedules' hours are.
    pub timezone: Tz,
    /// `CRON_MAX_RUNNING_JOBS`, default 32: jobs at a time, each with a connection of its own.
    pub max_running_jobs: usize,
    /// `CRON_STARTUP_TIMEOUT`, default 10 seconds: how long a job may take to get its session.
    pub startup_timeout: Duration,
    /// `CRON_JOB_TIMEOUT`, default 24 hours: when a job that still runs is ended.
    pub job_timeout: Duration,
    /// `CRON_LOG_RUN`, default true: whether runs are noted in `cron.job_run_details`.
    pub log_run: bool,
    /// `CRON_ENABLE_SUPERUSER_JOBS`, default true.
    pub superuser_jobs: bool,
}

impl JobsConfig {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader
                .text(&["DATABASE_URL", "SUPABASE_DB_URL"])
                .map(SecretString::from),
            net: NetConfig {
                enabled: reader.flag(&["PG_NET_ENABLED"], true),
                concurrency: at_least_one(reader, "PG_NET_CONCURRENCY", 256),
                batch_size: at_least_one(reader, "PG_NET_BATCH_SIZE", 200),
                ttl: reader.duration(&["PG_NET_TTL"], Duration::from_secs(6 * 3600)),
                retries: reader.parse_or(&["PG_NET_RETRIES"], 3),
                retry_delay: reader.duration(&["PG_NET_RETRY_DELAY"], Duration::from_millis(500)),
                max_timeout: reader.duration(&["PG_NET_MAX_TIMEOUT"], Duration::from_secs(600)),
                max_response_bytes: reader
                    .parse_or(&["PG_NET_MAX_RESPONSE_BYTES"], 4 * 1024 * 1024),
            },
            cron: CronConfig {
                enabled: reader.flag(&["CRON_LAUNCH_ACTIVE_JOBS"], true),
                timezone: reader
                    .parse_with(&["CRON_TIMEZONE"], |text| {
                        text.parse()
                            .map_err(|_| "is no time zone of the IANA".to_owned())
                    })
                    .unwrap_or(Tz::UTC),
                max_running_jobs: at_least_one(reader, "CRON_MAX_RUNNING_JOBS", 32),
                startup_timeout: reader
                    .duration(&["CRON_STARTUP_TIMEOUT"], Duration::from_secs(10)),
                job_timeout: reader.duration(&["CRON_JOB_TIMEOUT"], Duration::from_secs(86_400)),
                log_run: reader.flag(&["CRON_LOG_RUN"], true),
                superuser_jobs: reader.flag(&["CRON_ENABLE_SUPERUSER_JOBS"], true),
            },
        }
    }
}

fn at_least_one(reader: &mut Reader<'_>, name: &str, default: usize) -> usize {
    let value = reader.parse_or(&[name], default);
    if value == 0 {
        reader.problem(format!("{name}: expected at least 1"));
    }
    value.max(1)
}
