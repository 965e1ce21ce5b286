use super::client::{Keys, refusal, start};
use crate::{Service, service::Answer};

const KEYS: [&str; 8] = [
    "a//b",
    "a/c/d",
    "a/e",
    "b-1",
    "b-2",
    "b/",
    "b/x",
    "z!(1)*'.jpg",
];

async fn filled() -> Service {
    let service = start().await;
    for key in KEYS {
        let made = service
            .s3("PUT", &format!("/s3/private/{key}"))
            .body("x")
            .send()
            .await;
        assert_eq!(made.status, 200, "{key}: {}", made.text());
    }
    service
}

async fn list(service: &Service, query: &str) -> Answer {
    let answer = service
        .s3("GET", &format!("/s3/private?{query}"))
        .send()
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

/// Keys, and then what several have in common.
fn shown(answer: &Answer) -> (Vec<String>, Vec<String>) {
    let mut prefixes = answer.all("Prefix");
    // The first one is the request's own, unless it is empty.
    if prefixes.len() > answer.all("CommonPrefixes").len() {
        prefixes.remove(0);
    }
    (answer.all("Key"), prefixes)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[tokio::test]
async fn keys_are_listed_in_the_order_of_their_bytes() {
    let service = filled().await;
    let all = list(&service, "list-type=2").await;
    assert_eq!(all.all("Key"), KEYS);
    assert_eq!(all.one("KeyCount"), "8");
    assert_eq!(all.one("IsTruncated"), "false");
    assert_eq!(all.all("Size"), ["1"; 8]);
    assert_eq!(all.all("ETag"), ["\"9dd4e461268c8034f5c8564e155c67a6\""; 8]);
    assert_eq!(
        list(&service, "list-type=2&prefix=a/").await.all("Key"),
        KEYS[..3]
    );
    assert_eq!(
        list(&service, "list-type=2&start-after=b-1")
            .await
            .all("Key"),
        KEYS[4..]
    );
    let encoded = list(&service, "list-type=2&encoding-type=url&prefix=z").await;
    assert_eq!(encoded.all("Key"), ["z!(1)*'.jpg"]);
    assert_eq!(
        list(&service, "list-type=2&encoding-type=url&prefix=b/x")
            .await
            .one("Key"),
        "b%2Fx"
    );
}

#[tokio::test]
async fn keys_with_a_delimiter_are_shown_as_one() {
    let service = filled().await;
    for (query, keys, prefixes) in [
        (
            "delimiter=/",
            &["b-1", "b-2", "z!(1)*'.jpg"][..],
            &["a/", "b/"][..],
        ),
        ("delimiter=/&prefix=a/", &["a/e"], &["a//", "a/c/"]),
        ("delimiter=/&prefix=b/", &["b/", "b/x"], &[]),
        (
            "delimiter=-",
            &["a//b", "a/c/d", "a/e", "b/", "b/x", "z!(1)*'.jpg"],
            &["b-"],
        ),
        (
            "delimiter=//",
            &["a/c/d", "a/e", "b-1", "b-2", "b/", "b/x", "z!(1)*'.jpg"],
            &["a//"],
        ),
        (
            "delimiter=/&start-after=a/",
            &["b-1", "b-2", "z!(1)*'.jpg"],
            &["b/"],
        ),
        (
            "delimiter=/&start-after=a/c/d",
            &["b-1", "b-2", "z!(1)*'.jpg"],
            &["a/", "b/"],
        ),
        (
            "delimiter=/&start-after=b",
            &["b-1", "b-2", "z!(1)*'.jpg"],
            &["b/"],
        ),
        ("delimiter=/&prefix=nothing/", &[], &[]),
    ] {
        let answer = list(&service, &format!("list-type=2&{query}")).await;
        assert_eq!(shown(&answer), (texts(keys), texts(prefixes)), "{query}");
        let older = list(&service, &query.replace("start-after", "marker")).await;
        assert_eq!(shown(&older), (texts(keys), texts(prefixes)), "{query}");
    }
}

#[tokio::test]
async fn pages_together_are_the_whole() {
    let service = filled().await;
    for (query, size) in [
        ("", 1),
        ("delimiter=/&", 1),
        ("delimiter=/&", 2),
        ("delimiter=-&prefix=b&", 1),
        ("", 8),
    ] {
        let whole = list(&service, &format!("list-type=2&{query}")).await;
        let mut found = (Vec::new(), Vec::new());
        let mut token = String::new();
        for _ in 0..20 {
            let page = list(
                &service,
                &format!("list-type=2&{query}max-keys={size}{token}"),
            )
            .await;
            let (keys, prefixes) = shown(&page);
            assert!(keys.len() + prefixes.len() <= size);
            found.0.extend(keys);
            found.1.extend(prefixes);
            if page.one("IsTruncated") == "false" {
                break;
            }
            token = format!(
                "&continuation-token={}",
                super::client::escape(&page.one("NextContinuationToken"))
            );
        }
        assert_eq!(found, shown(&whole), "{query} {size}");
    }
}

#[tokio::test]
async fn the_older_list_names_where_to_go_on() {
    let service = filled().await;
    let first = list(&service, "max-keys=2").await;
    assert_eq!(first.one("Marker"), "a/c/d");
    assert_eq!(
        first.all("NextMarker"),
        [] as [&str; 0],
        "only with a delimiter"
    );
    let folders = list(&service, "max-keys=1&delimiter=/").await;
    assert_eq!(folders.one("NextMarker"), "a/");
    let next = list(&service, "max-keys=1&delimiter=/&marker=a/").await;
    assert_eq!(shown(&next), (texts(&["b-1"]), vec![]));
    let rest = list(&service, "marker=a/c/d").await;
    assert_eq!(rest.all("Key"), KEYS[2..]);
    assert_eq!(rest.all("Marker"), [] as [&str; 0]);
}

#[tokio::test]
async fn every_object_has_one_version() {
    let service = filled().await;
    let first = list(&service, "versions&max-keys=3&delimiter=/").await;
    assert_eq!(shown(&first), (texts(&["b-1", "b-2"]), texts(&["a/"])));
    let whole = list(&service, "versions&max-keys=5").await;
    assert_eq!(whole.all("Key"), KEYS[..5]);
    assert_eq!(whole.all("VersionId"), ["null"; 5]);
    assert_eq!(whole.all("IsLatest"), ["true"; 5]);
    let marker = super::client::escape(&whole.one("NextKeyMarker"));
    let rest = list(
        &service,
        &format!("versions&version-id-marker=null&key-marker={marker}"),
    )
    .await;
    assert_eq!(rest.all("Key"), KEYS[5..]);
    let gone = service
        .s3("DELETE", "/s3/private/b-1?versionId=null")
        .send()
        .await;
    assert_eq!(gone.status, 204);
}

#[tokio::test]
async fn a_list_shows_what_the_caller_may_see() {
    let service = filled().await;
    service.put("private/mine/x", "x").await;
    let mine = service
        .s3("GET", "/s3/private?list-type=2")
        .user()
        .send()
        .await;
    assert_eq!(mine.all("Key"), ["mine/x"]);
    let anon = Keys::session(crate::token("anon"));
    let folders = service
        .s3("GET", "/s3/private?delimiter=/")
        .keys(anon)
        .send()
        .await;
    assert_eq!(shown(&folders), (vec![], vec![]));
}

#[tokio::test]
async fn nonsense_is_named() {
    let service = start().await;
    for (target, status, code, message) in [
        ("/s3/nothing", 404, "NoSuchBucket", "Bucket not found"),
        (
            "/s3/private?max-keys=x",
            400,
            "InvalidRequest",
            "Querystring, max-keys must be integer",
        ),
        (
            "/s3/private?max-keys=-1",
            400,
            "InvalidRequest",
            "Querystring, max-keys must be &gt;= 0",
        ),
        (
            "/s3/private?uploads&max-uploads=1001",
            400,
            "InvalidRequest",
            "Querystring, max-uploads must be &lt;= 1000",
        ),
        (
            "/s3/private?encoding-type=x",
            400,
            "InvalidRequest",
            "Querystring, encoding-type must be equal to one of the allowed values",
        ),
        (
            "/s3/private?list-type=2&continuation-token=x",
            400,
            "InvalidParameter",
            "Invalid Parameter continuation token",
        ),
    ] {
        let answer = service.s3("GET", target).send().await;
        assert_eq!(answer.refused(), refusal(status, code), "{target}");
        assert_eq!(answer.one("Message"), message);
    }
}
