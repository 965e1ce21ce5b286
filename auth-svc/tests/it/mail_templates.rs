//! How long texts of the project's own are kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use axum::{Router, extract::State, routing::get};
use chrono::Duration;
use http::StatusCode;
use serde_json::json;
use tokio::net::TcpListener;

use crate::test_app::TestApp;

type Pages = Arc<Mutex<VecDeque<(u16, String)>>>;

async fn page(State(pages): State<Pages>) -> (StatusCode, String) {
    let (status, text) = pages.lock().unwrap().pop_front().expect("a page");
    (StatusCode::from_u16(status).unwrap(), text)
}

async fn start() -> (TestApp, Pages) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/recovery.html", listener.local_addr().unwrap());
    let pages = Pages::default();
    let router = Router::new()
        .route("/recovery.html", get(page))
        .with_state(pages.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut app = TestApp::start(&[("GOTRUE_MAILER_TEMPLATES_RECOVERY", &url)]).await;
    for name in ["a", "b", "c", "d"] {
        app.member(&format!("{name}@example.com"), "secret12").await;
    }
    (app, pages)
}

/// The text of the mail that this user gets now.
async fn mailed(app: &mut TestApp, name: &str) -> String {
    let body = json!({ "email": format!("{name}@example.com") });
    app.post("/recover", body).await.ok();
    app.mails.next().text
}

#[tokio::test]
async fn a_text_is_fetched_every_ten_minutes_and_the_older_one_outlives_a_failure() {
    let (mut app, pages) = start().await;
    let next = |status, text: &str| pages.lock().unwrap().push_back((status, text.to_owned()));
    next(200, "<p>first {{ .Token }}</p>");
    assert!(mailed(&mut app, "a").await.contains("<p>first "));
    app.pass(Duration::seconds(599));
    assert!(mailed(&mut app, "b").await.contains("<p>first "));
    app.pass(Duration::seconds(1));
    next(200, "<p>second</p>");
    assert!(mailed(&mut app, "c").await.contains("<p>second"));
    assert!(pages.lock().unwrap().is_empty());

    for (status, text) in [(500, "broken"), (200, "{{ .Token")] {
        app.pass(Duration::seconds(600));
        next(status, text);
        assert!(mailed(&mut app, "a").await.contains("<p>second"));
        // It is not asked again at once, but soon.
        app.pass(Duration::seconds(9));
        assert!(mailed(&mut app, "b").await.contains("<p>second"));
        assert!(pages.lock().unwrap().is_empty());
        app.pass(Duration::seconds(1));
        next(200, "<p>second</p>");
        assert!(mailed(&mut app, "c").await.contains("<p>second"));
        assert!(pages.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_text_that_is_too_large_is_not_used() {
    let (mut app, pages) = start().await;
    let large = format!("<p>large</p>{}", " ".repeat(1_000_000));
    pages.lock().unwrap().push_back((200, large));
    let mail = mailed(&mut app, "d").await;
    assert!(!mail.contains("<p>large"));
    assert_eq!(mail.matches("<strong>").count(), 1);
}
