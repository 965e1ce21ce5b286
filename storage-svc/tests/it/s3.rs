//! What tools that speak S3 see.

mod authentication;
mod buckets;
mod client;
mod copies;
mod forms;
mod lists;
mod multipart;
mod objects;
