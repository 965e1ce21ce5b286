//! The binary itself: its commands, and settings that change while it runs.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;
use svc_kit::jwt::LOCAL_JWT_SECRET;
use tokio::process::Command;

use crate::test_app::{Reply, TestApp};

/// The binary on the database of a test, with nothing else in its environment.
fn binary(app: &TestApp, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_auth-svc"));
    command
        .args(arguments)
        .env_clear()
        .env("GOTRUE_SITE_URL", "http://localhost:3000")
        .env("API_EXTERNAL_URL", "http://auth.test")
        .env("GOTRUE_JWT_SECRET", LOCAL_JWT_SECRET)
        .env("GOTRUE_JWT_AUD", "authenticated")
        .env("GOTRUE_JWT_DEFAULT_GROUP_NAME", "authenticated")
        .env("DATABASE_URL", app.db.url_as("supabase_auth_admin"))
        .env("GOTRUE_API_HOST", "127.0.0.1")
        .kill_on_drop(true);
    command
}

/// Whether it succeeded, and everything that it said.
async fn run(app: &TestApp, arguments: &[&str]) -> (bool, String) {
    let output = binary(app, arguments).output().await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("auth-it-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        // Never half of it is seen.
        let part = self.0.join(format!("{name}.part"));
        std::fs::write(&part, text).unwrap();
        std::fs::rename(&part, self.0.join(name)).unwrap();
    }

    fn path(&self) -> &str {
        Path::to_str(&self.0).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[tokio::test]
async fn users_are_added_and_removed() {
    let app = TestApp::start(&[]).await;
    let create = ["admin", "createuser", "Ada@example.com", "secret12"];
    let (done, said) = run(&app, &[&create[..], &["--confirm"]].concat()).await;
    assert!(
        done && said.contains("Created user: ada@example.com"),
        "{said}"
    );
    let session = app.sign_in("ada@example.com", "secret12").await.ok();
    let user = &session.body["user"];
    assert_eq!(user["role"], "authenticated");
    assert_eq!(user["identities"][0]["provider"], "email");
    let (done, said) = run(&app, &create).await;
    assert!(!done && said.contains("user already exists"), "{said}");

    let unconfirmed = [
        "admin",
        "createuser",
        "eve@example.com",
        "secret12",
        "editor",
    ];
    assert!(run(&app, &unconfirmed).await.0);
    app.sign_in("eve@example.com", "secret12")
        .await
        .refused(400, "email_not_confirmed");
    let roles = "select count(*) from auth.users where role = 'editor' and aud = 'authenticated'";
    assert_eq!(app.count(roles).await, 1);
    let other = ["admin", "createuser", "root@example.com", "secret12"];
    let (done, _) = run(&app, &[&other[..], &["--admin", "--aud", "ops"]].concat()).await;
    assert!(done);
    let roles = "select count(*) from auth.users where role = 'admin' and aud = 'ops'";
    assert_eq!(app.count(roles).await, 1);

    let id = user["id"].as_str().unwrap();
    for whom in [id, "EVE@example.com"] {
        let (done, said) = run(&app, &["admin", "deleteuser", whom]).await;
        assert!(done, "{said}");
    }
    assert!(!run(&app, &["admin", "deleteuser", id]).await.0);
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn what_cannot_be_done_is_said() {
    let app = TestApp::start(&[]).await;
    let (done, said) = run(&app, &["version"]).await;
    assert!(done && said.starts_with('v'), "{said}");
    for arguments in [
        &["fly"][..],
        &["admin", "createuser", "ada@example.com"],
        &["migrate", "--config", "/nowhere/there.env"],
    ] {
        assert!(!run(&app, arguments).await.0, "{arguments:?}");
    }
    assert!(run(&app, &["migrate"]).await.0);
}

#[tokio::test]
async fn a_file_goes_before_the_environment_and_is_not_shown_when_it_is_wrong() {
    let app = TestApp::start(&[]).await;
    let directory = Directory::new();
    directory.write("base.env", "GOTRUE_JWT_DEFAULT_GROUP_NAME=from_file\n");
    let file = format!("{}/base.env", directory.path());
    let create = ["admin", "createuser", "ada@example.com", "secret12"];
    let (done, said) = run(&app, &[&["-c", file.as_str()], &create[..]].concat()).await;
    assert!(done, "{said}");
    let roles = "select count(*) from auth.users where role = 'from_file'";
    assert_eq!(app.count(roles).await, 1);
    directory.write("base.env", "A=1\nthe secret");
    let (done, said) = run(&app, &["-c", &file, "migrate"]).await;
    assert!(!done && said.contains("line 2"), "{said}");
    assert!(!said.contains("the secret"), "{said}");
}

/// Asks until the answer is as it should be.
async fn until(url: &str, wanted: impl Fn(&Value) -> bool) {
    for _ in 0..600 {
        if let Ok(response) = reqwest::get(url).await
            && let Ok(settings) = response.json::<Value>().await
            && wanted(&settings)
        {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{url} does not answer as it should");
}

#[tokio::test]
async fn what_changes_in_the_directory_is_taken_over() {
    let app = TestApp::start(&[]).await;
    let directory = Directory::new();
    directory.write(
        "10.env",
        "GOTRUE_DISABLE_SIGNUP=false\nGOTRUE_MAILER_AUTOCONFIRM=true",
    );
    let port = pg_embed::free_port().unwrap();
    let mut server = binary(&app, &["serve", "-d", directory.path()])
        .env("PORT", port.to_string())
        .env("GOTRUE_RELOADING_GRACE_PERIOD_INTERVAL", "0s")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let url = format!("http://127.0.0.1:{port}/settings");
    until(&url, |settings| settings["disable_signup"] == false).await;
    directory.write("20.env", "GOTRUE_DISABLE_SIGNUP=true");
    until(&url, |settings| {
        settings["disable_signup"] == true && settings["mailer_autoconfirm"] == true
    })
    .await;
    // What is wrong changes nothing, and does not keep later changes out.
    directory.write("20.env", "GOTRUE_DISABLE_SIGNUP=perhaps");
    directory.write("10.env", "GOTRUE_MAILER_AUTOCONFIRM=false");
    directory.write("20.env", "GOTRUE_DISABLE_SIGNUP=false");
    until(&url, |settings| {
        settings["disable_signup"] == false && settings["mailer_autoconfirm"] == false
    })
    .await;
    assert!(server.try_wait().unwrap().is_none());
    server.kill().await.unwrap();
}

#[tokio::test]
async fn settings_that_are_wrong_leave_the_service_as_it_is() {
    use auth_svc::reload::Running;
    use tower::ServiceExt as _;

    let app = TestApp::start(&[]).await;
    let directory = Directory::new();
    let base = [
        ("GOTRUE_SITE_URL", "http://localhost:3000".to_owned()),
        ("API_EXTERNAL_URL", "http://auth.test".to_owned()),
        ("GOTRUE_JWT_SECRET", LOCAL_JWT_SECRET.to_owned()),
        ("DATABASE_URL", app.db.url_as("supabase_auth_admin")),
    ];
    let base: svc_kit::env::Vars = base.into_iter().collect();
    let mut running = Running::new(base, directory.0.as_path(), &app.app);
    let router = running.router();
    let disabled = async || {
        let request = http::Request::get("/settings");
        let request = request.body(axum::body::Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let body = axum::body::to_bytes(response.into_body(), 1 << 16).await;
        let settings: Value = serde_json::from_slice(&body.unwrap()).unwrap();
        settings["disable_signup"] == true
    };
    directory.write("a.env", "GOTRUE_DISABLE_SIGNUP=true");
    assert!(!disabled().await);
    running.reload().await.unwrap();
    assert!(disabled().await);
    for (text, reason) in [
        (
            "GOTRUE_DISABLE_SIGNUP=false\nGOTRUE_API_PORT=http",
            "GOTRUE_API_PORT",
        ),
        ("GOTRUE_DISABLE_SIGNUP", "line 1"),
    ] {
        directory.write("a.env", text);
        let error = running.reload().await.unwrap_err();
        assert!(format!("{error:#}").contains(reason), "{error:#}");
        assert!(disabled().await);
    }
    // A setting that is gone is no longer in force.
    directory.write("a.env", "");
    running.reload().await.unwrap();
    assert!(!disabled().await);
    let _: Reply = app.get("/settings", "").await.ok();
}
