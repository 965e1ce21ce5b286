use std::time::{Duration, SystemTime};

use super::*;

#[tokio::test]
async fn owners_see_their_rows() {
    let mut world = World::new(NOTES).await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world.listen(2, user("bob"), &[on("notes")]).await.unwrap();
    world.listen(3, service(), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'one')")
        .await;
    let sent = world.deliver().await;
    assert_eq!(sent.keys().copied().collect::<Vec<_>>(), [1, 3]);
    let (ids, data) = &sent[&1][0];
    assert_eq!(ids, &[u64::from(Wanted::parse(&on("notes")).unwrap().id)]);
    assert_eq!(
        data["record"],
        json!({"id": 1, "owner": "ann", "body": "one"})
    );
    assert_eq!(data["errors"], Value::Null);
    // What counts is who sees the row now.
    world.execute("update notes set owner = 'bob'").await;
    assert_eq!(world.deliver_and_count().await, [(2, 1), (3, 1)]);
    world
        .execute("insert into notes values (2, 'ann', 'two'); delete from notes where id = 2")
        .await;
    assert_eq!(
        world.deliver_and_count().await,
        [(1, 1), (2, 1), (3, 1)],
        "only the deletion"
    );
}

#[tokio::test]
async fn what_is_forbidden_before_the_check_is_not_seen() {
    let mut world = World::new(NOTES).await;
    world
        .execute("alter table notes disable row level security")
        .await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'bob', 'one')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
    world
        .execute("insert into notes values (2, 'bob', 'two')")
        .await;
    world
        .execute("alter table notes enable row level security")
        .await;
    assert_eq!(world.deliver_and_count().await, []);
    world
        .execute("create policy everybody on notes for select using (true)")
        .await;
    world
        .execute("insert into notes values (3, 'bob', 'three')")
        .await;
    world.execute("revoke select on notes from authenticated; grant select (id) on notes to authenticated").await;
    let sent = world.deliver().await;
    assert_eq!(sent[&1][0].1["record"], json!({"id": 3}));
    world
        .execute("drop policy everybody on notes; insert into notes values (4, 'bob', 'four')")
        .await;
    assert_eq!(world.deliver_and_count().await, []);
}

#[tokio::test]
async fn a_policy_that_fails_hides_its_rows_alone() {
    let mut world = World::new(NOTES).await;
    world
        .execute("create policy odd on notes for select to authenticated using (1 / (id - 2) > 5)")
        .await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world.listen(2, service(), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'a'), (2, 'x', 'b'), (3, 'ann', 'c')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 2), (2, 3)]);
}

#[tokio::test]
async fn a_policy_that_is_broken_for_a_role_hides_nothing_from_others() {
    let mut world = World::new(NOTES).await;
    world
        .execute(
            "create function secret() returns boolean language plpgsql as 'begin return true; end';
            revoke execute on function secret() from public, anon, authenticated;
            grant execute on function secret() to anon;
            create policy odd on notes for select using (secret())",
        )
        .await;
    for (channel, sub) in (0..).zip(["ann", "bob", "eve"]) {
        world
            .listen(channel, user(sub), &[on("notes")])
            .await
            .unwrap();
    }
    let anonymous = json!({"role": "anon"});
    world.listen(3, anonymous, &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes select i, 'ann', 'a' from generate_series(1, 20) i")
        .await;
    assert_eq!(world.deliver_and_count().await, [(3, 20)]);
}

#[tokio::test]
async fn an_expired_token_is_sent_nothing() {
    let mut world = World::new(NOTES).await;
    world.listen(1, service(), &[on("notes")]).await.unwrap();
    let mut expired = Subscriber::clone(&subscriber(&service()));
    expired.expires_at = SystemTime::now() - Duration::from_secs(1);
    world.engine.renew(1, Arc::new(expired)).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'one')")
        .await;
    assert_eq!(world.deliver_and_count().await, []);
    world.engine.renew(1, subscriber(&service())).await.unwrap();
    world
        .execute("insert into notes values (2, 'ann', 'one')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
}

#[tokio::test]
async fn new_claims_see_what_is_theirs() {
    let mut world = World::new(NOTES).await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world
        .engine
        .renew(1, subscriber(&user("bob")))
        .await
        .unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'one'), (2, 'bob', 'two')")
        .await;
    let sent = world.deliver().await;
    assert_eq!(
        (sent[&1].len(), &sent[&1][0].1["record"]["id"]),
        (1, &json!(2))
    );
    let rows: Vec<(Value,)> = sqlx::query_as("select claims from realtime.subscription")
        .fetch_all(&world.pool)
        .await
        .unwrap();
    assert_eq!(rows, [(user("bob"),)]);
}

#[tokio::test]
async fn what_was_committed_before_is_not_sent() {
    let mut world = World::new(NOTES).await;
    world
        .execute("insert into notes values (1, 'ann', 'one')")
        .await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (2, 'ann', 'two')")
        .await;
    let sent = world.deliver().await;
    assert_eq!(
        (sent[&1].len(), &sent[&1][0].1["record"]["id"]),
        (1, &json!(2))
    );
}

#[tokio::test]
async fn a_batch_that_failed_can_be_delivered_again() {
    let mut world = World::new(NOTES).await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world.listen(2, service(), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'one')")
        .await;
    let batch = world.changes().await;
    let mut blocked = PgConnection::connect(world.db.url()).await.unwrap();
    sqlx::raw_sql("begin; lock table notes in access exclusive mode")
        .execute(&mut blocked)
        .await
        .unwrap();
    let inner = Arc::get_mut(&mut world.engine.0).unwrap();
    inner.database.patience = Duration::from_millis(300);
    world.engine.deliver(&batch).await.unwrap_err();
    assert!(world.sent().is_empty());
    sqlx::raw_sql("rollback")
        .execute(&mut blocked)
        .await
        .unwrap();
    world.engine.deliver(&batch).await.unwrap();
    assert_eq!(world.sent().len(), 2);
}

#[tokio::test]
async fn order_is_that_of_the_commits() {
    let mut world = World::new(NOTES).await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    for id in 1..=20 {
        let owner = if id % 3 == 0 { "bob" } else { "ann" };
        world
            .execute(&format!("insert into notes values ({id}, '{owner}', 'x')"))
            .await;
    }
    let sent = world.deliver().await;
    let ids: Vec<_> = sent[&1]
        .iter()
        .map(|it| it.1["record"]["id"].as_u64().unwrap())
        .collect();
    let expected: Vec<_> = (1..=20).filter(|id| id % 3 != 0).collect();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn everything_can_be_done_in_a_task_of_its_own() {
    fn in_task<T>(_: &(impl Future<Output = T> + Send)) {}
    let world = World::new(NOTES).await;
    let outlet = Outlet::new(Queue::new().0, Version::V1, "realtime:room".into(), false);
    in_task(
        &world
            .engine
            .subscribe(1, outlet, subscriber(&service()), Vec::new()),
    );
    in_task(&world.engine.renew(1, subscriber(&service())));
    in_task(&world.engine.deliver(&[]));
    let stop = tokio_util::sync::CancellationToken::new();
    let worker = tokio::spawn({
        let (engine, stop) = (world.engine.clone(), stop.clone());
        async move { engine.run(stop).await }
    });
    stop.cancel();
    worker.await.unwrap();
}
