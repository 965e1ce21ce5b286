//! An SMTP server that accepts everything and delivers nothing.

mod command;
mod session;

use std::{sync::Arc, time::Duration};

use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::Mailbox;

/// Conversations at a time; more wait to be greeted.
const CONVERSATIONS: usize = 64;

/// Takes mail until `stop`, which also ends the conversations that are still going on.
pub(super) async fn serve(mailbox: &Mailbox, listener: TcpListener, stop: CancellationToken) {
    let free = Arc::new(Semaphore::new(CONVERSATIONS));
    let conversations = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = async {
                let permit = Arc::clone(&free).acquire_owned().await;
                (permit, listener.accept().await)
            } => accepted,
        };
        let (permit, (stream, peer)) = match accepted {
            (Ok(permit), Ok(connection)) => (permit, connection),
            (_, Err(error)) => {
                tracing::warn!(%error, "smtp accept");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
            (Err(_), _) => break,
        };
        let (mailbox, stop) = (mailbox.clone(), stop.clone());
        conversations.spawn(async move {
            let _permit = permit;
            tokio::select! {
                () = stop.cancelled() => {}
                ended = session::run(&mailbox, stream) => if let Err(error) = ended {
                    tracing::debug!(%peer, %error, "smtp conversation ended early");
                }
            }
        });
    }
    conversations.close();
    conversations.wait().await;
}
