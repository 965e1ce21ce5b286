//! Takes requests from the queue, sends them, and notes what was answered.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use sqlx::{Connection as _, PgConnection, PgPool, postgres::PgListener};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    queue::{self, Answer, Request},
    send::{Outcome, Sender},
};
use crate::jobs::{Counters, Database, NetConfig};

/// What wakes the workers; `net.wake` notifies it.
const CHANNEL: &str = "nilam_net";
/// Answers that one statement notes.
const NOTED_AT_ONCE: usize = 500;
/// How often expired answers are removed, what dead sessions took is given back, and the queue is looked at unasked.
const HOUSEKEEPING: Duration = Duration::from_secs(30);
/// A claim waits so long for more room than for one request.
const GATHER: Duration = Duration::from_millis(2);
/// How long requests in flight may still take when the service stops.
const DRAIN: Duration = Duration::from_secs(10);

/// Works off the queue until it is time to stop; gives an error when the database is lost.
pub(in crate::jobs) async fn run(
    database: &Database,
    config: &NetConfig,
    counters: &Arc<Counters>,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect_with(&database.options).await?;
    if !queue::is_ours(&mut connection).await? {
        tracing::info!("the extension pg_net is installed and sends its requests itself");
        stop.cancelled().await;
        return Ok(());
    }
    let pool = &database.pool;
    let mut listener = PgListener::connect_with(pool).await?;
    listener.ignore_pool_close_event(true);
    listener.listen(CHANNEL).await?;
    let me = queue::enter(&mut connection).await?;
    queue::reclaim(&mut connection, Some(me)).await?;

    let (answers, noting) = mpsc::channel(config.concurrency);
    let mut writer = JoinSet::new();
    let book = Book {
        pool: pool.clone(),
        me,
        config: config.clone(),
        counters: counters.clone(),
    };
    writer.spawn(book.keep(noting));
    let worker = Worker {
        me,
        config,
        sender: Sender::new(config).context("no HTTP client can be made")?,
        permits: Arc::new(Semaphore::new(config.concurrency)),
        sending: JoinSet::new(),
        answers,
    };
    tokio::select! {
        outcome = worker.run(&mut connection, &mut listener, stop) => outcome?,
        Some(ended) = writer.join_next() => {
            ended??;
            anyhow::bail!("answers are not noted any more");
        }
    }
    // Everything was handed over; the writer ends when it has noted it.
    while let Some(ended) = writer.join_next().await {
        ended??;
    }
    queue::reclaim(&mut connection, Some(me)).await?;
    connection.close().await?;
    Ok(())
}

struct Worker<'a> {
    me: i32,
    config: &'a NetConfig,
    sender: Sender,
    permits: Arc<Semaphore>,
    sending: JoinSet<()>,
    answers: mpsc::Sender<(Request, Outcome)>,
}

impl Worker<'_> {
    async fn run(
        mut self,
        connection: &mut PgConnection,
        listener: &mut PgListener,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let mut housekeeping = Instant::now();
        loop {
            if stop.is_cancelled() {
                break;
            }
            if housekeeping <= Instant::now() {
                queue::reclaim(connection, None).await?;
                queue::sweep(connection, self.config.ttl).await?;
                housekeeping = Instant::now() + HOUSEKEEPING;
            }
            if self.claim(connection).await? {
                continue;
            }
            let due = queue::next_due(connection).await?;
            let due = due.map(|wait| Instant::now() + wait);
            let wake = due.map_or(housekeeping, |due| due.min(housekeeping));
            tokio::select! {
                // Without a notification the connection was lost, and something may have been missed.
                notified = listener.try_recv() => { notified?; }
                () = sleep_until(wake) => {}
                () = stop.cancelled() => {}
            }
            while self.sending.try_join_next().is_some() {}
        }
        let drained = async { while self.sending.join_next().await.is_some() {} };
        if timeout(DRAIN, drained).await.is_err() {
            tracing::warn!("requests were still in flight and will be sent again");
        }
        Ok(())
    }

    /// Takes as many requests as there is room for; true if there may be more.
    async fn claim(&mut self, connection: &mut PgConnection) -> anyhow::Result<bool> {
        let mut room = self.room().await?;
        let count = room.num_permits();
        let requests = queue::claim(connection, self.me, count).await?;
        let more = requests.len() == count;
        for request in requests {
            // As many rows as permits at the most.
            let Some(permit) = room.split(1) else { break };
            self.spawn(request, permit);
        }
        while self.sending.try_join_next().is_some() {}
        Ok(more)
    }

    /// Room for at least one request and at most a batch, better for many than for one.
    async fn room(&self) -> anyhow::Result<OwnedSemaphorePermit> {
        let batch = self.config.batch_size.min(self.config.concurrency);
        let wanted = u32::try_from(batch / 2).unwrap_or(u32::MAX).max(1);
        let many = self.permits.clone().acquire_many_owned(wanted);
        let mut room = match timeout(GATHER, many).await {
            Ok(room) => room?,
            Err(_) => self.permits.clone().acquire_owned().await?,
        };
        let rest = self.permits.available_permits();
        let rest = rest.min(batch - room.num_permits().min(batch));
        if let Ok(rest) = u32::try_from(rest)
            && let Ok(more) = self.permits.clone().try_acquire_many_owned(rest)
        {
            room.merge(more);
        }
        Ok(room)
    }

    fn spawn(&mut self, request: Request, permit: OwnedSemaphorePermit) {
        let (sender, answers) = (self.sender.clone(), self.answers.clone());
        self.sending.spawn(async move {
            let outcome = sender.send(request.clone()).await;
            // A writer that has ended ends the worker.
            let _ = answers.send((request, outcome)).await;
            drop(permit);
        });
    }
}

/// Notes what became of requests, many at a time when many come.
struct Book {
    pool: PgPool,
    me: i32,
    config: NetConfig,
    counters: Arc<Counters>,
}

impl Book {
    async fn keep(self, mut outcomes: mpsc::Receiver<(Request, Outcome)>) -> anyhow::Result<()> {
        let mut buffer = Vec::with_capacity(NOTED_AT_ONCE);
        while outcomes.recv_many(&mut buffer, NOTED_AT_ONCE).await > 0 {
            let mut answers = Vec::with_capacity(buffer.len());
            let mut again = Vec::new();
            for (request, outcome) in buffer.drain(..) {
                match self.decide(&request, outcome) {
                    Ok(answer) => answers.push((request.id, answer)),
                    Err(wait) => again.push((request.id, wait)),
                }
            }
            if !again.is_empty() {
                queue::postpone(&self.pool, self.me, &again).await?;
                // The loop that claims has to look again when the first of them is due.
                sqlx::query("select net.wake()").execute(&self.pool).await?;
            }
            if !answers.is_empty() {
                queue::record(&self.pool, self.me, answers).await?;
            }
        }
        Ok(())
    }

    /// The answer to be noted, or how long to wait until the request is sent again.
    fn decide(&self, request: &Request, outcome: Outcome) -> Result<Answer, Duration> {
        let answer = match outcome {
            Outcome::NotConnected(answer) => {
                let done = u32::try_from(request.attempts - 1).unwrap_or(0);
                if done < self.config.retries {
                    self.counters.retried();
                    return Err(self.config.retry_delay * 2_u32.saturating_pow(done.min(16)));
                }
                answer
            }
            Outcome::Answer(answer) => answer,
        };
        self.counters
            .answered(answer.error.is_some(), answer.timed_out);
        Ok(answer)
    }
}
