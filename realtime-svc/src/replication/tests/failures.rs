//! Connections that break, slots that are taken or lost.

use tokio::runtime::Runtime;

use super::*;

const TABLE: &str = "create table public.t (id int primary key); create publication supabase_realtime for table public.t";

async fn kill(fixture: &Fixture) {
    fixture
        .execute(&format!(
            "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = '{}'",
            fixture.settings.slot
        ))
        .await;
}

#[tokio::test]
async fn nothing_is_lost_or_repeated_when_the_connection_breaks() {
    let fixture = fixture().await;
    fixture.execute(TABLE).await;
    let mut settings = fixture.settings.clone();
    settings.queue = 2;
    let mut running = fixture.run_with(settings);
    let _user = running.feed.user();
    running.streaming().await;
    fixture.execute("insert into public.t values (1)").await;
    assert_eq!(running.ids().await, ["1"]);
    // In the middle of a transaction that the consumer has not read, and nothing of what follows is confirmed.
    fixture
        .execute("insert into public.t select generate_series(2, 2000); select 1")
        .await;
    let mut ids = Vec::new();
    let mut ends = Vec::new();
    while ends.len() < 2 {
        match running.item().await {
            FeedItem::Event(Event::Change(_, change)) => {
                ids.push(change.new.unwrap().swap_remove(0));
                if ids.len() == 500 {
                    kill(&fixture).await;
                    fixture.execute("insert into public.t values (2001)").await;
                }
            }
            FeedItem::Event(Event::Committed { end, .. }) => ends.push(end),
            FeedItem::Streaming { .. } => {}
            FeedItem::Gap(gap) => panic!("{gap:?}"),
        }
    }
    let expected: Vec<Cell> = (2..=2001).map(|id| text(&id.to_string())).collect();
    assert_eq!(ids, expected);
    assert!(running.feed.counters().reconnects() > 0);
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn a_second_copy_takes_over_when_the_first_dies() {
    let fixture = fixture().await;
    fixture.execute(TABLE).await;
    // On a runtime of its own, which can be killed like a process.
    let process = Runtime::new().unwrap();
    let mut first = {
        let _inside = process.enter();
        Fixture {
            url: fixture.url.clone(),
            pool: pool(fixture.url.as_str()),
            settings: fixture.settings.clone(),
        }
        .run()
    };
    let _first_user = first.feed.user();
    first.streaming().await;
    let mut second = fixture.run();
    let _second_user = second.feed.user();
    second.until(|status| *status == Status::Standby).await;
    assert_eq!(second.feed.wait_streaming().await, Some(Source::Elsewhere));

    fixture.execute("insert into public.t values (1)").await;
    assert_eq!(first.ids().await, ["1"]);
    // The first one reads this and does not live to deal with it.
    fixture.execute("insert into public.t values (2)").await;
    loop {
        if let FeedItem::Event(Event::Committed { .. }) = first.item().await {
            break;
        }
    }
    process.shutdown_background();
    fixture.execute("insert into public.t values (3)").await;
    let mut seen = Vec::new();
    while seen.last() != Some(&"3".to_owned()) {
        seen.extend(second.ids().await);
    }
    // It may be that the confirmation of the first one was on its way.
    assert!(seen == ["2", "3"] || seen == ["1", "2", "3"], "{seen:?}");
    second.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn a_copy_that_stops_leaves_the_slot_to_the_other() {
    let fixture = fixture().await;
    fixture.execute(TABLE).await;
    let mut settings = fixture.settings.clone();
    settings.keep_slot_on_stop = true;
    let mut first = fixture.run_with(settings.clone());
    let _first_user = first.feed.user();
    first.streaming().await;
    let mut second = fixture.run_with(settings);
    let _second_user = second.feed.user();
    second.until(|status| *status == Status::Standby).await;
    first.stop().await;
    fixture.execute("insert into public.t values (1)").await;
    assert_eq!(second.ids().await, ["1"]);
    second.stop().await;
    assert_eq!(fixture.holder().await, Some(None));
    fixture.end().await;
}

#[tokio::test]
async fn a_copy_that_waited_in_vain_leaves_the_slot_alone() {
    let fixture = fixture().await;
    fixture.execute(TABLE).await;
    let mut first = fixture.run();
    let _first_user = first.feed.user();
    first.streaming().await;
    let second = fixture.run();
    let _second_user = second.feed.user();
    second.until(|status| *status == Status::Standby).await;
    let holder = fixture.holder().await;
    second.stop().await;
    assert_eq!(fixture.holder().await, holder);
    fixture.execute("insert into public.t values (1)").await;
    assert_eq!(first.ids().await, ["1"]);
    assert_eq!(first.feed.counters().reconnects(), 0);
    first.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn a_slot_that_somebody_dropped_leaves_a_gap() {
    let fixture = fixture().await;
    fixture.execute(TABLE).await;
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    // The feed is quick to take it again.
    loop {
        kill(&fixture).await;
        if slot::drop(&fixture.pool, &fixture.settings.slot, Duration::ZERO)
            .await
            .unwrap()
        {
            break;
        }
    }
    loop {
        match running.item().await {
            FeedItem::Gap(gap) => break assert_eq!(gap, Gap::Dropped),
            FeedItem::Streaming { .. } => {}
            FeedItem::Event(event) => panic!("{event:?}"),
        }
    }
    running.streaming().await;
    running.stop().await;
    fixture.end().await;
}

#[tokio::test]
async fn who_may_not_replicate_is_told() {
    let fixture = fixture().await;
    let mut url = fixture.url.clone();
    url.set_username("authenticator").unwrap();
    let target = Target::new(url.as_str(), "test", |_| None).unwrap();
    let settings = Settings {
        target,
        ..fixture.settings.clone()
    };
    let refused = Log::connect(&settings).await.map(|_| ());
    assert!(
        matches!(refused, Err(ReplicationError::Permission(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_slot_that_is_being_made() {
    let fixture = fixture().await;
    fixture.execute(TABLE).await;
    let mut open = fixture.pool.begin().await.unwrap();
    sqlx::raw_sql("insert into public.t values (1)")
        .execute(&mut *open)
        .await
        .unwrap();
    let running = fixture.run();
    let _user = running.feed.user();
    let begun = async { while !matches!(fixture.holder().await, Some(Some(_))) {} };
    timeout(PATIENCE, begun).await.unwrap();
    assert_eq!(*running.feed.status().borrow(), Status::Connecting);
    running.stop().await;
    assert_eq!(fixture.holder().await, None);
    open.rollback().await.unwrap();
}

#[tokio::test]
async fn writers_are_heard_in_order_however_often_the_connection_breaks() {
    const WRITERS: usize = 3;
    const ROWS: usize = 800;
    let fixture = fixture().await;
    fixture
        .execute("create table public.t (writer int, n int); create publication supabase_realtime for table public.t")
        .await;
    let mut settings = fixture.settings.clone();
    settings.queue = 8;
    let mut running = fixture.run_with(settings);
    let _user = running.feed.user();
    running.streaming().await;
    let writing: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let url = fixture.url.clone();
            tokio::spawn(async move {
                let pool = pool(url.as_str());
                let mut written = 0;
                // Transactions of 1 to 49 rows.
                for size in (1..50).cycle() {
                    let until = ROWS.min(written + size);
                    sqlx::query("insert into public.t select $1, generate_series($2, $3)")
                        .bind(i32::try_from(writer).unwrap())
                        .bind(i32::try_from(written + 1).unwrap())
                        .bind(i32::try_from(until).unwrap())
                        .execute(&pool)
                        .await
                        .unwrap();
                    written = until;
                    if written == ROWS {
                        break;
                    }
                }
            })
        })
        .collect();
    let number = |cell: &Cell| match cell {
        Cell::Text(text) => std::str::from_utf8(text).unwrap().parse::<usize>().unwrap(),
        cell => panic!("{cell:?}"),
    };
    let mut heard = [0; WRITERS];
    let mut kills = 0;
    let mut since = 0;
    while heard != [ROWS; WRITERS] {
        match running.item().await {
            FeedItem::Event(Event::Change(_, change)) => {
                let row = change.new.unwrap();
                let (writer, n) = (number(&row[0]), number(&row[1]));
                assert_eq!(n, heard[writer] + 1, "writer {writer}");
                heard[writer] = n;
                since += 1;
                if since == 200 {
                    kill(&fixture).await;
                    (kills, since) = (kills + 1, 0);
                }
            }
            // Some are confirmed at once, and some later with others.
            FeedItem::Event(Event::Committed { end, .. }) if end % 3 == 0 => {
                running.feed.confirm(end);
            }
            FeedItem::Event(Event::Committed { .. }) | FeedItem::Streaming { .. } => {}
            FeedItem::Gap(gap) => panic!("{gap:?}"),
        }
    }
    assert_eq!(kills, WRITERS * ROWS / 200);
    for writer in writing {
        writer.await.unwrap();
    }
    running.stop().await;
    fixture.end().await;
}
