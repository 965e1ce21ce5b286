//! CORS. Preflights are answered here, never authenticated and never passed on.

use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

const METHODS: HeaderValue =
    HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT");
const ANY: HeaderValue = HeaderValue::from_static("*");
const MAX_AGE: HeaderValue = HeaderValue::from_static("3600");

/// Named one by one, because browsers do not let `*` stand for all of them in every case.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Content-Range, Content-Location, Content-Encoding, Date, Location, Server, Transfer-Encoding, Range-Unit, \
     ETag, X-Total-Count, Link, X-Supabase-Api-Version, x-sb-error-code, sb-error-code, x-relay-error, \
     sb-request-id, Upload-Offset, Upload-Length, Tus-Resumable, Tus-Version, Tus-Extension, Upload-Metadata, Upload-Defer-Length, Upload-Expires, Tus-Max-Size, Tus-Complete",
);

/// True for a browser's question, not for an `OPTIONS` request that a service answers.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight: whatever headers are asked for are allowed, so that a client may add one.
pub(crate) fn preflight(headers: &HeaderMap) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    let allowed = headers
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .cloned()
        .unwrap_or(ANY);
    let answer = response.headers_mut();
    answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    answer.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    answer.insert(
        header::VARY,
        HeaderValue::from_static("Access-Control-Request-Headers"),
    );
    response
}

/// Opens a response to pages of any origin, unless the service already said to whom.
pub(crate) fn expose(headers: &mut HeaderMap) {
    allow_origin(headers);
    // One list: a service's own would hide the headers that the gateway adds.
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

/// The same for a function, which may have headers that nobody else knows of.
pub(crate) fn expose_also(headers: &mut HeaderMap) {
    allow_origin(headers);
    let own = headers.get_all(header::ACCESS_CONTROL_EXPOSE_HEADERS);
    let always = EXPOSED;
    let all: Vec<_> = std::iter::once(&always)
        .chain(&own)
        .map(HeaderValue::as_bytes)
        .collect();
    let all = HeaderValue::from_bytes(&all.join(&b", "[..])).unwrap_or(always);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, all);
}

/// Two values are none for a browser.
fn allow_origin(headers: &mut HeaderMap) {
    let mut said = headers.get_all(header::ACCESS_CONTROL_ALLOW_ORIGIN).iter();
    let (first, second) = (said.next(), said.next());
    if first.is_some() && second.is_none() {
        return;
    }
    let origin = first.cloned().unwrap_or(ANY);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_origin_and_it_is_the_services() {
        for (said, expected) in [
            (&[][..], "*"),
            (&["https://a"], "https://a"),
            (&["https://a", "*"], "https://a"),
        ] {
            let mut headers = HeaderMap::new();
            for origin in said {
                let origin = HeaderValue::from_static(origin);
                headers.append(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            }
            expose(&mut headers);
            let found: Vec<_> = headers
                .get_all(header::ACCESS_CONTROL_ALLOW_ORIGIN)
                .iter()
                .collect();
            assert_eq!(found, [expected]);
        }
    }

    #[test]
    fn a_functions_own_headers_stay_exposed() {
        let mut headers = HeaderMap::new();
        let own = HeaderValue::from_static("X-Own");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, own);
        expose_also(&mut headers);
        let exposed = headers[header::ACCESS_CONTROL_EXPOSE_HEADERS]
            .to_str()
            .unwrap();
        assert!(
            exposed.contains("Content-Range") && exposed.ends_with(", X-Own"),
            "{exposed}"
        );
    }
}
