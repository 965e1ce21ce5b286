//! The service with everything around it, and a clock that a test can turn.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use auth_svc::{
    App, Config,
    domain::{
        clock::{Clock, SystemRandom},
        outside::StandIns,
    },
    migrations,
};
use axum::{Router, body::Body, extract::Request};
use chrono::{DateTime, Duration, Utc};
use http::HeaderMap;
use http_body_util::BodyExt as _;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};
use svc_kit::{
    env::Vars,
    jwt::LOCAL_JWT_SECRET,
    testing::{Template, TestDb},
};
use tower::ServiceExt as _;

use crate::{
    hook_receiver::{self, HookReceiver},
    mail_sink::MailSink,
};

/// The time of the machine, and how far it was turned.
#[derive(Debug, Default)]
struct TurnedClock(AtomicI64);

impl Clock for TurnedClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + Duration::seconds(self.0.load(Ordering::Relaxed))
    }
}

pub(crate) struct TestApp {
    pub(crate) mails: MailSink,
    pub(crate) texts: HookReceiver,
    pub(crate) db: TestDb,
    pub(crate) app: App,
    router: Router,
    clock: Arc<TurnedClock>,
    vars: Vars,
    stand_ins: StandIns,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Reply {
    /// The code of an error.
    pub(crate) fn code(&self) -> &str {
        self.body["error_code"].as_str().unwrap_or_default()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.body[name]
            .as_str()
            .unwrap_or_else(|| panic!("no {name} in {self:?}"))
            .to_owned()
    }

    /// Fails unless the request succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!((200..300).contains(&self.status), "{self:?}");
        self
    }

    /// Fails unless the request was refused in just this way.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{self:?}");
        self
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

impl TestApp {
    /// Mail and phone sign-ups are on, nothing is confirmed by itself; `more` adds settings.
    pub(crate) async fn start(more: &[(&str, &str)]) -> Self {
        Self::start_with(more, StandIns::default()).await
    }

    /// The same, with stand-ins for hosts on the internet.
    pub(crate) async fn start_with(more: &[(&str, &str)], stand_ins: StandIns) -> Self {
        let template = Template::new("auth").migrated(migrations());
        let db = TestDb::new(&template).await;
        let mails = MailSink::start().await;
        let texts = HookReceiver::start().await;
        let mut vars: Vars = [
            ("GOTRUE_SITE_URL", "http://localhost:3000"),
            ("GOTRUE_URI_ALLOW_LIST", "https://app.test/**"),
            ("API_EXTERNAL_URL", "http://auth.test"),
            ("GOTRUE_JWT_SECRET", LOCAL_JWT_SECRET),
            ("GOTRUE_JWT_AUD", "authenticated"),
            ("GOTRUE_JWT_DEFAULT_GROUP_NAME", "authenticated"),
            ("GOTRUE_EXTERNAL_PHONE_ENABLED", "true"),
            ("GOTRUE_SMTP_HOST", "127.0.0.1"),
            ("GOTRUE_SMTP_ADMIN_EMAIL", "sender@auth.test"),
            ("GOTRUE_HOOK_SEND_SMS_ENABLED", "true"),
            ("GOTRUE_HOOK_SEND_SMS_SECRETS", hook_receiver::SECRET),
            ("GOTRUE_SMS_OTP_EXP", "60"),
        ]
        .into_iter()
        .collect();
        vars.set("DATABASE_URL", db.url_as("supabase_auth_admin"));
        vars.set("GOTRUE_SMTP_PORT", mails.port.to_string());
        let hook = format!("http://127.0.0.1:{}/sms", texts.port);
        vars.set("GOTRUE_HOOK_SEND_SMS_URI", hook);
        for (name, value) in more {
            vars.set(*name, *value);
        }
        let clock = Arc::new(TurnedClock::default());
        let config = Config::from_vars(&vars).unwrap();
        let random = Arc::new(SystemRandom);
        let app = App::with_stand_ins(config, clock.clone(), random, stand_ins.clone())
            .await
            .unwrap();
        Self {
            mails,
            texts,
            db,
            router: app.router(),
            app,
            clock,
            vars,
            stand_ins,
        }
    }

