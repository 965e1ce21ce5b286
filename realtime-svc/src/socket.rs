//! One client: its web socket, the frames on it, and the queue of what it is sent.

mod frame;
mod outlet;

pub(crate) use frame::{Encoding, Frame, Incoming, Payload, Ref, Version, json, user_broadcast};
pub(crate) use outlet::{ChannelId, Order, Outlet, Queue};
