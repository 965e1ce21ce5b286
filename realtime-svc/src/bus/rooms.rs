//! What other copies say, other than of the log.

use std::sync::Arc;

use async_nats::{Client, Subject, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt as _;

use super::{
    chunks::Assembler,
    link::Link,
    message::{Message, broadcast, decode},
};
use crate::{
    hub::{Diff, Entry},
    socket::ChannelId,
};

/// Hears a subject from the beginning to the end.
pub(super) async fn listen(link: Arc<Link>, client: Client, subject: Subject) {
    match client.subscribe(subject).await {
        Ok(subscriber) => hear(link, subscriber).await,
        Err(error) => tracing::error!(%error, "other copies cannot be heard"),
    }
}

/// Takes in what comes.
pub(super) async fn hear(link: Arc<Link>, mut subscriber: Subscriber) {
    let mut assembler = Assembler::default();
    while let Some(message) = subscriber.next().await {
        if let Some((node, message)) = assembler.take(message.payload)
            && node != link.node
        {
            link.heard(node);
            take(&link, node, &message);
        }
    }
}

fn take(link: &Arc<Link>, node: u64, bytes: &Bytes) {
    let (Some(message), Some(hub)) = (decode(bytes), link.hub()) else {
        return;
    };
    match message {
        Message::Here { wants_feed, asks } => {
            link.peers.wants_feed(node, wants_feed);
            if asks {
                // The answer says what this copy wants, which is known there.
                link.changed.notify_one();
            }
        }
        Message::Bye => {
            tracing::info!(node = format!("{node:x}"), "another copy stops");
            link.peers.leave(node);
            link.gone(node);
        }
        Message::Ask(room) => {
            let name = room.name();
            let is_told = hub.room(&name).is_some_and(|room| {
                room.with_own(|entries| {
                    if !entries.is_empty() {
                        link.state(&name, &entries);
                    }
                    !entries.is_empty()
                })
            });
            if !is_told {
                link.push(link.subjects.node(node), &Message::Nobody(room));
            }
        }
        Message::Nobody(room) => {
            if let Some(room) = hub.room(&room.name()) {
                room.answered(node);
            }
        }
        Message::Broadcast(room, id, said) => {
            hub.deliver(&room.name(), &broadcast(id, &said, bytes));
        }
        Message::Present(room, present) => {
            if let Some(room) = hub.room(&room.name()) {
                hub.learn(&room, |presence| {
                    // Asked under the room's lock: whoever goes from now on is forgotten afterwards.
                    if link.peers.is_alive(node) {
                        presence.set(node, (&present).into())
                    } else {
                        Diff::default()
                    }
                });
            }
        }
        Message::Absent(room, channel, key) => {
            if let Some(room) = hub.room(&room.name()) {
                hub.learn(&room, |presence| {
                    presence.unset(node, ChannelId(channel), &key.into())
                });
            }
        }
        Message::State(room, entries) => {
            if let Some(room) = hub.room(&room.name()) {
                let entries = entries.iter().map(Entry::from).collect();
                hub.learn(&room, |presence| {
                    if link.peers.is_alive(node) {
                        presence.replace(node, entries)
                    } else {
                        Diff::default()
                    }
                });
                room.answered(node);
            }
        }
        // It comes by a subject of its own.
        Message::Log(_) => {}
    }
}

impl Link {
    /// A copy is gone, and its clients with it.
    pub(super) fn gone(&self, node: u64) {
        self.peers.remove(node);
        if let Some(hub) = self.hub() {
            for room in hub.rooms() {
                hub.learn(&room, |presence| presence.forget(node));
                room.answered(node);
            }
        }
        self.changed.notify_one();
    }
}
