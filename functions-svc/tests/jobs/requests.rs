//! What callers of `net.*` see, as in pg_net.

use serde_json::json;

use crate::{Service, database, execute, receiver::Receiver, refusal, rows, wait_for};

#[tokio::test]
async fn each_function_sends_what_it_is_given() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[]).await;
    let url = &receiver.url;
    execute(&pool, &format!(
        "select net.http_get('{url}/get?x=1', '{{\"a b\": \"ü/&\", \"n\": 2}}', '{{\"X-Key\": \"k\"}}');
         select net.http_post('{url}/post', '{{\"hello\": \"world\"}}', headers := '{{\"Authorization\": \"Bearer t\"}}');
         select net.http_delete('{url}/delete', body := '[1]', headers := '{{\"content-type\": \"application/json\"}}');
         select net.http_post(url := '{url}');"
    )).await;
    let mut seen = receiver.wait(4).await;
    seen.sort_by_key(|received| received.uri.to_string());
    let shown: Vec<_> = seen
        .iter()
        .map(|r| {
            (
                r.method.as_str(),
                r.uri.to_string(),
                String::from_utf8_lossy(&r.body).into_owned(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("POST", "/".to_owned(), "{}".to_owned()),
            ("DELETE", "/delete".to_owned(), "[1]".to_owned()),
            (
                "GET",
                "/get?x=1&n=2&a%20b=%C3%BC%2F%26".to_owned(),
                String::new()
            ),
            (
                "POST",
                "/post".to_owned(),
                r#"{"hello": "world"}"#.to_owned()
            ),
        ]
    );
    assert_eq!(seen[2].headers["x-key"], "k");
    assert!(
        seen[2].headers["user-agent"]
            .to_str()
            .unwrap()
            .starts_with("pg_net/")
    );
    assert_eq!(seen[3].headers["authorization"], "Bearer t");
    for posted in [&seen[0], &seen[1], &seen[3]] {
        assert_eq!(posted.headers["content-type"], "application/json");
    }
    let noted = wait_for(
        &pool,
        4,
        "select status_code, content_type, headers->>'content-type' as header, content,
        timed_out, error_msg from net._http_response",
    )
    .await;
    for answer in noted {
        assert_eq!(
            answer,
            json!({
                "status_code": 200, "content_type": "application/json", "header": "application/json",
                "content": "{\"ok\":true}", "timed_out": false, "error_msg": null
            })
        );
    }
    assert!(
        rows(&pool, "select from net.http_request_queue")
            .await
            .is_empty()
    );
    service.stop().await;
}

#[tokio::test]
async fn an_answer_is_collected() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let unknown = rows(&pool, "select * from net._http_collect_response(99)").await;
    assert_eq!(unknown[0]["status"], "ERROR");
    assert_eq!(
        unknown[0]["message"],
        "request matching request_id not found"
    );
    execute(
        &pool,
        &format!("select net.http_get('{}/status/404')", receiver.url),
    )
    .await;
    let service = Service::start(&db, &[]).await;
    let found = rows(
        &pool,
        "select (net.http_collect_response(1, async := false)).*",
    )
    .await;
    assert_eq!(found[0]["status"], "SUCCESS");
    assert_eq!(found[0]["message"], "ok");
    assert_eq!(found[0]["response"]["status_code"], 404);
    assert_eq!(found[0]["response"]["body"], json!(null));
    service.stop().await;
}

#[tokio::test]
async fn what_cannot_be_a_request_is_refused_at_once() {
    let db = database().await;
    let pool = db.pool();
    for (call, words) in [
        (
            "http_get('localhost:6666')",
            r#"invalid URL "localhost:6666": Unsupported URL scheme"#,
        ),
        (
            "http_get('/malformed_url')",
            r#"invalid URL "/malformed_url": Bad scheme"#,
        ),
        (
            "http_get('http://')",
            r#"invalid URL "http://": No host part in the URL"#,
        ),
        (
            "http_get('ftp://a')",
            r#"invalid URL "ftp://a": Unsupported URL scheme"#,
        ),
        (
            "http_post('http://a', headers := '{\"Content-Type\": \"text/plain\"}')",
            r#"Content-Type header must be "application/json""#,
        ),
        (
            "http_get(null)",
            r#"null value in column "url" of relation "http_request_queue" violates not-null constraint"#,
        ),
        (
            "http_delete(null)",
            r#"null value in column "url" of relation "http_request_queue" violates not-null constraint"#,
        ),
    ] {
        assert_eq!(
            refusal(&pool, &format!("select net.{call}")).await,
            words,
            "{call}"
        );
    }
    let nulls = "select net._urlencode_string(null) as a, net._encode_url_with_params_array(null, null) as b,
        net._encode_url_with_params_array('HTTP://h?x#f', array['a=b', null, 'c=d']) as c";
    assert_eq!(
        rows(&pool, nulls).await[0],
        json!({ "a": null, "b": null, "c": "http://h/?x&a=b&c=d#f" })
    );
    assert!(
        refusal(&pool, "select net.check_worker_is_up()")
            .await
            .contains("is not up")
    );
}

#[tokio::test]
async fn a_worker_that_is_up_is_seen() {
    let db = database().await;
    let pool = db.pool();
    let service = Service::start(&db, &[]).await;
    execute(&pool, "set role anon; select net.wait_until_running(); select net.check_worker_is_up(); reset role").await;
    let restarted = rows(&pool, "select net.worker_restart() as done").await;
    assert_eq!(restarted[0]["done"], true);
    service.stop().await;
    // Postgres takes a moment to see that a connection has ended, and its locks with it.
    let locks =
        "select from pg_locks where locktype = 'advisory' and classid::int8 = x'6e696c71'::int8
        and database = (select oid from pg_database where datname = current_database())";
    wait_for(&pool, 0, locks).await;
    assert!(
        refusal(&pool, "select net.check_worker_is_up()")
            .await
            .contains("is not up")
    );
}

#[tokio::test]
async fn everybody_may_ask_and_only_the_owner_may_put_triggers() {
    let db = database().await;
    let pool = db.pool();
    for role in [
        "anon",
        "authenticated",
        "service_role",
        "postgres",
        "supabase_functions_admin",
    ] {
        execute(&pool, &format!(
            "set role {role}; select net.http_get('http://127.0.0.1:1', null, null, 100), net.http_post('http://127.0.0.1:1'),
                 net.http_delete('http://127.0.0.1:1'); reset role"
        )).await;
        let trap = format!("set role {role}; create function pg_temp.f() returns trigger language plpgsql as 'begin return new; end';
            create trigger t before insert on net._http_response execute function pg_temp.f()");
        assert_eq!(
            refusal(&pool, &trap).await,
            "permission denied for table _http_response",
            "{role}"
        );
        execute(&pool, "rollback; reset role").await;
    }
    let made = rows(
        &pool,
        "select proname, prosecdef from pg_proc where pronamespace = 'net'::regnamespace
        and proname in ('http_get', 'http_post', 'http_delete') order by proname",
    )
    .await;
    assert_eq!(
        made,
        [
            json!({ "proname": "http_delete", "prosecdef": false }),
            json!({ "proname": "http_get", "prosecdef": true }),
            json!({ "proname": "http_post", "prosecdef": true }),
        ]
    );
}
