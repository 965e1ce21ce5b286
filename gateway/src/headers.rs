//! Headers that end at the gateway, and those that it adds for the services.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue, header, uri::Authority};
use ipnet::IpNet;

use crate::error::Error;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PORT: HeaderName = HeaderName::from_static("x-forwarded-port");
const FORWARDED_PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");
const REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");
/// What functions get the translated key in.
pub(crate) const SB_API_KEY: HeaderName = HeaderName::from_static("sb-api-key");
/// Where realtime looks for its token first.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The connection that a request came over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) is_tls: bool,
}

/// True for what concerns one connection only.
fn is_hop_by_hop(name: &HeaderName) -> bool {
    *name == header::CONNECTION
        || *name == header::TRANSFER_ENCODING
        || *name == header::UPGRADE
        || *name == header::TE
        || *name == header::TRAILER
        || *name == header::PROXY_AUTHENTICATE
        || *name == header::PROXY_AUTHORIZATION
        || matches!(
            name.as_str(),
            "keep-alive" | "proxy-connection" | "http2-settings"
        )
}

/// True for what only the gateway, or a proxy that is trusted, may say to a service.
fn is_ours(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("x-forwarded-")
        || matches!(name, "x-real-ip" | "forwarded" | "sb-api-key" | "x-api-key")
}

/// Removes what ends here from a request. What `Connection` names goes too, except what says where a request
/// ends and whom it is for.
pub(crate) fn clean_request(headers: &mut HeaderMap) -> Result<(), Error> {
    let codings = headers.get_all(header::TRANSFER_ENCODING);
    // Only the frames are taken off here; any other coding would reach the service without its name.
    if codings.iter().any(|coding| {
        !coding
            .as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"chunked")
    }) || headers.get_all(header::TRANSFER_ENCODING).iter().count() > 1
    {
        return Err(Error::BadRequest);
    }
    if headers.contains_key(header::CONNECTION) {
        for name in nominated(headers) {
            if name != header::HOST && name != header::CONTENT_LENGTH {
                headers.remove(name);
            }
        }
    }
    remove_all(headers, |name| is_hop_by_hop(name) || is_ours(name));
    join_cookies(headers);
    Ok(())
}

/// Removes from a response what concerns the connection to the service.
pub(crate) fn clean_response(headers: &mut HeaderMap) {
    if headers.contains_key(header::CONNECTION) {
        for name in nominated(headers) {
            headers.remove(name);
        }
    }
    remove_all(headers, is_hop_by_hop);
}

/// The headers that `Connection` names.
fn nominated(headers: &HeaderMap) -> Vec<HeaderName> {
    let values = headers.get_all(header::CONNECTION).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|name| {
            !name.eq_ignore_ascii_case("close") && !name.eq_ignore_ascii_case("keep-alive")
        })
        .filter_map(|name| name.parse().ok())
        .collect()
}

/// Most requests have few of them, if any: what is not there is not looked up.
fn remove_all(headers: &mut HeaderMap, is_one: impl Fn(&HeaderName) -> bool) {
    while let Some(name) = headers.keys().find(|name| is_one(name)).cloned() {
        headers.remove(name);
    }
}

/// HTTP/2 lets a client send its cookies one by one, HTTP/1.1 does not.
fn join_cookies(headers: &mut HeaderMap) {
    let cookies = headers.get_all(header::COOKIE);
    if cookies.iter().nth(1).is_none() {
        return;
    }
    let joined = cookies
        .iter()
        .map(HeaderValue::as_bytes)
        .collect::<Vec<_>>()
        .join(&b"; "[..]);
    if let Ok(joined) = HeaderValue::from_bytes(&joined) {
        headers.insert(header::COOKIE, joined);
    }
}

/// What proxies in front of the gateway said of a request, if they are believed.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    chain: Option<HeaderValue>,
    proto: Option<HeaderValue>,
    host: Option<HeaderValue>,
    port: Option<HeaderValue>,
    /// Who sent the request: the last address in the chain that is no trusted proxy.
    pub(crate) client: Option<IpAddr>,
}

impl Claims {
    /// Reads them; nothing is believed of a peer outside the trusted networks.
    pub(crate) fn read(headers: &HeaderMap, peer: IpAddr, trusted: &[IpNet]) -> Self {
        let trusts = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
        if trusted.is_empty() || !trusts(peer.to_canonical()) {
            return Self::default();
        }
        let chain = headers.get(FORWARDED_FOR).cloned();
        let client = chain.as_ref().and_then(|chain| {
            let addresses = chain.to_str().ok()?.rsplit(',');
            // What stands before an address that cannot be read was written by somebody unknown.
            let mut addresses =
                addresses.map_while(|address| address.trim().parse::<IpAddr>().ok());
            addresses.find(|address| !trusts(address.to_canonical()))
        });
        Self {
            chain,
            proto: headers.get(FORWARDED_PROTO).cloned(),
            host: headers.get(FORWARDED_HOST).cloned(),
            port: headers.get(FORWARDED_PORT).cloned(),
            client,
        }
    }
}

