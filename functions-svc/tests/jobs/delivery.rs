//! That what was committed is sent, once while all goes well, and at least once otherwise.

use std::time::Duration;

use sqlx::Connection as _;
use tokio::net::TcpListener;

use crate::{Service, database, execute, receiver::Receiver, rows, wait_for};

#[tokio::test]
async fn a_request_leaves_with_its_transaction_only() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[]).await;
    let mut connection = pool.acquire().await.unwrap();
    let mut lost = connection.begin().await.unwrap();
    sqlx::query("select net.http_get($1)")
        .bind(format!("{}/lost", receiver.url))
        .execute(&mut *lost)
        .await
        .unwrap();
    lost.rollback().await.unwrap();
    let mut kept = connection.begin().await.unwrap();
    sqlx::query("select net.http_get($1)")
        .bind(format!("{}/kept", receiver.url))
        .execute(&mut *kept)
        .await
        .unwrap();
    // Something else goes out while that one is not committed.
    execute(
        &pool,
        &format!("select net.http_get('{}/first')", receiver.url),
    )
    .await;
    wait_for(&pool, 1, "select from net._http_response").await;
    assert_eq!(receiver.seen().len(), 1);
    kept.commit().await.unwrap();
    let seen = receiver.wait(2).await;
    assert_eq!(
        [seen[0].uri.path(), seen[1].uri.path()],
        ["/first", "/kept"]
    );
    service.stop().await;
}

#[tokio::test]
async fn slow_and_broken_receivers_are_noted() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(
        &db,
        &[
            ("PG_NET_RETRIES", "0"),
            ("PG_NET_MAX_RESPONSE_BYTES", "1000"),
        ],
    )
    .await;
    let closed = format!("127.0.0.1:{}", pg_embed::free_port().unwrap());
    let url = &receiver.url;
    for request in [
        format!("'{url}/never', timeout_milliseconds := 50"),
        format!("'http://{closed}/'"),
        format!("'{url}/large'"),
        format!("'{url}/moved'"),
        format!("'{url}/zero'"),
        "'http://nowhere.invalid/'".to_owned(),
    ] {
        execute(&pool, &format!("select net.http_get({request})")).await;
    }
    // Rows that no function made.
    execute(
        &pool,
        "insert into net.http_request_queue (method, url, headers, timeout_milliseconds) values
        ('GET', 'no url', null, 1000), ('GET', 'http://a', '[1]', 1000); select net.wake()",
    )
    .await;
    let noted = wait_for(
        &pool,
        8,
        "select status_code, content, timed_out, error_msg from net._http_response order by id",
    )
    .await;
    let words = |index: usize| noted[index]["error_msg"].as_str().unwrap_or_default();
    assert!(
        words(0).starts_with("Timeout of 50 ms reached. Total time: "),
        "{noted:?}"
    );
    assert_eq!(noted[0]["timed_out"], true);
    assert_eq!(words(1), "Could not connect to server");
    assert_eq!(noted[1]["timed_out"], false);
    assert_eq!(words(2), "the answer is longer than 1000 bytes");
    assert_eq!(noted[2]["status_code"], 200);
    assert_eq!(noted[3]["content"], r#"{"ok":true}"#);
    assert_eq!(noted[4]["content"], "before");
    assert_eq!(words(5), "Could not resolve hostname");
    assert_eq!(words(6), "URL using bad/illegal format or missing URL");
    assert_eq!(words(7), "A libcurl function was given a bad argument");
    service.stop().await;
}

#[tokio::test]
async fn a_receiver_that_comes_back_gets_its_request() {
    let db = database().await;
    let pool = db.pool();
    let place = format!("127.0.0.1:{}", pg_embed::free_port().unwrap());
    let service = Service::start(
        &db,
        &[("PG_NET_RETRIES", "20"), ("PG_NET_RETRY_DELAY", "20ms")],
    )
    .await;
    execute(
        &pool,
        &format!("select net.http_post('http://{place}/', '{{\"n\": 1}}')"),
    )
    .await;
    wait_for(
        &pool,
        1,
        "select from net.http_request_queue where attempts >= 2",
    )
    .await;
    let receiver = Receiver::on(TcpListener::bind(place).await.unwrap());
    receiver.wait(1).await;
    let noted = wait_for(&pool, 1, "select status_code from net._http_response").await;
    assert_eq!(noted[0]["status_code"], 200);
    assert_eq!(receiver.seen().len(), 1);
    service.stop().await;
}

