use chrono::{TimeDelta, Utc};

use super::Service;

const ORPHAN: &str = "stub/tenant/public/a/0b54fd5c-3b1f-4a39-9a25-3a4f2e0f9c11";

fn write(service: &Service, path: &str) {
    let path = service.folder.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "left over").unwrap();
}

#[tokio::test]
async fn blobs_without_a_row_are_removed_and_no_others() {
    let service = Service::start().await;
    service.put("public/a", "kept").await;
    service.put("private/mine/b%20c/d", "kept").await;
    let kept = service.files();
    write(&service, ORPHAN);
    // Not a version of ours, so not ours to remove; a release before versions had such blobs.
    write(&service, "stub/tenant/public/by-hand.txt");
    write(
        &service,
        "stub/another/public/a/0b54fd5c-3b1f-4a39-9a25-3a4f2e0f9c11",
    );

    let young = Utc::now() - TimeDelta::hours(1);
    let swept = service.app.sweep(young).await.unwrap();
    assert_eq!(swept.orphans, 0, "an upload may be about to write the row");

    let swept = service
        .app
        .sweep(Utc::now() + TimeDelta::hours(1))
        .await
        .unwrap();
    assert_eq!((swept.orphans, swept.seen), (1, 4));
    let mut left = kept.clone();
    left.push("stub/tenant/public/by-hand.txt".to_owned());
    left.push("stub/another/public/a/0b54fd5c-3b1f-4a39-9a25-3a4f2e0f9c11".to_owned());
    left.sort();
    assert_eq!(service.files(), left);
    let read = service.get("/object/public/public/a").send().await;
    assert_eq!(read.bytes, b"kept");
}

#[tokio::test]
async fn a_store_of_somebody_else_is_left_alone() {
    let service = Service::start().await;
    service.put("public/a", "kept").await;
    for _ in 0..1200 {
        let version = uuid::Uuid::new_v4();
        write(&service, &format!("stub/tenant/public/k/{version}"));
    }
    let swept = service
        .app
        .sweep(Utc::now() + TimeDelta::hours(1))
        .await
        .unwrap();
    assert_eq!((swept.orphans, swept.bytes), (1200, 0));
    assert_eq!(service.files().len(), 1201);
}
