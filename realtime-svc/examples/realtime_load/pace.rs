//! How fast something is sent, and what comes of it.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::time::sleep_until;

use crate::{
    figures::Tally,
    options::Options,
    processes::{Processes, Spent},
};

/// How long what is still under way may take without any progress.
const PATIENCE: Duration = Duration::from_secs(20);

/// The load.
pub(crate) struct Pace {
    /// Sendings per second; none stands for as fast as they are delivered.
    rate: Option<f64>,
    /// Sendings that may be under way.
    window: u64,
    /// Deliveries that one sending makes.
    deliveries: u64,
    seconds: Duration,
    warm_up: Duration,
}

/// What was measured.
pub(crate) struct Outcome {
    pub(crate) figures: Value,
    pub(crate) spent: Spent,
    /// All sendings, those to warm up too.
    pub(crate) all_sent: u64,
}

impl Pace {
    pub(crate) fn new(
        options: &Options,
        rate: Option<f64>,
        window: u64,
        deliveries: u64,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            rate,
            window: options.number("window", window)?.max(1),
            deliveries,
            seconds: Duration::from_secs_f64(options.number("seconds", 5.0)?),
            warm_up: Duration::from_secs_f64(options.number("warm-up", 1.0)?),
        })
    }

    /// Sends and measures. `send` is given a count and the time to stamp the message with.
    pub(crate) async fn run(
        &self,
        tally: &Rc<Tally>,
        processes: &Processes,
        mut send: impl AsyncFnMut(u64, u64) -> anyhow::Result<()>,
    ) -> anyhow::Result<Outcome> {
        let warm = self.send_for(self.warm_up, 0, tally, &mut send).await?;
        tally.take_latencies();
        let (begun, before, received) = (Instant::now(), processes.spent(), tally.received());
        let all_sent = self.send_for(self.seconds, warm, tally, &mut send).await?;
        let sending = begun.elapsed();
        let resident = processes.resident();
        let expected = all_sent * self.deliveries;
        let mut seen = u64::MAX;
        while tally.received() < expected && tally.received() != seen {
            seen = tally.received();
            tally.reaches(expected, PATIENCE).await;
        }
        // What was under way at the beginning stands for what is at the end, which takes its time, too.
        let took = tally.last().saturating_duration_since(begun).max(sending);
        let (spent, received) = (processes.spent().since(before), tally.received() - received);
        let latencies = tally.take_latencies();
        let each = |seconds: f64| seconds * 1e6 / received.max(1) as f64;
        let seconds = took.as_secs_f64();
        let figures = json!({
            "seconds": seconds,
            "sent_per_s": received as f64 / self.deliveries as f64 / seconds,
            "deliveries_per_s": received as f64 / seconds,
            "latency_ms": latencies.summary(),
            "timed": latencies.total(),
            "lost": expected.saturating_sub(tally.received()),
            "excess": tally.received().saturating_sub(expected),
            "closed": tally.closed.get(),
            "drain_s": took.saturating_sub(sending).as_secs_f64(),
            "server_us_per_delivery": each(spent.server),
            "own_us_per_delivery": each(spent.own),
            "server_cores": spent.server / seconds,
            "own_cores": spent.own / seconds,
            "server_mb": resident as f64 / 1_048_576.0,
        });
        Ok(Outcome {
            figures,
            spent,
            all_sent,
        })
    }

    async fn send_for(
        &self,
        time: Duration,
        mut count: u64,
        tally: &Rc<Tally>,
        send: &mut impl AsyncFnMut(u64, u64) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let begun = Instant::now();
        let stamp = tally.now();
        if let Some(rate) = self.rate {
            for step in 0_u64.. {
                let due = Duration::from_secs_f64(step as f64 / rate);
                if due >= time {
                    break;
                }
                sleep_until((begun + due).into()).await;
                send(count, stamp + due.as_micros() as u64).await?;
                count += 1;
            }
            sleep_until((begun + time).into()).await;
            return Ok(count);
        }
        loop {
            let left = time.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(count);
            }
            let under_way = (count * self.deliveries).saturating_sub(tally.received());
            if under_way >= self.window * self.deliveries {
                let half = (count - self.window / 2) * self.deliveries;
                tally.reaches(half, left).await;
                continue;
            }
            send(count, tally.now()).await?;
            count += 1;
            // Sending alone never waits, and readers are to have their turn.
            tokio::task::yield_now().await;
        }
    }
}
