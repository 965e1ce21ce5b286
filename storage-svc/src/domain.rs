//! What the service does with objects, whoever asks for it: the REST routes, S3 and resumable uploads share it.

pub(crate) mod events;
pub(crate) mod list;
pub(crate) mod objects;
pub(crate) mod robots;
pub(crate) mod sweep;
pub(crate) mod tokens;
pub(crate) mod upload;
pub(crate) mod webhooks;
