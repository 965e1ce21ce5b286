use super::client::{refusal, start};

#[tokio::test]
async fn buckets_come_and_go() {
    let service = start().await;
    let made = service
        .s3("PUT", "/s3/fresh")
        .header("x-amz-acl", "public-read")
        .send()
        .await;
    assert_eq!((made.status, made.header("location")), (200, "/fresh"));
    let again = service.s3("PUT", "/s3/fresh").send().await;
    assert_eq!(again.refused(), refusal(409, "BucketAlreadyExists"));
    let wrong = service.s3("PUT", "/s3/no%25name").send().await;
    assert_eq!(wrong.refused(), refusal(400, "InvalidBucketName"));
    let head = service.s3("HEAD", "/s3/fresh/").send().await;
    assert_eq!(
        (head.status, head.header("x-amz-bucket-region")),
        (200, super::client::REGION)
    );
    let list = service.s3("GET", "/s3").send().await;
    assert_eq!(list.all("Name"), ["closed", "fresh", "private", "public"]);
    assert_eq!(list.all("CreationDate").len(), 4);
    let public: bool = sqlx::query_scalar("select public from storage.buckets where id = 'fresh'")
        .fetch_one(&service.pool())
        .await
        .unwrap();
    assert!(public);
    service.put("fresh/a.txt", "x").await;
    let full = service.s3("DELETE", "/s3/fresh").send().await;
    assert_eq!(full.refused(), refusal(409, "ResourceNotEmpty"));
    assert_eq!(
        service.s3("DELETE", "/s3/fresh/a.txt").send().await.status,
        204
    );
    assert_eq!(service.s3("DELETE", "/s3/fresh").send().await.status, 204);
    assert_eq!(service.s3("HEAD", "/s3/fresh").send().await.status, 404);
}

#[tokio::test]
async fn what_a_bucket_says_of_itself_is_fixed() {
    let service = start().await;
    let location = service.s3("GET", "/s3/private?location").send().await;
    assert_eq!(
        location.text(),
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\
         <LocationConstraint xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">home-1</LocationConstraint>"
    );
    let versioning = service.s3("GET", "/s3/private?versioning").send().await;
    assert_eq!(
        (versioning.one("Status"), versioning.one("MfaDelete")),
        ("Suspended".into(), "Disabled".into())
    );
    let missing = service.s3("GET", "/s3/nothing?location").send().await;
    assert_eq!(missing.refused(), refusal(404, "NoSuchBucket"));
}

#[tokio::test]
async fn policies_hide_buckets() {
    let service = start().await;
    assert_eq!(
        service.s3("GET", "/s3").user().send().await.all("Name"),
        [] as [&str; 0]
    );
    assert_eq!(
        service.s3("HEAD", "/s3/private").user().send().await.status,
        404
    );
    let made = service.s3("PUT", "/s3/fresh").user().send().await;
    assert_eq!(made.refused(), refusal(403, "AccessDenied"));
    let deleted = service.s3("DELETE", "/s3/private").user().send().await;
    assert_eq!(deleted.refused(), refusal(404, "NoSuchBucket"));
}

#[tokio::test]
async fn what_is_not_served_says_so() {
    let service = start().await;
    service.put("private/a.txt", "x").await;
    for (method, target) in [
        ("GET", "/s3/private?policy"),
        ("PUT", "/s3/private?versioning"),
        ("GET", "/s3/private/a.txt?acl"),
        ("PUT", "/s3/private/a.txt?tagging"),
        ("DELETE", "/s3/private/a.txt?versionId=1"),
    ] {
        let answer = service.s3(method, target).body("<Tagging/>").send().await;
        assert_eq!(
            answer.refused(),
            refusal(501, "NotImplemented"),
            "{method} {target}"
        );
    }
    assert_eq!(
        service.s3("GET", "/s3/private/a.txt").send().await.text(),
        "x"
    );
    assert_eq!(
        service.s3("POST", "/s3/private/a.txt").send().await.status,
        404
    );
}
