//! Making, changing and removing jobs, as in pg_cron.

use serde_json::json;
use sqlx::Connection as _;

use crate::{database, execute, refusal, rows};

const JOBS: &str =
    "select jobid, jobname, schedule, command, username, active from cron.job order by jobid";

#[tokio::test]
async fn jobs_are_made_replaced_and_removed() {
    let db = database().await;
    let pool = db.pool();
    let made = rows(
        &pool,
        "select cron.schedule('0 10 * * *', 'VACUUM') as a,
        cron.schedule('my vacuum', ' 30 sEcOnDs ', 'VACUUM') as b",
    )
    .await;
    assert_eq!(made, [json!({ "a": 1, "b": 2 })]);
    execute(
        &pool,
        "select cron.schedule('my vacuum', '@hourly', 'VACUUM FULL')",
    )
    .await;
    let admin = |id: i64, name: Option<&str>, schedule: &str, command: &str, active: bool| {
        json!({
            "jobid": id, "jobname": name, "schedule": schedule, "command": command, "username": "supabase_admin", "active": active
        })
    };
    assert_eq!(
        rows(&pool, JOBS).await,
        [
            admin(1, None, "0 10 * * *", "VACUUM", true),
            admin(2, Some("my vacuum"), "@hourly", "VACUUM FULL", true),
        ]
    );
    execute(
        &pool,
        "select cron.alter_job(2, active := false, command := 'select 1')",
    )
    .await;
    assert_eq!(
        rows(&pool, JOBS).await[1],
        admin(2, Some("my vacuum"), "@hourly", "select 1", false)
    );
    let gone = rows(
        &pool,
        "select cron.unschedule(1) as a, cron.unschedule('my vacuum') as b",
    )
    .await;
    assert_eq!(gone, [json!({ "a": true, "b": true })]);
    assert!(rows(&pool, JOBS).await.is_empty());
    let columns = rows(&pool, "select table_name, string_agg(column_name, ' ' order by ordinal_position) as columns
        from information_schema.columns where table_schema = 'cron' and table_name in ('job', 'job_run_details')
        group by table_name order by table_name").await;
    assert_eq!(
        columns,
        [
            json!({ "table_name": "job", "columns": "jobid schedule command nodename nodeport database username active jobname" }),
            json!({ "table_name": "job_run_details", "columns":
            "jobid runid job_pid database username command status return_message start_time end_time" }),
        ]
    );
}

#[tokio::test]
async fn what_is_wrong_is_said_as_in_the_original() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('mine', '* * * * *', 'select 1')",
    )
    .await;
    for (call, words) in [
        (
            "schedule('* * * *', 'SELECT 1')",
            "invalid schedule: * * * *",
        ),
        (
            "schedule('60 seconds', 'SELECT 1')",
            "invalid schedule: 60 seconds",
        ),
        (
            "schedule(null, '* * * * *', '')",
            "job_name can not be NULL",
        ),
        ("schedule('a', null, '')", "schedule can not be NULL"),
        (
            "schedule('a', '* * * * *', null)",
            "command can not be NULL",
        ),
        ("unschedule(99)", "could not find valid entry for job 99"),
        (
            "unschedule('nobody''s')",
            "could not find valid entry for job 'nobody's'",
        ),
        ("alter_job(null)", "job_id can not be NULL"),
        ("alter_job(1)", "no updates specified"),
        (
            "alter_job(99, active := true)",
            "Job 99 does not exist or you don't own it",
        ),
        ("alter_job(1, schedule := 'x')", "invalid schedule: x"),
        (
            "alter_job(1, database := 'nowhere')",
            "database \"nowhere\" does not exist",
        ),
        (
            "alter_job(1, username := 'nobody')",
            "role \"nobody\" does not exist",
        ),
        (
            "alter_job(1, username := 'anon')",
            "role \"anon\" can not log in",
        ),
        (
            "schedule_in_database('a', '* * * * *', 'x', 'nowhere')",
            "database \"nowhere\" does not exist",
        ),
        (
            "schedule_in_database('a', '* * * * *', 'x', current_database(), 'nobody')",
            "role \"nobody\" does not exist",
        ),
    ] {
        assert_eq!(
            refusal(&pool, &format!("select cron.{call}")).await,
            words,
            "{call}"
        );
    }
    assert!(rows(&pool, "select cron.schedule(null, 'x') is null as none, cron.unschedule(null::bigint) is null as no").await[0]
        == json!({ "none": true, "no": true }));
}

