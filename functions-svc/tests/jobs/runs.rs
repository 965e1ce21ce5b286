//! What runs, and what is noted of it.

use serde_json::json;
use tokio::time::Instant;

use crate::{Service, database, execute, rows, wait_for};

#[tokio::test]
async fn a_job_runs_again_and_again_as_its_role() {
    let db = database().await;
    let pool = db.pool();
    let service = Service::start(&db, &[]).await;
    execute(&pool, "set role postgres;
        select cron.schedule('often', '1 second', 'insert into public.done (what) values (current_setting(''application_name''))');
        reset role").await;
    wait_for(&pool, 2, "select from public.done where id <= 2").await;
    assert_eq!(
        rows(&pool, "select distinct who, what from public.done").await,
        [json!({ "who": "postgres", "what": "pg_cron" })]
    );
    execute(&pool, "delete from cron.job").await;
    let runs = rows(&pool, "select jobid, status, return_message, database = current_database() as here, username,
        job_pid > 0 as has_pid, start_time <= end_time as in_order, command like 'insert%' as is_command
        from cron.job_run_details where end_time is not null order by runid limit 1").await;
    assert_eq!(
        runs,
        [json!({
            "jobid": 1, "status": "succeeded", "return_message": "INSERT 0 1", "here": true, "username": "postgres",
            "has_pid": true, "in_order": true, "is_command": true
        })]
    );
    let metrics = service.metrics().await;
    assert!(
        metrics.contains("\ncron_runs_failed_total 0\n")
            && !metrics.contains("\ncron_runs_succeeded_total 0\n")
            && metrics.contains("connection_max{db_client_connection_pool_name=\"jobs\"} 6\n"),
        "{metrics}"
    );
    service.stop().await;
}

/// `@restart` jobs run once, so what they come to is there to be looked at.
async fn outcomes(commands: &[&str]) -> Vec<(String, String)> {
    let db = database().await;
    let pool = db.pool();
    for command in commands {
        sqlx::query("select cron.schedule('@restart', $1)")
            .bind(command)
            .execute(&pool)
            .await
            .unwrap();
    }
    let service = Service::start(&db, &[]).await;
    let ended = wait_for(
        &pool,
        commands.len(),
        "select status, return_message from cron.job_run_details
        where end_time is not null order by jobid",
    )
    .await;
    service.stop().await;
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    ended
        .iter()
        .map(|run| (text(&run["status"]), text(&run["return_message"])))
        .collect()
}

#[tokio::test]
async fn the_last_statement_is_what_is_noted() {
    let found = outcomes(&[
        "select 1",
        "select from generate_series(1, 3); ",
        "create table public.t (a int); insert into public.t values (1), (2)",
        "vacuum public.orders",
        "select 1/0",
        "select 1; select * from nowhere; select 2",
        "",
        "do $$ begin commit; end $$",
        "copy public.orders from stdin",
        "select repeat('x', 10000000)",
        "raise",
    ])
    .await;
    let succeeded = |words: &str| ("succeeded".to_owned(), words.to_owned());
    let failed = |words: &str| ("failed".to_owned(), words.to_owned());
    assert_eq!(
        found,
        [
            succeeded("1 row"),
            succeeded("3 rows"),
            succeeded("INSERT 0 2"),
            succeeded("VACUUM"),
            failed("ERROR:  division by zero\n"),
            failed("ERROR:  relation \"nowhere\" does not exist\n"),
            succeeded("0 rows"),
            succeeded("DO"),
            failed("COPY not supported"),
            succeeded("1 row"),
            failed("ERROR:  syntax error at or near \"raise\"\n"),
        ]
    );
}

#[tokio::test]
async fn roles_that_cannot_run_anything_are_noted() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "insert into cron.job (schedule, command, username, database) values
        ('@restart', 'select 1', 'anon', current_database()), ('@restart', 'select 1', 'nobody', current_database()),
        ('@restart', 'select 1', 'postgres', 'nowhere')").await;
    let service = Service::start(&db, &[]).await;
    let ended = wait_for(&pool, 3, "select status, return_message from cron.job_run_details where end_time is not null order by jobid").await;
    for (run, words) in ended.iter().zip([
        "connection failed: role \"anon\" is not permitted to log in",
        "connection failed: role \"nobody\" does not exist",
        "connection failed: permission denied for database \"nowhere\"",
    ]) {
        assert_eq!(*run, json!({ "status": "failed", "return_message": words }));
    }
    service.stop().await;
}

#[tokio::test]
async fn a_job_that_does_not_end_is_ended() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('@restart', 'select pg_sleep(3600)')",
    )
    .await;
    let service = Service::start(&db, &[("CRON_JOB_TIMEOUT", "200ms")]).await;
    let ended = wait_for(&pool, 1, "select status, return_message, job_pid from cron.job_run_details where end_time is not null").await;
    assert_eq!(
        (&ended[0]["status"], &ended[0]["return_message"]),
        (&json!("failed"), &json!("job timeout"))
    );
    wait_for(&pool, 0, "select from pg_stat_activity where query = 'select pg_sleep(3600)' and state = 'active' and datname = current_database()").await;
    service.stop().await;
}

