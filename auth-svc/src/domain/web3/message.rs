//! What a wallet shows and signs: EIP-4361, "Sign-In with Ethereum", and the same for Solana.

use chrono::{DateTime, Utc};

use super::Chain;

/// A message that has the form, whoever signed it.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) domain: &'a str,
    pub(super) address: &'a str,
    pub(super) statement: Option<&'a str>,
    pub(super) uri: Uri<'a>,
    pub(super) chain_id: &'a str,
    pub(super) issued_at: DateTime<Utc>,
    pub(super) expiration_time: Option<DateTime<Utc>>,
    pub(super) not_before: Option<DateTime<Utc>>,
}

/// The fields below the statement.
#[derive(Default)]
struct Fields<'a> {
    uri: Option<Uri<'a>>,
    version: &'a str,
    chain_id: &'a str,
    issued_at: Option<DateTime<Utc>>,
    expiration_time: Option<DateTime<Utc>>,
    not_before: Option<DateTime<Utc>>,
}

impl<'a> Message<'a> {
    /// Fails in the original's words.
    pub(super) fn parse(chain: Chain, text: &'a str) -> Result<Self, String> {
        let prefix = match chain {
            Chain::Ethereum => "siwe",
            Chain::Solana => "siws",
        };
        Self::read(chain, text).map_err(|reason| format!("{prefix}: {reason}"))
    }

    fn read(chain: Chain, text: &'a str) -> Result<Self, String> {
        let title = chain.title();
        let lines: Vec<&str> = text.split('\n').collect();
        let &[header, address, third, fourth, fifth, _, ..] = lines.as_slice() else {
            return Err("message needs at least 6 lines".into());
        };
        let suffix = format!(" wants you to sign in with your {title} account:");
        let domain = header
            .strip_suffix(suffix.as_str())
            .ok_or_else(|| format!("message first line does not end in \"{suffix}\""))?
            .trim();
        if !is_domain(domain) {
            return Err("domain in first line of message is not valid".into());
        }
        let address = address.trim();
        match chain {
            Chain::Ethereum if !is_ethereum_address(address) => {
                return Err("wallet address is not a valid Ethereum address".into());
            }
            Chain::Solana if !is_solana_address(address) => {
                return Err("wallet address is not in base58 format".into());
            }
            _ => {}
        }
        if !third.is_empty() {
            return Err("third line must be empty".into());
        }
        let statement = (!fourth.is_empty() && fifth.is_empty()).then_some(fourth);
        let from = if statement.is_some() { 5 } else { 3 };
        let fields = Fields::read(chain, &lines, from)?;
        fields.check()?;
        Ok(Self {
            domain,
            address,
            statement,
            uri: fields.uri.ok_or("URI is not specified")?,
            chain_id: fields.chain_id,
            issued_at: fields.issued_at.ok_or("Issued At is not specified")?,
            expiration_time: fields.expiration_time,
            not_before: fields.not_before,
        })
    }
}

impl<'a> Fields<'a> {
    fn read(chain: Chain, lines: &[&'a str], from: usize) -> Result<Self, String> {
        let mut fields = Self::default();
        // So many resources were listed, while the list lasts.
        let mut listing = false;
        let mut resources = 0;
        for (index, line) in lines.iter().enumerate().skip(from) {
            let line = line.trim();
            if listing && let Some(resource) = line.strip_prefix("- ") {
                if Uri::parse(resource.trim()).is_none() {
                    return Err(format!("Resource at position {resources} has invalid URI"));
                }
                resources += 1;
                continue;
            }
            listing = line == "Resources:";
            if listing || line.is_empty() {
                continue;
            }
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| format!("encountered unparsable line at index {index}"))?;
            fields.put(chain, name, value.trim())?;
        }
        Ok(fields)
    }

