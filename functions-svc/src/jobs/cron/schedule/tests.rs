use chrono::TimeZone as _;
use proptest::prelude::*;

use super::*;

impl Minutes {
    /// True if a job runs in a minute.
    fn contain(&self, at: DateTime<Tz>) -> bool {
        has(self.of_hour, at.minute()) && has(self.hours, at.hour()) && self.contain_day(at)
    }
}

fn minutes(text: &str) -> Minutes {
    match Schedule::parse(text) {
        Some(Schedule::Minutes(minutes)) => minutes,
        other => panic!("{text}: {other:?}"),
    }
}

fn times(text: &str, zone: Tz, from: &str, count: usize) -> Vec<String> {
    let minutes = minutes(text);
    let mut at: DateTime<Utc> = from.parse().unwrap();
    (0..count)
        .map(|_| {
            at = minutes.next_after(at, zone).unwrap();
            at.with_timezone(&zone).format("%F %R").to_string()
        })
        .collect()
}

#[test]
fn what_the_original_reads_is_read() {
    for text in [
        "* * * * *",
        "*/5 * * * *",
        "0 0 * * 1-5",
        "0 13 2 jun sun",
        "5,10-20/2,59 1 $ 1-3,DEC 7",
        "\t 0  0\t1 1 * more words",
        "# a comment\n@hourly",
        "@reboot",
        "@restart",
        "@daily now",
        "1.5 2;3 * * *",
        "*x * * * *",
        "*-3 * * * *",
        "007 * * * *",
        "0 0 * * sat,mon-wed",
    ] {
        assert!(Schedule::parse(text).is_some(), "{text}");
    }
    for (text, seconds) in [
        ("1 second", 1),
        (" 30 sEcOnDs ", 30),
        ("59seconds", 59),
        ("+5  second", 5),
    ] {
        assert_eq!(
            Schedule::parse(text),
            Some(Schedule::Every(Duration::from_secs(seconds))),
            "{text}"
        );
    }
    for text in [
        "",
        "* * * *",
        "5 secondc",
        "50 seconds c",
        "1 second ",
        "*/0 10 * * *",
        "-1 * * * *",
        "*/-1 10 * * *",
        "*/60 10 * * *",
        "* * * 13 *",
        "* * * 0 *",
        "*/5000000000 10 * * *",
        "-1 seconds",
        "0 seconds",
        "60 seconds",
        "10000000000 seconds",
        "@restar",
        "@",
        "0 11 $foo * *",
        "1/5 * * * *",
        "1- * * * *",
        "1, * * * *",
        "jan * * * *",
        "* * 0 * *",
        "* * * * 8",
        "* *\n* * *",
        "5x * * * *",
        "* * * january *",
    ] {
        assert_eq!(Schedule::parse(text), None, "{text}");
    }
    assert_eq!(
        Schedule::parse(&format!("* * * * * {}", "x".repeat(1000))),
        None
    );
}

#[test]
fn days_of_month_and_week_are_either_unless_one_is_every() {
    let from = "2026-02-01T00:00:00Z";
    assert_eq!(
        times("0 0 13 * 5", Tz::UTC, from, 3),
        ["2026-02-06 00:00", "2026-02-13 00:00", "2026-02-20 00:00"]
    );
    assert_eq!(
        times("0 0 */2 * 5", Tz::UTC, from, 2),
        ["2026-02-13 00:00", "2026-02-27 00:00"]
    );
    assert_eq!(
        times("0 12 $ * *", Tz::UTC, from, 3),
        ["2026-02-28 12:00", "2026-03-31 12:00", "2026-04-30 12:00"]
    );
    assert_eq!(
        times("@weekly", Tz::UTC, from, 2),
        ["2026-02-08 00:00", "2026-02-15 00:00"]
    );
    assert_eq!(times("@yearly", Tz::UTC, from, 1), ["2027-01-01 00:00"]);
    assert_eq!(
        times("0 0 29 2 *", Tz::UTC, "2096-03-01T00:00:00Z", 1),
        ["2104-02-29 00:00"]
    );
    assert_eq!(minutes("0 0 30 2 *").next_after(Utc::now(), Tz::UTC), None);
}

