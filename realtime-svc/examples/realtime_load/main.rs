//! Puts load on a realtime service, and says how it did as one line of JSON.
//!
//! ```text
//! realtime_load fanout   --url ws://127.0.0.1:4000/socket --secret S --subscribers 1000 [--senders 1] [--rate max]
//!                        [--bytes 100] [--window 32]
//! realtime_load idle     … --sockets 5000 [--rest 5]
//! realtime_load presence … --members 500 [--rate 50]
//! realtime_load changes  … --database-url URL --subscribers 100 [--visible one|all] [--rls on|off] [--filter no|yes]
//!                        [--topic each|one] [--rate max] [--batch 20] [--window 25]
//! realtime_load bare     --port 4001
//! ```
//!
//! All but `bare` take `--seconds 5`, `--warm-up 1`, `--join-concurrency 64`, `--server-pid` and `--postgres-pid`. A
//! rate is messages, calls or rows per second; with `max` there are at most `--window` messages (or inserts) under way.
//! At a rate, latency counts from when something was due, not from when it was sent: who falls behind shows it.
//!
//! It costs little itself, because it shares the machine with what it measures: one thread, one buffer, and of a frame
//! only its end and its time stamp are looked for.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures for people"
)]

mod bare;
mod changes;
mod crowd;
mod fanout;
mod figures;
mod idle;
mod options;
mod pace;
mod presence;
mod processes;
mod socket;

use options::Options;

fn main() -> anyhow::Result<()> {
    let options = Options::from_arguments(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let run = async {
        match options.mode() {
            "fanout" => fanout::run(&options).await,
            "idle" => idle::run(&options).await,
            "presence" => presence::run(&options).await,
            "changes" => changes::run(&options).await,
            "bare" => bare::run(&options).await,
            other => anyhow::bail!("{other:?} is no mode"),
        }
    };
    let figures = tokio::task::LocalSet::new().block_on(&runtime, run)?;
    println!("{figures}");
    // Thousands of sockets would otherwise be closed one by one.
    std::process::exit(0)
}
