//! One client: its web socket, the frames on it, and the queue of what it is sent.

mod frame;
mod outlet;

pub(crate) use frame::{Frame, Version};
pub(crate) use outlet::{Closed, Outlet, Queue};
