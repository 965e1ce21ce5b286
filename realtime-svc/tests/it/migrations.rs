//! Both servers recognise each other's databases by the versions that are noted.

use realtime_svc::{Config, migrate};
use sqlx::{Connection as _, PgConnection};
use svc_kit::{
    env::Vars,
    testing::{Template, TestDb},
};

use crate::{database, execute, rows};

#[tokio::test]
async fn a_second_run_changes_nothing() {
    let db = database().await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    assert_eq!(
        realtime_svc::migrations()
            .run(&mut connection)
            .await
            .unwrap(),
        0
    );
    let pool = db.pool();
    let noted = rows(
        &pool,
        "select count(*) as n, max(version) as last from realtime.schema_migrations",
    )
    .await;
    assert_eq!(
        (&noted[0]["n"], &noted[0]["last"]),
        (&81.into(), &20_260_709_120_000_i64.into())
    );
    let own = rows(
        &pool,
        "select max(version) as last from _realtime.schema_migrations",
    )
    .await;
    assert_eq!(own[0]["last"], 20_260_805_000_000_i64);
}

#[tokio::test]
async fn an_older_database_is_brought_up_to_date() {
    let db = database().await;
    let pool = db.pool();
    // As it was before filters could be negated and selections narrowed.
    execute(&pool, "drop function realtime.apply_rls(jsonb, int), realtime.send_binary(bytea, text, text, boolean);
        alter table realtime.subscription drop column selected_columns, drop column action_filter;
        alter type realtime.user_defined_filter drop attribute negate cascade;
        alter table realtime.messages drop column binary_payload;
        delete from realtime.schema_migrations where version > 20251103001201").await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    assert_eq!(
        realtime_svc::migrations()
            .run(&mut connection)
            .await
            .unwrap(),
        1
    );
    let columns = rows(&pool, "select attname from pg_attribute where attrelid in ('realtime.subscription'::regclass,
        'realtime.messages'::regclass, 'realtime.user_defined_filter'::regclass)
        and attname in ('selected_columns', 'action_filter', 'binary_payload', 'negate') and not attisdropped").await;
    assert_eq!(columns.len(), 4);
}

#[tokio::test]
async fn everything_belongs_to_the_service() {
    let db = database().await;
    let foreign = rows(&db.pool(), "select p.proname as name from pg_proc p
        where p.pronamespace = 'realtime'::regnamespace and p.proowner <> 'supabase_realtime_admin'::regrole
        union all select c.relname from pg_class c
        where c.relnamespace = 'realtime'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
        and c.relowner <> 'supabase_realtime_admin'::regrole").await;
    assert!(foreign.is_empty(), "{foreign:?}");
}

#[tokio::test]
async fn starting_twice_on_the_same_database_is_fine() {
    let db = TestDb::new(&Template::new("realtime_start")).await;
    let vars: Vars = [
        (
            "API_JWT_SECRET",
            "a secret of the tests, long enough for HMAC".to_owned(),
        ),
        ("DATABASE_URL", db.url_as("supabase_admin")),
    ]
    .into_iter()
    .collect();
    let config = Config::from_vars(&vars).unwrap();
    migrate(&config).await.unwrap();
    migrate(&config).await.unwrap();
}

#[tokio::test]
async fn the_schema_has_what_the_original_has() {
    let db = database().await;
    let pool = db.pool();
    let found = rows(&pool, "select array_agg(name order by name) as names from (
        select p.proname::text as name from pg_proc p where p.pronamespace = 'realtime'::regnamespace
        union select t.typname::text from pg_type t join pg_class c on c.oid = t.typrelid
            where t.typnamespace = 'realtime'::regnamespace and not c.relispartition
        union select t.typname::text from pg_type t where t.typnamespace = 'realtime'::regnamespace and t.typtype = 'e') n").await;
    let expected = [
        "action",
        "apply_rls",
        "broadcast_changes",
        "build_prepared_statement_sql",
        "cast",
        "check_equality_op",
        "equality_op",
        "is_visible_through_filters",
        "list_changes",
        "messages",
        "quote_wal2json",
        "schema_migrations",
        "send",
        "send_binary",
        "subscription",
        "subscription_check_filters",
        "to_regrole",
        "topic",
        "user_defined_filter",
        "wal2json_escape_identifier",
        "wal_column",
        "wal_rls",
    ];
    assert_eq!(found[0]["names"], serde_json::json!(expected));
    let readers = rows(&pool, "select r.rolname from pg_roles r where not r.rolsuper
        and r.rolname in ('postgres', 'anon', 'authenticated', 'service_role', 'supabase_realtime_admin')
        and exists (select from aclexplode((select relacl from pg_class where oid = 'realtime.schema_migrations'::regclass)) a
            where a.grantee = r.oid)").await;
    assert!(readers.is_empty(), "{readers:?}");
}

#[tokio::test]
async fn a_dump_without_the_services_schema_is_completed() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "drop schema _realtime cascade; create schema _realtime authorization supabase_admin",
    )
    .await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    for steps in [1, 0] {
        let set = realtime_svc::service_migrations();
        assert_eq!(set.run(&mut connection).await.unwrap(), steps);
    }
    let noted = rows(
        &pool,
        "select count(*) as n from _realtime.schema_migrations",
    )
    .await;
    assert_eq!(noted[0]["n"], 33);
    assert!(
        rows(&pool, "select from _realtime.tenants")
            .await
            .is_empty()
    );
}
