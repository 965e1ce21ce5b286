//! Members of one room who come and go.

use std::{rc::Rc, time::Duration};

use serde_json::{Value, json};

use crate::{
    crowd::{Join, Target, anon},
    figures::{Tally, digits},
    options::Options,
    pace::Pace,
    processes::Processes,
    socket::{self, find},
};

const TOPIC: &str = "realtime:presence";
/// What a difference begins with that somebody has come in.
const DIFF: &str = r#"[null,null,"realtime:presence","presence_diff",{"joins":{"#;
/// How long the room may take to be told of its members.
const PATIENCE: Duration = Duration::from_secs(5);
const STAMP: &[u8] = br#""t":""#;

/// Half of the members are there; in turns one that is not comes, and one that is goes. Everybody is told.
pub(crate) async fn run(options: &Options) -> anyhow::Result<Value> {
    let count = options.number("members", 500_usize)?.max(2);
    let pace = Pace::new(options, options.rate("50")?, 8, count as u64)?;
    let processes = Processes::new(options);
    let crowd = Target::new(options)?
        .gather(count, |index| Join {
            topic: TOPIC.to_owned(),
            config: json!({"presence": {"enabled": true, "key": format!("member-{index}")}}),
            claims: anon(),
            ready: None,
        })
        .await?;
    let tally = Rc::new(Tally::new());
    for reader in crowd.readers {
        let tally = tally.clone();
        tokio::task::spawn_local(async move {
            reader.pump(|frame| count_diff(frame, &tally)).await;
            tally.closed.set(tally.closed.get() + 1);
        });
    }
    let (writers, half) = (crowd.writers, count / 2);
    let call = async |member: usize, event: &str, stamp: u64| {
        let payload =
            json!({"type": "presence", "event": event, "payload": {"t": format!("{stamp:016}")}});
        let frame = json!(["1", "2", TOPIC, "presence", payload]);
        writers[member]
            .write(&socket::text(&frame.to_string()))
            .await
    };
    // Not so fast that the room cannot be told.
    let mut told = 0;
    for member in 0..half {
        call(member, "track", 0).await?;
        told += count as u64;
        let enough = told.saturating_sub(8 * count as u64);
        tally.reaches(enough, PATIENCE).await;
    }
    tally.reaches(told, PATIENCE).await;
    let came = tally.received();
    anyhow::ensure!(came == told, "{came} of {told} differences came");
    tally.start_over();
    let outcome = pace
        .run(&tally, &processes, async |index, stamp| {
            let turn = (index / 2) as usize;
            if index % 2 == 0 {
                call((half + turn) % count, "track", stamp).await?;
            } else {
                call(turn % count, "untrack", stamp).await?;
            }
            Ok(())
        })
        .await?;
    let mut figures = outcome.figures;
    figures["members"] = count.into();
    Ok(figures)
}

fn count_diff(frame: &[u8], tally: &Tally) {
    let Some(rest) = frame.strip_prefix(DIFF.as_bytes()) else {
        return;
    };
    // Who goes brings back an old time stamp.
    let stamp = if rest.first() == Some(&b'"') {
        find(rest, STAMP).map(|at| digits(&rest[at + STAMP.len()..]))
    } else {
        None
    };
    tally.count(stamp);
}
