//! Signatures of OAuth 1.0a with HMAC-SHA1 (RFC 5849, section 3.4).

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};

/// All but the unreserved characters (section 3.6).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Parameters as a query.
pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Who signs.
pub(super) struct Key<'a> {
    pub(super) client: &'a str,
    pub(super) secret: &'a SecretString,
    /// The token that is used, and its secret.
    pub(super) token: Option<(&'a str, &'a SecretString)>,
}

/// A GET.
pub(super) struct Request<'a> {
    /// In normal form and without a query.
    pub(super) url: &'a str,
    pub(super) query: &'a [(&'a str, &'a str)],
    /// What goes into the header besides the usual.
    pub(super) parameters: &'a [(&'a str, &'a str)],
    pub(super) nonce: String,
    pub(super) timestamp: i64,
}

impl Request<'_> {
    /// The value of the header `Authorization`.
    pub(super) fn authorization(&self, key: &Key<'_>) -> String {
        let timestamp = self.timestamp.to_string();
        let mut parameters = vec![
            ("oauth_consumer_key", key.client),
            ("oauth_nonce", &self.nonce),
            ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", &timestamp),
            ("oauth_version", "1.0"),
        ];
        parameters.extend(key.token.map(|(token, _)| ("oauth_token", token)));
        parameters.extend_from_slice(self.parameters);
        let signature = self.signature(key, &parameters);
        parameters.push(("oauth_signature", &signature));
        let written = parameters
            .iter()
            .map(|(name, value)| format!("{}=\"{}\"", encoded(name), encoded(value)));
        format!("OAuth {}", written.collect::<Vec<_>>().join(", "))
    }

    fn signature(&self, key: &Key<'_>, parameters: &[(&str, &str)]) -> String {
        let mut all: Vec<(String, String)> = parameters
            .iter()
            .chain(self.query)
            .map(|(name, value)| (encoded(name), encoded(value)))
            .collect();
        // Sorted as they are written, not as they are read.
        all.sort();
        let all: Vec<String> = all
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let base = format!("GET&{}&{}", encoded(self.url), encoded(&all.join("&")));
        let token_secret = key.token.map_or("", |(_, secret)| secret.expose_secret());
        let secret = format!(
            "{}&{}",
            encoded(key.secret.expose_secret()),
            encoded(token_secret)
        );
        let secret = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret.as_bytes());
        STANDARD.encode(hmac::sign(&secret, base.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature_of(header: &str) -> &str {
        let (_, rest) = header.split_once("oauth_signature=\"").unwrap();
        rest.split('"').next().unwrap()
    }

    /// The expected ones were made by the library oauth-1.0a for JavaScript.
    #[test]
    fn signatures_are_those_of_an_independent_library() {
        let secret = SecretString::from("the secret: with/odd+characters");
        let of_token = SecretString::from("token secret&1");
        let mut key = Key {
            client: "the-client",
            secret: &secret,
            token: None,
        };
        let callback = [("oauth_callback", "https://auth.test/callback?state=a b&c=ä")];
        let mut request = Request {
            url: "https://api.twitter.com/oauth/request_token",
            query: &[],
            parameters: &callback,
            nonce: "0123456789abcdef".into(),
            timestamp: 1_700_000_000,
        };
        let header = request.authorization(&key);
        let expected = "YS%2BrMQwdv60%2BZbHa%2BpXglomN0so%3D";
        assert_eq!(signature_of(&header), expected, "{header}");
        assert!(header.starts_with("OAuth oauth_consumer_key=\"the-client\", "));
        key.token = Some(("token-1", &of_token));
        request.url = "https://api.twitter.com/1.1/account/verify_credentials.json";
        request.query = &[
            ("include_entities", "false"),
            ("skip_status", "true"),
            ("include_email", "true"),
        ];
        request.parameters = &[];
        let header = request.authorization(&key);
        assert_eq!(signature_of(&header), "ac01YCUHAUF%2FmBYkiVfnlP6aJnI%3D");
    }
}