/// Tells the service how the client reached us.
pub(crate) fn tell_origin(
    headers: &mut HeaderMap,
    peer: Option<Peer>,
    claims: Claims,
    authority: Option<&Authority>,
    prefix: &'static str,
) {
    let is_tls = peer.is_some_and(|peer| peer.is_tls);
    headers.insert(FORWARDED_PREFIX, HeaderValue::from_static(prefix));
    let proto = HeaderValue::from_static(if is_tls { "https" } else { "http" });
    headers.insert(FORWARDED_PROTO, claims.proto.unwrap_or(proto));
    if let Some(peer) = peer {
        let text = peer.address.ip().to_canonical().to_string();
        let own = HeaderValue::try_from(text);
        if let Ok(own) = own {
            let client = claims
                .client
                .and_then(|client| HeaderValue::try_from(client.to_string()).ok());
            headers.insert(REAL_IP, client.unwrap_or_else(|| own.clone()));
            let chain = claims.chain.and_then(|chain| {
                HeaderValue::from_bytes(&[chain.as_bytes(), own.as_bytes()].join(&b", "[..])).ok()
            });
            headers.insert(FORWARDED_FOR, chain.unwrap_or(own));
        }
    }
    // The request line wins over the header, as HTTP has it.
    let host = match authority {
        Some(authority) => HeaderValue::from_str(authority.as_str()).ok(),
        None => headers.get(header::HOST).cloned(),
    };
    let Some(host) = claims.host.or(host) else {
        return;
    };
    let own = port_of(&host).unwrap_or(HeaderValue::from_static(if is_tls { "443" } else { "80" }));
    headers.insert(FORWARDED_PORT, claims.port.unwrap_or(own));
    headers.insert(FORWARDED_HOST, host);
}

fn port_of(host: &HeaderValue) -> Option<HeaderValue> {
    let bytes = host.as_bytes();
    let colon = bytes.iter().rposition(|byte| *byte == b':')?;
    let port = &bytes[colon + 1..];
    let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    is_port.then(|| HeaderValue::from_bytes(port).ok())?
}

/// The protocol that a request wants to switch to: web sockets, nothing else. Going over to HTTP/2 behind the gateway's back
/// would carry requests past its rules.
pub(crate) fn wants_websocket(headers: &HeaderMap) -> bool {
    let Some(protocol) = headers.get(header::UPGRADE) else {
        return false;
    };
    protocol.as_bytes().eq_ignore_ascii_case(b"websocket")
        && nominated(headers).contains(&header::UPGRADE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn nobody_outside_speaks_for_the_gateway() {
        let mut all = headers(&[
            ("x-forwarded-for", "1.2.3.4"),
            ("x-forwarded-anything", "x"),
            ("forwarded", "for=1.2.3.4"),
            ("x-real-ip", "1.2.3.4"),
            ("sb-api-key", "x"),
            ("x-api-key", "x"),
            ("connection", "close, X-Named"),
            ("x-named", "x"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("accept", "*/*"),
        ]);
        clean_request(&mut all).unwrap();
        assert_eq!(all, headers(&[("accept", "*/*")]));
    }

    #[test]
    fn connection_cannot_name_what_frames_a_request() {
        let mut all = headers(&[
            ("connection", "content-length, host, authorization"),
            ("content-length", "3"),
            ("host", "x"),
            ("authorization", "Bearer x"),
        ]);
        clean_request(&mut all).unwrap();
        assert_eq!(all, headers(&[("content-length", "3"), ("host", "x")]));
    }

    #[test]
    fn a_body_in_a_coding_that_nobody_takes_off_is_refused() {
        for coding in ["gzip, chunked", "chunked, chunked", "identity", "x"] {
            let mut all = headers(&[("transfer-encoding", coding)]);
            assert_eq!(clean_request(&mut all), Err(Error::BadRequest), "{coding}");
        }
        let mut twice = headers(&[
            ("transfer-encoding", "chunked"),
            ("transfer-encoding", "chunked"),
        ]);
        assert_eq!(clean_request(&mut twice), Err(Error::BadRequest));
        assert_eq!(
            clean_request(&mut headers(&[("transfer-encoding", " Chunked")])),
            Ok(())
        );
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let said = headers(&[("x-forwarded-for", "9.9.9.9, 203.0.113.7, 10.0.0.2")]);
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let client = |peer: &str| Claims::read(&said, peer.parse().unwrap(), &trusted).client;
        assert_eq!(client("10.0.0.1"), Some("203.0.113.7".parse().unwrap()));
        assert_eq!(
            client("::ffff:10.0.0.1"),
            Some("203.0.113.7".parse().unwrap())
        );
        assert_eq!(client("192.0.2.1"), None);
    }

    #[test]
    fn only_websockets_are_upgrades() {
        let wants = |upgrade, connection| {
            wants_websocket(&headers(&[
                ("upgrade", upgrade),
                ("connection", connection),
            ]))
        };
        assert!(wants("WebSocket", "keep-alive, Upgrade"));
        assert!(!wants("h2c", "Upgrade, HTTP2-Settings"));
        assert!(!wants("websocket", "close"));
    }
}
