//! One request over the network.

use std::{error::Error as _, fmt::Write as _, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::queue::{Answer, Request};
use crate::jobs::NetConfig;

/// What the original sends, so that receivers that look at it go on.
const USER_AGENT: &str = "pg_net/0.20.4";
/// As many as the original follows.
const REDIRECTS: usize = 30;
const IDLE: Duration = Duration::from_secs(30);

/// What became of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    /// To be noted.
    Answer(Answer),
    /// No connection could be made, so nobody has seen it: it may be sent again. Else the answer is noted.
    NotConnected(Answer),
}

/// Sends requests over connections that are kept.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    client: reqwest::Client,
    max_timeout: Duration,
    max_response_bytes: usize,
}

impl Sender {
    pub(super) fn new(config: &NetConfig) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::limited(REDIRECTS))
            .pool_max_idle_per_host(config.concurrency)
            .pool_idle_timeout(IDLE)
            .build()?;
        Ok(Self {
            client,
            max_timeout: config.max_timeout,
            max_response_bytes: config.max_response_bytes,
        })
    }

    /// Sends a request and reads its answer, within its timeout. Fails for none: what goes wrong is the outcome.
    pub(super) async fn send(&self, request: Request) -> Outcome {
        let timeout = self.timeout(request.timeout_ms);
        let asked = request.timeout_ms;
        let started = Instant::now();
        if let Ok(outcome) = tokio::time::timeout(timeout, self.exchange(request)).await {
            return outcome;
        }
        let total = started.elapsed().as_secs_f64() * 1000.0;
        Outcome::Answer(Answer {
            timed_out: true,
            error: Some(format!(
                "Timeout of {asked} ms reached. Total time: {total:.6} ms"
            )),
            ..Answer::default()
        })
    }

    /// No timeout, as the original understands zero, is the longest here.
    fn timeout(&self, asked_ms: i32) -> Duration {
        match u64::try_from(asked_ms) {
            Ok(ms) if ms > 0 => Duration::from_millis(ms).min(self.max_timeout),
            _ => self.max_timeout,
        }
    }

    async fn exchange(&self, request: Request) -> Outcome {
        let prepared = match self.prepare(request) {
            Ok(prepared) => prepared,
            Err(words) => return Outcome::Answer(failed(words)),
        };
        let response = match self.client.execute(prepared).await {
            Ok(response) => response,
            Err(error) => {
                let answer = failed(words(&error));
                return if error.is_connect() {
                    Outcome::NotConnected(answer)
                } else {
                    Outcome::Answer(answer)
                };
            }
        };
        Outcome::Answer(self.read(response).await)
    }

    fn prepare(&self, request: Request) -> Result<reqwest::Request, &'static str> {
        let method = match request.method.to_ascii_uppercase().as_str() {
            "GET" => Method::GET,
            "POST" => Method::POST,
            "DELETE" => Method::DELETE,
            _ => return Err("Unsupported request method"),
        };
        let mut headers = headers(request.headers)?;
        if request.body.is_some() && !headers.contains_key(header::CONTENT_TYPE) {
            let form = HeaderValue::from_static("application/x-www-form-urlencoded");
            headers.insert(header::CONTENT_TYPE, form);
        }
        let mut builder = self.client.request(method.clone(), request.url);
        builder = match request.body {
            Some(body) => builder.body(body),
            // A post without a body says so.
            None if method == Method::POST => builder.body(Vec::new()),
            None => builder,
        };
        builder
            .headers(headers)
            .build()
            .map_err(|_| "URL using bad/illegal format or missing URL")
    }

    async fn read(&self, mut response: reqwest::Response) -> Answer {
        let headers = response.headers();
        let mut answer = Answer {
            status: Some(i32::from(response.status().as_u16())),
            content_type: headers.get(header::CONTENT_TYPE).map(text),
            headers: Some(Value::Object(as_object(headers))),
            ..Answer::default()
        };
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > self.max_response_bytes => {
                    answer.error = Some(format!(
                        "the answer is longer than {} bytes",
                        self.max_response_bytes
                    ));
                    return answer;
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(_) => return failed("Failure when receiving data from the peer"),
            }
        }
        // The original keeps what stands before the first zero byte, and nothing at all as null.
        let end = body.iter().position(|byte| *byte == 0);
        body.truncate(end.unwrap_or(body.len()));
        if !body.is_empty() {
            answer.content = Some(match String::from_utf8(body) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            });
        }
        answer
    }
}

fn failed(words: impl Into<String>) -> Answer {
    Answer {
        error: Some(words.into()),
        ..Answer::default()
    }
}

/// The headers of a row: values that are null or empty are left out, as curl does.
fn headers(given: Option<Value>) -> Result<HeaderMap, &'static str> {
    const REFUSED: &str = "A libcurl function was given a bad argument";
    let mut headers = HeaderMap::new();
    let fields = match given {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(REFUSED),
    };
    for (name, value) in fields {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => text,
            other => other.to_string(),
        };
        if value.trim().is_empty() {
            continue;
        }
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| REFUSED)?;
        // How long the body is and how it is cut is for the connection to say.
        if name == header::CONTENT_LENGTH || name == header::TRANSFER_ENCODING {
            continue;
        }
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| REFUSED)?;
        headers.insert(name, value);
    }
    headers
        .entry(header::USER_AGENT)
        .or_insert(HeaderValue::from_static(USER_AGENT));
    Ok(headers)
}

/// Of several values of a name the last one stays, as in the original.
fn as_object(headers: &HeaderMap) -> Map<String, Value> {
    headers
        .iter()
        .map(|(name, value)| (name.to_string(), Value::String(text(value))))
        .collect()
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// What curl would say of it.
fn words(error: &reqwest::Error) -> &'static str {
    let mut all = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        // Writing to a string cannot fail.
        let _ = write!(all, "{cause}; ");
        source = cause.source();
    }
    if error.is_connect() {
        if all.contains("dns error") {
            return "Could not resolve hostname";
        }
        if all.contains("certificate") {
            return "SSL peer certificate or SSH remote key was not OK";
        }
        if all.contains("tls") || all.contains("TLS") || all.contains("corrupt message") {
            return "SSL connect error";
        }
        return "Could not connect to server";
    }
    if error.is_redirect() {
        "Number of redirects hit maximum amount"
    } else if error.is_builder() {
        "URL using bad/illegal format or missing URL"
    } else if all.contains("invalid HTTP") {
        "Weird server reply"
    } else {
        "Server returned nothing (no headers, no data)"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn headers_are_what_the_row_says_and_who_sends_it() {
        let given = json!({ "X-A": "1", "x-number": 2, "x-null": null, "x-empty": " ", "content-length": "7" });
        let found = headers(Some(given)).unwrap();
        assert_eq!(found["x-a"], "1");
        assert_eq!(found["x-number"], "2");
        assert_eq!(found[header::USER_AGENT], USER_AGENT);
        assert_eq!(found.len(), 3);
        let own = headers(Some(json!({ "User-Agent": "mine" }))).unwrap();
        assert_eq!(own[header::USER_AGENT], "mine");
    }

    #[test]
    fn a_header_cannot_bring_another_one() {
        for given in [
            json!({ "x": "a\r\ny: b" }),
            json!({ "x\r\ny": "b" }),
            json!("x"),
        ] {
            assert!(headers(Some(given.clone())).is_err(), "{given}");
        }
    }
}
