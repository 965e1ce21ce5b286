//! The service on a database of its own.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::{Router, body::Body};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt as _;
use jsonwebtoken::{EncodingKey, Header, encode};
use rest_svc::{App, Config};
use serde_json::{Value, json};
use svc_kit::{
    env::Vars,
    testing::{Template, TestDb},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

pub(crate) const SECRET: &str = "a secret of the tests, long enough for HMAC";

pub(crate) struct TestApp {
    pub(crate) db: TestDb,
    router: Router,
    admin: Router,
    stop: CancellationToken,
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Fails unless the body is this.
    #[track_caller]
    pub(crate) fn is(&self, status: u16, body: &Value) {
        assert_eq!((self.status, &self.json()), (status, body), "{self:?}");
    }

    /// Fails unless the error has this code.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) {
        let body = self.json();
        assert_eq!(
            (self.status, body["code"].as_str().unwrap_or_default()),
            (status, code),
            "{self:?}"
        );
    }
}

/// A request being made.
pub(crate) struct Call<'a> {
    app: &'a TestApp,
    builder: http::request::Builder,
    body: String,
}

impl Call<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    /// As the user of this name, with the role `authenticated`.
    pub(crate) fn user(self, name: &str) -> Self {
        let token = token(&json!({ "role": "authenticated", "sub": name }));
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string();
        self.header("content-type", "application/json")
    }

    pub(crate) fn text(mut self, kind: &str, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self.header("content-type", kind)
    }

    pub(crate) async fn send(self) -> Reply {
        let request = self.builder.body(Body::from(self.body)).unwrap();
        let response = self.app.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Reply {
            status,
            headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

impl TestApp {
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// With more settings.
    pub(crate) async fn with(more: &[(&str, &str)]) -> Self {
        let template = Template::new("rest").fixture(include_str!("fixture.sql"));
        let db = TestDb::new(&template).await;
        let url = db.url_as("authenticator");
        let mut settings = vec![
            ("PGRST_DB_URI", url.as_str()),
            ("PGRST_DB_ANON_ROLE", "anon"),
            ("PGRST_DB_SCHEMAS", "public"),
            ("PGRST_DB_POOL", "4"),
            ("PGRST_JWT_SECRET", SECRET),
        ];
        settings.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
        settings.extend(more);
        let vars: Vars = settings.into_iter().collect();
        let app = App::connect(Config::from_vars(&vars).unwrap())
            .await
            .unwrap();
        let stop = CancellationToken::new();
        app.spawn_workers(stop.clone());
        app.wait_ready(Duration::from_secs(30)).await.unwrap();
        Self {
            db,
            router: app.router(),
            admin: app.admin_router(),
            stop,
        }
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call<'_> {
        Call {
            app: self,
            builder: Request::builder().method(method).uri(encoded(path)),
            body: String::new(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path).send().await
    }

    /// What the admin server tells Prometheus.
    pub(crate) async fn metrics(&self) -> String {
        let request = Request::get("/metrics").body(Body::empty()).unwrap();
        let response = self.admin.clone().oneshot(request).await.unwrap();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A counter of it.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let text = self.metrics().await;
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let found = lines.find(|(each, _)| *each == name).unwrap();
        found.1.strip_suffix(".0").unwrap().parse().unwrap()
    }

    pub(crate) fn post(&self, path: &str) -> Call<'_> {
        self.call(Method::POST, path)
    }

    /// Runs SQL as the superuser.
    pub(crate) async fn sql(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&self.db.pool()).await.unwrap();
    }
}

/// The path with what a URL cannot hold encoded, as a client does.
fn encoded(path: &str) -> String {
    path.replace('"', "%22")
        .replace('{', "%7B")
        .replace('}', "%7D")
        .replace('>', "%3E")
}

pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

/// A token with these claims.
pub(crate) fn token(claims: &Value) -> String {
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    encode(&Header::default(), claims, &key).unwrap()
}
