//! Databases that come from elsewhere: dumps of ours, projects of the original, servers with the real extensions.

use std::process::Command;

use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use svc_kit::testing::{Template, TestDb};

use crate::{Service, database, execute, receiver::Receiver, rows, wait_for};

async fn migrate(db: &TestDb) -> usize {
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    functions_svc::migrations()
        .run(&mut connection)
        .await
        .unwrap()
}

/// What the image's webhooks script leaves behind, in a dump without the extension that it needs.
#[tokio::test]
async fn a_project_of_the_original_goes_on() {
    let db = TestDb::new(&Template::new("functions_bare")).await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    execute(
        &pool,
        "create table supabase_functions.migrations (version text primary key, inserted_at timestamptz not null default now());
         insert into supabase_functions.migrations (version) values ('initial'), ('20210809183423_update_grants');
         create table supabase_functions.hooks (id bigserial primary key, hook_table_id integer not null,
             hook_name text not null, created_at timestamptz not null default now(), request_id bigint);
         insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (1, 'old', 1);
         create function supabase_functions.http_request() returns trigger language plpgsql security definer
             set search_path to 'supabase_functions' as $$ begin raise exception 'no pg_net'; end $$;
         create table public.orders (id int primary key)",
    )
    .await;
    execute(&pool, &format!(
        "create trigger hook after insert on public.orders for each row
             execute function supabase_functions.http_request('{}', 'POST', '{{}}', '{{}}', '1000')",
        receiver.url
    )).await;
    assert_eq!(migrate(&db).await, 1);
    assert_eq!(migrate(&db).await, 0);
    let service = Service::start(&db, &[]).await;
    execute(&pool, "insert into public.orders values (1)").await;
    receiver.wait(1).await;
    assert_eq!(
        rows(
            &pool,
            "select hook_name from supabase_functions.hooks order by id"
        )
        .await
        .len(),
        2
    );
    let owners = rows(
        &pool,
        "select distinct relowner::regrole::text as owner from pg_class
        where relnamespace = 'supabase_functions'::regnamespace and relkind = 'r'",
    )
    .await;
    assert_eq!(owners, [json!({ "owner": "supabase_functions_admin" })]);
    service.stop().await;
}

#[tokio::test]
async fn the_real_extensions_keep_what_is_theirs() {
    let db = TestDb::new(&Template::new("functions_bare")).await;
    let pool = db.pool();
    // As if they were installed: their libraries are not here.
    execute(
        &pool,
        "set allow_system_table_mods = on; create schema net; create schema cron;
         insert into pg_extension select 90000 + n, name, 10, 'net'::regnamespace, true, '1', null, null
         from unnest(array['pg_net', 'pg_cron']) with ordinality as e (name, n)",
    )
    .await;
    assert_eq!(migrate(&db).await, 1);
    let made = rows(&pool, "select relname from pg_class where relnamespace in ('net'::regnamespace, 'cron'::regnamespace)").await;
    assert!(made.is_empty(), "{made:?}");
    let service = Service::start(&db, &[]).await;
    let metrics = service.metrics().await;
    assert!(
        metrics.contains("net_requests_sent_total 0") && !metrics.contains("net_queue_depth"),
        "{metrics}"
    );
    service.stop().await;
}

/// False where there is no `pg_dump`, which the server's npm package lacks, or one that is older than the server.
async fn can_dump(pool: &sqlx::PgPool) -> bool {
    let Ok(output) = Command::new("pg_dump").arg("--version").output() else {
        eprintln!("no pg_dump here");
        return false;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let major = |text: &str| text.split('.').next()?.parse::<u32>().ok();
    let program = said.split(' ').nth(2).and_then(major);
    let server: String = sqlx::query_scalar("show server_version")
        .fetch_one(pool)
        .await
        .unwrap();
    let can = program >= major(&server);
    if !can {
        eprintln!("{said} cannot read a server of {server}");
    }
    can
}

#[tokio::test]
async fn a_dump_brings_triggers_jobs_and_what_was_queued() {
    let db = database().await;
    if !can_dump(&db.pool()).await {
        return;
    }
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    execute(&pool, &format!(
        "create trigger hook after insert on public.orders for each row
             execute function supabase_functions.http_request('{}', 'POST', '{{}}', '{{}}', '1000');
         insert into public.orders (note) values ('queued');
         select cron.schedule('gone', '* * * * *', ''), cron.schedule('kept', '@restart', 'insert into public.done (what) values (''ran'')');
         select cron.unschedule('gone'); set role postgres; select cron.schedule('mine', '0 0 1 1 *', 'select 1'); reset role",
        receiver.url
    )).await;
    let file = std::env::temp_dir().join(format!("nilam-jobs-{}.dump", std::process::id()));
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run(
        "pg_dump",
        &[
            "--format=custom",
            "--file",
            file.to_str().unwrap(),
            db.url(),
        ],
    );
    let name = format!("{}_restored", db.url().rsplit_once('/').unwrap().1);
    execute(&pool, &format!("create database {name} template template0")).await;
    let url = format!("{}/{name}", db.url().rsplit_once('/').unwrap().0);
    run(
        "pg_restore",
        &["--exit-on-error", "--dbname", &url, file.to_str().unwrap()],
    );
    std::fs::remove_file(file).unwrap();

    let restored = sqlx::PgPool::connect(&url).await.unwrap();
    let mut connection = PgConnection::connect(&url).await.unwrap();
    assert!(
        functions_svc::migrations()
            .pending(&mut connection)
            .await
            .unwrap()
            .is_empty()
    );
    let service = Service::at(&url, &[]).await;
    execute(&restored, "insert into public.orders (note) values ('new')").await;
    receiver.wait(2).await;
    // A job says in which database it runs, and its dump does too.
    wait_for(&pool, 1, "select from public.done").await;
    let jobs = rows(
        &restored,
        "select jobid, jobname, username from cron.job order by jobid",
    )
    .await;
    assert_eq!(
        jobs,
        [
            json!({ "jobid": 2, "jobname": "kept", "username": "supabase_admin" }),
            json!({ "jobid": 3, "jobname": "mine", "username": "postgres" }),
        ]
    );
    let next = rows(&restored, "select cron.schedule('@hourly', '') as id").await;
    assert_eq!(next, [json!({ "id": 4 })]);
    service.stop().await;
}
