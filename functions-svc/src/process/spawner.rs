use std::{io, thread};

use tokio::{
    process::{Child, Command},
    runtime::Handle,
    sync::{mpsc, oneshot},
};

/// Starts processes on a thread of its own.
///
/// They are to die with this process, and the system ties that to the thread that started them: a thread of the runtime
/// may end before.
#[derive(Debug)]
pub(crate) struct Spawner {
    orders: mpsc::Sender<Order>,
}

struct Order {
    command: Command,
    answer: oneshot::Sender<io::Result<Child>>,
}

impl Spawner {
    /// Needs a runtime, whose signals tell when processes end.
    pub(crate) fn new() -> io::Result<Self> {
        let (orders, mut queue) = mpsc::channel::<Order>(64);
        let runtime = Handle::current();
        thread::Builder::new()
            .name("functions-spawner".to_owned())
            .spawn(move || {
                while let Some(Order {
                    mut command,
                    answer,
                }) = queue.blocking_recv()
                {
                    let _inside = runtime.enter();
                    let _ = answer.send(command.spawn());
                }
            })?;
        Ok(Self { orders })
    }

    pub(crate) async fn spawn(&self, command: Command) -> io::Result<Child> {
        let (answer, started) = oneshot::channel();
        let gone = || io::Error::other("the thread that starts processes is gone");
        self.orders
            .send(Order { command, answer })
            .await
            .map_err(|_| gone())?;
        started.await.map_err(|_| gone())?
    }
}
