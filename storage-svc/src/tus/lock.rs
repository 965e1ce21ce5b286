//! One writer per upload, across all copies of the service.
//!
//! One session of Postgres has the advisory locks of all uploads that this process writes to, under the numbers that
//! the original uses; within the process a table of seats keeps writers apart. So many uploads need one connection,
//! which is none of those that requests wait for. Who waits for a lock asks its holder to let go: the holder is mostly
//! a request whose client is gone, and that is here again with the next one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::{
    Postgres,
    postgres::{PgArguments, PgListener, PgPoolOptions},
    query::Query,
};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    config::Config,
    error::{Error, Result},
    store::objects::lock_key,
};

/// How often a request asks.
const RETRY: Duration = Duration::from_millis(500);
/// Where copies of the service ask each other.
const CHANNEL: &str = "storage_upload_release";

/// The locks of uploads.
#[derive(Clone, Debug)]
pub(crate) struct Locks(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    seats: Arc<Seats>,
    commands: mpsc::UnboundedSender<Command>,
    /// What starts with the first lock.
    idle: Mutex<Option<Session>>,
    writers: Arc<Semaphore>,
}

/// An upload that nobody else writes to; until this is dropped, or somebody asks for it.
#[derive(Debug)]
pub(super) struct UploadLock {
    // Given back in this order.
    _database: DatabaseLock,
    _seat: Seat,
    asked: CancellationToken,
}

impl UploadLock {
    /// Ends when somebody else wants the upload, or when the lock is lost.
    pub(super) fn asked(&self) -> CancellationToken {
        self.asked.clone()
    }
}

impl Locks {
    pub(crate) fn new(config: &Config) -> Self {
        let (commands, receiver) = mpsc::unbounded_channel();
        let seats = Arc::new(Seats::default());
        let session = Session {
            url: config.database_url.clone(),
            timeout: config.connection_timeout,
            seats: Arc::clone(&seats),
            commands: commands.downgrade(),
            receiver,
            connection: None,
            name: Uuid::new_v4(),
        };
        Self(Arc::new(Inner {
            seats,
            commands,
            idle: Mutex::new(Some(session)),
            writers: Arc::new(Semaphore::new(
                config.tus_max_uploads.min(Semaphore::MAX_PERMITS),
            )),
        }))
    }

    /// A place among those whose bodies are read.
    pub(super) async fn writer(&self, patience: Duration) -> Result<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.0.writers).acquire_owned();
        match tokio::time::timeout(patience, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Error::lock_timeout()),
        }
    }

    /// The lock of one upload, named `bucket/key/version`.
    pub(super) async fn lock(&self, upload: &str, patience: Duration) -> Result<UploadLock> {
        let acquired = tokio::time::timeout(patience, self.acquire(lock_key(upload))).await;
        acquired.unwrap_or_else(|_| Err(Error::lock_timeout()))
    }

    async fn acquire(&self, key: u32) -> Result<UploadLock> {
        let seats = &self.0.seats;
        loop {
            // Before looking, so that no seat becomes free unnoticed.
            let mut freed = std::pin::pin!(seats.freed.notified());
            freed.as_mut().enable();
            let Some(seat) = Seat::take(seats, key) else {
                seats.ask(key);
                let _ = tokio::time::timeout(RETRY, freed).await;
                continue;
            };
            if let Some(database) = self.database_lock(key).await? {
                let asked = seat.begin();
                return Ok(UploadLock {
                    _database: database,
                    _seat: seat,
                    asked,
                });
            }
            drop(seat);
            let _ = self.0.commands.send(Command::Ask(key));
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn database_lock(&self, key: u32) -> Result<Option<DatabaseLock>> {
        let idle = self
            .0
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(session) = idle {
            tokio::spawn(session.run());
        }
        let (answer, answered) = oneshot::channel();
        let _ = self.0.commands.send(Command::Try(key, answer));
        answered.await.unwrap_or_else(|_| Err(Error::internal()))
    }
}

/// Who in this process writes, or is about to.
#[derive(Debug, Default)]
struct Seats {
    taken: Mutex<HashMap<u32, CancellationToken>>,
    freed: Notify,
}

impl Seats {
    fn taken(&self) -> std::sync::MutexGuard<'_, HashMap<u32, CancellationToken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, key: u32) {
        if let Some(holder) = self.taken().get(&key) {
            holder.cancel();
        }
    }

    fn ask_all(&self) {
        for holder in self.taken().values() {
            holder.cancel();
        }
    }
}

#[derive(Debug)]
struct Seat {
    key: u32,
    seats: Arc<Seats>,
}

impl Seat {
    fn take(seats: &Arc<Seats>, key: u32) -> Option<Self> {
        let mut taken = seats.taken();
        if taken.contains_key(&key) {
            return None;
        }
        taken.insert(key, CancellationToken::new());
        Some(Self {
            key,
            seats: Arc::clone(seats),
        })
    }

