//! A small client that signs as Amazon's do.

use aws_lc_rs::{digest, hmac};
use axum::body::Body;
use chrono::Utc;
use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::service::{self, Answer, Service};

pub(super) const ACCESS_KEY: &str = "access-key";
pub(super) const SECRET_KEY: &str = "secret-key";
pub(super) const ANON_KEY: &str = "anon-key";
pub(super) const REGION: &str = "home-1";
pub(super) const SETTINGS: [(&str, &str); 4] = [
    ("S3_PROTOCOL_ACCESS_KEY_ID", ACCESS_KEY),
    ("S3_PROTOCOL_ACCESS_KEY_SECRET", SECRET_KEY),
    ("ANON_KEY", ANON_KEY),
    ("REGION", REGION),
];

const ESCAPED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// With the settings of the protocol.
pub(super) async fn start() -> Service {
    Service::start_with(&SETTINGS).await
}

pub(super) async fn start_with(settings: &[(&str, &str)]) -> Service {
    Service::start_with(&[&SETTINGS, settings].concat()).await
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

pub(super) fn escape(text: &str) -> String {
    utf8_percent_encode(text, &ESCAPED).to_string()
}

/// The canonical form of a query.
pub(super) fn canonical_query(query: &str) -> String {
    let decode = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let mut pairs: Vec<_> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            format!("{}={}", escape(&decode(name)), escape(&decode(value)))
        })
        .collect();
    pairs.sort();
    pairs.join("&")
}

/// Whose key signs.
#[derive(Clone)]
pub(super) struct Keys {
    pub(super) access_key: String,
    pub(super) secret: String,
    pub(super) token: Option<String>,
    pub(super) region: String,
}

/// Keys, the day and the region.
#[derive(Clone)]
pub(super) struct Scope {
    key: hmac::Key,
    pub(super) date: String,
    pub(super) text: String,
}

impl Keys {
    /// The key pair of the service.
    pub(super) fn service() -> Self {
        Self {
            access_key: ACCESS_KEY.into(),
            secret: SECRET_KEY.into(),
            token: None,
            region: REGION.into(),
        }
    }

    /// A user with a token.
    pub(super) fn session(token: String) -> Self {
        Self {
            access_key: "tenant".into(),
            secret: ANON_KEY.into(),
            token: Some(token),
            region: REGION.into(),
        }
    }

    pub(super) fn scope(&self) -> Scope {
        let date = Utc::now().format("%Y%m%dT%H%M%SZ").to_string();
        let day = &date[..8];
        let start = hmac::Key::new(hmac::HMAC_SHA256, format!("AWS4{}", self.secret).as_bytes());
        let key = [day, &self.region, "s3", "aws4_request"]
            .iter()
            .fold(start, |key, part| {
                hmac::Key::new(
                    hmac::HMAC_SHA256,
                    hmac::sign(&key, part.as_bytes()).as_ref(),
                )
            });
        Scope {
            key,
            text: format!("{day}/{}/s3/aws4_request", self.region),
            date,
        }
    }
}

impl Scope {
    pub(super) fn sign(&self, text: &str) -> String {
        hex::encode(hmac::sign(&self.key, text.as_bytes()))
    }

    pub(super) fn sign_request(&self, canonical: &str) -> String {
        let hash = sha256(canonical.as_bytes());
        self.sign(&format!(
            "AWS4-HMAC-SHA256\n{}\n{}\n{hash}",
            self.date, self.text
        ))
    }

    pub(super) fn sign_chunk(&self, previous: &str, chunk: &[u8]) -> String {
        let (empty, hash) = (sha256(b""), sha256(chunk));
        self.sign(&format!(
            "AWS4-HMAC-SHA256-PAYLOAD\n{}\n{}\n{previous}\n{empty}\n{hash}",
            self.date, self.text
        ))
    }
}

/// A request that is being put together.
pub(super) struct S3Call<'a> {
    service: &'a Service,
    keys: Keys,
    method: Method,
    /// As it goes over the wire.
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    hash: Option<String>,
    signed_path: Option<String>,
}

impl Service {
    /// A request of the service's own key pair.
    pub(super) fn s3(&self, method: &str, target: &str) -> S3Call<'_> {
        S3Call {
            service: self,
            keys: Keys::service(),
            method: method.parse().unwrap(),
            target: target.into(),
            headers: vec![("host".into(), "storage.test".into())],
            body: Vec::new(),
            hash: None,
            signed_path: None,
        }
    }
}

