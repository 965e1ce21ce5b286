//! As many transformations at a time as there are cores, and a queue that ends.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError, oneshot};

use super::ImageError;

/// More threads than any machine has cores.
const MOST_THREADS: usize = 1024;

/// Runs transformations off the request threads, on threads of its own: what decoders and encoders share out among threads
/// stays on these, too, and of the memory that a thread keeps for its next image there is only so much.
#[derive(Debug, Clone)]
pub struct Pool {
    threads: Arc<ThreadPool>,
    running: Arc<Semaphore>,
    /// Running and waiting together.
    admitted: Arc<Semaphore>,
}

impl Pool {
    /// `running` at a time, `waiting` more in the queue.
    ///
    /// # Errors
    /// The system gives no threads.
    pub fn new(running: usize, waiting: usize) -> io::Result<Self> {
        let running = running.clamp(1, MOST_THREADS);
        let waiting = waiting.min(Semaphore::MAX_PERMITS / 2);
        let threads = ThreadPoolBuilder::new()
            .num_threads(running)
            .thread_name(|index| format!("image-{index}"))
            .build()
            .map_err(io::Error::other)?;
        Ok(Self {
            threads: Arc::new(threads),
            running: Arc::new(Semaphore::new(running)),
            admitted: Arc::new(Semaphore::new(running + waiting)),
        })
    }

    /// A place in the queue, or [`ImageError::Busy`] at once when it is full.
    pub fn enter(&self) -> Result<Place, ImageError> {
        let admitted =
            Arc::clone(&self.admitted)
                .try_acquire_owned()
                .map_err(|error| match error {
                    TryAcquireError::NoPermits => ImageError::Busy,
                    TryAcquireError::Closed => ImageError::Internal,
                })?;
        Ok(Place {
            threads: Arc::clone(&self.threads),
            admitted,
            running: Arc::clone(&self.running),
        })
    }
}

/// A place in the queue of a [`Pool`]; leaves it when dropped.
#[derive(Debug)]
pub struct Place {
    threads: Arc<ThreadPool>,
    admitted: OwnedSemaphorePermit,
    running: Arc<Semaphore>,
}

impl Place {
    /// Waits until it is this one's turn.
    pub async fn turn(self) -> Result<Turn, ImageError> {
        let running = self.running.acquire_owned().await;
        Ok(Turn {
            threads: self.threads,
            admitted: self.admitted,
            running: running.map_err(|_| ImageError::Internal)?,
        })
    }
}

/// A core of a [`Pool`]. Whoever has one may fetch what is to be transformed: of sources there are never more in memory
/// than cores.
#[derive(Debug)]
pub struct Turn {
    threads: Arc<ThreadPool>,
    admitted: OwnedSemaphorePermit,
    running: OwnedSemaphorePermit,
}

impl Turn {
    /// Runs `work`.
    pub async fn run<T, F>(self, work: F) -> Result<T, ImageError>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, ImageError> + Send + 'static,
    {
        let Self {
            threads,
            admitted,
            running,
        } = self;
        let (done, outcome) = oneshot::channel();
        threads.spawn(move || {
            // Held by the work, not by whoever waits for it: a client that hangs up does not free a core.
            let held = (admitted, running);
            // A panic that left this thread would end the process.
            let outcome = catch_unwind(AssertUnwindSafe(work));
            drop(held);
            // Perhaps nobody waits any more.
            let _ = done.send(outcome.unwrap_or(Err(ImageError::Internal)));
        });
        outcome.await.unwrap_or(Err(ImageError::Internal))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    impl Pool {
        async fn run<T: Send + 'static>(
            &self,
            work: impl FnOnce() -> Result<T, ImageError> + Send + 'static,
        ) -> Result<T, ImageError> {
            self.enter()?.turn().await?.run(work).await
        }
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_takes_again_when_work_is_done() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, gate) = mpsc::channel::<()>();
        let (started, entered) = tokio::sync::oneshot::channel();
        let first = tokio::spawn({
            let pool = pool.clone();
            async move {
                pool.run(move || {
                    started.send(()).ok();
                    gate.recv().ok();
                    Ok(1)
                })
                .await
            }
        });
        entered.await.unwrap();
        let mut second = Box::pin(pool.run(|| Ok(2)));
        assert!(poll_once(second.as_mut()).await.is_none());
        assert_eq!(pool.run(|| Ok(3)).await, Err(ImageError::Busy));
        release.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(1));
        assert_eq!(second.await, Ok(2));
        assert_eq!(pool.run(|| Ok(4)).await, Ok(4));
    }

    /// Polls once.
    async fn poll_once<F: Future + Unpin>(future: F) -> Option<F::Output> {
        let mut future = future;
        std::future::poll_fn(|context| {
            std::task::Poll::Ready(match std::pin::Pin::new(&mut future).poll(context) {
                std::task::Poll::Ready(output) => Some(output),
                std::task::Poll::Pending => None,
            })
        })
        .await
    }

    #[tokio::test]
    async fn a_caller_that_leaves_does_not_free_the_core_it_uses() {
        let pool = Pool::new(1, 0).unwrap();
        let (release, gate) = mpsc::channel::<()>();
        let (started, entered) = tokio::sync::oneshot::channel();
        let caller = tokio::spawn({
            let pool = pool.clone();
            async move {
                pool.run(move || {
                    started.send(()).ok();
                    gate.recv().ok();
                    Ok(())
                })
                .await
            }
        });
        entered.await.unwrap();
        caller.abort();
        assert!(caller.await.unwrap_err().is_cancelled());
        assert_eq!(pool.run(|| Ok(())).await, Err(ImageError::Busy));
        release.send(()).unwrap();
    }

    #[tokio::test]
    async fn work_that_panics_is_an_internal_error_and_gives_its_place_back() {
        let pool = Pool::new(1, 0).unwrap();
        let failed: Result<(), _> = pool.run(|| panic!("broken")).await;
        assert_eq!(failed, Err(ImageError::Internal));
        assert_eq!(pool.run(|| Ok(5)).await, Ok(5));
    }
}
