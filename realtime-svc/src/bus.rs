//! What copies of the service tell each other, over NATS.
//!
//! A copy has a [`Link`], which rooms put messages into without waiting, and a [`Bus`], whose tasks publish them and
//! take in what others say: who is alive ([`peers`]), what is said in rooms ([`rooms`]), and what the copy that reads the
//! database's log has read ([`relay`]). NATS delivers at most once, so everything that must not be lost is either told
//! anew (presence) or its loss is noticed (changes of rows).

mod chunks;
mod link;
mod log;
mod message;
mod peers;
mod relay;
mod rooms;
mod rows;
mod subjects;
mod upkeep;

use std::{sync::Arc, time::Duration};

use async_nats::{Client, ConnectOptions, Event};
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::PgPool;
use tokio::sync::{mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    hub::Hub,
    replication::{Feed, Items, Status, drop_slot, queue},
};
pub(crate) use link::{Link, Outgoing};
use relay::{Confirmed, Relay};
pub(crate) use rows::subscription_id;
pub(crate) use subjects::Subjects;
use upkeep::Upkeep;

/// How often a copy says that it is there. Whoever is silent for several of these is gone.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How often the server is asked whether the connection still works.
const PING: Duration = Duration::from_secs(2);
/// The longest pause between two attempts to connect.
const RECONNECT: Duration = Duration::from_secs(1);
/// What waits in a subscription; beyond it messages are lost, which is noticed.
const SUBSCRIPTION: usize = 16_384;
/// How long the last words may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// How copies find each other.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The address of the NATS server, or several with commas between them.
    pub(crate) url: SecretString,
    /// A copy that is not heard for so long is gone.
    pub(crate) node_timeout: Duration,
    /// The slot that the log is read through, which the last copy drops.
    pub(crate) slot: String,
}

/// A link and what is put into it, for [`Bus::spawn`].
pub(crate) type Parts = (Arc<Link>, mpsc::Receiver<Outgoing>);

/// A handle of the tasks.
#[derive(Clone)]
pub(crate) struct Bus {
    link: Arc<Link>,
    ready: watch::Receiver<bool>,
    confirmed: Arc<Confirmed>,
    catalog: PgPool,
    slot: Arc<str>,
}

impl Bus {
    /// Starts the tasks, which end when `stop` is cancelled. Gives what the log tells, here or on another copy.
    pub(crate) fn spawn(
        settings: Settings,
        (link, outgoing): Parts,
        hub: &Arc<Hub>,
        (feed, items): (Feed, Items),
        catalog: PgPool,
        (tracker, stop): (&TaskTracker, CancellationToken),
    ) -> (Self, Items) {
        link.set_hub(hub);
        let confirmed = Arc::new(Confirmed::new(feed.clone()));
        let (out, received) = queue(relay::QUEUE, relay::QUEUE_BYTES);
        let (ready, shown) = watch::channel(false);
        let bus = Self {
            link: link.clone(),
            ready: shown,
            confirmed: confirmed.clone(),
            catalog: catalog.clone(),
            slot: settings.slot.as_str().into(),
        };
        let connection = {
            let (link, stop) = (link.clone(), stop.clone());
            async move {
                tokio::select! {
                    client = connect(settings.url, link) => client,
                    () = stop.cancelled() => None,
                }
            }
        };
        let relay = Relay::new(link.clone(), feed.clone(), items, out, ready, confirmed);
        let upkeep = Upkeep::new(link.clone(), feed, catalog, settings.node_timeout);
        let all = tracker.clone();
        tracker.spawn(async move {
            let Some(client) = connection.await else {
                return;
            };
            link.set_client(client.clone());
            all.spawn(stop.clone().run_until_cancelled_owned(link::publish(
                link.clone(),
                client.clone(),
                outgoing,
            )));
            for subject in link.subjects.common(link.node) {
                all.spawn(stop.clone().run_until_cancelled_owned(rooms::listen(
                    link.clone(),
                    client.clone(),
                    subject,
                )));
            }
            all.spawn(stop.clone().run_until_cancelled_owned(upkeep.run()));
            all.spawn(relay.run(client, settings.node_timeout, stop));
        });
        (bus, received)
    }

    /// Returns when changes of the database flow, here or on another copy.
    pub(crate) async fn wait_ready(&self) {
        let mut ready = self.ready.clone();
        if ready.wait_for(|it| *it).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// True if changes of the database flow, here or on another copy.
    pub(crate) fn is_ready(&self) -> bool {
        *self.ready.borrow()
    }

    /// Everything in the log up to here was given to this copy's clients. It is confirmed when others have been told,
    /// too.
    pub(crate) fn delivered(&self, end: u64) {
        self.confirmed.delivered(end);
    }

    /// Tells the others that this copy stops; what was said before is sent first. The last copy leaves no slot behind,
    /// which would hold back the log.
    pub(crate) async fn goodbye(&self) {
        if tokio::time::timeout(FAREWELL, self.link.goodbye())
            .await
            .is_err()
        {
            tracing::debug!("the other copies were not told of the end");
        }
        // Without a connection nobody knows who else is there.
        if self.link.is_up() && !self.link.peers.any() {
            match drop_slot(&self.catalog, &self.slot, FAREWELL).await {
                Ok(true) => {}
                Ok(false) => tracing::debug!("the slot is left to another copy"),
                Err(error) => tracing::warn!(%error, "the slot stays, and holds back the log"),
            }
        }
    }
}

/// Connects, now or when there is a server. Nothing if the address cannot be one.
async fn connect(url: SecretString, link: Arc<Link>) -> Option<Client> {
    let noticed = link.clone();
    let options = ConnectOptions::new()
        .name("realtime_svc")
        // What a copy says, it has said to its own clients already.
        .no_echo()
        .retry_on_initial_connect()
        .ping_interval(PING)
        .subscription_capacity(SUBSCRIPTION)
        .reconnect_delay_callback(|attempts| {
            let factor = 2_u32.saturating_pow(u32::try_from(attempts.min(16)).unwrap_or(16));
            (Duration::from_millis(10) * factor).min(RECONNECT)
        })
        .event_callback(move |event| {
            let link = noticed.clone();
            async move {
                match event {
                    Event::Connected => link.connected(true),
                    Event::Disconnected | Event::Closed => link.connected(false),
                    Event::SlowConsumer(_) => link.missed(),
                    Event::ServerError(error) => tracing::warn!(%error, "the bus complains"),
                    Event::ClientError(error) => tracing::warn!(%error, "the bus does not work"),
                    Event::LameDuckMode | Event::Draining => {}
                }
            }
        });
    let servers: Vec<&str> = url.expose_secret().split(',').map(str::trim).collect();
    match options.connect(servers).await {
        Ok(client) => Some(client),
        Err(error) => {
            tracing::error!(%error, "the bus cannot be reached; this copy stays alone");
            None
        }
    }
}

/// True if this copy reads the log.
fn is_reading(feed: &Feed) -> bool {
    *feed.status().borrow() == Status::Streaming
}