    /// Who was asked for the lock before having it has nothing to let go of yet.
    fn begin(&self) -> CancellationToken {
        let asked = CancellationToken::new();
        self.seats.taken().insert(self.key, asked.clone());
        asked
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.taken().remove(&self.key);
        self.seats.freed.notify_waiters();
    }
}

#[derive(Debug)]
enum Command {
    /// Take a lock, if it is free.
    Try(u32, oneshot::Sender<Result<Option<DatabaseLock>>>),
    Unlock(u32),
    /// Ask other copies of the service to let go.
    Ask(u32),
}

/// A lock in the database. Also one whose answer nobody waits for any more is given back.
#[derive(Debug)]
struct DatabaseLock {
    key: u32,
    commands: mpsc::UnboundedSender<Command>,
}

impl Drop for DatabaseLock {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Unlock(self.key));
    }
}

/// The connection with the locks, and what is to be done on it, one after the other.
#[derive(Debug)]
struct Session {
    url: SecretString,
    timeout: Duration,
    seats: Arc<Seats>,
    commands: mpsc::WeakUnboundedSender<Command>,
    receiver: mpsc::UnboundedReceiver<Command>,
    connection: Option<PgListener>,
    name: Uuid,
}

impl Session {
    /// Works until nobody is left who could need a lock.
    async fn run(mut self) {
        loop {
            let command = match &mut self.connection {
                None => self.receiver.recv().await,
                Some(connection) => tokio::select! {
                    command = self.receiver.recv() => command,
                    heard = connection.try_recv() => {
                        match heard {
                            Ok(Some(message)) => self.hear(message.payload()),
                            Ok(None) | Err(_) => self.lose(),
                        }
                        continue;
                    }
                },
            };
            match command {
                None => return,
                Some(Command::Try(key, answer)) => {
                    let locked = self.try_lock(key).await;
                    // An answer that finds nobody is dropped, and with it the lock.
                    let _ = answer.send(locked);
                }
                Some(Command::Unlock(key)) => self.unlock(key).await,
                Some(Command::Ask(key)) => self.ask(key).await,
            }
        }
    }

    /// Locks end with the connection, so that everybody who has one must stop.
    fn lose(&mut self) {
        self.connection = None;
        self.seats.ask_all();
    }

    fn hear(&self, payload: &str) {
        let Some((key, name)) = payload.split_once(' ') else {
            return;
        };
        // What was said is heard by who said it, too.
        if name != self.name.to_string()
            && let Ok(key) = key.parse()
        {
            self.seats.ask(key);
        }
    }

    async fn try_lock(&mut self, key: u32) -> Result<Option<DatabaseLock>> {
        const TRY: &str = "select pg_try_advisory_lock($1)";
        let mut had_connection = self.connection.is_some();
        loop {
            let connection = match &mut self.connection {
                Some(connection) => connection,
                None => self
                    .connection
                    .insert(connect(&self.url, self.timeout).await?),
            };
            let query = sqlx::query_scalar(TRY).bind(i64::from(key));
            let locked = tokio::time::timeout(self.timeout, query.fetch_one(connection));
            match locked.await.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
                Ok(false) => return Ok(None),
                Ok(true) => {
                    let commands = self.commands.upgrade();
                    return Ok(commands.map(|commands| DatabaseLock { key, commands }));
                }
                Err(error) => {
                    self.lose();
                    if !had_connection {
                        tracing::error!(%error, "no lock of an upload");
                        return Err(Error::internal());
                    }
                    // It was lost while nobody used it.
                    had_connection = false;
                }
            }
        }
    }

    async fn unlock(&mut self, key: u32) {
        let query = sqlx::query("select pg_advisory_unlock($1)").bind(i64::from(key));
        self.tell(query).await;
    }

    async fn ask(&mut self, key: u32) {
        let query = sqlx::query("select pg_notify($1, $2)")
            .bind(CHANNEL)
            .bind(format!("{key} {}", self.name));
        self.tell(query).await;
    }

    /// Runs what has no answer, unless there is no connection, and so nothing to be done on it.
    async fn tell(&mut self, query: Query<'static, Postgres, PgArguments>) {
        if let Some(connection) = &mut self.connection {
            let ran = tokio::time::timeout(self.timeout, query.execute(connection)).await;
            if !matches!(ran, Ok(Ok(_))) {
                self.lose();
            }
        }
    }
}

async fn connect(url: &SecretString, timeout: Duration) -> Result<PgListener> {
    let connected = async {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(timeout)
            .connect(url.expose_secret())
            .await?;
        let mut listener = PgListener::connect_with(&pool).await?;
        // A new connection would have none of the locks.
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await?;
        Ok::<_, sqlx::Error>(listener)
    };
    connected.await.map_err(|error| {
        tracing::error!(%error, "no connection for the locks of uploads");
        Error::internal()
    })
}
