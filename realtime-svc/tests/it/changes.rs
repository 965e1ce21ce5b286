//! Which listener sees what of a change.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::{database, execute, rows};

async fn listen(
    pool: &PgPool,
    number: i32,
    role: &str,
    sub: &str,
    filters: &str,
) -> Result<(), String> {
    let sql = "insert into realtime.subscription (subscription_id, entity, claims, filters)
        values (('00000000-0000-0000-0000-' || lpad($1::text, 12, '0'))::uuid, 'public.notes', $2, $3::realtime.user_defined_filter[])";
    sqlx::query(sql)
        .bind(number)
        .bind(json!({ "role": role, "sub": sub }))
        .bind(filters)
        .execute(pool)
        .await
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// The change as wal2json reports it, for every role that listens.
async fn change(pool: &PgPool, action: &str, id: i32, body: &str) -> Vec<Value> {
    let column = |name: &str, kind: &str, oid: u32, value: Value| json!({"name": name, "type": kind, "typeoid": oid, "value": value});
    let key = column("id", "integer", 23, json!(id));
    let mut wal = json!({"action": action, "schema": "public", "table": "notes", "timestamp": "2026-01-02 03:04:05.678+05:30",
        "pk": [{"name": "id", "type": "integer"}], "identity": [key.clone()]});
    if action != "D" {
        wal["columns"] = json!([
            key,
            column("owner", "text", 25, json!("ann")),
            column("body", "text", 25, json!(body)),
            column("secret", "text", 25, json!("s"))
        ]);
    }
    let sql =
        "select to_jsonb(r) from realtime.apply_rls($1, 4096) r order by r.subscription_ids::text";
    sqlx::query_scalar(sql)
        .bind(wal)
        .fetch_all(pool)
        .await
        .unwrap()
}

fn ids(row: &Value) -> Vec<i64> {
    let ids = row["subscription_ids"].as_array().unwrap().iter();
    ids.map(|id| {
        id.as_str()
            .unwrap()
            .rsplit('-')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    })
    .collect()
}

#[tokio::test]
async fn row_level_security_chooses_the_listeners() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "grant select on public.notes to authenticated").await;
    listen(&pool, 1, "authenticated", "ann", "{}")
        .await
        .unwrap();
    listen(&pool, 2, "authenticated", "bob", "{}")
        .await
        .unwrap();
    listen(&pool, 3, "service_role", "", "{}").await.unwrap();
    let seen = change(&pool, "U", 1, "one").await;
    let [service, user] = seen.as_slice() else {
        panic!("{seen:?}")
    };
    let (service, user) = if ids(service) == [3] {
        (service, user)
    } else {
        (user, service)
    };
    assert_eq!((ids(user), ids(service)), (vec![1], vec![3]));
    assert_eq!(
        user["wal"]["record"],
        json!({"id": 1, "owner": "ann", "body": "one", "secret": "s"})
    );
    assert_eq!(user["wal"]["commit_timestamp"], "2026-01-01T21:34:05.678Z");
    let deleted = change(&pool, "D", 7, "").await;
    let everybody: Vec<i64> = deleted.iter().flat_map(ids).collect();
    assert_eq!(
        everybody.len(),
        3,
        "a deleted row cannot be asked about: {deleted:?}"
    );
    assert_eq!(deleted[0]["wal"]["old_record"], json!({"id": 7}));
}

#[tokio::test]
async fn columns_without_the_right_are_left_out() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "create policy all_rows on public.notes for select to anon using (true)",
    )
    .await;
    listen(&pool, 1, "anon", "", "{}").await.unwrap();
    let seen = change(&pool, "I", 1, "one").await;
    assert_eq!(
        seen[0]["wal"]["record"],
        json!({"id": 1, "owner": "ann", "body": "one"})
    );
    execute(&pool, "revoke select (id) on public.notes from anon").await;
    let refused = change(&pool, "I", 1, "one").await;
    assert_eq!(
        (ids(&refused[0]), &refused[0]["errors"]),
        (vec![1], &json!(["Error 401: Unauthorized"]))
    );
}

