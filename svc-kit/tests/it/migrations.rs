use sqlx::{Connection as _, PgConnection};
use svc_kit::{
    migrate::{Bookkeeping, Set, base},
    testing::{PASSWORD, Template, TestDb},
};

fn set(files: &[(&str, &str)]) -> Set {
    Set::numbered("project", "postgres", Bookkeeping::Project, files)
}

const FIRST: (&str, &str) = ("20260101000000_first", "create table public.a (id int)");
const SECOND: (&str, &str) = ("20260102000000_second", "insert into public.a values (1)");
const BROKEN: (&str, &str) = (
    "20260103000000_broken",
    "insert into public.a values (2); select nonsense",
);

#[tokio::test]
async fn a_step_runs_once_and_the_cli_recognises_it() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    assert_eq!(set(&[FIRST]).run(&mut connection).await.unwrap(), 1);
    assert_eq!(set(&[FIRST, SECOND]).run(&mut connection).await.unwrap(), 1);
    assert_eq!(set(&[FIRST, SECOND]).run(&mut connection).await.unwrap(), 0);
    let rows: Vec<(String, String, Vec<String>)> = sqlx::query_as(
        "select version, name, statements from supabase_migrations.schema_migrations order by 1",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert_eq!(
        rows[1],
        (
            "20260102000000".into(),
            "second".into(),
            vec![SECOND.1.into()]
        )
    );
    let owner: String =
        sqlx::query_scalar("select tableowner::text from pg_tables where tablename = 'a'")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(owner, "postgres");
}

#[tokio::test]
async fn a_step_that_fails_leaves_nothing_and_can_be_run_again() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    let error = set(&[FIRST, BROKEN])
        .run(&mut connection)
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "migration project/20260103000000 failed");
    let count = "select count(*) from public.a";
    assert_eq!(
        sqlx::query_scalar::<_, i64>(count)
            .fetch_one(&mut connection)
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        set(&[FIRST, BROKEN])
            .pending(&mut connection)
            .await
            .unwrap(),
        ["20260103000000"]
    );
}

#[tokio::test]
async fn two_starts_at_once_apply_a_step_once() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let run = || async {
        let mut connection = PgConnection::connect(db.url()).await.unwrap();
        set(&[FIRST, SECOND]).run(&mut connection).await.unwrap()
    };
    let (a, b, c) = tokio::join!(run(), run(), run());
    assert_eq!(a + b + c, 2);
}

#[tokio::test]
async fn a_restored_dump_of_the_original_is_recognised() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    let versions = "00\n20210101000000\n20220101000000\n";
    let converging = |sql: &'static str| {
        Set::converging(
            "auth",
            "supabase_auth_admin",
            Bookkeeping::Auth,
            &[sql],
            versions,
        )
    };
    let as_restored = "set role supabase_auth_admin;
        create table auth.schema_migrations (version varchar(255) primary key);
        insert into auth.schema_migrations values ('00'), ('20210101000000'), ('20220101000000'); reset role";
    sqlx::raw_sql(as_restored)
        .execute(&mut connection)
        .await
        .unwrap();
    assert_eq!(
        converging("select 1 / 0")
            .run(&mut connection)
            .await
            .unwrap(),
        0,
        "all is noted, so nothing runs"
    );
    let older = "delete from auth.schema_migrations where version = '20220101000000'";
    sqlx::raw_sql(older).execute(&mut connection).await.unwrap();
    assert_eq!(
        converging("create table auth.x ()")
            .run(&mut connection)
            .await
            .unwrap(),
        1
    );
    assert!(
        converging("")
            .pending(&mut connection)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn the_base_can_be_applied_again_over_itself() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    sqlx::raw_sql("delete from nilam.migrations where version <> '0001'")
        .execute(&mut connection)
        .await
        .unwrap();
    let base = base(PASSWORD);
    let all_but_one = base.migrations.len() - 1;
    assert_eq!(base.run(&mut connection).await.unwrap(), all_but_one);
}

#[tokio::test]
async fn the_login_role_of_users_is_no_superuser_but_owns_what_they_need() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let mut connection = PgConnection::connect(&db.url_as("postgres")).await.unwrap();
    let superuser: bool =
        sqlx::query_scalar("select rolsuper from pg_roles where rolname = current_user")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert!(!superuser);
    for statement in [
        "create table public.mine (id int); alter publication supabase_realtime add table public.mine",
        "set role anon; select * from public.mine; reset role",
        "select extensions.uuid_generate_v4(), uuid_generate_v4()",
        "create extension if not exists citext schema extensions",
        "select graphql_public.graphql()",
    ] {
        sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

/// The example of RFC 7519's companions that everybody knows: `jwt.io`'s first token.
const KNOWN: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ";

#[tokio::test]
async fn tokens_are_signed_and_verified_in_sql() {
    let db = TestDb::new(&Template::new("migrate")).await;
    let mut connection = PgConnection::connect(&db.url_as("postgres")).await.unwrap();
    let signed: String = sqlx::query_scalar(
        r#"select extensions.sign('{"sub":"1234567890","name":"John Doe","admin":true}', 'secret')"#,
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(signed, KNOWN);
    for (payload, secret, valid) in [
        (r#"{"a": "ü?>"}"#, "secret", true),
        (r#"{"a": 1}"#, "other", false),
        (r#"{"exp": 1}"#, "secret", false),
        (r#"{"nbf": 99999999999}"#, "secret", false),
    ] {
        let verified: bool = sqlx::query_scalar(
            "select valid and payload::text = $1 from extensions.verify(extensions.sign($1::json, 'secret', 'HS512'), $2, 'HS512')",
        )
        .bind(payload)
        .bind(secret)
        .fetch_one(&mut connection)
        .await
        .unwrap();
        assert_eq!(verified, valid, "{payload} {secret}");
    }
}
