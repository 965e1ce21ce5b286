//! Blobs in a bucket of an S3 server, which is another's: s3s, over files.

use axum::body::{Body, Bytes};
use chrono::{TimeDelta, Utc};
use http::Method;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::{
    Service,
    service::{files, refused},
};

/// Serves a folder, in which there is the bucket `blobs`, by S3; gives its address.
pub(super) async fn s3_server(folder: &TempDir) -> String {
    std::fs::create_dir(folder.path().join("blobs")).unwrap();
    let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
    builder.set_auth(SimpleAuth::from_single("an id", "a secret"));
    let service = builder.build();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            let service = service.clone();
            tokio::spawn(async move {
                let server = Builder::new(TokioExecutor::new());
                let _ = server.serve_connection(TokioIo::new(socket), service).await;
            });
        }
    });
    url
}

/// Settings of a service whose blobs are in that bucket.
pub(super) fn on_s3(url: &str) -> [(&str, &str); 8] {
    [
        ("STORAGE_BACKEND", "s3"),
        ("GLOBAL_S3_BUCKET", "blobs"),
        ("GLOBAL_S3_ENDPOINT", url),
        ("GLOBAL_S3_FORCE_PATH_STYLE", "true"),
        ("AWS_ACCESS_KEY_ID", "an id"),
        ("AWS_SECRET_ACCESS_KEY", "a secret"),
        ("REGION", "us-east-1"),
        ("FILE_SIZE_LIMIT", "50000000"),
    ]
}

#[tokio::test]
async fn objects_live_in_a_bucket_as_they_do_in_files() {
    let folder = TempDir::new().unwrap();
    let service = Service::start_with(&on_s3(&s3_server(&folder).await)).await;
    service.put("closed/a%20b*%3F.txt", "nothing to see").await;
    let _ = service.put("closed/small.txt", "0123456789").await;
    let get = |path: &str| service.get(&format!("/object/closed/{path}")).service();
    let part = get("small.txt").header("range", "bytes=2-4").send().await;
    assert_eq!(
        (part.status, part.bytes.as_slice()),
        (206, b"234".as_slice())
    );

    // More than is sent at a time, without a length that is known.
    let chunk = Bytes::from(vec![b'x'; 1 << 20]);
    let chunks =
        futures_util::stream::iter((0..20).map(move |_| Ok::<_, std::io::Error>(chunk.clone())));
    let post = service.post("/object/closed/large.bin").service();
    let answer = post.body(Body::from_stream(chunks)).send().await;
    assert_eq!(answer.status, 200, "{:?}", answer.json());
    assert_eq!(get("large.bin").send().await.bytes.len(), 20 << 20);

    let carry = |how: &str, from: &str, to: &str| {
        let body = json!({ "bucketId": "closed", "sourceKey": from, "destinationKey": to });
        service
            .post(&format!("/object/{how}"))
            .service()
            .json(&body)
            .send()
    };
    assert_eq!(carry("copy", "small.txt", "copy.txt").await.status, 200);
    assert_eq!(carry("move", "large.bin", "moved.bin").await.status, 200);
    assert_eq!(get("copy.txt").send().await.bytes, b"0123456789");
    assert_eq!(get("moved.bin").send().await.bytes.len(), 20 << 20);
    assert_eq!(
        get("large.bin").send().await.refusal(),
        refused(400, 404, "NoSuchKey")
    );
    service.put("closed/small.txt", "another").await;
    assert_eq!(get("small.txt").send().await.bytes, b"another");
    let delete = service
        .call(Method::DELETE, "/object/closed/copy.txt")
        .service();
    assert_eq!(delete.send().await.status, 200);
    let names: Vec<_> = files(&folder.path().join("blobs/tenant"))
        .iter()
        .map(|path| path.rsplit_once('/').unwrap().0.to_owned())
        .collect();
    assert_eq!(names.len(), 3, "older versions are gone: {names:?}");
    assert!(names.contains(&"closed/moved.bin".to_owned()));
}

#[tokio::test]
async fn a_bucket_is_swept_and_one_that_is_away_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let service = Service::start_with(&on_s3(&s3_server(&folder).await)).await;
    service.put("closed/kept", "kept").await;
    let orphan = folder
        .path()
        .join("blobs/tenant/closed/kept/0b54fd5c-3b1f-4a39-9a25-3a4f2e0f9c11");
    std::fs::write(&orphan, "left over").unwrap();
    let swept = service
        .app
        .sweep(Utc::now() + TimeDelta::hours(1))
        .await
        .unwrap();
    assert_eq!((swept.orphans, swept.seen), (1, 2));
    assert!(!orphan.exists());

    let away = Service::start_with(&on_s3("http://127.0.0.1:1")).await;
    let post = away
        .post("/object/closed/lost")
        .service()
        .body("x")
        .send()
        .await;
    assert_eq!(
        (post.status, post.json()["code"].clone()),
        (500, json!("InternalError"))
    );
    let row = away.get("/object/closed/lost").service().send().await;
    assert_eq!(row.refusal(), refused(400, 404, "NoSuchKey"));
}
