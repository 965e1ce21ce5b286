//! Limits per address and key, in one gateway and in several.

use svc_kit::testing::{Template, TestDb};

use super::{
    ANON, PUBLISHABLE,
    served::{Served, in_front_of_notes, raw, statuses},
};

async fn ask(gateway: &Served, key: &str, more: &str) -> (u16, String) {
    let request = format!(
        "GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {key}\r\n{more}Connection: close\r\n\r\n"
    );
    let answer = raw(gateway.address, request).await;
    (statuses(&answer)[0], answer)
}

#[tokio::test]
async fn an_address_gets_no_more_than_its_share() {
    let more = [
        ("GATEWAY_RATE_LIMIT_PER_IP", "3/1h"),
        ("GATEWAY_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let (gateway, seen) = in_front_of_notes(&more).await;
    for expected in [200, 200, 200, 429, 429] {
        assert_eq!(ask(&gateway, ANON, "").await.0, expected);
    }
    let (_, refusal) = ask(&gateway, ANON, "").await;
    assert!(refusal.contains("retry-after: "), "{refusal}");
    assert!(
        refusal.contains("{\"message\":\"API rate limit exceeded\"}"),
        "{refusal}"
    );
    assert!(
        refusal.contains("access-control-allow-origin: *"),
        "{refusal}"
    );
    assert_eq!(seen.lock().unwrap().len(), 3);
    // Somebody else, as the proxy says.
    assert_eq!(
        ask(&gateway, ANON, "X-Forwarded-For: 203.0.113.7\r\n")
            .await
            .0,
        200
    );
}

#[tokio::test]
async fn wrong_keys_count_for_the_address_and_each_right_key_for_itself() {
    let more = [
        ("GATEWAY_RATE_LIMIT_PER_KEY", "2/1h"),
        ("GATEWAY_RATE_LIMIT_PER_IP", "7/1h"),
    ];
    let (gateway, _seen) = in_front_of_notes(&more).await;
    for (key, expected) in [
        (ANON, 200),
        (ANON, 200),
        (ANON, 429),
        (PUBLISHABLE, 200),
        ("wrong", 401),
        ("wrong", 401),
        ("wrong", 401),
        ("wrong", 429),
    ] {
        assert_eq!(ask(&gateway, key, "").await.0, expected, "{key}");
    }
}

#[tokio::test]
async fn copies_of_the_gateway_count_together() {
    let database = TestDb::new(&Template::new("gateway")).await;
    let more = [
        ("GATEWAY_RATE_LIMIT_PER_IP", "20/24h"),
        ("GATEWAY_RATE_LIMIT_DATABASE_URL", database.url()),
        ("GATEWAY_RATE_LIMIT_INTERVAL", "10ms"),
    ];
    let (first, _) = in_front_of_notes(&more).await;
    let (second, _) = in_front_of_notes(&more).await;
    let pool = database.pool();
    // The table is made by the first news.
    let told = async |count: i64| {
        let sum = "select coalesce(sum(requests), 0)::bigint from gateway.rate_limits";
        while sqlx::query_scalar(sum).fetch_one(&pool).await.unwrap_or(0) < count {}
    };
    for _ in 0..20 {
        assert_eq!(ask(&first, ANON, "").await.0, 200);
    }
    told(20).await;
    // The second has heard of nothing before it tells something itself.
    let mut passed = 0;
    while ask(&second, ANON, "").await.0 == 200 {
        passed += 1;
        told(20 + passed).await;
    }
    assert!(passed <= 3, "alone it would take twenty: {passed}");
}

#[tokio::test]
async fn without_the_database_each_copy_goes_on_alone() {
    let more = [
        ("GATEWAY_RATE_LIMIT_PER_IP", "3/1h"),
        (
            "GATEWAY_RATE_LIMIT_DATABASE_URL",
            "postgres://nobody@127.0.0.1:1/none",
        ),
        ("GATEWAY_RATE_LIMIT_INTERVAL", "10ms"),
        ("GATEWAY_ADMIN_PORT", "0"),
    ];
    let (gateway, _seen) = in_front_of_notes(&more).await;
    for expected in [200, 200, 200, 429] {
        assert_eq!(ask(&gateway, ANON, "").await.0, expected);
    }
    let failures = async || {
        let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let metrics = raw(gateway.admin.unwrap(), request).await;
        let line = metrics
            .lines()
            .find(|line| line.starts_with("gateway_rate_limit_store_failures_total "));
        line.unwrap()
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    while failures().await == 0 {}
}
