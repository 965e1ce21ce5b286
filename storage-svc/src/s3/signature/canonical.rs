//! The text that a signature is made over, rebuilt from the request.

use http::{HeaderMap, HeaderName, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::s3::{
    query::Query,
    signature::{Rules, Signed},
};

/// RFC 3986: all but letters, digits and these four.
const ESCAPED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The canonical request. The path is taken as it came: whoever signed a percent-encoding or a dot segment
/// signed just that.
pub(super) fn request(
    request: &Signed<'_>,
    signed_headers: &[String],
    host: Option<&str>,
    payload_hash: &str,
    rules: &Rules,
) -> Vec<u8> {
    let mut names: Vec<&str> = signed_headers.iter().map(String::as_str).collect();
    names.sort_unstable();
    let mut text = Vec::with_capacity(512);
    text.extend_from_slice(request.method.as_str().as_bytes());
    text.push(b'\n');
    text.extend_from_slice(path(request, rules).as_bytes());
    text.push(b'\n');
    text.extend_from_slice(query(request.query).as_bytes());
    text.push(b'\n');
    for name in &names {
        if let Some(value) = header_value(request, name, host) {
            text.extend_from_slice(name.as_bytes());
            text.push(b':');
            text.extend_from_slice(&value);
            text.push(b'\n');
        }
    }
    text.push(b'\n');
    text.extend_from_slice(names.join(";").as_bytes());
    text.push(b'\n');
    text.extend_from_slice(payload_hash.as_bytes());
    text
}

fn path(request: &Signed<'_>, rules: &Rules) -> String {
    let forwarded = rules
        .trust_prefix_header
        .then(|| text(request.headers, "x-forwarded-prefix"))
        .flatten();
    let prefix = forwarded.unwrap_or(&rules.prefix).trim_end_matches('/');
    match (prefix, request.path) {
        ("", "") => "/".to_owned(),
        (prefix, path) => format!("{prefix}{path}"),
    }
}

fn query(query: &Query) -> String {
    let encode = |text| utf8_percent_encode(text, &ESCAPED).to_string();
    let mut pairs: Vec<(String, String)> = query
        .iter()
        .filter(|&(name, _)| name != "X-Amz-Signature")
        .map(|(name, value)| (encode(name), encode(value)))
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

/// What the client must have sent in a header. `None`: nothing, as far as can be told.
fn header_value(request: &Signed<'_>, name: &str, host: Option<&str>) -> Option<Vec<u8>> {
    let sent = |name| collapsed(request.headers, name);
    match name {
        "host" => host.map(|host| host.as_bytes().to_vec()),
        // A proxy may drop the length of a body of no bytes.
        "content-length" => sent(name).or_else(|| Some(b"0".to_vec())),
        // A proxy that compresses rewrites this one, and may tell what it was.
        "accept-encoding" => sent("x-original-accept-encoding")
            .filter(|value| !value.is_empty())
            .or_else(|| sent(name)),
        "authorization" => None,
        _ => sent(name),
    }
}

/// All values of a header, with every run of blanks as one space, as signers write it.
fn collapsed(headers: &HeaderMap, name: &str) -> Option<Vec<u8>> {
    let name: HeaderName = name.parse().ok()?;
    let mut values = headers.get_all(name).iter().peekable();
    values.peek()?;
    let values: Vec<Vec<u8>> = values
        .map(|value| {
            let words: Vec<&[u8]> = value
                .as_bytes()
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
                .collect();
            words.join(&b' ')
        })
        .collect();
    Some(values.join(&b','))
}

fn text(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    (!value.is_empty()).then_some(value)
}

/// The hosts that the client may have seen, likeliest first: the public one, and the one of the request.
pub(super) fn hosts(request: &Signed<'_>, rules: &Rules) -> Vec<Option<String>> {
    let own = host(request, rules);
    match &rules.public_host {
        Some(public) if own.as_ref() != Some(public) => vec![Some(public.clone()), own],
        _ => vec![own],
    }
}

/// The host that the request was sent to, as far as proxies tell.
fn host(request: &Signed<'_>, rules: &Rules) -> Option<String> {
    let headers = request.headers;
    if let Some(host) = rules
        .allow_forwarded
        .then(|| text(headers, header::FORWARDED).and_then(forwarded_host))
        .flatten()
    {
        return Some(host.to_ascii_lowercase());
    }
    if let Some(host) = rules
        .host_header
        .as_ref()
        .and_then(|name| text(headers, name))
    {
        return Some(host.to_ascii_lowercase());
    }
    if let Some(host) = text(headers, "x-forwarded-host") {
        // The first of several proxies is the one that the client spoke to.
        let first = |list: &'_ str| list.split(',').next().unwrap_or_default().trim().to_owned();
        let host = first(host);
        let port = text(headers, "x-forwarded-port").map(first);
        return Some(match port.as_deref() {
            None | Some("80" | "443") => host.to_ascii_lowercase(),
            Some(port) => with_port(&host, port),
        });
    }
    text(headers, header::HOST)
        .or(request.authority)
        .map(str::to_owned)
}

/// The port of the proxy goes before one that stands in the name.
fn with_port(host: &str, port: &str) -> String {
    match host.rsplit_once(':') {
        None => format!("{}:{port}", host.to_ascii_lowercase()),
        Some((name, old)) if !old.is_empty() && old.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{name}:{port}")
        }
        Some(_) => host.to_owned(),
    }
}

/// The `host=` of the first element that has one.
fn forwarded_host(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("host=")?;
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let host = rest.split(['"', ';', ',']).next()?;
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    fn host_of(headers: &[(&'static str, &str)], rules: &Rules) -> Option<String> {
        let headers: HeaderMap = headers
            .iter()
            .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let request = Signed {
            method: &Method::GET,
            path: "/s3",
            query: &Query::default(),
            headers: &headers,
            authority: Some("authority:1"),
        };
        host(&request, rules)
    }

    #[test]
    fn the_host_is_the_one_that_the_client_saw() {
        let rules = Rules::default();
        let plain = ("host", "Inner:5000");
        let name = ("x-forwarded-host", "Api.example");
        let cases: &[(&[(&'static str, &str)], &str)] = &[
            (&[], "authority:1"),
            (&[plain], "Inner:5000"),
            (&[plain, name], "api.example"),
            (&[plain, name, ("x-forwarded-port", "443")], "api.example"),
            (
                &[plain, name, ("x-forwarded-port", "8000")],
                "api.example:8000",
            ),
            (
                &[plain, name, ("x-forwarded-port", "8000, 5000")],
                "api.example:8000",
            ),
            (&[("x-forwarded-host", "a.example:1, b:2")], "a.example:1"),
            (
                &[("x-forwarded-host", "a:1"), ("x-forwarded-port", "2")],
                "a:2",
            ),
            (
                &[("x-forwarded-host", "[::1]:1"), ("x-forwarded-port", "2")],
                "[::1]:2",
            ),
            (&[plain, ("forwarded", "host=f.example")], "Inner:5000"),
        ];
        for (headers, host) in cases {
            assert_eq!(
                host_of(headers, &rules).as_deref(),
                Some(*host),
                "{headers:?}"
            );
        }
    }

    #[test]
    fn settings_say_which_header_counts() {
        let all = [
            ("host", "inner"),
            ("x-forwarded-host", "x"),
            ("x-proxy-host", "P.example:9"),
            ("forwarded", "for=1;host=\"F.example:7\";proto=http"),
        ];
        let mut rules = Rules {
            host_header: Some(HeaderName::from_static("x-proxy-host")),
            ..Rules::default()
        };
        assert_eq!(host_of(&all, &rules).unwrap(), "p.example:9");
        rules.allow_forwarded = true;
        assert_eq!(host_of(&all, &rules).unwrap(), "f.example:7");
        assert_eq!(host_of(&all[..3], &rules).unwrap(), "p.example:9");
    }

    #[test]
    fn the_public_host_comes_first() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "localhost:8000".parse().unwrap());
        let request = Signed {
            method: &Method::GET,
            path: "/s3",
            query: &Query::default(),
            headers: &headers,
            authority: None,
        };
        let own = || Some("localhost:8000".to_owned());
        let mut rules = Rules::default();
        assert_eq!(hosts(&request, &rules), [own()]);
        rules.public_host = own();
        assert_eq!(hosts(&request, &rules), [own()]);
        rules.public_host = Some("public.example".into());
        assert_eq!(
            hosts(&request, &rules),
            [Some("public.example".to_owned()), own()]
        );
    }

    #[test]
    fn headers_are_written_as_signers_do() {
        let headers: HeaderMap = [
            ("x-amz-meta-a", " a   b "),
            ("x-amz-meta-a", "c"),
            ("accept-encoding", "gzip"),
            ("x-original-accept-encoding", "identity"),
        ]
        .iter()
        .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
        let query = Query::parse("b=1&a-b=2&a=%20&X-Amz-Signature=x&B&a=!");
        let signed = Signed {
            method: &Method::PUT,
            path: "/b/%7e../k",
            query: &query,
            headers: &headers,
            authority: None,
        };
        let names = [
            "x-amz-meta-a",
            "content-length",
            "accept-encoding",
            "absent",
            "authorization",
        ]
        .map(str::to_owned);
        let rules = Rules {
            prefix: "/base/".into(),
            ..Rules::default()
        };
        let canonical = String::from_utf8(request(&signed, &names, None, "HASH", &rules)).unwrap();
        assert_eq!(
            canonical,
            "PUT\n/base/b/%7e../k\nB=&a=%20&a=%21&a-b=2&b=1\n\
             accept-encoding:identity\ncontent-length:0\nx-amz-meta-a:a b,c\n\n\
             absent;accept-encoding;authorization;content-length;x-amz-meta-a\nHASH"
        );
    }
}
