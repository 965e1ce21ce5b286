use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::body::Body;
use http::{HeaderMap, HeaderValue, Method, Request};
use http_body_util::BodyExt as _;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};
use sqlx::PgPool;
use storage_svc::{App, Config};
use svc_kit::{
    env::Vars,
    testing::{Template, TestDb},
};
use tempfile::TempDir;
use tower::ServiceExt as _;

pub(crate) const SECRET: &str = "a secret of the tests, long enough for HMAC";
/// `sub` of [`Service::user`].
pub(crate) const USER: &str = "317eadce-631a-4429-a0bb-f19a7a517b4a";

/// A bucket that everybody may read, one that users have a folder in, and one that only the service may use.
const FIXTURE: &str = "
    insert into storage.buckets (id, name, public) values
        ('public', 'public', true), ('private', 'private', false), ('closed', 'closed', false);
    create policy own_folder on storage.objects for all to authenticated
        using (bucket_id = 'private' and (storage.foldername(name))[1] = 'mine')
        with check (bucket_id = 'private' and (storage.foldername(name))[1] = 'mine');
    create policy drop_box on storage.objects for insert to anon
        with check (bucket_id = 'private' and (storage.foldername(name))[1] = 'inbox');
";

/// The service on a database and a folder of its own.
pub(crate) struct Service {
    pub(crate) app: App,
    pub(crate) folder: TempDir,
    database: Option<TestDb>,
}

/// What it answers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map(|value| value.to_str().unwrap())
            .unwrap_or_default()
    }

    /// The code of a refusal, behind its HTTP status and the status in its body.
    pub(crate) fn refusal(&self) -> (u16, String, String) {
        let body = self.json();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        (self.status, text("statusCode"), text("code"))
    }
}

pub(crate) fn refused(status: u16, body: u16, code: &str) -> (u16, String, String) {
    (status, body.to_string(), code.to_owned())
}

/// A request that is being put together.
pub(crate) struct Call<'a> {
    app: &'a App,
    request: http::request::Builder,
    body: Body,
}

impl Call<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn bytes_header(mut self, name: &str, value: &[u8]) -> Self {
        let value = HeaderValue::from_bytes(value).unwrap();
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn role(self, role: &str) -> Self {
        self.token(&token(role))
    }

    /// As the service role.
    pub(crate) fn service(self) -> Self {
        self.role("service_role")
    }

    /// As a user who has a folder of their own.
    pub(crate) fn user(self) -> Self {
        let claims = json!({ "role": "authenticated", "sub": USER, "exp": now() + 60 });
        self.token(&signed(&claims, SECRET))
    }

    pub(crate) fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(body.to_string())
    }

    pub(crate) async fn send(self) -> Answer {
        let request = self.request.body(self.body).unwrap();
        let response = self.app.router().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            bytes: body.collect().await.unwrap().to_bytes().to_vec(),
        }
    }
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// With more settings than the usual ones.
    pub(crate) async fn start_with(settings: &[(&str, &str)]) -> Self {
        let template = Template::new("storage_objects")
            .migrated(storage_svc::migrations())
            .fixture(FIXTURE);
        Self::on(TestDb::new(&template).await, settings).await
    }

    /// On a database that the test has prepared.
    pub(crate) async fn on(database: TestDb, settings: &[(&str, &str)]) -> Self {
        let url = database.url_as("supabase_storage_admin");
        let mut service = Self::without_database(&url, settings).await;
        service.database = Some(database);
        service
    }

    /// Where nothing may be there.
    pub(crate) async fn without_database(url: &str, settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let app = app_in(&folder, url, settings).await;
        Self {
            app,
            folder,
            database: None,
        }
    }

    pub(crate) fn pool(&self) -> PgPool {
        self.database.as_ref().unwrap().pool()
    }

    /// Another copy of the service, on the same database and folder.
    pub(crate) async fn copy(&self, settings: &[(&str, &str)]) -> App {
        let url = self.database.as_ref().unwrap();
        let url = url.url_as("supabase_storage_admin");
        app_in(&self.folder, &url, settings).await
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call<'_> {
        call(&self.app, method, path)
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str) -> Call<'_> {
        self.call(Method::POST, path)
    }

    /// Stores an object as the service role.
    pub(crate) async fn put(&self, path: &str, content: &str) -> Answer {
        let call = self.call(Method::PUT, &format!("/object/{path}")).service();
        let call = call
            .header("content-type", "text/plain")
            .body(content.to_owned());
        let answer = call.send().await;
        assert_eq!(answer.status, 200, "{:?}", answer.json());
        answer
    }

    /// Every file below the service's folder, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        files(self.folder.path())
    }
}

/// Every file below a folder, by its path there, in order.
pub(crate) fn files(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(root).unwrap();
                files.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

async fn app_in(folder: &TempDir, url: &str, settings: &[(&str, &str)]) -> App {
    let mut vars: Vars = [
        ("PGRST_JWT_SECRET", SECRET),
        ("DATABASE_URL", url),
        ("FILE_SIZE_LIMIT", "1000000"),
        ("STORAGE_BACKEND", "file"),
        ("TENANT_ID", "tenant"),
        // Machines that test are busy.
        ("DATABASE_CONNECTION_TIMEOUT", "60000"),
        ("FILE_STORAGE_BACKEND_PATH", folder.path().to_str().unwrap()),
    ]
    .into_iter()
    .collect();
    for (name, value) in settings {
        vars.set(*name, *value);
    }
    App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap()
}

pub(crate) fn call<'a>(app: &'a App, method: Method, path: &str) -> Call<'a> {
    Call {
        app,
        request: Request::builder().method(method).uri(path),
        body: Body::empty(),
    }
}

pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or(Duration::ZERO).as_secs()
}

pub(crate) fn signed(claims: &Value, secret: &str) -> String {
    let key = EncodingKey::from_secret(secret.as_bytes());
    encode(&Header::default(), claims, &key).unwrap()
}

pub(crate) fn token(role: &str) -> String {
    signed(&json!({ "role": role, "exp": now() + 60 }), SECRET)
}

/// The status and the body of a simple question.
pub(crate) async fn get(service: &Service, path: &str, token: Option<&str>) -> (u16, Value) {
    let mut call = service.get(path);
    if let Some(token) = token {
        call = call.token(token);
    }
    let answer = call.send().await;
    (answer.status, answer.json())
}
