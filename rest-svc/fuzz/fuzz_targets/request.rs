//! Headers and bodies: the first line is a header's value and a content type, the rest a body.
#![no_main]

use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use rest_svc::parse::{Preferences, Range, parse_accept, parse_payload};

fuzz_target!(|input: (&str, &[u8])| {
    let (text, body) = input;
    let _ = parse_accept(Some(text));
    let _ = Range::from_header(text);
    if let Ok(value) = HeaderValue::from_str(text) {
        let _ = Preferences::read(&HeaderMap::from_iter([(http::header::HeaderName::from_static("prefer"), value)]));
    }
    for kind in ["application/json", "text/csv", "application/x-www-form-urlencoded", text] {
        let _ = parse_payload(kind, body.to_vec().into(), None, true);
    }
});
