//! What a job tries in order to become somebody else.

use serde_json::json;

use crate::{Service, database, execute, rows, wait_for};

#[tokio::test]
async fn no_way_leads_back_to_the_service() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "create table public.secret (a int); insert into public.secret values (1)",
    )
    .await;
    let attempts = [
        "reset role; select * from public.secret",
        "reset session authorization; select * from public.secret",
        "set session authorization default; select * from public.secret",
        "set session authorization supabase_admin",
        "set role none; select * from public.secret",
        "set role supabase_admin",
        "reset role; set role supabase_admin",
        "reset role; alter role supabase_admin password 'x'",
        "reset role; alter role current_user superuser",
    ];
    for attempt in attempts {
        sqlx::query(
            "insert into cron.job (schedule, command, username) values ('@restart', $1, 'authenticator')",
        )
        .bind(attempt)
        .execute(&pool)
        .await
        .unwrap();
    }
    let service = Service::start(&db, &[]).await;
    let ended = wait_for(&pool, attempts.len(), "select status, return_message, command from cron.job_run_details where end_time is not null order by jobid").await;
    for run in ended {
        assert_eq!(run["status"], "failed", "{run}");
        let words = run["return_message"].as_str().unwrap();
        assert!(
            words.starts_with("ERROR:  permission denied")
                || words.starts_with("ERROR:  must be superuser"),
            "{run}"
        );
    }
    service.stop().await;
}

#[tokio::test]
async fn a_job_that_undoes_its_role_is_a_stand_in_with_the_same_rights() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "grant all on public.done to public;
        insert into cron.job (schedule, command, username) values ('@restart',
        'reset role; reset session authorization; insert into public.done (what) select string_agg(r.rolname, '','') from pg_roles r
            where pg_has_role(session_user, r.oid, ''member'') and r.rolname <> session_user
            and not exists (select from pg_auth_members m join pg_roles a on a.oid = m.member where a.rolname = ''supabase_replication_admin'' and m.roleid = r.oid)', 'supabase_replication_admin')").await;
    let service = Service::start(&db, &[]).await;
    let done = wait_for(
        &pool,
        1,
        "select who like 'nilam\\_cron\\_%' as is_stand_in, what from public.done",
    )
    .await;
    assert_eq!(
        done[0],
        json!({ "is_stand_in": true, "what": "supabase_replication_admin" })
    );
    let rights = rows(&pool, "select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more,
        rolvaliduntil < now() + interval '61 seconds' as is_short from pg_roles where rolname = (select who from public.done)").await;
    assert_eq!(rights, [json!({ "more": false, "is_short": true })]);
    service.stop().await;
}

/// Whoever may create roles could give a stand-in a password of their own.
#[tokio::test]
async fn nobody_stands_in_for_a_superuser() {
    let db = database().await;
    let pool = db.pool();
    let name = format!("boss_{}", std::process::id());
    execute(&pool, &format!("create role {name} superuser login;
        insert into cron.job (schedule, command, username) values ('@restart', 'select 1', '{name}')")).await;
    let service = Service::start(&db, &[]).await;
    let ended = wait_for(
        &pool,
        1,
        "select status, return_message from cron.job_run_details where end_time is not null",
    )
    .await;
    assert_eq!(ended[0]["status"], "failed");
    assert!(
        ended[0]["return_message"]
            .as_str()
            .unwrap()
            .contains("run only if the service logs in as that role")
    );
    let members = rows(
        &pool,
        &format!("select from pg_auth_members where roleid = '{name}'::regrole"),
    )
    .await;
    assert!(members.is_empty());
    service.stop().await;
    execute(&pool, &format!("drop role {name}")).await;
}

#[tokio::test]
async fn a_stand_in_that_was_changed_is_put_right_or_refused() {
    let db = database().await;
    let pool = db.pool();
    let id = rows(
        &pool,
        "select oid::bigint as oid from pg_database where datname = current_database()",
    )
    .await[0]["oid"]
        .clone();
    let (good, bad) = (
        format!("nilam_cron_{id}_supabase_storage_admin"),
        format!("nilam_cron_{id}_supabase_auth_admin"),
    );
    execute(&pool, &format!("create role {good}; grant service_role to {good}; create role {bad} bypassrls;
        insert into cron.job (schedule, command, username) values
            ('@restart', 'set role service_role', 'supabase_storage_admin'), ('@restart', 'select 1', 'supabase_auth_admin'),
            ('@restart', 'reset role; select pg_sleep(0)', 'supabase_storage_admin')")).await;
    let service = Service::start(&db, &[]).await;
    let ended = wait_for(&pool, 3, "select status, return_message from cron.job_run_details where end_time is not null order by jobid").await;
    assert!(
        ended[1]["return_message"]
            .as_str()
            .unwrap()
            .contains("has rights that no stand-in may have"),
        "{ended:?}"
    );
    assert_eq!(ended[2]["status"], "succeeded");
    let groups = rows(&pool, &format!("select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = '{good}'::regrole")).await;
    assert_eq!(groups, [json!({ "rolname": "supabase_storage_admin" })]);
    service.stop().await;
}
