use std::fs;

use axum::Router;
use http::StatusCode;
use tempfile::TempDir;

use super::{PUBLISHABLE, json_of, mounted, send, text_of};

fn with_pages() -> (Router, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let site = dir.path().join("site");
    fs::create_dir_all(site.join("assets")).unwrap();
    fs::write(
        site.join("index.html"),
        "<!doctype html><title>page</title>",
    )
    .unwrap();
    fs::write(
        site.join("assets/app-1a2b3c.js"),
        "console.log(1);".repeat(200),
    )
    .unwrap();
    let gateway = mounted(&[("GATEWAY_FRONTEND_DIR", site.to_str().unwrap())]);
    (gateway, dir)
}

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

#[tokio::test]
async fn a_path_of_the_application_is_a_page_and_an_unknown_api_path_is_not() {
    let (gateway, _dir) = with_pages();
    for (method, uri, accept, status, kind) in [
        ("GET", "/", HTML, StatusCode::OK, "text/html"),
        (
            "GET",
            "/coworking/some-space",
            HTML,
            StatusCode::OK,
            "text/html",
        ),
        ("HEAD", "/coworking", HTML, StatusCode::OK, "text/html"),
        ("GET", "/auth/login", HTML, StatusCode::OK, "text/html"),
        (
            "GET",
            "/coworking",
            ("accept", "application/json"),
            StatusCode::NOT_FOUND,
            "application/json",
        ),
        (
            "POST",
            "/coworking",
            HTML,
            StatusCode::NOT_FOUND,
            "application/json",
        ),
        (
            "GET",
            "/auth/v2/x",
            ("accept", "*/*"),
            StatusCode::NOT_FOUND,
            "application/json",
        ),
        (
            "GET",
            "/rest/v1",
            HTML,
            StatusCode::UNAUTHORIZED,
            "application/json",
        ),
        (
            "GET",
            "/realtime/nothing",
            HTML,
            StatusCode::NOT_FOUND,
            "application/json",
        ),
        (
            "GET",
            "/assets/gone-1a2b3c.js",
            HTML,
            StatusCode::NOT_FOUND,
            "application/json",
        ),
    ] {
        let response = send(&gateway, method, uri, &[accept]).await;
        assert_eq!(response.status(), status, "{method} {uri}");
        let found = response.headers()["content-type"].to_str().unwrap();
        assert!(found.starts_with(kind), "{method} {uri}: {found}");
    }
}

#[tokio::test]
async fn hashed_assets_stay_for_ever_and_pages_do_not() {
    let (gateway, _dir) = with_pages();
    let asset = send(
        &gateway,
        "GET",
        "/assets/app-1a2b3c.js",
        &[("accept-encoding", "br")],
    )
    .await;
    assert_eq!(
        asset.headers()["cache-control"],
        "public, max-age=31536000, immutable"
    );
    assert_eq!(asset.headers()["content-encoding"], "br");
    let page = send(&gateway, "GET", "/", &[HTML]).await;
    assert_eq!(page.headers()["cache-control"], "no-cache");
    // What has not changed is asked for again, too.
    let tag = page.headers()["etag"].to_str().unwrap();
    let known = [HTML, ("if-none-match", tag)];
    let same = send(&gateway, "GET", "/", &known).await;
    assert_eq!(same.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(same.headers()["cache-control"], "no-cache");
    // And what is not there may be, a moment later or for another client.
    for uri in ["/assets/app-none.js", "/coworking"] {
        let missing = send(&gateway, "GET", uri, &[("accept", "*/*")]).await;
        assert_eq!(missing.status(), StatusCode::NOT_FOUND, "{uri}");
        assert_eq!(missing.headers()["cache-control"], "no-store", "{uri}");
    }
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self';"), "{policy}");
}

#[tokio::test]
async fn what_the_build_compressed_goes_out_as_it_is() {
    let (gateway, dir) = with_pages();
    for (file, encoding) in [("index.html.br", "br"), ("assets/app-1a2b3c.js.gz", "gzip")] {
        fs::write(dir.path().join("site").join(file), encoding).unwrap();
    }
    for (uri, accepted, encoding, kind) in [
        ("/", "gzip, br", "br", "text/html"),
        ("/coworking/some-space", "gzip, br", "br", "text/html"),
        ("/assets/app-1a2b3c.js", "gzip", "gzip", "text/javascript"),
    ] {
        let accepts = [HTML, ("accept-encoding", accepted)];
        let response = send(&gateway, "GET", uri, &accepts).await;
        assert_eq!(response.headers()["content-encoding"], encoding, "{uri}");
        let varies = response.headers()["vary"].to_str().unwrap();
        assert!(varies.ends_with("accept-encoding"), "{uri}: {varies}");
        let found = response.headers()["content-type"].to_str().unwrap();
        assert!(found.starts_with(kind), "{uri}: {found}");
        assert_eq!(text_of(response).await, encoding, "{uri}");
    }
    let plain = send(&gateway, "GET", "/", &[HTML]).await;
    assert!(plain.headers().get("content-encoding").is_none());
    assert_eq!(plain.headers()["vary"], "accept, accept-encoding");
}

#[tokio::test]
async fn the_application_learns_its_key_and_never_the_secret() {
    let (gateway, _dir) = with_pages();
    let settings = json_of(send(&gateway, "GET", "/config.json", &[]).await).await;
    assert_eq!(settings["supabaseAnonKey"], PUBLISHABLE);
    assert_eq!(settings["supabaseUrl"], "");
    assert!(!settings.to_string().contains("secret"));
}

#[tokio::test]
async fn nothing_outside_the_folder_is_served() {
    let (gateway, dir) = with_pages();
    fs::write(dir.path().join("nilam-outside.txt"), "secret").unwrap();
    for uri in [
        "/../nilam-outside.txt",
        "/%2e%2e/nilam-outside.txt",
        "/assets/..%2f..%2fnilam-outside.txt",
    ] {
        let response = send(&gateway, "GET", uri, &[("accept", "*/*")]).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{uri}");
    }
}

#[tokio::test]
async fn health_says_which_service_is_missing() {
    let response = send(&mounted(&[]), "GET", "/health", &[]).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(json_of(response).await["services"]["rest"], true);
}
