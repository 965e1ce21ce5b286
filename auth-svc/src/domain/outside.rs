//! The way to addresses that somebody else chose.
//!
//! Whoever may add a provider must not thereby reach what only this machine or its network can reach. Names
//! are looked up by a resolver that hides such addresses, at the moment of each connection, so that a name
//! which changes its meaning between a check and its use gains nothing.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::error::Error;

/// For looking up one name.
const LOOKUP: Duration = Duration::from_secs(5);

/// Stand-ins for hosts on the internet: requests to a host go to the address beside it. Empty in every
/// service; tests fill it, because they must not depend on others.
#[derive(Clone, Debug, Default)]
pub struct StandIns(BTreeMap<String, String>);

impl StandIns {
    /// Hosts, and the beginnings of the addresses that stand in for them, such as `http://127.0.0.1:1234`.
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let own = |(host, base): (&str, String)| (host.to_owned(), base);
        Self(pairs.into_iter().map(own).collect())
    }

    /// The address to send a request for `url` to.
    pub fn place(&self, url: &str) -> String {
        let found = self.find(url);
        found.unwrap_or_else(|| url.to_owned())
    }

    fn find(&self, url: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let parsed = Url::parse(url).ok()?;
        let base = self.0.get(parsed.host_str()?)?;
        let rest = parsed.as_str().split_once("://")?.1;
        Some(match rest.find('/') {
            Some(path) => format!("{base}{}", &rest[path..]),
            None => base.clone(),
        })
    }
}

/// A client that reaches public addresses only.
#[derive(Clone, Debug)]
pub struct Outside {
    http: reqwest::Client,
    stand_ins: StandIns,
}

impl Outside {
    /// Fails only where no client can be made.
    pub fn new(stand_ins: StandIns) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            // A proxy of the environment would look names up itself.
            .no_proxy()
            .dns_resolver(Arc::new(PublicOnly))
            .build()?;
        Ok(Self { http, stand_ins })
    }

    /// The client.
    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Where to send a request for a `url` that we chose ourselves.
    pub fn stand_in(&self, url: &str) -> String {
        self.stand_ins.place(url)
    }

    /// Where to send a request for `url`, if one may be sent there at all.
    pub fn place(&self, url: &str) -> Result<String, Error> {
        if let Some(place) = self.stand_ins.find(url) {
            return Ok(place);
        }
        check_form(url)?;
        Ok(url.to_owned())
    }

    /// Fails unless the address is public now. For telling an administrator early; what counts is
    /// [`Self::place`] and the client.
    pub async fn check(&self, url: &str) -> Result<(), Error> {
        if self.stand_ins.find(url).is_some() {
            return Ok(());
        }
        let Host::Domain(name) = check_form(url)? else {
            return Ok(());
        };
        let unknown = || Error::invalid("Unable to resolve hostname");
        let found = tokio::time::timeout(LOOKUP, tokio::net::lookup_host((name, 443)))
            .await
            .map_err(|_| unknown())?
            .map_err(|_| unknown())?;
        for address in found {
            check_ip(address.ip())?;
        }
        Ok(())
    }
}

fn check_form(url: &str) -> Result<Host<String>, Error> {
    let parsed = Url::parse(url).map_err(|error| match error {
        url::ParseError::EmptyHost => Error::invalid("URL must have a valid hostname"),
        url::ParseError::RelativeUrlWithoutBase => Error::invalid("URL must use HTTPS"),
        _ => Error::invalid("Invalid URL format"),
    })?;
    if parsed.scheme() != "https" {
        return Err(Error::invalid("URL must use HTTPS"));
    }
    // Browsers look for a host behind any number of slashes.
    let written = url.trim().get("https:".len()..).unwrap_or_default();
    if !written.starts_with("//") || written.starts_with("///") {
        return Err(Error::invalid("URL must have a valid hostname"));
    }
    let host = parsed
        .host()
        .ok_or_else(|| Error::invalid("URL must have a valid hostname"))?
        .to_owned();
    let name = host.to_string();
    let name = name.trim_end_matches('.');
    let known = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"];
    if known.contains(&name) || name.ends_with(".localhost") {
        return Err(Error::invalid(
            "URL cannot point to localhost or loopback addresses",
        ));
    }
    match &host {
        Host::Ipv4(ip) => check_ip((*ip).into())?,
        Host::Ipv6(ip) => check_ip((*ip).into())?,
        Host::Domain(_) => {}
    }
    Ok(host)
}

fn check_ip(ip: IpAddr) -> Result<(), Error> {
    match fault(ip) {
        None => Ok(()),
        Some(kind) => Err(Error::invalid(format!("URL cannot resolve to {kind}"))),
    }
}

