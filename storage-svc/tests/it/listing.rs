//! The functions of the database that list objects, as our service and users' own SQL call them.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};
use svc_kit::testing::{Template, TestDb};

const FIXTURE: &str = "
    insert into storage.buckets (id, name) values ('b', 'b'), ('other', 'other');
    insert into storage.objects (bucket_id, name, owner_id, created_at, updated_at)
    select 'b', name, owner, '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 minute',
        '2026-01-02T00:00:00Z'::timestamptz - number * interval '1 minute'
    from (values (1, 'a', 'ann'), (2, 'a-b', 'ann'), (3, 'a/1.txt', 'ann'), (4, 'a/2.txt', 'bob'), (5, 'a/deep/x.txt', 'ann'),
        (6, 'B/one.txt', 'bob'), (7, 'b_c', 'ann'), (8, 'bxc', 'ann'), (9, 'p%q/z', 'ann'), (10, 'é', 'ann')) v (number, name, owner);
    insert into storage.objects (bucket_id, name) values ('other', 'a/secret');
    grant usage on schema storage to anon;
    create policy ann_only on storage.objects for select to anon using (owner_id = 'ann');
";

async fn database() -> PgPool {
    let template = Template::new("storage_listing")
        .migrated(storage_svc::migrations())
        .fixture(FIXTURE);
    TestDb::new(&template).await.pool()
}

/// The names that a call gives; folders end with a slash.
async fn names(pool: &PgPool, call: &str) -> Vec<String> {
    let sql =
        format!("select name || case when id is null then '/' else '' end from storage.{call}");
    sqlx::query_scalar(AssertSqlSafe(sql))
        .fetch_all(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn keys_are_ordered_by_their_bytes_and_folders_shown_once() {
    let pool = database().await;
    let all = ["B/", "a", "a-b", "a/", "b_c", "bxc", "p%q/", "é"];
    assert_eq!(
        names(&pool, "list_objects_with_delimiter('b', '', '/')").await,
        all
    );
    let mut backwards = all;
    backwards.reverse();
    assert_eq!(
        names(
            &pool,
            "list_objects_with_delimiter('b', '', '/', sort_order => 'desc')"
        )
        .await,
        backwards
    );
    assert_eq!(
        names(&pool, "list_objects_with_delimiter('b', 'a/', '/')").await,
        ["a/1.txt", "a/2.txt", "a/deep/"]
    );
    assert_eq!(
        names(&pool, "list_objects_with_delimiter('b', 'b_', '/')").await,
        ["b_c"],
        "no pattern"
    );
    assert_eq!(
        names(&pool, "list_objects_with_delimiter('b', 'p%q/', '/')").await,
        ["p%q/z"]
    );
    assert!(
        names(&pool, "list_objects_with_delimiter('b', 'zz', '/')")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn pages_follow_each_other_without_gaps() {
    let pool = database().await;
    for order in ["asc", "desc"] {
        let whole = names(
            &pool,
            &format!("list_objects_with_delimiter('b', 'a/', '/', sort_order => '{order}')"),
        )
        .await;
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        for _ in 0..10 {
            let call = format!(
                "list_objects_with_delimiter('b', 'a/', '/', 1, '', '{cursor}', '{order}')"
            );
            let page = names(&pool, &call).await;
            let [entry] = page.as_slice() else { break };
            entry.trim_end_matches('/').clone_into(&mut cursor);
            seen.push(entry.clone());
        }
        assert_eq!(seen, whole, "{order}");
    }
    // A cursor before the prefix does not widen it.
    assert_eq!(
        names(&pool, "list_objects_with_delimiter('b', 'b', '/', 10, 'a')").await,
        ["b_c", "bxc"]
    );
}

#[tokio::test]
async fn the_first_listing_ignores_case_and_starts_after_the_prefix() {
    let pool = database().await;
    assert_eq!(
        names(&pool, "search('a/', 'b')").await,
        ["1.txt", "2.txt", "deep/"]
    );
    assert_eq!(
        names(&pool, "search('', 'b', search => 'b')").await,
        ["B/", "b_c", "bxc"]
    );
    assert_eq!(
        names(&pool, "search('', 'b', 2, 1, 1)").await,
        ["a-b", "a/"]
    );
    assert_eq!(
        names(&pool, "search('', 'b', 3, sortorder => 'desc')").await,
        ["é", "p%q/", "bxc"]
    );
    // Folders first, in the order of the database's own collation, then objects by time.
    let mut by_time = names(&pool, "search('', 'b', sortcolumn => 'updated_at')").await;
    by_time[..3].sort();
    assert_eq!(by_time, ["B/", "a/", "p%q/", "é", "bxc", "b_c", "a-b", "a"]);
}

#[tokio::test]
async fn the_second_listing_sorts_by_time_with_a_cursor() {
    let pool = database().await;
    let by_time = "search_v2('', 'b', 3, 1, sort_column => 'created_at'";
    assert_eq!(
        names(&pool, &format!("{by_time})")).await,
        ["a", "a-b", "a/"]
    );
    let next =
        format!("{by_time}, start_after => 'a', sort_column_after => '2026-01-01T00:03:00Z')");
    assert_eq!(names(&pool, &next).await, ["B/", "b_c", "bxc"]);
    let keys: Vec<Value> = sqlx::query_scalar(
        "select jsonb_build_array(key, name) from storage.search_v2('a/', 'b', 10, 2)",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(
        keys,
        [
            json!(["1.txt", "a/1.txt"]),
            json!(["2.txt", "a/2.txt"]),
            json!(["deep", "a/deep"])
        ]
    );
}

#[tokio::test]
async fn policies_hide_rows_from_every_listing() {
    let pool = database().await;
    let mut tx = pool.begin().await.unwrap();
    sqlx::raw_sql("set local role anon")
        .execute(&mut *tx)
        .await
        .unwrap();
    for call in [
        "search('a/', 'b')",
        "search_v2('a/', 'b', 100, 2)",
        "list_objects_with_delimiter('b', 'a/', '/')",
        "search_v2('a/', 'b', 100, 2, sort_column => 'created_at')",
    ] {
        let sql = format!("select count(*) from storage.{call}");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_one(&mut *tx)
            .await
            .unwrap();
        assert_eq!(count, 2, "{call}: one object of bob's is hidden");
    }
}

#[tokio::test]
async fn a_database_of_the_original_is_complete() {
    let pool = database().await;
    let noted: Vec<(i32, String)> =
        sqlx::query_as("select id, name from storage.migrations order by id")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(noted.len(), 64);
    assert!(
        noted
            .iter()
            .enumerate()
            .all(|(index, (id, _))| usize::try_from(*id) == Ok(index))
    );
    assert_eq!(noted[63].1, "fix-search-name-relative-to-prefix");
}