#[tokio::test]
async fn filters_are_checked_and_applied() {
    let db = database().await;
    let pool = db.pool();
    for (number, filters) in [
        (1, r#"{"(body,eq,one,)"}"#),
        (2, r#"{"(body,eq,one,t)"}"#),
        (3, r#"{"(id,in,\"{1,5}\",)","(body,like,o%,)"}"#),
        (4, r#"{"(body,is,null,t)"}"#),
        (5, r#"{"(body,imatch,^ONE$,)"}"#),
        (6, r#"{"(id,gt,1,)"}"#),
    ] {
        listen(&pool, number, "service_role", "", filters)
            .await
            .unwrap();
    }
    let mut seen = ids(&change(&pool, "I", 1, "one").await[0]);
    seen.sort_unstable();
    assert_eq!(seen, [1, 3, 4, 5]);
    for (filters, message) in [
        (
            r#"{"(nothing,eq,1,)"}"#,
            "invalid column for filter nothing",
        ),
        (r#"{"(id,eq,x,)"}"#, "invalid input syntax for type integer"),
        (
            r#"{"(id,like,x,)"}"#,
            "operator like requires a text-compatible column type, got integer",
        ),
        (
            r#"{"(body,match,\"(\",)"}"#,
            "invalid regular expression for match filter",
        ),
        (
            r#"{"(id,is,true,)"}"#,
            "is true filter requires a boolean column, got integer",
        ),
    ] {
        let refused = listen(&pool, 9, "service_role", "", filters)
            .await
            .unwrap_err();
        assert!(refused.contains(message), "{refused}");
    }
    let hidden = listen(&pool, 9, "anon", "", r#"{"(secret,eq,s,)"}"#)
        .await
        .unwrap_err();
    assert!(
        hidden.contains("invalid column for filter secret"),
        "{hidden}"
    );
    assert_eq!(
        rows(&pool, "select 1 from realtime.subscription")
            .await
            .len(),
        6
    );
}

#[tokio::test]
async fn a_large_change_is_cut_down() {
    let db = database().await;
    let pool = db.pool();
    listen(&pool, 1, "service_role", "", "{}").await.unwrap();
    let seen = change(&pool, "I", 1, &"x".repeat(5000)).await;
    assert_eq!(seen[0]["errors"], json!(["Error 413: Payload Too Large"]));
    assert_eq!(
        seen[0]["wal"]["record"],
        json!({"id": 1, "owner": "ann", "secret": "s"})
    );
}

#[tokio::test]
async fn an_extensions_type_compares_by_its_own_operators() {
    let db = database().await;
    let pool = db.pool();
    // An operator that a user made must not run with the service's rights.
    execute(&pool, "create extension citext schema extensions;
        create function public.never(extensions.citext, extensions.citext) returns boolean immutable language sql as 'select false';
        create operator public.= (leftarg = extensions.citext, rightarg = extensions.citext, function = public.never);
        alter operator public.= (extensions.citext, extensions.citext) owner to postgres").await;
    let seen = rows(
        &pool,
        "select op, realtime.check_equality_op(op::realtime.equality_op, 'extensions.citext', 'Ann', value, null) as holds
         from (values ('eq', 'ann'), ('neq', 'ann'), ('in', '{bob,ANN}'), ('like', 'a%'), ('lt', 'bob')) as c (op, value)",
    )
    .await;
    let holds: Vec<&Value> = seen.iter().map(|row| &row["holds"]).collect();
    assert_eq!(holds, [true, false, true, true, true]);
}

#[tokio::test]
async fn a_statement_about_a_row_needs_its_key() {
    let db = database().await;
    let made = rows(
        &db.pool(),
        "select realtime.build_prepared_statement_sql('s', 'public.notes', array[
            row('id', 'integer', 23, '1', keyed, true)::realtime.wal_column]) as sql
         from (values (true), (false)) as c (keyed)",
    )
    .await;
    assert_eq!(
        made,
        [
            json!({"sql": "prepare s as select exists (select 1 from notes where id = '1')"}),
            json!({"sql": null})
        ]
    );
}
