//! Whoever carries text messages: it notes what it is asked, and answers what a test told it to.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, Uri},
    response::IntoResponse,
};
use http::StatusCode;
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc};
use url::{Url, form_urlencoded};

/// What the service asked.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Asked {
    /// The fields of a form.
    pub(crate) fn form(&self) -> BTreeMap<String, String> {
        assert_eq!(
            self.headers["content-type"],
            "application/x-www-form-urlencoded"
        );
        form_urlencoded::parse(&self.body).into_owned().collect()
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json");
        serde_json::from_slice(&self.body).unwrap()
    }
}

type Answers = Arc<Mutex<VecDeque<(u16, Value)>>>;

pub(crate) struct SmsCarrier {
    pub(crate) url: Url,
    asked: mpsc::UnboundedReceiver<Asked>,
    answers: Answers,
}

impl SmsCarrier {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, asked) = mpsc::unbounded_channel();
        let answers = Answers::default();
        let router = Router::new()
            .fallback(receive)
            .with_state((sender, answers.clone()));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url: url.parse().unwrap(),
            asked,
            answers,
        }
    }

    /// What it says to the next request that has no answer yet.
    pub(crate) fn will_answer(&self, status: u16, body: Value) {
        self.answers.lock().unwrap().push_back((status, body));
    }

    /// The next request. The service waits for the answer, so it is there already.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Asked {
        self.asked.try_recv().expect("a request")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }
}

async fn receive(
    State((sender, answers)): State<(mpsc::UnboundedSender<Asked>, Answers)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let path = uri.to_string();
    sender
        .send(Asked {
            method,
            path,
            headers,
            body,
        })
        .unwrap();
    let (status, body) = answers.lock().unwrap().pop_front().expect("an answer");
    let json = [("content-type", "application/json")];
    (
        StatusCode::from_u16(status).unwrap(),
        json,
        body.to_string(),
    )
}
