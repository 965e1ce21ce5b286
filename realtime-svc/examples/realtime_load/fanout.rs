//! Broadcasts to one room.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::{
    crowd::{Join, Target, anon},
    figures::{Tally, digits},
    options::Options,
    pace::Pace,
    processes::Processes,
    socket,
};

const TOPIC: &str = "realtime:fan-out";

/// The first `--senders` sockets of the room send in turns; everybody but the sender gets the message.
pub(crate) async fn run(options: &Options) -> anyhow::Result<Value> {
    let count = options.number("subscribers", 1000_usize)?.max(2);
    let senders = options.number("senders", 1_usize)?.clamp(1, count);
    let bytes = options.number("bytes", 100_usize)?;
    let pace = Pace::new(options, options.rate("max")?, 32, count as u64 - 1)?;
    let processes = Processes::new(options);
    let crowd = Target::new(options)?
        .gather(count, |_| Join {
            topic: TOPIC.to_owned(),
            config: json!({"broadcast": {"self": false, "ack": false}, "presence": {"enabled": false}}),
            claims: anon(),
            ready: None,
        })
        .await?;
    let tally = Rc::new(Tally::new());
    for reader in crowd.readers {
        let tally = tally.clone();
        tokio::task::spawn_local(async move {
            reader.pump(|frame| count_broadcast(frame, &tally)).await;
            tally.closed.set(tally.closed.get() + 1);
        });
    }
    let writers = crowd.writers;
    let padding = "x".repeat(bytes.saturating_sub(33));
    let outcome = pace
        .run(&tally, &processes, async |index, stamp| {
            let payload = format!(r#"{{"t":"{stamp:016}","x":"{padding}"}}"#);
            let sender = &writers[index as usize % senders];
            sender.write(&push(payload.as_bytes())).await?;
            Ok(())
        })
        .await?;
    let mut figures = outcome.figures;
    figures["subscribers"] = count.into();
    figures["bytes"] = bytes.into();
    Ok(figures)
}

/// A broadcast in binary framing, as current clients send it.
fn push(payload: &[u8]) -> Vec<u8> {
    let event = "b";
    let mut frame = vec![3, 0, 0, TOPIC.len() as u8, event.len() as u8, 0, 1];
    frame.extend(TOPIC.as_bytes());
    frame.extend(event.as_bytes());
    frame.extend(payload);
    socket::binary(&frame)
}

/// The time stamp is where every message has it.
fn count_broadcast(frame: &[u8], tally: &Tally) {
    if let [4, topic, event, meta, _, rest @ ..] = frame {
        let start = usize::from(*topic) + usize::from(*event) + usize::from(*meta) + 6;
        tally.count(rest.get(start..).map(digits));
    }
}