impl S3Call<'_> {
    pub(super) fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// As a user who has a folder of their own.
    pub(super) fn user(self) -> Self {
        let claims = serde_json::json!({
            "role": "authenticated", "sub": service::USER, "exp": crate::now() + 60,
        });
        self.keys(Keys::session(crate::signed(&claims, crate::SECRET)))
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(super) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// What is signed for the body, if not its hash.
    pub(super) fn payload_hash(mut self, hash: &str) -> Self {
        self.hash = Some(hash.into());
        self
    }

    /// What the client saw as the path.
    pub(super) fn signed_path(mut self, path: &str) -> Self {
        self.signed_path = Some(path.into());
        self
    }

    /// Signs; gives the signature too, and with what it was made.
    fn signed(&mut self) -> (String, Scope) {
        let scope = self.keys.scope();
        let hash = self.hash.clone().unwrap_or_else(|| sha256(&self.body));
        self.headers.push(("x-amz-date".into(), scope.date.clone()));
        self.headers
            .push(("x-amz-content-sha256".into(), hash.clone()));
        if let Some(token) = &self.keys.token {
            self.headers
                .push(("x-amz-security-token".into(), token.clone()));
        }
        self.headers.sort();
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let lines: Vec<_> = self
            .headers
            .iter()
            .map(|(name, value)| {
                format!(
                    "{name}:{value}
"
                )
            })
            .collect();
        let lines = lines.concat();
        let canonical = format!(
            "{}\n{}\n{}\n{lines}\n{}\n{hash}",
            self.method,
            self.signed_path.as_deref().unwrap_or(path),
            canonical_query(query),
            names.join(";"),
        );
        let signature = scope.sign_request(&canonical);
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={signature}",
            self.keys.access_key,
            scope.text,
            names.join(";")
        );
        self.headers.push(("authorization".into(), authorization));
        (signature, scope)
    }

    pub(super) async fn send(mut self) -> Answer {
        self.signed();
        self.send_as_it_is().await
    }

    /// Sends the body in chunks of this size, each signed.
    pub(super) async fn send_chunked(mut self, size: usize, spoil: fn(&mut Vec<u8>)) -> Answer {
        let content = std::mem::take(&mut self.body);
        self.hash = Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD".into());
        let length = content.len().to_string();
        self.headers
            .push(("x-amz-decoded-content-length".into(), length));
        let (mut previous, scope) = self.signed();
        for chunk in content.chunks(size).chain([&b""[..]]) {
            previous = scope.sign_chunk(&previous, chunk);
            self.body
                .extend(format!("{:x};chunk-signature={previous}\r\n", chunk.len()).bytes());
            self.body.extend(chunk);
            self.body.extend(b"\r\n");
        }
        spoil(&mut self.body);
        self.send_as_it_is().await
    }

    /// As a presigned URL.
    pub(super) fn presigned(&self, seconds: i64) -> String {
        let scope = self.keys.scope();
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let credential = escape(&format!("{}/{}", self.keys.access_key, scope.text));
        let mut query = format!(
            "{query}&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={}\
             &X-Amz-Expires={seconds}&X-Amz-SignedHeaders=host",
            scope.date
        );
        if let Some(token) = &self.keys.token {
            query.extend(["&X-Amz-Security-Token=", &escape(token)]);
        }
        let query = query.trim_start_matches('&');
        let canonical = format!(
            "{}\n{path}\n{}\nhost:storage.test\n\nhost\nUNSIGNED-PAYLOAD",
            self.method,
            canonical_query(query),
        );
        let signature = scope.sign_request(&canonical);
        format!("{path}?{query}&X-Amz-Signature={signature}")
    }

    /// Without another signature.
    pub(super) async fn send_as_it_is(self) -> Answer {
        let mut call = self.service.call(self.method, &self.target);
        for (name, value) in &self.headers {
            call = call.header(name, value);
        }
        if !self
            .headers
            .iter()
            .any(|(name, _)| name == "content-length")
        {
            call = call.header("content-length", &self.body.len().to_string());
        }
        call.body(Body::from(self.body)).send().await
    }
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }

    /// The text of every element of a name.
    pub(super) fn all(&self, element: &str) -> Vec<String> {
        let (open, close) = (format!("<{element}>"), format!("</{element}>"));
        let text = self.text();
        let parts = text.split(&open).skip(1);
        parts
            .map(|part| part.split(&close).next().unwrap().replace("&quot;", "\""))
            .collect()
    }

    /// The text of the one element of a name.
    pub(super) fn one(&self, element: &str) -> String {
        let mut all = self.all(element);
        assert_eq!(all.len(), 1, "{element} in {}", self.text());
        all.remove(0)
    }

    /// The status and the code of a refusal.
    pub(super) fn refused(&self) -> (u16, String) {
        let codes = self.all("Code");
        (self.status, codes.into_iter().next().unwrap_or_default())
    }
}

/// A refusal to compare with.
pub(super) fn refusal(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}