/// What is wrong with an address as a place to go.
fn fault(ip: IpAddr) -> Option<&'static str> {
    let ip = match ip {
        IpAddr::V6(v6) => embedded(v6).map_or(ip, IpAddr::V4),
        IpAddr::V4(_) => ip,
    };
    let (private, link_local) = match ip {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            // Beyond RFC 1918: shared (RFC 6598), "this network", benchmarks and reserved.
            let special = (a == 100 && (64..128).contains(&b))
                || (a == 0 && !v4.is_unspecified())
                || (a == 198 && (b == 18 || b == 19))
                || a >= 240;
            let near = v4.is_link_local() || v4.octets().starts_with(&[224, 0, 0]);
            (v4.is_private() || special, near)
        }
        IpAddr::V6(v6) => {
            let near = v6.is_unicast_link_local() || v6.segments()[0] & 0xff0f == 0xff02;
            (v6.is_unique_local(), near)
        }
    };
    if ip.is_loopback() {
        Some("loopback addresses")
    } else if private {
        Some("private network addresses")
    } else if link_local {
        Some("link-local addresses")
    } else if ip.is_multicast() {
        Some("multicast addresses")
    } else if ip.is_unspecified() {
        Some("unspecified addresses")
    } else {
        None
    }
}

/// The address of version 4 that one of version 6 leads to (RFC 4291, 6052, 3056).
fn embedded(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    match ip.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))),
        _ => None,
    }
}

#[derive(Debug)]
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let looked_up = tokio::net::lookup_host((name.as_str().to_owned(), 0));
            let found: Vec<SocketAddr> = tokio::time::timeout(LOOKUP, looked_up).await??.collect();
            // One bad address spoils all: which of them is used would be for others to choose.
            if found.is_empty() || found.iter().any(|address| fault(address.ip()).is_some()) {
                return Err("the name does not lead to a public address".into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_places_to_go() {
        for (url, expected) in [
            ("not a url", Some("URL must use HTTPS")),
            ("https://[", Some("Invalid URL format")),
            ("https:///a.test", Some("URL must have a valid hostname")),
            ("https:a.test", Some("URL must have a valid hostname")),
            ("http://example.com", Some("URL must use HTTPS")),
            ("https://", Some("URL must have a valid hostname")),
            (
                "https://localhost/x",
                Some("URL cannot point to localhost or loopback addresses"),
            ),
            (
                "https://a.LOCALHOST./x",
                Some("URL cannot point to localhost or loopback addresses"),
            ),
            (
                "https://127.0.0.1/",
                Some("URL cannot point to localhost or loopback addresses"),
            ),
            // Another way to write 127.0.0.1.
            (
                "https://2130706433/",
                Some("URL cannot point to localhost or loopback addresses"),
            ),
            (
                "https://127.0.0.2/",
                Some("URL cannot resolve to loopback addresses"),
            ),
            (
                "https://10.1.2.3/",
                Some("URL cannot resolve to private network addresses"),
            ),
            (
                "https://[fd00::1]/",
                Some("URL cannot resolve to private network addresses"),
            ),
            (
                "https://169.254.169.254/latest",
                Some("URL cannot resolve to link-local addresses"),
            ),
            (
                "https://[::ffff:169.254.169.254]/",
                Some("URL cannot resolve to link-local addresses"),
            ),
            (
                "https://[64:ff9b::a00:1]/",
                Some("URL cannot resolve to private network addresses"),
            ),
            (
                "https://100.64.0.1/",
                Some("URL cannot resolve to private network addresses"),
            ),
            (
                "https://224.0.0.1/",
                Some("URL cannot resolve to link-local addresses"),
            ),
            (
                "https://239.0.0.1/",
                Some("URL cannot resolve to multicast addresses"),
            ),
            ("https://93.184.215.14/", None),
            ("https://example.com/x", None),
        ] {
            let found = check_form(url).err().map(|error| error.to_string());
            assert_eq!(found.as_deref(), expected, "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_for_this_machine_is_no_way_in() {
        let resolver = PublicOnly;
        assert!(
            resolver
                .resolve("localhost".parse().unwrap())
                .await
                .is_err()
        );
        let outside = Outside::new(StandIns::default()).unwrap();
        assert!(
            outside
                .http()
                .get("http://localhost:1/")
                .send()
                .await
                .is_err()
        );
        let unknown = outside.check("https://no-such-name.invalid/").await;
        assert_eq!(
            unknown.unwrap_err().to_string(),
            "Unable to resolve hostname"
        );
    }

    #[test]
    fn stand_ins_keep_path_and_query() {
        let stand_ins = StandIns::new([("idp.test", "http://127.0.0.1:9".to_owned())]);
        assert_eq!(
            stand_ins.place("https://idp.test/a?b=c"),
            "http://127.0.0.1:9/a?b=c"
        );
        assert_eq!(
            stand_ins.place("https://other.test/a"),
            "https://other.test/a"
        );
    }
}
