//! What the log tells of changes.

use super::*;

#[tokio::test]
async fn a_change_tells_what_the_replica_identity_keeps() {
    let fixture = fixture().await;
    fixture
        .execute(
            "create table public.plain (id int primary key, v text, big text);
            alter table public.plain alter big set storage external;
            create table public.full_row (id int primary key, v text);
            alter table public.full_row replica identity full;
            create table public.indexed (id int, code text not null unique);
            alter table public.indexed replica identity using index indexed_code_key;
            create table public.nothing (id int primary key, v text);
            alter table public.nothing replica identity nothing;
            create publication supabase_realtime for table public.plain, public.full_row, public.indexed;
            create publication other for table public.nothing",
        )
        .await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;

    fixture
        .execute("insert into public.plain values (1, null, repeat('x', 10000))")
        .await;
    let changes = running.transaction().await;
    let relation = &changes[0].relation;
    assert_eq!((&*relation.schema, &*relation.name), ("public", "plain"));
    assert_eq!(relation.identity, Identity::Default);
    let keys: Vec<bool> = relation
        .columns
        .iter()
        .map(|column| column.is_identity)
        .collect();
    assert_eq!(keys, [true, false, false]);
    assert_eq!(
        (changes[0].action, &changes[0].old),
        (Action::Insert, &Old::None)
    );
    let big = text(&"x".repeat(10000));
    assert_eq!(changes[0].new, Some(vec![text("1"), Cell::Null, big]));

    fixture
        .execute("update public.plain set v = 'a'; update public.plain set id = 2; delete from public.plain")
        .await;
    let (first, second, third) = match <[Change; 3]>::try_from(running.transaction().await) {
        Ok([first, second, third]) => (first, second, third),
        Err(changes) => panic!("{changes:?}"),
    };
    assert_eq!(first.old, Old::None);
    assert_eq!(first.new, Some(vec![text("1"), text("a"), Cell::Unchanged]));
    assert_eq!(
        second.old,
        Old::Key(vec![text("1"), Cell::Null, Cell::Null])
    );
    assert_eq!(third.old, Old::Key(vec![text("2"), Cell::Null, Cell::Null]));
    assert_eq!((third.action, third.new), (Action::Delete, None));

    fixture
        .execute(
            "insert into public.full_row values (1, 'a'); update public.full_row set v = 'b';
            insert into public.indexed values (1, 'a'); delete from public.indexed; truncate public.plain",
        )
        .await;
    let changes = running.transaction().await;
    assert_eq!(changes[1].old, Old::Full(vec![text("1"), text("a")]));
    assert_eq!(changes[1].relation.identity, Identity::Full);
    assert_eq!(changes[3].old, Old::Key(vec![Cell::Null, text("a")]));
    assert_eq!(changes[3].relation.identity, Identity::Index);
    assert_eq!(changes.len(), 4);

    // Without an identity there are inserts only; Postgres refuses the rest.
    fixture
        .execute("alter publication supabase_realtime add table public.nothing; insert into public.nothing values (1, 'a')")
        .await;
    let changes = running.transaction().await;
    assert_eq!(changes[0].relation.identity, Identity::Nothing);
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn values_do_not_depend_on_the_settings_of_the_database() {
    let fixture = fixture().await;
    fixture
        .execute(
            "do $$ begin
                execute format('alter database %I set timezone = ''Asia/Tokyo''', current_database());
                execute format('alter database %I set datestyle = ''German''', current_database());
                execute format('alter database %I set intervalstyle = ''iso_8601''', current_database());
                execute format('alter database %I set bytea_output = ''escape''', current_database());
                execute format('alter database %I set extra_float_digits = 0', current_database());
            end $$;
            create table public.t (at timestamptz, d date, i interval, b bytea, f float8);
            create publication supabase_realtime for table public.t",
        )
        .await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    fixture
        .execute("insert into public.t values ('2025-11-03 09:32:55.5+00', '2025-11-03', '1 day 2 hours', '\\x01ff', 0.1::float8 + 0.2::float8)")
        .await;
    let changes = running.transaction().await;
    let expected = [
        "2025-11-03 09:32:55.5+00",
        "2025-11-03",
        "1 day 02:00:00",
        "\\x01ff",
        "0.30000000000000004",
    ];
    assert_eq!(changes[0].new, Some(expected.map(text).to_vec()));
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn transactions_come_in_the_order_of_their_commits() {
    let fixture = fixture().await;
    fixture
        .execute("create table public.t (id int); create publication supabase_realtime for table public.t")
        .await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    let mut first = fixture.pool.begin().await.unwrap();
    sqlx::raw_sql("insert into public.t values (1)")
        .execute(&mut *first)
        .await
        .unwrap();
    fixture.execute("insert into public.t values (2)").await;
    sqlx::raw_sql("insert into public.t values (3)")
        .execute(&mut *first)
        .await
        .unwrap();
    let before: i64 =
        sqlx::query_scalar("select (extract(epoch from clock_timestamp()) * 1000000)::bigint")
            .fetch_one(&mut *first)
            .await
            .unwrap();
    first.commit().await.unwrap();
    let mut seen = Vec::new();
    let mut commits: Vec<(Commit, u64)> = Vec::new();
    while commits.len() < 2 {
        match running.item().await {
            FeedItem::Event(Event::Change(commit, change)) => {
                seen.push((commit.lsn, change.new.unwrap()));
            }
            FeedItem::Event(Event::Committed { commit, end }) => commits.push((commit, end)),
            item => panic!("{item:?}"),
        }
    }
    let [(one, one_end), (two, two_end)] = commits[..] else {
        panic!("{commits:?}")
    };
    assert!(one.lsn < one_end && one_end <= two.lsn && two.lsn < two_end);
    assert!(
        one.at <= before && before <= two.at,
        "{one:?} {before} {two:?}"
    );
    let row = |id| vec![text(id)];
    assert_eq!(
        seen,
        [
            (one.lsn, row("2")),
            (two.lsn, row("1")),
            (two.lsn, row("3"))
        ]
    );
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn messages_come_from_their_partitions() {
    let fixture = fixture().await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    fixture
        .execute("select realtime.send('{\"a\": 1}', 'greeting', 'room-1')")
        .await;
    let changes = running.transaction().await;
    assert_eq!(&*changes[0].relation.schema, "realtime");
    assert!(changes[0].relation.name.starts_with("messages_20"));
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn a_large_transaction_waits_for_its_consumer() {
    let fixture = fixture().await;
    fixture
        .execute("create table public.t (id int, v text); create publication supabase_realtime for table public.t")
        .await;
    let mut settings = fixture.settings.clone();
    settings.queue = 16;
    let mut running = fixture.run_with(settings);
    let _user = running.feed.user();
    running.streaming().await;
    fixture
        .execute(
            "insert into public.t select n, repeat('x', 1000) from generate_series(1, 50000) n",
        )
        .await;
    let mut count = 0;
    loop {
        match running.item().await {
            FeedItem::Event(Event::Change(_, change)) => {
                count += 1;
                assert_eq!(change.new.unwrap()[0], text(&count.to_string()));
                assert!(running.items.len() <= 16);
            }
            FeedItem::Event(Event::Committed { end, .. }) => break running.feed.confirm(end),
            item => panic!("{item:?}"),
        }
    }
    assert_eq!(count, 50000);
    assert_eq!(running.feed.counters().changes(), 50000);
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn large_rows_wait_for_one_another() {
    let fixture = fixture().await;
    fixture
        .execute("create table public.t (id int, v text); create publication supabase_realtime for table public.t")
        .await;
    let mut settings = fixture.settings.clone();
    settings.queue_bytes = 1_000_000;
    let mut running = fixture.run_with(settings);
    let _user = running.feed.user();
    running.streaming().await;
    // The last one is larger than all may be together.
    fixture
        .execute(
            "insert into public.t select n, repeat('x', 200000) from generate_series(1, 100) n;
            insert into public.t values (101, repeat('x', 3000000))",
        )
        .await;
    let mut count = 0;
    while count < 101 {
        match running.item().await {
            FeedItem::Event(Event::Change(_, change)) => {
                count += 1;
                assert_eq!(change.new.unwrap()[0], text(&count.to_string()));
                assert!(running.items.len() < 5);
            }
            item => panic!("{item:?}"),
        }
    }
    running.stop().await;
    fixture.end().await;
}
