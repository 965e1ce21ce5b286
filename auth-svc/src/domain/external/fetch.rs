//! Requests to a provider: short, and never longer than is needed.

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::Value;

use super::Problem;

/// For one request with its answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest answer. Profiles and key sets have a few kilobytes.
const MAX_ANSWER: usize = 1 << 20;

/// What came back.
pub(in crate::domain) struct Answer {
    pub(in crate::domain) status: u16,
    pub(in crate::domain) is_form: bool,
    pub(in crate::domain) body: Vec<u8>,
}

pub(in crate::domain) async fn send(request: RequestBuilder) -> Result<Answer, Problem> {
    // Some refuse requests that do not say who they come from.
    let request = request.header(http::header::USER_AGENT, "nilam-auth");
    send_as(request.header(http::header::ACCEPT, "application/json")).await
}

/// The same for requests that say themselves who they come from and what they want.
pub(in crate::domain) async fn send_as(request: RequestBuilder) -> Result<Answer, Problem> {
    let unreachable = |error: reqwest::Error| Problem::Unreachable(error.without_url());
    let mut response = request.timeout(TIMEOUT).send().await.map_err(unreachable)?;
    let content_type = response
        .headers()
        .get(http::header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(Problem::TooLarge(MAX_ANSWER));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer {
        status: response.status().as_u16(),
        is_form: ["application/x-www-form-urlencoded", "text/plain"].contains(&media_type),
        body,
    })
}

/// The JSON of an answer that is a success.
pub(in crate::domain) async fn json(request: RequestBuilder) -> Result<Value, Problem> {
    let answer = send(request).await?;
    if !(200..300).contains(&answer.status) {
        return Err(Problem::Status(answer.status));
    }
    serde_json::from_slice(&answer.body).map_err(|_| Problem::Answer("not JSON"))
}
