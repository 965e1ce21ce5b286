//! How many passwords all cores together can compare with a bcrypt hash per second when they do nothing else: what
//! sign-ins are measured against. The argument is the time to measure in seconds, or `hash` to print the hash.

use std::{
    thread,
    time::{Duration, Instant},
};

const PASSWORD: &str = "correct horse battery";
const COST: u32 = 10;

fn main() -> anyhow::Result<()> {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let hash = bcrypt::hash(PASSWORD, COST)?;
    if argument == "hash" {
        println!("{hash}");
        return Ok(());
    }
    let time = Duration::from_secs_f64(argument.parse().unwrap_or(4.0));
    let cores = thread::available_parallelism()?.get();
    let started = Instant::now();
    let compared: u32 = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0_u32;
                    while started.elapsed() < time {
                        count += u32::from(bcrypt::verify(PASSWORD, &hash).unwrap_or(false));
                    }
                    count
                })
            })
            .collect();
        let counts = threads.into_iter().map(|each| each.join().unwrap_or(0));
        counts.sum()
    });
    println!(
        "{:.2}",
        f64::from(compared) / started.elapsed().as_secs_f64()
    );
    Ok(())
}