#[tokio::test]
async fn everybody_has_their_own_jobs() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('admin''s', '* * * * *', 'select 1');
        grant usage on schema cron to service_role, authenticated;
        grant execute on function cron.alter_job to public",
    )
    .await;
    execute(
        &pool,
        "set role postgres; select cron.schedule('same', '* * * * *', 'select 2'); reset role;
        set role service_role; select cron.schedule('same', '* * * * *', 'select 3'); reset role;
        set role authenticated; select cron.schedule('same', '* * * * *', 'select 4'); reset role",
    )
    .await;
    let mut connection = pool.acquire().await.unwrap();
    for (role, id) in [("service_role", 3), ("authenticated", 4)] {
        let mut tx = connection.begin().await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(format!("set local role {role}")))
            .execute(&mut *tx)
            .await
            .unwrap();
        let own: Vec<i64> = sqlx::query_scalar("select jobid from cron._own_job")
            .fetch_all(&mut *tx)
            .await
            .unwrap();
        assert_eq!(own, [id], "{role}");
        let altered = sqlx::query("select cron.alter_job($1, schedule := '1 1 1 1 1')")
            .bind(id)
            .execute(&mut *tx)
            .await;
        altered.unwrap();
        tx.rollback().await.unwrap();
    }
    let seen = "select cron.schedule('x', '* * * * *', ''); select jobid from cron.job";
    execute(
        &pool,
        &format!("set role authenticated; {seen}; reset role"),
    )
    .await;
    let seen: Vec<i64> = {
        let mut tx = connection.begin().await.unwrap();
        sqlx::query("set local role authenticated")
            .execute(&mut *tx)
            .await
            .unwrap();
        sqlx::query_scalar("select jobid from cron.job order by jobid")
            .fetch_all(&mut *tx)
            .await
            .unwrap()
    };
    assert_eq!(seen, [4, 5]);
    for (statement, words) in [
        (
            "select cron.unschedule(1)",
            "permission denied for table job",
        ),
        (
            "select cron.unschedule('admin''s')",
            "could not find valid entry for job 'admin's'",
        ),
        (
            "select cron.alter_job(1, active := false)",
            "Job 1 does not exist or you don't own it",
        ),
        (
            "select cron.alter_job(4, username := 'postgres')",
            "must be superuser to alter username",
        ),
        (
            "select cron.schedule_in_database('a', '* * * * *', '', current_database())",
            "permission denied for function schedule_in_database",
        ),
        (
            "insert into cron.job (schedule, command) values ('* * * * *', '')",
            "permission denied for table job",
        ),
        (
            "update cron.job set command = ''",
            "permission denied for table job",
        ),
        (
            "insert into cron._own_job (schedule, command, username) values ('* * * * *', '', 'supabase_admin')",
            "new row violates check option for view \"_own_job\"",
        ),
        (
            "update cron._own_job set username = 'supabase_admin'",
            "permission denied for view _own_job",
        ),
        (
            "select * from cron._job_claim",
            "permission denied for table _job_claim",
        ),
    ] {
        assert_eq!(
            refusal(&pool, &format!("set role authenticated; {statement}")).await,
            words,
            "{statement}"
        );
        execute(&pool, "rollback; reset role").await;
    }
}

/// `postgres` is not bound by row-level security, and still cannot make a job for somebody else.
#[tokio::test]
async fn whoever_sees_all_jobs_writes_their_own_only() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "select cron.schedule('admin''s', '* * * * *', 'select 1')",
    )
    .await;
    for (statement, words) in [
        (
            "insert into cron.job (schedule, command, username) values ('* * * * *', '', 'supabase_admin')",
            "permission denied for table job",
        ),
        (
            "update cron.job set command = 'alter role postgres superuser'",
            "permission denied for table job",
        ),
        (
            "select cron.schedule_in_database('a', '* * * * *', '', current_database(), 'supabase_admin')",
            "must be superuser to create a job for another role",
        ),
        (
            "select cron.alter_job(1, command := 'x')",
            "Job 1 does not exist or you don't own it",
        ),
        (
            "select cron.unschedule(1)",
            "permission denied for table job",
        ),
        (
            "insert into cron._own_job (schedule, command, username) values ('* * * * *', '', 'supabase_admin')",
            "new row violates check option for view \"_own_job\"",
        ),
        (
            "create trigger t before insert on cron.job_run_details execute function suppress_redundant_updates_trigger()",
            "permission denied for table job_run_details",
        ),
        (
            "create trigger t before insert on cron.job execute function suppress_redundant_updates_trigger()",
            "permission denied for table job",
        ),
        (
            "create or replace function cron._is_schedule(schedule text) returns boolean language sql as 'select true'",
            "permission denied for schema cron",
        ),
    ] {
        assert_eq!(
            refusal(&pool, &format!("set role postgres; {statement}")).await,
            words,
            "{statement}"
        );
        execute(&pool, "rollback; reset role").await;
    }
}
