use super::*;

async fn refusal(world: &mut World, wanted: Value) -> String {
    match world.listen(1, user("ann"), &[wanted]).await {
        Err(SubscribeError::Refused(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

async fn count(world: &World) -> i64 {
    sqlx::query_scalar("select count(*) from realtime.subscription")
        .fetch_one(&world.pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn the_database_says_what_cannot_be_listened_to() {
    let mut world = World::new(NOTES).await;
    let text = refusal(&mut world, on("nothing")).await;
    assert_eq!(
        text,
        "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: nothing, filters: [], select: nil]"
    );
    let text = refusal(
        &mut world,
        json!({"table": "notes", "schema": "public", "filter": "subject=eq.hey"}),
    )
    .await;
    assert_eq!(
        text,
        r#"Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: [event: *, schema: public, table: notes, filters: [{"subject", "eq", "hey", false}], select: nil]. Exception: ERROR P0001 (raise_exception) invalid column for filter subject"#
    );
    let text = refusal(
        &mut world,
        json!({"table": "notes", "schema": "public", "filter": "id=eq.hey"}),
    )
    .await;
    assert!(
        text.ends_with(r#"Exception: ERROR 22P02 (invalid_text_representation) invalid input syntax for type integer: "hey""#),
        "{text}"
    );
    assert!(world.engine.is_empty());
}

#[tokio::test]
async fn of_several_the_wrong_one_is_named() {
    let mut world = World::new(NOTES).await;
    let wrong = json!({"table": "notes", "schema": "public", "filter": "id=eq.hey"});
    let outcome = world.listen(1, user("ann"), &[wrong, on("notes")]).await;
    let Err(SubscribeError::Refused(text)) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(text.contains(r#"{"id", "eq", "hey", false}"#), "{text}");
    world.engine.delete_removed().await.unwrap();
    assert_eq!(count(&world).await, 0);
}

#[tokio::test]
async fn rows_come_and_go_with_their_channels() {
    let mut world = World::new(NOTES).await;
    world
        .execute(
            "insert into realtime.subscription (subscription_id, entity, claims)
        values (gen_random_uuid(), 'notes', '{\"role\": \"anon\"}')",
        )
        .await;
    world
        .listen(1, user("ann"), &[on("notes"), json!({"schema": "public"})])
        .await
        .unwrap();
    assert_eq!(
        (count(&world).await, world.engine.len()),
        (2, 2),
        "the row of an earlier process is gone"
    );
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world.engine.delete_removed().await.unwrap();
    assert_eq!((count(&world).await, world.engine.len()), (1, 1));
    world.engine.unsubscribe(1);
    assert!(world.engine.is_empty());
    world
        .execute("insert into notes values (1, 'ann', 'one')")
        .await;
    assert!(world.deliver().await.is_empty());
    world.engine.delete_removed().await.unwrap();
    assert_eq!((count(&world).await, world.engine.len()), (0, 0));
}

#[tokio::test]
async fn tables_that_are_published_later_are_listened_to() {
    let mut world = World::new(NOTES).await;
    world
        .listen(1, service(), &[json!({"schema": "public"})])
        .await
        .unwrap();
    world.listen(2, service(), &[on("notes")]).await.unwrap();
    world.execute("create table later (id int primary key); alter publication supabase_realtime add table later;").await;
    world.execute("insert into later values (1)").await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
    assert_eq!(count(&world).await, 3);
    world
        .execute("alter publication supabase_realtime drop table notes")
        .await;
    world.engine.refresh().await.unwrap();
    assert_eq!((count(&world).await, world.engine.len()), (1, 1));
}

#[tokio::test]
async fn many_filters_on_one_column_cost_one_look() {
    let mut world = World::new(NOTES).await;
    for number in 0..200 {
        let filter = format!("id=eq.{number}");
        let wanted = json!({"schema": "public", "table": "notes", "filter": filter});
        world.listen(number, service(), &[wanted]).await.unwrap();
    }
    world
        .execute("insert into notes values (7, 'ann', 'one'), (300, 'ann', 'two')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(7, 1)]);
    for number in 0..200 {
        world.engine.unsubscribe(number);
    }
    assert_eq!(world.engine.len(), 0);
}
