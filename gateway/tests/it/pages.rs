use std::fs;

use axum::Router;
use http::StatusCode;
use tempfile::TempDir;

use super::{PUBLISHABLE, bytes_of, json_of, mounted, mounted_with, send, text_of};

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
async fn a_path_is_served_the_page_that_was_made_for_it() {
    let (gateway, dir) = with_pages();
    let site = dir.path().join("site");
    let marked = |name: &str| format!("<!doctype html><title>{name}</title>");
    // Before there are others, the start page is everybody's.
    for uri in ["/coworking", "/coworking/some-space"] {
        let response = send(&gateway, "GET", uri, &[HTML]).await;
        assert_eq!(text_of(response).await, marked("page"), "{uri}");
    }
    fs::create_dir_all(site.join("coworking")).unwrap();
    for name in ["_", "coworking", "coworking/_", "coworking/known"] {
        fs::write(site.join(format!("{name}.html")), marked(name)).unwrap();
    }
    fs::write(site.join("coworking.html.br"), "compressed").unwrap();
    let long = format!("/coworking/{}", "x".repeat(300));
    let long_with_point = format!("/{}.5", "x".repeat(300));
    for (uri, name) in [
        ("/", "page"),
        ("/index.html", "page"),
        // Not a redirect to the folder of that name.
        ("/coworking", "coworking"),
        ("/coworking/", "coworking"),
        ("/coworking?city=Pune", "coworking"),
        ("/coworking/known", "coworking/known"),
        ("/coworking/some-space", "coworking/_"),
        ("/coworking/some-space/photos", "_"),
        ("/property/a", "_"),
        ("/anything", "_"),
        ("/%2e%2e/coworking/known", "_"),
        ("/coworking/v1.5", "coworking/_"),
        // Names that no file can have.
        (long.as_str(), "coworking/_"),
        (long_with_point.as_str(), "_"),
    ] {
        let response = send(&gateway, "GET", uri, &[HTML]).await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        assert_eq!(response.headers()["cache-control"], "no-cache", "{uri}");
        assert_eq!(
            response.headers()["vary"],
            "accept, accept-encoding",
            "{uri}"
        );
        assert!(
            response.headers().contains_key("content-security-policy"),
            "{uri}"
        );
        let tag = response.headers()["etag"].to_str().unwrap().to_owned();
        assert_eq!(text_of(response).await, marked(name), "{uri}");
        let known = [HTML, ("if-none-match", tag.as_str())];
        let same = send(&gateway, "GET", uri, &known).await;
        assert_eq!(same.status(), StatusCode::NOT_MODIFIED, "{uri}");
        assert_eq!(same.headers()["cache-control"], "no-cache", "{uri}");
        assert_eq!(same.headers()["cache-control"], "no-cache", "{uri}");
    }
    // A point in a name does not make a file of it.
    let response = send(&gateway, "GET", "/coworking/v1.5", &[HTML]).await;
    assert_eq!(text_of(response).await, marked("coworking/_"));
    let accepts = [HTML, ("accept-encoding", "br")];
    let response = send(&gateway, "GET", "/coworking", &accepts).await;
    assert_eq!(text_of(response).await, "compressed");
    // Who takes anything gets the page that was made for the path, but what is nobody's is not a page to them; who takes JSON gets none.
    for (uri, accept, expected) in [
        ("/coworking", "*/*", Some("coworking")),
        ("/coworking/some-space", "*/*", Some("coworking/_")),
        ("/anything", "*/*", None),
        ("/coworking", "application/json, */*;q=0.5", None),
        ("/coworking", "application/json", None),
        ("/", "*/*", Some("page")),
        ("/", "application/json", Some("page")),
    ] {
        let response = send(&gateway, "GET", uri, &[("accept", accept)]).await;
        assert_eq!(
            response.headers()["vary"],
            "accept, accept-encoding",
            "{uri} {accept}"
        );
        let Some(name) = expected else {
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{uri} {accept}");
            continue;
        };
        assert_eq!(text_of(response).await, marked(name), "{uri} {accept}");
    }
    let response = send(&gateway, "GET", "/coworking", &[]).await;
    assert_eq!(text_of(response).await, marked("coworking"));
}

#[tokio::test]
async fn a_long_answer_of_the_database_goes_out_compressed_to_who_takes_that() {
    let rows = Router::new().fallback(|| async {
        let body = format!("[{}]", vec!["{\"name\":\"a\"}"; 500].join(","));
        (
            [
                ("content-type", "application/json; charset=utf-8"),
                ("content-range", "0-499/*"),
            ],
            body,
        )
    });
    let gateway = mounted_with(&rows, &[]);
    let key = ("apikey", PUBLISHABLE);
    for (uri, accepted, encoding) in [
        ("/rest/v1/a", "gzip, deflate, br", Some("br")),
        ("/rest/v1/a", "gzip", Some("gzip")),
        ("/rest/v1/a", "zstd", None),
        ("/rest/v1/a", "", None),
        // What nobody may refuse goes out as it is.
        ("/rest/v1/a", "gzip;q=0, identity;q=0", None),
        ("/rest/v1/a", "br;q=0, *", None),
        // Files say themselves how they go.
        ("/storage/v1/object/public/a", "gzip", None),
    ] {
        let response = send(&gateway, "GET", uri, &[key, ("accept-encoding", accepted)]).await;
        assert_eq!(response.status(), StatusCode::OK, "{uri} {accepted}");
        let headers = response.headers();
        let found = headers
            .get("content-encoding")
            .map(|found| found.to_str().unwrap());
        assert_eq!(found, encoding, "{uri} {accepted}");
        assert_eq!(headers["content-range"], "0-499/*", "{uri} {accepted}");
        let says_so = headers
            .get_all("vary")
            .iter()
            .any(|by| by == "accept-encoding");
        assert_eq!(says_so, encoding.is_some(), "{uri} {accepted}");
        let length = bytes_of(response).await.len();
        assert_eq!(
            length < 1000,
            encoding.is_some(),
            "{uri} {accepted}: {length}"
        );
    }
    // What is short stays as it is.
    let short = mounted(&[]);
    let response = send(
        &short,
        "GET",
        "/rest/v1/a",
        &[key, ("accept-encoding", "gzip")],
    )
    .await;
    assert!(response.headers().get("content-encoding").is_none());
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
