//! Publications, slots and partitions come and go.

use super::*;

#[tokio::test]
async fn a_publication_is_read_from_when_it_is_made() {
    let fixture = fixture().await;
    fixture.execute("create table public.t (id int)").await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    fixture.execute("insert into public.t values (1)").await;
    fixture
        .execute("create publication supabase_realtime for table public.t")
        .await;
    running.streaming().await;
    fixture.execute("insert into public.t values (2)").await;
    assert_eq!(running.ids().await, ["2"]);

    fixture.execute("drop publication supabase_realtime").await;
    running.streaming().await;
    fixture
        .execute("insert into public.t values (3); select realtime.send('{}', 'e', 't')")
        .await;
    let changes = running.transaction().await;
    assert_eq!(&*changes[0].relation.schema, "realtime");
    assert_eq!(running.feed.counters().gaps(), 0);
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn a_publication_that_is_replaced_at_once_loses_nothing() {
    let fixture = fixture().await;
    fixture
        .execute("create table public.t (id int); create publication supabase_realtime for table public.t")
        .await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    fixture
        .execute(
            "begin; drop publication supabase_realtime; create publication supabase_realtime; commit;
            alter publication supabase_realtime add table public.t; insert into public.t values (1)",
        )
        .await;
    assert_eq!(running.ids().await, ["1"]);
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn the_publication_of_messages_holds_messages_only() {
    let fixture = fixture().await;
    let name = fixture.settings.messages.clone();
    let content = "select string_agg(prrelid::regclass::text, ' ') from pg_publication_rel r join pg_publication p on p.oid = prpubid \
        where pubname = 'supabase_realtime_messages_publication' and not pubviaroot";
    for before in [
        "select 1",
        "drop publication supabase_realtime_messages_publication",
        "create table public.t (id int); alter publication supabase_realtime_messages_publication add table public.t",
        "alter publication supabase_realtime_messages_publication set (publish_via_partition_root = true)",
        "alter publication supabase_realtime_messages_publication add tables in schema public",
    ] {
        fixture.execute(before).await;
        publication::ensure_messages(&fixture.pool, &name)
            .await
            .unwrap();
        let found: Option<String> = sqlx::query_scalar(content)
            .fetch_one(&fixture.pool)
            .await
            .unwrap();
        assert_eq!(found.as_deref(), Some("realtime.messages"), "{before}");
    }
    let oid =
        "select oid from pg_publication where pubname = 'supabase_realtime_messages_publication'";
    let oid = async || {
        sqlx::query_scalar::<_, sqlx::postgres::types::Oid>(oid)
            .fetch_one(&fixture.pool)
            .await
            .unwrap()
    };
    let before = oid().await;
    publication::ensure_messages(&fixture.pool, &name)
        .await
        .unwrap();
    assert_eq!(before, oid().await);
}

#[tokio::test]
async fn the_slot_goes_when_nobody_needs_it() {
    let fixture = fixture().await;
    let mut settings = fixture.settings.clone();
    settings.idle_after = Duration::from_millis(1);
    let mut running = fixture.run_with(settings);
    assert_eq!(fixture.holder().await, None);
    let user = running.feed.user();
    running.streaming().await;
    assert!(matches!(fixture.holder().await, Some(Some(_))));
    drop(user);
    running.until(|status| *status == Status::Idle).await;
    assert_eq!(fixture.holder().await, None);
    // And comes back.
    let _user = running.feed.user();
    assert_eq!(running.feed.wait_streaming().await, Some(Source::Here));
    running.streaming().await;
    running.stop().await;
    assert_eq!(fixture.holder().await, None);
}

#[tokio::test]
async fn an_idle_publication_does_not_hold_the_log_back() {
    let fixture = fixture().await;
    fixture
        .execute("create table public.t (id int); create table public.other (id int); create publication supabase_realtime for table public.t")
        .await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    fixture
        .execute("insert into public.other select generate_series(1, 10000)")
        .await;
    timeout(PATIENCE, async {
        let at: i64 = sqlx::query_scalar("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
            .fetch_one(&fixture.pool)
            .await
            .unwrap();
        let confirmed = "select pg_wal_lsn_diff(confirmed_flush_lsn, '0/0')::bigint from pg_replication_slots where slot_name = $1";
        loop {
            let confirmed: i64 = sqlx::query_scalar(confirmed)
                .bind(&fixture.settings.slot)
                .fetch_one(&fixture.pool)
                .await
                .unwrap();
            if confirmed >= at {
                break;
            }
        }
    })
    .await
    .unwrap();
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn partitions_are_made_ahead_and_dropped_when_they_are_old() {
    let fixture = fixture().await;
    tend(&fixture.pool).await.unwrap();
    fixture
        .execute(
            "create table realtime.messages_2020_01_01 partition of realtime.messages for values from ('2020-01-01') to ('2020-01-02');
            create table realtime.messages_2020_01_x partition of realtime.messages for values from ('2020-01-02') to ('2020-01-03');
            do $$ declare day date := (now() at time zone 'utc')::date; begin
                execute format('drop table realtime.%I', 'messages_' || to_char(day + 2, 'YYYY_MM_DD'));
                execute format('create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
                    'messages_' || to_char(day - 3, 'YYYY_MM_DD'), day - 3, day - 2);
            end $$",
        )
        .await;
    let expected = Tended {
        made: 1,
        dropped: 1,
    };
    assert_eq!(tend(&fixture.pool).await.unwrap(), expected);
    assert_eq!(tend(&fixture.pool).await.unwrap(), Tended::default());
    let names: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_inherits join pg_class c on c.oid = inhrelid \
         where inhparent = 'realtime.messages'::regclass and relowner = 'supabase_realtime_admin'::regrole",
    )
    .fetch_all(&fixture.pool)
    .await
    .unwrap();
    assert_eq!(names.len(), 5, "{names:?}");
}