#[tokio::test]
async fn a_job_that_is_removed_while_it_runs_is_ended() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('long', '@restart', 'select pg_sleep(3600)')",
    )
    .await;
    let service = Service::start(&db, &[]).await;
    wait_for(
        &pool,
        1,
        "select from cron.job_run_details where status = 'running'",
    )
    .await;
    execute(&pool, "select cron.unschedule('long')").await;
    let ended = wait_for(
        &pool,
        1,
        "select status, return_message from cron.job_run_details where end_time is not null",
    )
    .await;
    assert_eq!(
        ended[0],
        json!({ "status": "failed", "return_message": "job canceled" })
    );
    service.stop().await;
}

#[tokio::test]
async fn a_job_never_runs_beside_itself() {
    let db = database().await;
    let pool = db.pool();
    // Fails if another one is there, and takes longer than the interval.
    execute(&pool, "create table public.busy (one int primary key);
        select cron.schedule('1 second', 'insert into public.busy values (1); commit; select pg_sleep(1.4); delete from public.busy; insert into public.done (what) values (''ran'')')").await;
    let copies = [
        Service::start(&db, &[]).await,
        Service::start(&db, &[]).await,
    ];
    wait_for(&pool, 3, "select from public.done where id <= 3").await;
    assert!(
        rows(
            &pool,
            "select from cron.job_run_details where status = 'failed'"
        )
        .await
        .is_empty()
    );
    execute(&pool, "delete from cron.job").await;
    for copy in copies {
        copy.stop().await;
    }
}

#[tokio::test]
async fn two_copies_run_a_due_job_once() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('1 second', 'insert into public.done (what) values (''tick'')')",
    )
    .await;
    let started = Instant::now();
    let copies = [
        Service::start(&db, &[]).await,
        Service::start(&db, &[]).await,
        Service::start(&db, &[]).await,
    ];
    wait_for(
        &pool,
        3,
        "select from cron.job_run_details where status = 'succeeded' and runid <= 3",
    )
    .await;
    execute(&pool, "delete from cron.job").await;
    for copy in copies {
        copy.stop().await;
    }
    // Each copy by itself would have made as many.
    let runs = rows(&pool, "select from cron.job_run_details").await.len();
    let most = usize::try_from(started.elapsed().as_secs()).unwrap() + 1;
    assert!(runs <= most, "{runs} runs, {most} intervals");
}

#[tokio::test]
async fn what_was_missed_is_not_made_up_for() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('* * * * *', 'select 1'), cron.schedule('59 seconds', 'select 1');
        insert into cron._job_claim select jobid, now() - interval '1 day' from cron.job;
        select cron.schedule('@restart', 'insert into public.done (what) values (''started'')')",
    )
    .await;
    let before = rows(
        &pool,
        "select date_trunc('minute', clock_timestamp())::text as minute",
    )
    .await;
    let service = Service::start(&db, &[]).await;
    wait_for(&pool, 1, "select from public.done").await;
    let began = rows(&pool, "select from cron.job_run_details where jobid <> 3").await;
    let after = rows(
        &pool,
        "select date_trunc('minute', clock_timestamp())::text as minute",
    )
    .await;
    assert!(before != after || began.is_empty());
    service.stop().await;
}

#[tokio::test]
async fn runs_whose_service_has_gone_are_noted_as_failed() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "insert into cron.job_run_details (jobid, status, job_pid, start_time) values
        (1, 'running', 1, now()), (2, 'starting', null, null), (3, 'succeeded', 1, now())",
    )
    .await;
    let service = Service::start(&db, &[]).await;
    let failed = wait_for(
        &pool,
        2,
        "select return_message from cron.job_run_details where status = 'failed' order by runid",
    )
    .await;
    assert!(
        failed
            .iter()
            .all(|run| run["return_message"] == "server restarted")
    );
    service.stop().await;
}

#[tokio::test]
async fn the_settings_of_a_role_are_those_of_its_jobs() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "set role postgres; select cron.schedule('@restart', 'insert into public.done (what) values (current_setting(''search_path''))'); reset role").await;
    let service = Service::start(&db, &[]).await;
    let done = wait_for(&pool, 1, "select who, what from public.done").await;
    assert_eq!(
        done[0],
        json!({ "who": "postgres", "what": "\"$user\", public, extensions" })
    );
    service.stop().await;
}