    fn put(&mut self, chain: Chain, name: &str, value: &'a str) -> Result<(), String> {
        let time = |value| time(value).ok_or(format!("{name} is not a valid ISO8601 timestamp"));
        match name {
            "URI" => self.uri = Some(Uri::parse(value).ok_or("URI is not valid")?),
            "Version" => self.version = value,
            "Chain ID" => {
                let fits = match chain {
                    Chain::Ethereum => value.parse::<i64>().is_ok_and(|id| id > 0),
                    Chain::Solana => value.is_empty() || is_solana_network(value),
                };
                if !fits {
                    return Err("Chain ID is not valid".into());
                }
                self.chain_id = value;
            }
            "Issued At" => self.issued_at = time(value)?,
            "Expiration Time" => self.expiration_time = time(value)?,
            "Not Before" => self.not_before = time(value)?,
            // The nonce is for whoever made the message; the original does not look at it either.
            _ => {}
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.version != "1" {
            return Err(format!(
                "Version value is not supported, expected 1 got {:?}",
                self.version
            ));
        }
        let issued_at = self.issued_at.ok_or("Issued At is not specified")?;
        if self.uri.is_none() {
            return Err("URI is not specified".into());
        }
        let Some(end) = self.expiration_time else {
            return Ok(());
        };
        if issued_at > end {
            return Err("Issued At is after Expiration Time".into());
        }
        if self.not_before.is_some_and(|time| time > end) {
            return Err("Not Before is after Expiration Time".into());
        }
        Ok(())
    }
}

/// A time of RFC 3339. The first second of year 1 counts as none, as it does in the original's language.
fn time(text: &str) -> Option<Option<DateTime<Utc>>> {
    // The library also takes lower case and a space.
    if text.as_bytes().get(10) != Some(&b'T') || text.ends_with('z') {
        return None;
    }
    let time = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    Some(Some(time).filter(|time| time.timestamp() != -62_135_596_800))
}

fn is_ethereum_address(text: &str) -> bool {
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_solana_address(text: &str) -> bool {
    (32..=44).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_solana_network(text: &str) -> bool {
    let net = text.strip_prefix("solana:").unwrap_or_default();
    ["mainnet", "devnet", "testnet", "localnet"].contains(&net)
}

/// `localhost` or a name with a dot, perhaps with a port.
fn is_domain(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, "0"));
    if !(1..=5).contains(&port.len()) || !port.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    if name == "localhost" {
        return true;
    }
    let Some((labels, top)) = name.rsplit_once('.') else {
        return false;
    };
    let is_label = |label: &str| {
        let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = label.as_bytes();
        label.len() <= 63
            && edge(bytes.first())
            && edge(bytes.last())
            && bytes
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || *b == b'-')
    };
    top.len() >= 2
        && top.bytes().all(|b| b.is_ascii_alphabetic())
        && labels.split('.').all(is_label)
}

/// A URI as it was written. Nothing is normalised: what was signed is compared, not what a browser makes
/// of it.
#[derive(Debug)]
pub(super) struct Uri<'a> {
    pub(super) text: &'a str,
    pub(super) scheme: String,
    /// With the port, without a user.
    pub(super) host: &'a str,
}

impl<'a> Uri<'a> {
    /// Absolute URIs and, as in the original, absolute paths.
    fn parse(text: &'a str) -> Option<Self> {
        if text.is_empty() || text.chars().any(char::is_control) {
            return None;
        }
        if text.starts_with('/') && !text.starts_with("//") {
            let (scheme, host) = (String::new(), "");
            return Some(Self { text, scheme, host });
        }
        let (scheme, rest) = text.split_once(':')?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(plain) {
            return None;
        }
        let authority = rest.strip_prefix("//").unwrap_or_default();
        let authority = authority.split(['/', '?']).next().unwrap_or_default();
        let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let is_host = |c: char| {
            !c.is_ascii() || c.is_ascii_alphanumeric() || "!$&'()*+,;=:[]<>\"-._~".contains(c)
        };
        let (_, port) = host.rsplit_once(':').unwrap_or_default();
        let is_port = host.ends_with(']') || port.bytes().all(|b| b.is_ascii_digit());
        if !host.chars().all(is_host) || !is_port {
            return None;
        }
        Some(Self {
            text,
            scheme: scheme.to_ascii_lowercase(),
            host,
        })
    }

