use http::StatusCode;

use super::{ANON, PUBLISHABLE, SECRET, SERVICE, json_of, mounted, send};

#[tokio::test]
async fn a_wrong_key_gets_the_hosted_platforms_error() {
    let gateway = mounted(&[]);
    let anon = ("apikey", ANON);
    for (uri, headers, code, message) in [
        (
            "/rest/v1/t",
            vec![],
            "UNAUTHORIZED_MISSING_API_KEY",
            "No API key found in request",
        ),
        (
            "/rest/v1/t",
            vec![("apikey", "nonsense")],
            "UNAUTHORIZED_INVALID_API_KEY",
            "Invalid API key",
        ),
        (
            "/rest/v1/t?apikey=nonsense",
            vec![],
            "UNAUTHORIZED_INVALID_API_KEY",
            "Invalid API key",
        ),
        (
            "/auth/v1/token",
            vec![],
            "UNAUTHORIZED_MISSING_API_KEY",
            "No API key found in request",
        ),
        (
            "/graphql/v1",
            vec![],
            "UNAUTHORIZED_MISSING_API_KEY",
            "No API key found in request",
        ),
        (
            "/functions/v1/f",
            vec![("apikey", "nonsense")],
            "UNAUTHORIZED_INVALID_API_KEY",
            "Invalid API key",
        ),
        (
            "/rest/v1/",
            vec![anon],
            "UNAUTHORIZED_INVALID_API_KEY_TYPE",
            "Only the service_role API key can be used for this endpoint.",
        ),
        (
            "/pg/query",
            vec![anon],
            "UNAUTHORIZED_INVALID_API_KEY_TYPE",
            "Only the service_role API key can be used for this endpoint.",
        ),
    ] {
        let response = send(&gateway, "GET", uri, &headers).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{uri}");
        assert_eq!(response.headers()["sb-error-code"], code, "{uri}");
        assert_eq!(
            response.headers()["access-control-allow-origin"],
            "*",
            "a browser must be able to read it"
        );
        assert_eq!(json_of(response).await["message"], message, "{uri}");
    }
}

#[tokio::test]
async fn what_needs_no_key_passes_without_one() {
    let gateway = mounted(&[]);
    for uri in [
        "/auth/v1/verify?token=x",
        "/auth/v1/.well-known/jwks.json",
        "/storage/v1/object/public/b/k",
        "/functions/v1/f",
    ] {
        assert_eq!(
            send(&gateway, "GET", uri, &[]).await.status(),
            StatusCode::OK,
            "{uri}"
        );
    }
}

#[tokio::test]
async fn the_local_stack_asks_for_no_key_but_postgres_meta_always_does() {
    let gateway = mounted(&[("GATEWAY_REQUIRE_APIKEY", "false")]);
    assert_eq!(
        send(&gateway, "GET", "/rest/v1/t", &[]).await.status(),
        StatusCode::OK
    );
    assert_eq!(
        send(&gateway, "GET", "/rest/v1/", &[]).await.status(),
        StatusCode::OK
    );
    assert_eq!(
        send(&gateway, "GET", "/pg/query", &[]).await.status(),
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        send(&gateway, "GET", "/pg/query", &[("apikey", SECRET)])
            .await
            .status(),
        StatusCode::OK
    );
}

#[tokio::test]
async fn services_see_tokens_instead_of_opaque_keys() {
    let gateway = mounted(&[]);
    for (uri, headers, expected) in [
        (
            "/rest/v1/t",
            vec![("apikey", PUBLISHABLE)],
            Some(format!("Bearer {ANON}")),
        ),
        (
            "/rest/v1/t",
            vec![
                ("apikey", SECRET),
                ("authorization", "Bearer sb_secret_test"),
            ],
            Some(format!("Bearer {SERVICE}")),
        ),
        (
            "/rest/v1/t",
            vec![("apikey", ANON), ("authorization", "Bearer user.jwt")],
            Some("Bearer user.jwt".to_owned()),
        ),
        (
            "/auth/v1/user",
            vec![("apikey", ANON)],
            Some(ANON.to_owned()),
        ),
        ("/storage/v1/bucket", vec![], None),
        ("/functions/v1/f", vec![("apikey", PUBLISHABLE)], None),
    ] {
        let seen = json_of(send(&gateway, "GET", uri, &headers).await).await;
        assert_eq!(
            seen["headers"]["authorization"].as_str(),
            expected.as_deref(),
            "{uri} {headers:?}"
        );
    }
}

#[tokio::test]
async fn a_key_in_the_query_is_no_filter_for_rest_and_a_token_for_realtime() {
    let gateway = mounted(&[]);
    let uri = format!("/rest/v1/t?select=a%2Cb&apikey={ANON}&id=eq.1");
    assert_eq!(
        json_of(send(&gateway, "GET", &uri, &[]).await).await["uri"],
        "/t?select=a%2Cb&id=eq.1"
    );
    let uri = format!("/realtime/v1/websocket?apikey={PUBLISHABLE}&vsn=1.0.0");
    let seen = json_of(send(&gateway, "GET", &uri, &[]).await).await;
    assert_eq!(
        seen["uri"],
        format!("/socket/websocket?apikey={ANON}&vsn=1.0.0")
    );
    assert_eq!(seen["headers"]["x-api-key"], ANON);
}

#[tokio::test]
async fn nobody_passes_to_realtimes_administration() {
    let response = send(
        &mounted(&[]),
        "GET",
        "/realtime/v1/api/tenants/x",
        &[("apikey", SECRET)],
    )
    .await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    assert_eq!(json_of(response).await["message"], "Access is forbidden.");
}
