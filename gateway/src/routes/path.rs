//! The ways in which a service behind the gateway may read a path.

use percent_encoding::percent_decode_str;

/// More layers of escapes than any service takes off.
const LAYERS: usize = 4;

/// True if there is only one way to read the path.
pub(super) fn is_plain(path: &str) -> bool {
    let bytes = path.as_bytes();
    if bytes.iter().any(|byte| matches!(byte, b'%' | b'\\' | b';')) {
        return false;
    }
    !bytes
        .windows(2)
        .any(|pair| pair[0] == b'/' && matches!(pair[1], b'/' | b'.'))
}

/// The path with its escapes taken off, layer by layer, and slashes joined. None if a reading has a segment
/// that means this folder or the one above.
pub(super) fn readings(path: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut layer = path.to_owned();
    for _ in 0..LAYERS {
        let joined = joined(&layer);
        if joined.split('/').any(is_dots) {
            return None;
        }
        found.push(joined);
        let next = percent_decode_str(&layer).decode_utf8_lossy().into_owned();
        if next == layer {
            return Some(found);
        }
        layer = next;
    }
    // Nobody escapes a name five times.
    None
}

/// The path with one kind of slash, and never two of them in a row.
fn joined(path: &str) -> String {
    let mut joined = String::with_capacity(path.len());
    for c in path.chars() {
        let c = if c == '\\' { '/' } else { c };
        if c != '/' || !joined.ends_with('/') {
            joined.push(c);
        }
    }
    joined
}

/// `.` and `..`, with parameters of the segment or without.
fn is_dots(segment: &str) -> bool {
    matches!(segment.split(';').next(), Some("." | ".."))
}