    /// The host without the port.
    pub(super) fn hostname(&self) -> &'a str {
        if self.host.ends_with(']') {
            return self.host;
        }
        self.host
            .rsplit_once(':')
            .map_or(self.host, |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0xA88B710FAfFF68e3D7BB4B3DD72c358B5bDb9a18";

    fn ethereum(rest: &str) -> String {
        let header = "app.test wants you to sign in with your Ethereum account:";
        format!("{header}\n{ADDRESS}\n{rest}")
    }

    #[test]
    fn each_fault_has_its_words() {
        let fine = "URI: https://app.test\nVersion: 1\nIssued At: 2025-01-02T00:00:00Z";
        let headed = |header: &str| format!("{header}\n\n\n\n\n\n");
        for (text, expected) in [
            (String::new(), "message needs at least 6 lines"),
            (
                headed("app.test wants"),
                "message first line does not end in \" wants you to sign in with your Ethereum account:\"",
            ),
            (
                headed("*** wants you to sign in with your Ethereum account:"),
                "domain in first line of message is not valid",
            ),
            (
                headed("app.test wants you to sign in with your Ethereum account:"),
                "wallet address is not a valid Ethereum address",
            ),
            (ethereum("x\n\n\n\n"), "third line must be empty"),
            (
                ethereum("\nHello\n\nno field\n"),
                "encountered unparsable line at index 5",
            ),
            (ethereum("\nURI: ***\nVersion: 1\n\n"), "URI is not valid"),
            (
                ethereum("\nVersion: 2\nURI: https://app.test\nIssued At: 2025-01-02T00:00:00Z\n"),
                "Version value is not supported, expected 1 got \"2\"",
            ),
            (
                ethereum("\nVersion: 1\nURI: https://app.test\n\n\n"),
                "Issued At is not specified",
            ),
            (
                ethereum("\nVersion: 1\nIssued At: 2025-01-02T00:00:00Z\n\n\n"),
                "URI is not specified",
            ),
            (
                ethereum("\nIssued At: yesterday\nVersion: 1\n"),
                "Issued At is not a valid ISO8601 timestamp",
            ),
            (
                ethereum(&format!("\n{fine}\nExpiration Time: 2025-01-02 00:00:00Z")),
                "Expiration Time is not a valid ISO8601 timestamp",
            ),
            (
                ethereum(&format!("\n{fine}\nNot Before: soon")),
                "Not Before is not a valid ISO8601 timestamp",
            ),
            (
                ethereum(&format!("\n{fine}\nExpiration Time: 2025-01-01T00:00:00Z")),
                "Issued At is after Expiration Time",
            ),
            (
                ethereum(&format!(
                    "\n{fine}\nExpiration Time: 2025-01-03T00:00:00Z\nNot Before: 2025-01-04T00:00:00Z"
                )),
                "Not Before is after Expiration Time",
            ),
            (
                ethereum(&format!("\n{fine}\nResources:\n- https://a.test\n- ***\n")),
                "Resource at position 1 has invalid URI",
            ),
            (
                ethereum(&format!("\n{fine}\nChain ID: 0")),
                "Chain ID is not valid",
            ),
        ] {
            let reason = Message::parse(Chain::Ethereum, &text).unwrap_err();
            assert_eq!(reason, format!("siwe: {expected}"), "{text}");
        }
        let reason = Message::parse(Chain::Solana, &ethereum("\n\n\n\n")).unwrap_err();
        assert!(reason.starts_with("siws: message first line"), "{reason}");
    }

    #[test]
    fn hosts_are_compared_as_they_were_written() {
        for (text, host, hostname) in [
            ("https://app.test:8443/x", "app.test:8443", "app.test"),
            ("https://user@app.test?x", "app.test", "app.test"),
            ("http://[::1]:3000/", "[::1]:3000", "[::1]"),
            ("mailto:ada@app.test", "", ""),
            ("/path", "", ""),
        ] {
            let uri = Uri::parse(text).unwrap();
            assert_eq!((uri.host, uri.hostname()), (host, hostname), "{text}");
        }
        for wrong in [
            "",
            "***",
            "app.test",
            "https://a b/",
            "https://a:x/",
            "1a:b",
            "https://a#b",
        ] {
            assert!(Uri::parse(wrong).is_none(), "{wrong}");
        }
        for (domain, expected) in [
            ("localhost:3000", true),
            ("a.b-c.test", true),
            ("test", false),
            ("-a.test", false),
            ("a.test:", false),
            ("a.test:123456", false),
            ("a..test", false),
            ("a.t1", false),
        ] {
            assert_eq!(is_domain(domain), expected, "{domain}");
        }
    }
}