#[tokio::test]
async fn an_answer_is_never_asked_for_twice() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[("PG_NET_RETRY_DELAY", "1ms")]).await;
    execute(&pool, &format!("select net.http_get('{0}/status/500'), net.http_get('{0}/never', timeout_milliseconds := 30)", receiver.url)).await;
    wait_for(&pool, 2, "select from net._http_response").await;
    assert!(
        rows(&pool, "select from net.http_request_queue")
            .await
            .is_empty()
    );
    assert_eq!(receiver.seen().len(), 2);
    service.stop().await;
}

#[tokio::test]
async fn two_copies_share_the_queue() {
    const REQUESTS: usize = 600;
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let small = [("PG_NET_BATCH_SIZE", "7"), ("PG_NET_CONCURRENCY", "9")];
    let copies = [
        Service::start(&db, &small).await,
        Service::start(&db, &small).await,
    ];
    execute(&pool, "select net.wait_until_running()").await;
    execute(
        &pool,
        &format!(
            "select net.http_get('{}/' || n) from generate_series(1, {REQUESTS}) n",
            receiver.url
        ),
    )
    .await;
    wait_for(&pool, REQUESTS, "select from net._http_response").await;
    let mut paths: Vec<_> = receiver
        .seen()
        .iter()
        .map(|r| r.uri.path().to_owned())
        .collect();
    assert_eq!(paths.len(), REQUESTS);
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), REQUESTS);
    for copy in copies {
        copy.stop().await;
    }
}

#[tokio::test]
async fn what_a_dead_copy_had_taken_is_sent_by_the_next_one() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[]).await;
    execute(&pool, &format!("select net.http_get('{}/gate', timeout_milliseconds := 60000) from generate_series(1, 20)", receiver.url)).await;
    receiver.wait(20).await;
    // Its sessions end as they do with a crash, and none of its tasks goes on.
    drop(service.app);
    service.stop.cancel();
    execute(
        &pool,
        "select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'pg_net%'",
    )
    .await;
    let next = Service::start(&db, &[]).await;
    receiver.wait(40).await;
    receiver.open(40);
    wait_for(&pool, 20, "select distinct id from net._http_response").await;
    wait_for(&pool, 0, "select from net.http_request_queue").await;
    next.stop().await;
}

#[tokio::test]
async fn a_lost_session_is_made_anew() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[]).await;
    execute(&pool, "select net.wait_until_running()").await;
    execute(
        &pool,
        "select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'pg_net%'",
    )
    .await;
    execute(&pool, &format!("select net.http_get('{}/')", receiver.url)).await;
    receiver.wait(1).await;
    wait_for(&pool, 1, "select from net._http_response").await;
    service.stop().await;
}

#[tokio::test]
async fn old_answers_go() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "insert into net._http_response (id, created) select n, now() - interval '7 hours' from generate_series(1, 5000) n;
        insert into net._http_response (id, created) values (1, now() - interval '5 hours')").await;
    let service = Service::start(&db, &[]).await;
    wait_for(&pool, 1, "select from net._http_response").await;
    service.stop().await;
}

#[tokio::test]
async fn stopping_waits_for_what_is_in_flight() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[]).await;
    execute(
        &pool,
        &format!("select net.http_get('{}/gate')", receiver.url),
    )
    .await;
    receiver.wait(1).await;
    let stopping = tokio::spawn(service.stop());
    tokio::time::sleep(Duration::from_millis(20)).await;
    receiver.open(1);
    stopping.await.unwrap();
    assert_eq!(
        rows(&pool, "select status_code from net._http_response")
            .await
            .len(),
        1
    );
}
