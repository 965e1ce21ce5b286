use serde_json::{Value, json};
use sqlx::PgPool;
use svc_kit::testing::{Template, TestDb};

use super::{Service, service::get, token};

const FIXTURE: &str = "
    insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, created_at, updated_at)
    values ('photos', 'photos', true, 1000, '{image/png}', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'),
           ('papers_1', 'papers_1', false, null, null, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
           ('papersX1', 'papersX1', false, null, null, '2026-01-03T00:00:00Z', '2026-01-03T00:00:00Z');
    create policy \"public buckets\" on storage.buckets for select to anon using (public);
";

async fn start() -> (Service, PgPool) {
    let template = Template::new("storage_buckets")
        .migrated(storage_svc::migrations())
        .fixture(FIXTURE);
    let service = Service::on(TestDb::new(&template).await, &[]).await;
    let pool = service.pool();
    (service, pool)
}

async fn ids(app: &Service, path: &str, role: &str) -> Vec<String> {
    let (status, body) = get(app, path, Some(&token(role))).await;
    assert_eq!(status, 200, "{body}");
    let buckets: Vec<Value> = serde_json::from_value(body).unwrap();
    let id = |bucket: Value| bucket["id"].as_str().unwrap().to_owned();
    buckets.into_iter().map(id).collect()
}

#[tokio::test]
async fn a_bucket_looks_as_clients_expect() {
    let (app, _) = start().await;
    let mut expected = json!({
        "id": "photos",
        "name": "photos",
        "owner": "",
        "public": true,
        "file_size_limit": 1000,
        "allowed_mime_types": ["image/png"],
        "created_at": "2026-01-02T03:04:05.678Z",
        "updated_at": "2026-01-02T03:04:05.678Z",
    });
    let anon = token("anon");
    let one = get(&app, "/bucket/photos", Some(&anon)).await;
    assert_eq!(one, (200, expected.clone()));
    expected["type"] = "STANDARD".into();
    let all = get(&app, "/bucket", Some(&anon)).await;
    assert_eq!(all, (200, json!([expected])));
}

#[tokio::test]
async fn a_list_is_sorted_searched_and_cut_as_asked() {
    let (app, _) = start().await;
    let list = async |query: &str| ids(&app, &format!("/bucket?{query}"), "service_role").await;
    assert_eq!(
        list("sortColumn=created_at&sortOrder=desc").await,
        ["papersX1", "photos", "papers_1"]
    );
    assert_eq!(list("sortColumn=id&limit=1&offset=1").await.len(), 1);
    assert_eq!(
        list("search=S_1").await,
        ["papers_1"],
        "an underscore is only itself"
    );
    let (status, body) = get(
        &app,
        "/bucket?sortColumn=owner",
        Some(&token("service_role")),
    )
    .await;
    assert_eq!((status, &body["code"]), (400, &json!("InvalidRequest")));
}

#[tokio::test]
async fn a_changed_policy_changes_the_answer() {
    let (app, db) = start().await;
    assert_eq!(ids(&app, "/bucket", "anon").await, ["photos"]);
    let hidden = json!({
        "statusCode": "404",
        "error": "Bucket not found",
        "message": "Bucket not found",
        "code": "NoSuchBucket",
    });
    let anon = token("anon");
    let before = get(&app, "/bucket/papers_1", Some(&anon)).await;
    assert_eq!(before, (400, hidden.clone()));

    sqlx::raw_sql("alter policy \"public buckets\" on storage.buckets using (not public)")
        .execute(&db)
        .await
        .unwrap();

    assert_eq!(
        ids(&app, "/bucket?sortColumn=id", "anon").await,
        ["papersX1", "papers_1"]
    );
    let after = get(&app, "/bucket/photos", Some(&anon)).await;
    assert_eq!(after, (400, hidden));
    assert_eq!(
        ids(&app, "/bucket", "authenticated").await,
        Vec::<String>::new()
    );
    assert_eq!(ids(&app, "/bucket", "service_role").await.len(), 3);
}

#[tokio::test]
async fn policies_see_the_operation() {
    let (app, db) = start().await;
    sqlx::raw_sql(
        "alter policy \"public buckets\" on storage.buckets
         using (current_setting('storage.operation', true) = 'storage.bucket.get')",
    )
    .execute(&db)
    .await
    .unwrap();
    let (status, _) = get(&app, "/bucket/papers_1", Some(&token("anon"))).await;
    assert_eq!(status, 200);
    assert!(ids(&app, "/bucket", "anon").await.is_empty());
}

#[tokio::test]
async fn a_role_that_does_not_exist_is_the_databases_error() {
    let (app, _) = start().await;
    let expected = json!({
        "statusCode": "500",
        "error": "DatabaseError",
        "message": "database error, code: 22023",
        "code": "DatabaseError",
    });
    let answer = get(&app, "/bucket", Some(&token("nobody_of_this_name"))).await;
    assert_eq!(answer, (500, expected));
}

#[tokio::test]
async fn health_reads_the_buckets() {
    let (app, _) = start().await;
    let answer = get(&app, "/health", Some(&token("anon"))).await;
    assert_eq!(answer, (200, json!({ "healthy": true })));
}
