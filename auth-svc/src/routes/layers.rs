//! What all routes have around them.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{
    app::App,
    error::{Code, Error},
};

/// Ends a request that takes too long.
pub(super) async fn timeout(State(app): State<App>, request: Request, next: Next) -> Response {
    let limit = app.config().api.max_request_duration;
    tokio::time::timeout(limit, next.run(request))
        .await
        .unwrap_or_else(|_| {
            Error::refused(
                504,
                Code::RequestTimeout,
                "Processing this request timed out, please retry after a moment.",
            )
            .into_response()
        })
}
