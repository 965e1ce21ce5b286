//! Mail and text messages that local development must not really send: caught, kept for a while, shown.
//!
//! Mail comes in over SMTP, texts as calls of the auth service's send-SMS hook. Both are kept in memory,
//! the oldest make room for new ones, and a page and a JSON API show them. The API has the paths and
//! names of Mailpit, so that tests written for it find their codes.

mod api;
mod hook;
mod mail;
mod page;
mod sms;
mod smtp;
mod store;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::{hook::Verifier, store::Store};

/// Everything that was caught, and the ways in and out.
#[derive(Clone, Debug)]
pub struct Mailbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Mutex<Store>,
    verifier: Option<Verifier>,
}

impl Mailbox {
    /// An empty mailbox. With a secret (`v1,whsec_<base64>`) only texts that are signed with it are
    /// taken, without one all are.
    pub fn new(sms_secret: Option<String>) -> Self {
        Self(Arc::new(Inner {
            store: Mutex::new(Store::default()),
            verifier: sms_secret.map(|secret| Verifier::new(&secret)),
        }))
    }

    /// The page, the API and the hook.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/", get(page::index))
            .route("/mailbox.css", get(page::style))
            .route("/mailbox.js", get(page::script))
            .route("/view/{file}", get(page::view))
            .route("/api/v1/info", get(api::info))
            .route("/api/v1/messages", get(api::list).delete(api::delete))
            .route("/api/v1/search", get(api::search))
            .route("/api/v1/message/{id}", get(api::message))
            .route("/api/v1/message/{id}/raw", get(api::raw))
            .route("/api/v1/message/{id}/headers", get(api::headers))
            .route("/api/v1/sms", get(api::list_sms).delete(api::delete_sms))
            .route("/api/v1/sms/latest", get(api::latest_sms))
            .route("/hooks/send-sms", post(hook::receive))
            .layer(DefaultBodyLimit::max(256 * 1024))
            .with_state(self.clone())
    }

    /// Takes mail until `stop`.
    pub async fn serve_smtp(&self, listener: TcpListener, stop: CancellationToken) {
        smtp::serve(self, listener, stop).await;
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        // A panic elsewhere leaves at worst one message too many or too few.
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
