//! Where a user may be sent.
//!
//! The site itself is always allowed; other places need a glob of the allow list. Anything else is
//! silently replaced by the site, so that a link in a mail can never lead to a stranger.

use std::net::IpAddr;

use regex::Regex;
use url::Url;

/// The site and the globs.
#[derive(Clone, Debug)]
pub struct AllowList {
    site: String,
    patterns: Vec<Regex>,
}

impl AllowList {
    /// Globs that cannot be read are left out, with a warning.
    pub fn new(site: &str, globs: &[String]) -> Self {
        let patterns = globs
            .iter()
            .filter_map(|glob| {
                let pattern = Regex::new(&translate(glob));
                if pattern.is_err() {
                    tracing::warn!("an entry of the redirect allow list is not a glob");
                }
                pattern.ok()
            })
            .collect();
        Self {
            site: site.to_owned(),
            patterns,
        }
    }

    /// The first candidate that is allowed, else the site.
    pub fn choose<'a>(&'a self, candidates: impl IntoIterator<Item = &'a str>) -> &'a str {
        candidates
            .into_iter()
            .find(|candidate| self.allows(candidate))
            .unwrap_or(&self.site)
    }

    /// True when a user may be sent there.
    pub fn allows(&self, target: &str) -> bool {
        // Control characters and backslashes mean different things to different URL parsers.
        if target.is_empty()
            || target.len() > 8192
            || target
                .chars()
                .any(|c| c.is_control() || c == '\\' || c == ' ')
        {
            return false;
        }
        let Ok(url) = Url::parse(target) else {
            return false;
        };
        let host = raw_host(target);
        if let Ok(site) = Url::parse(&self.site)
            && site.scheme() == url.scheme()
            && site.host_str() == url.host_str()
            && host.eq_ignore_ascii_case(raw_host(&self.site))
            && (site.port_or_known_default() == url.port_or_known_default() || is_loopback(host))
        {
            return true;
        }
        if !host.is_empty() && host.bytes().all(|b| b.is_ascii_digit()) {
            return false;
        }
        if let Ok(ip) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
            return ip.is_loopback();
        }
        if matches!(url.scheme(), "http" | "https") && !is_plain_host(host) {
            return false;
        }
        let without_fragment = target.split('#').next().unwrap_or(target);
        self.patterns
            .iter()
            .any(|pattern| pattern.is_match(without_fragment))
    }
}

/// The host as it was written: a parser that normalises would hide decimal addresses.
fn raw_host(target: &str) -> &str {
    let Some((_, rest)) = target.split_once("://") else {
        return "";
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    if let Some(end) = host.find(']') {
        return &host[..=end];
    }
    host.split(':').next().unwrap_or(host)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

fn is_plain_host(host: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = host.as_bytes();
    edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
}

/// A glob with the separators `.` and `/`, as a regular expression.
fn translate(glob: &str) -> String {
    let mut out = String::from("^");
    let mut chars = glob.chars().peekable();
    let mut braces = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                while chars.peek() == Some(&'*') {
                    chars.next();
                }
                out.push_str(".*");
            }
            '*' => out.push_str("[^./]*"),
            '?' => out.push_str("[^./]"),
            '[' => {
                out.push('[');
                if chars.peek() == Some(&'!') {
                    chars.next();
                    out.push('^');
                }
                for inner in chars.by_ref() {
                    match inner {
                        ']' => break,
                        '\\' | '[' | '&' | '~' | '^' => {
                            out.push('\\');
                            out.push(inner);
                        }
                        _ => out.push(inner),
                    }
                }
                out.push(']');
            }
            '{' => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => out.push('|'),
            '\\' => {
                if let Some(escaped) = chars.next() {
                    out.push_str(&regex::escape(&escaped.to_string()));
                }
            }
            other => out.push_str(&regex::escape(&other.to_string())),
        }
    }
    out.push('$');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_site_and_the_globs_are_allowed() {
        let globs = [
            "https://*.example.com/*",
            "https://deep.example.org/**",
            "com.example.app://callback",
            "https://{one,two}.example.net/[a-c]?",
        ]
        .map(str::to_owned);
        let list = AllowList::new("http://localhost:3000", &globs);
        for (target, expected) in [
            ("http://localhost:3000/welcome", true),
            ("http://localhost:9999/any-port", true),
            ("https://localhost:3000/", false),
            ("https://a.example.com/x", true),
            ("https://a.example.com/x#fragment", true),
            ("https://a.example.com/x/y", false),
            ("https://a.b.example.com/x", false),
            ("https://deep.example.org/x/y.z?q=1", true),
            ("com.example.app://callback", true),
            ("com.example.app://other", false),
            ("https://two.example.net/bz", true),
            ("https://three.example.net/bz", false),
            ("https://evil.test", false),
            ("http://2130706433/", false),
            ("http://127.0.0.1:8080/x", true),
            ("http://10.0.0.1/x", false),
            ("javascript:alert(1)", false),
            ("http://localhost:3000@evil.test/", false),
            ("https://a.example.com\\@evil.test/x", false),
            ("", false),
        ] {
            assert_eq!(list.allows(target), expected, "{target}");
        }
    }

    #[test]
    fn the_site_replaces_what_is_not_allowed() {
        let list = AllowList::new("https://site.test", &[]);
        assert_eq!(
            list.choose(["https://evil.test", "https://site.test/x"]),
            "https://site.test/x"
        );
        assert_eq!(list.choose(["https://evil.test"]), "https://site.test");
    }
}
