//! Getting a provider's metadata from where the provider has them.

use std::{net::IpAddr, time::Duration};

use url::{Host, Url};

use super::xml::MAX_TEXT;
use crate::error::{Code, Error, UNEXPECTED};

/// For the whole answer; a user who signs in may be waiting.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The text at an address. Redirects are not followed, so that an address that was looked at stays the one
/// that is asked.
pub(super) async fn fetch(url: &str) -> Result<String, Error> {
    let failed = |reason: anyhow::Error| Error::internal(UNEXPECTED, reason);
    let parsed = Url::parse(url).map_err(|error| failed(error.into()))?;
    let addresses = resolve(&parsed).await.map_err(failed)?;
    let mut client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        // A proxy of the environment would look the name up itself.
        .no_proxy()
        .timeout(TIMEOUT);
    if let Some(host) = parsed.host_str() {
        client = client.resolve_to_addrs(host, &addresses);
    }
    let client = client.build().map_err(|error| failed(error.into()))?;
    let unreachable = |error: reqwest::Error| failed(error.without_url().into());
    let mut response = client
        .get(parsed)
        .header(http::header::ACCEPT, "application/xml;charset=UTF-8")
        .header(http::header::ACCEPT_CHARSET, "UTF-8")
        .header(http::header::USER_AGENT, "nilam-auth")
        .send()
        .await
        .map_err(unreachable)?;
    let status = response.status().as_u16();
    if status != 200 {
        let message = format!("HTTP {status} error fetching SAML Metadata from URL '{url}'");
        return Err(Error::bad_request(Code::SamlMetadataFetchFailed, message));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > MAX_TEXT {
            let message = format!("SAML Metadata at URL '{url}' are larger than {MAX_TEXT} bytes");
            return Err(Error::bad_request(Code::SamlMetadataFetchFailed, message));
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| super::providers::not_utf8())
}

/// The addresses of the host, none of which may be one where machines tell their secrets.
async fn resolve(url: &Url) -> anyhow::Result<Vec<std::net::SocketAddr>> {
    let port = url.port_or_known_default().unwrap_or(443);
    let addresses: Vec<_> = match url.host() {
        Some(Host::Ipv4(ip)) => vec![(IpAddr::V4(ip), port).into()],
        Some(Host::Ipv6(ip)) => vec![(IpAddr::V6(ip), port).into()],
        Some(Host::Domain(name)) => {
            let lookup = tokio::net::lookup_host((name, port));
            tokio::time::timeout(TIMEOUT, lookup).await??.collect()
        }
        None => Vec::new(),
    };
    anyhow::ensure!(!addresses.is_empty(), "the host has no address");
    for address in &addresses {
        anyhow::ensure!(
            may_be_asked(address.ip()),
            "the host has an address that must not be asked"
        );
    }
    Ok(addresses)
}

/// Providers inside of a private network are common; link-local addresses belong to the machine's keeper.
fn may_be_asked(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            !(ip.is_link_local() || ip.is_unspecified() || ip.is_multicast() || ip.is_broadcast())
        }
        IpAddr::V6(ip) => {
            let is_metadata = ip.segments()[0] == 0xfd00 && ip.segments()[1] == 0x0ec2;
            !(ip.is_unicast_link_local() || ip.is_unspecified() || ip.is_multicast() || is_metadata)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keeper_of_the_machine_is_not_asked() {
        for ip in [
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "0.0.0.0",
            "255.255.255.255",
        ] {
            assert!(!may_be_asked(ip.parse().unwrap()), "{ip}");
        }
        for ip in ["10.0.0.1", "93.184.216.34", "2001:db8::1"] {
            assert!(may_be_asked(ip.parse().unwrap()), "{ip}");
        }
    }

    /// An HTTP server that answers one request, and gives the head of that request back.
    async fn serve(answer: Vec<u8>) -> (String, tokio::task::JoinHandle<String>) {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/metadata?x=1", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            // Whoever asks may hang up before the end of a very long answer.
            drop(stream.write_all(&answer).await);
            String::from_utf8(head).unwrap()
        });
        (url, served)
    }

    #[tokio::test]
    async fn metadata_are_asked_for_as_xml() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n<a/>";
        let (url, served) = serve(answer.to_vec()).await;
        assert_eq!(fetch(&url).await.unwrap(), "<a/>");
        let head = served.await.unwrap().to_lowercase();
        assert!(head.starts_with("get /metadata?x=1 http/1.1\r\n"), "{head}");
        assert!(head.contains("accept: application/xml;charset=utf-8\r\n"));
    }

    #[tokio::test]
    async fn long_answers_and_redirects_are_refused() {
        let long = format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}",
            "x".repeat(MAX_TEXT + 1)
        );
        let moved =
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        for (answer, said) in [(long.as_str(), "larger than"), (moved, "HTTP 302 error")] {
            let (url, _served) = serve(answer.as_bytes().to_vec()).await;
            let wire = fetch(&url).await.unwrap_err().wire();
            assert_eq!(wire.code, Code::SamlMetadataFetchFailed);
            assert!(wire.message.contains(said), "{}", wire.message);
        }
        let (url, _served) =
            serve(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n\xff\xfe".to_vec()).await;
        assert_eq!(
            fetch(&url).await.unwrap_err().wire().code,
            Code::ValidationFailed
        );
        assert!(
            fetch("http://169.254.169.254/latest/meta-data")
                .await
                .is_err()
        );
    }
}