    /// The same service on the same database, started again with other settings beside the first ones.
    pub(crate) async fn with(&self, more: &[(&str, &str)]) -> Self {
        let mut vars = self.vars.clone();
        for (name, value) in more {
            vars.set(*name, *value);
        }
        let config = Config::from_vars(&vars).unwrap();
        let random = Arc::new(SystemRandom);
        let stand_ins = self.stand_ins.clone();
        let app = App::with_stand_ins(config, self.clock.clone(), random, stand_ins)
            .await
            .unwrap();
        Self {
            mails: MailSink::start().await,
            texts: HookReceiver::start().await,
            db: self.db.clone(),
            router: app.router(),
            app,
            clock: self.clock.clone(),
            vars,
            stand_ins: self.stand_ins.clone(),
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, time: Duration) {
        self.clock
            .0
            .fetch_add(time.num_seconds(), Ordering::Relaxed);
    }

    pub(crate) async fn request(&self, request: Request) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into());
        Reply {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }

    async fn send(&self, method: &str, path: &str, token: &str, body: Option<Value>) -> Reply {
        let mut request = Request::builder().method(method).uri(path);
        if !token.is_empty() {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.request(request.body(body).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Reply {
        self.send("GET", path, token, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, "", Some(body)).await
    }

    pub(crate) async fn post_as(&self, path: &str, token: &str, body: Value) -> Reply {
        self.send("POST", path, token, Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, token: &str, body: Value) -> Reply {
        self.send("PUT", path, token, Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str, token: &str, body: Option<Value>) -> Reply {
        self.send("DELETE", path, token, body).await
    }

    pub(crate) async fn patch(&self, path: &str, token: &str, body: Value) -> Reply {
        self.send("PATCH", path, token, Some(body)).await
    }

    /// The same as [`Self::post_as`], from an address of one's choice.
    pub(crate) async fn post_from(&self, ip: &str, path: &str, token: &str, body: Value) -> Reply {
        let request = Request::builder()
            .method("POST")
            .uri(path)
            .header("authorization", format!("Bearer {token}"))
            .header("x-forwarded-for", ip)
            .body(Body::from(body.to_string()))
            .unwrap();
        self.request(request).await
    }

    /// The time as the service has it.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Signs in with a password.
    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Reply {
        let body = json!({ "email": email, "password": password });
        self.post("/token?grant_type=password", body).await
    }

    pub(crate) async fn refresh(&self, token: &str) -> Reply {
        let body = json!({ "refresh_token": token });
        self.post("/token?grant_type=refresh_token", body).await
    }

    /// A confirmed user, and the session of its sign-up.
    pub(crate) async fn member(&mut self, email: &str, password: &str) -> Reply {
        let body = json!({ "email": email, "password": password });
        self.post("/signup", body).await.ok();
        let token_hash = self.mails.next().link_parameter("token");
        let body = json!({ "type": "signup", "token_hash": token_hash });
        self.post("/verify", body).await.ok()
    }

    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql)
            .fetch_one(&self.db.pool())
            .await
            .unwrap()
    }
}

/// A token of the service role.
pub(crate) fn service_token() -> String {
    token(&json!({ "role": "service_role", "exp": 4_000_000_000_i64 }))
}

/// What a token of ours says.
pub(crate) fn claims(token: &str) -> svc_kit::jwt::Claims {
    svc_kit::jwt::KeySet::from_secret(LOCAL_JWT_SECRET.as_bytes())
        .verify(token)
        .unwrap()
}

/// Any claims, properly signed.
pub(crate) fn token(claims: &Value) -> String {
    let key = EncodingKey::from_secret(LOCAL_JWT_SECRET.as_bytes());
    encode(&Header::default(), claims, &key).unwrap()
}
