//! Sockets that joined and say nothing.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    crowd::{Join, Target, anon},
    options::Options,
    processes::Processes,
};

/// How fast they join and what memory each of them costs. Each has a room of its own.
pub(crate) async fn run(options: &Options) -> anyhow::Result<Value> {
    let count = options.number("sockets", 1000_usize)?.max(1);
    let rest = Duration::from_secs_f64(options.number("rest", 5.0)?);
    let processes = Processes::new(options);
    let (before, spent) = (processes.resident(), processes.spent());
    let crowd = Target::new(options)?
        .gather(count, |index| Join {
            topic: format!("realtime:idle-{index}"),
            config: json!({"broadcast": {"self": false, "ack": false}, "presence": {"enabled": false}}),
            claims: anon(),
            ready: None,
        })
        .await?;
    let joining = processes.spent().since(spent);
    tokio::time::sleep(rest).await;
    let after = processes.resident();
    Ok(json!({
        "sockets": count,
        "joins_per_s": count as f64 / crowd.took.as_secs_f64(),
        "join_ms": crowd.joins.summary(),
        "server_us_per_join": joining.server * 1e6 / count as f64,
        "own_us_per_join": joining.own * 1e6 / count as f64,
        "before_mb": before as f64 / 1_048_576.0,
        "after_mb": after as f64 / 1_048_576.0,
        "bytes_per_socket": after.saturating_sub(before) as f64 / count as f64,
    }))
}
