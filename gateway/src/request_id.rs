//! The id of a request, which services and logs repeat.

use http::{HeaderMap, HeaderValue};
use rand::RngCore as _;
use svc_kit::http::REQUEST_ID;

/// Gives a request an id unless it has one that is short and plain.
pub(crate) fn of(headers: &mut HeaderMap) -> HeaderValue {
    let is_plain = |id: &&HeaderValue| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        id.len() <= 64 && id.as_bytes().iter().all(plain)
    };
    if let Some(id) = headers.get(&REQUEST_ID).filter(is_plain) {
        return id.clone();
    }
    let id = new();
    headers.insert(REQUEST_ID, id.clone());
    id
}

fn new() -> HeaderValue {
    let mut random = [0; 16];
    // Seeded by the system, once for each thread: asking it each time costs more than the rest of the id.
    rand::rng().fill_bytes(&mut random);
    let id = uuid::Builder::from_random_bytes(random).into_uuid();
    let mut buffer = uuid::Uuid::encode_buffer();
    let text = id.as_hyphenated().encode_lower(&mut buffer);
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
}
