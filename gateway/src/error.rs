use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

/// What the gateway itself refuses; the bodies are the hosted platform's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("No API key found in request")]
    MissingApiKey,
    #[error("Invalid API key")]
    InvalidApiKey,
    #[error("Only the service_role API key can be used for this endpoint.")]
    WrongApiKeyType,
    #[error("Access is forbidden.")]
    Forbidden,
    #[error("no Route matched with those values")]
    NoRoute,
    #[error("The service behind this path is not part of this deployment")]
    NotDeployed,
    #[error("An invalid response was received from the upstream server")]
    UpstreamDown,
    #[error("The upstream server is timing out")]
    UpstreamSlow,
    #[error("The upstream server has no room for another request")]
    UpstreamFull,
    #[error("The request could not be forwarded")]
    BadRequest,
    #[error("The path must not contain the segments . and ..")]
    BadPath,
    #[error("The method is not allowed here")]
    BadMethod,
    #[error("The request body is too large")]
    TooLarge,
    #[error("The request body did not arrive in time")]
    BodySlow,
    #[error("API rate limit exceeded")]
    RateLimited {
        /// The requests that a window takes.
        limit: u32,
        /// After how many seconds there is room again.
        retry_after: u64,
    },
}

impl Error {
    /// Status, `hint` of the body, and the header `sb-error-code`.
    fn wire(self) -> (StatusCode, Option<&'static str>, Option<&'static str>) {
        match self {
            Self::MissingApiKey => (
                StatusCode::UNAUTHORIZED,
                Some("No `apikey` request header or url param was found."),
                Some("UNAUTHORIZED_MISSING_API_KEY"),
            ),
            Self::InvalidApiKey => (
                StatusCode::UNAUTHORIZED,
                Some("Double check your Supabase `anon` or `service_role` API key."),
                Some("UNAUTHORIZED_INVALID_API_KEY"),
            ),
            Self::WrongApiKeyType => (
                StatusCode::UNAUTHORIZED,
                Some("Use the service_role or a secret API key."),
                Some("UNAUTHORIZED_INVALID_API_KEY_TYPE"),
            ),
            Self::Forbidden => (StatusCode::FORBIDDEN, None, None),
            Self::NoRoute | Self::NotDeployed => (StatusCode::NOT_FOUND, None, None),
            Self::UpstreamDown => (StatusCode::BAD_GATEWAY, None, None),
            Self::UpstreamSlow => (StatusCode::GATEWAY_TIMEOUT, None, None),
            Self::UpstreamFull => (StatusCode::SERVICE_UNAVAILABLE, None, None),
            Self::BadRequest | Self::BadPath => (StatusCode::BAD_REQUEST, None, None),
            Self::BadMethod => (StatusCode::METHOD_NOT_ALLOWED, None, None),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, None, None),
            Self::BodySlow => (StatusCode::REQUEST_TIMEOUT, None, None),
            Self::RateLimited { .. } => (StatusCode::TOO_MANY_REQUESTS, None, None),
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, hint, code) = self.wire();
        let mut body = json!({ "message": self.to_string() });
        if let Some(hint) = hint {
            body["hint"] = hint.into();
        }
        let json = (header::CONTENT_TYPE, "application/json; charset=utf-8");
        let mut response = (status, [json], body.to_string()).into_response();
        let headers = response.headers_mut();
        if let Some(code) = code {
            headers.insert("sb-error-code", HeaderValue::from_static(code));
        }
        if matches!(self, Self::BadRequest | Self::BadMethod) {
            // Where a request ends may be a matter of opinion here.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Self::RateLimited { limit, retry_after } = self {
            headers.insert(header::RETRY_AFTER, retry_after.into());
            headers.insert("ratelimit-limit", limit.into());
            headers.insert("ratelimit-remaining", HeaderValue::from_static("0"));
            headers.insert("ratelimit-reset", retry_after.into());
        }
        response
    }
}