#[test]
fn clocks_that_change_leave_out_and_repeat() {
    let zone = Tz::Europe__Berlin;
    let spring = times("30 2 * * *", zone, "2026-03-28T00:00:00Z", 2);
    assert_eq!(spring, ["2026-03-28 02:30", "2026-03-30 02:30"]);
    let autumn = times("30 2 * * *", zone, "2026-10-24T12:00:00Z", 3);
    assert_eq!(
        autumn,
        ["2026-10-25 02:30", "2026-10-25 02:30", "2026-10-26 02:30"]
    );
    // Midnight itself is left out here.
    let cairo = times("0 0 * * *", Tz::Africa__Cairo, "2026-04-22T23:00:00Z", 2);
    assert_eq!(cairo, ["2026-04-25 00:00", "2026-04-26 00:00"]);
}

fn field(low: u32, high: u32) -> impl Strategy<Value = String> {
    let range = move || (low..=high, low..=high).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let item = prop_oneof![
        3 => Just("*".to_owned()),
        3 => (low..=high).prop_map(|n| n.to_string()),
        1 => range().prop_map(|(a, b)| format!("{a}-{b}")),
        1 => (range(), 1..=high).prop_map(|((a, b), step)| format!("{a}-{b}/{step}")),
        1 => (1..=high).prop_map(|step| format!("*/{step}")),
    ];
    prop::collection::vec(item, 1..3).prop_map(|items| items.join(","))
}

fn five_fields() -> impl Strategy<Value = String> {
    let day = prop_oneof![4 => field(1, 31), 1 => Just("$".to_owned())];
    (field(0, 59), field(0, 23), day, field(1, 12), field(0, 7))
        .prop_map(|(a, b, c, d, e)| format!("{a} {b} {c} {d} {e}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The next minute is the first of all minutes that fits.
    #[test]
    fn none_is_passed_over(
        text in five_fields(),
        start in 1_700_000_000_i64..1_900_000_000,
        zone in prop::sample::select(vec![
            Tz::UTC, Tz::Europe__Berlin, Tz::Asia__Kolkata, Tz::America__New_York, Tz::Australia__Lord_Howe, Tz::Africa__Cairo,
        ]),
    ) {
        let minutes = minutes(&text);
        let after = Utc.timestamp_opt(start, 0).unwrap();
        let next = minutes.next_after(after, zone);
        let mut at = after.with_second(0).unwrap();
        for _ in 0..5 * 1440 {
            at += TimeDelta::minutes(1);
            if minutes.contain(at.with_timezone(&zone)) {
                break;
            }
        }
        match next {
            Some(next) => {
                prop_assert!(next > after);
                prop_assert!(minutes.contain(next.with_timezone(&zone)));
                prop_assert!(next == at || next > at && !minutes.contain(at.with_timezone(&zone)), "{} {}", next, at);
            }
            None => prop_assert!(!minutes.contain(at.with_timezone(&zone))),
        }
    }

    #[test]
    fn nothing_panics(text in "[-0-9a-z*/,$@# \t\n+]{0,24}") {
        if let Some(Schedule::Minutes(minutes)) = Schedule::parse(&text) {
            let _ = minutes.next_after(Utc.timestamp_opt(1_800_000_000, 0).unwrap(), Tz::UTC);
        }
    }
}

/// What the database takes for a schedule can be read here, and nothing else.
#[tokio::test]
async fn the_database_knows_the_same_language() {
    use proptest::{strategy::ValueTree as _, test_runner::TestRunner};
    use svc_kit::testing::{Template, TestDb};

    let template = Template::new("functions_language").migrated(crate::migrations());
    let db = TestDb::new(&template).await;
    let strange = "[-0-9*/,$ ]{1,20}|[-0-9a-f*/,$#@ \t\n]{0,16}|(\\* |5 |1-3/2 |mon |JAN-mar,dec |\\$ |9x |60 ){3,6}\
        |[ +]?[0-9]{1,3} ?[sS]econds?[ sx]?|@(reboot|weekly|hourly|never)[ x]?";
    let strategy = prop_oneof![five_fields(), strange.prop_map(|text: String| text)];
    let mut runner = TestRunner::deterministic();
    let texts: Vec<String> = (0..3000)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect();
    let known: Vec<bool> = sqlx::query_scalar(
        "select cron._is_schedule(text) from unnest($1::text[]) with ordinality as t (text, n) order by n",
    )
    .bind(&texts)
    .fetch_all(&db.pool())
    .await
    .unwrap();
    assert!(known.iter().filter(|known| **known).count() > 1000);
    for (text, known) in texts.iter().zip(known) {
        assert_eq!(Schedule::parse(text).is_some(), known, "{text:?}");
    }
}
