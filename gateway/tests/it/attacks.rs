//! What somebody may send who wants more than is theirs.

use std::fmt::Write as _;

use gateway::Service;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{
    ANON, PUBLISHABLE, SECRET, SERVICE,
    served::{PATIENCE, config, in_front_of_notes, noting, raw, remote, serve, statuses},
};

/// A request that is hidden in another one's body reaches no service.
#[tokio::test]
async fn no_request_is_smuggled_in_another_ones_body() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    let hidden = "GET /rest/v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    let chunked = format!("0\r\n\r\n{hidden}");
    for (name, headers, body, allowed) in [
        (
            "both lengths",
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            chunked.as_str(),
            &[200, 400][..],
        ),
        (
            "both, the other way round",
            "Transfer-Encoding: chunked\r\nContent-Length: 4",
            &chunked,
            &[200, 400],
        ),
        (
            "two lengths",
            "Content-Length: 0\r\nContent-Length: 44",
            hidden,
            &[400],
        ),
        ("a list of lengths", "Content-Length: 0, 44", hidden, &[400]),
        (
            "a length with a sign",
            "Content-Length: +44",
            hidden,
            &[400],
        ),
        (
            "a space before the colon",
            "Transfer-Encoding : chunked",
            &chunked,
            &[400],
        ),
        (
            "an unknown coding",
            "Transfer-Encoding: xchunked",
            &chunked,
            &[400],
        ),
        (
            "chunked is not the last",
            "Transfer-Encoding: chunked, identity",
            &chunked,
            &[400],
        ),
        (
            "a second coding",
            "Transfer-Encoding: gzip, chunked",
            &chunked,
            &[400],
        ),
        (
            "twice chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            &chunked,
            &[400],
        ),
        (
            "a tab in the coding",
            "Transfer-Encoding: \x0bchunked",
            &chunked,
            &[400],
        ),
        (
            "a folded line",
            "Transfer-Encoding:\r\n chunked",
            &chunked,
            &[400],
        ),
        (
            "a folded line of another header",
            "X-A: b\r\n c\r\nContent-Length: 0",
            hidden,
            &[400],
        ),
        ("no name", ": x\r\nContent-Length: 0", hidden, &[400]),
        (
            "a chunk that is too long",
            "Transfer-Encoding: chunked",
            "ffffffffffffffffff\r\n",
            &[400, 502],
        ),
        (
            "a chunk that ends early",
            "Transfer-Encoding: chunked",
            "3\r\nabcX",
            &[400, 502],
        ),
        (
            "a bare newline in a chunk's extension",
            "Transfer-Encoding: chunked",
            "1;a\nb\r\nx\r\n0\r\n\r\n",
            &[400, 502],
        ),
    ] {
        let request = format!(
            "POST /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\n{headers}\r\n\r\n{body}"
        );
        let answer = raw(gateway.address, request).await;
        let found = statuses(&answer);
        assert!(found.len() <= 1, "{name}: {answer}");
        if let Some(status) = found.first() {
            assert!(allowed.contains(status), "{name}: {answer}");
        }
    }
    let seen = seen.lock().unwrap();
    assert!(
        seen.iter().all(|request| !request.contains("smuggled")),
        "{seen:#?}"
    );
    for request in seen.iter() {
        assert_eq!(
            request.matches("transfer-encoding").count()
                + request.matches("content-length").count(),
            1,
            "{request}"
        );
    }
}

#[tokio::test]
async fn lines_that_end_in_a_newline_alone_frame_the_same_request() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    let request = format!(
        "POST /rest/v1/t HTTP/1.1\nHost: x\napikey: {ANON}\nConnection: close\nContent-Length: 3\n\nabcGET /rest/v1/smuggled HTTP/1.1\nHost: x\n\n"
    );
    let answer = raw(gateway.address, request).await;
    assert!(statuses(&answer).len() == 1, "{answer}");
    let seen = seen.lock().unwrap();
    assert!(
        seen.iter().all(|request| request.ends_with(" abc")),
        "{seen:#?}"
    );
}

#[tokio::test]
async fn a_request_has_one_host() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    let request = format!(
        "GET /rest/v1/t HTTP/1.1\r\nHost: a\r\nHost: b\r\napikey: {ANON}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(statuses(&raw(gateway.address, request).await), [400]);
    assert!(seen.lock().unwrap().is_empty());
    // The request line wins.
    let request = format!(
        "GET http://line.example/rest/v1/t HTTP/1.1\r\nHost: header.example\r\napikey: {ANON}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(statuses(&raw(gateway.address, request).await), [200]);
    let seen = seen.lock().unwrap();
    assert!(seen[0].starts_with("GET /t "), "{seen:?}");
    assert!(
        seen[0].contains("\"x-forwarded-host\": \"line.example\""),
        "{seen:?}"
    );
}

/// Each path goes to a service of its own here, so that a request that ends at another one is noticed.
#[tokio::test]
async fn no_spelling_of_a_path_reaches_another_service() {
    let mut all = config(&[]);
    let (rest, rest_seen) = noting().await;
    let (meta, meta_seen) = noting().await;
    let (realtime, realtime_seen) = noting().await;
    let (auth, auth_seen) = noting().await;
    for (service, address) in [
        (Service::Rest, rest),
        (Service::Meta, meta),
        (Service::Realtime, realtime),
        (Service::Auth, auth),
    ] {
        all.upstreams.set(service, remote(&[address]));
    }
    let gateway = serve(all).await;
    for path in [
        "/rest/v1/../../pg/query",
        "/rest/v1/%2e%2e/%2e%2e/pg/query",
        "/rest/v1/%2E%2E%2F%2E%2E%2Fpg/query",
        "/rest/v1/..%2f..%2fpg/query",
        "/rest/v1/%252e%252e/%252e%252e/pg/query",
        "/rest/v1/..\\..\\pg\\query",
        "/rest/v1/..;/..;/pg/query",
        "//pg/query",
        "/./pg/query",
        "/%70g/query",
        "/pg",
        "/PG/query",
        "http://x/pg/query",
        "http://x/rest/v1/../../pg/query",
        "/realtime/v1/api/tenants",
        "/realtime/v1/api/tenants/",
        "/realtime/v1/api/tenants/dev/health",
        "/realtime/v1/api//tenants/dev",
        "/realtime/v1/api/%74enants/dev",
        "/realtime/v1/api/%2574enants/dev",
        "/realtime/v1/api/%2ftenants/dev",
        "/realtime/v1/api/x/../tenants/dev",
        "/realtime/v1/api/x/%2e%2e/tenants/dev",
        "/realtime/v1/api\\tenants/dev",
        "/realtime/v1/%61pi/tenants/dev",
        "/realtime/v1/../v1/api/tenants/dev",
        "/realtime/v1//api/tenants/dev",
        "/realtime/v1/api/openapi",
        "/auth/v1/verify/../admin/users",
        "/auth/v1/verify/%2e%2e/admin/users",
        "/auth/v1/verify/..%2fadmin/users",
        "/auth/v1/callback\\..\\admin\\users",
        "/rest/v1//",
        "/rest/v1/%2F",
        "/rest/v1/?apikey=x",
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\nConnection: close\r\n\r\n"
        );
        let answer = raw(gateway.address, request).await;
        let status = statuses(&answer);
        assert!(
            matches!(status[..], [400 | 401 | 403 | 404]),
            "{path}: {answer}"
        );
    }
    for seen in [rest_seen, meta_seen, realtime_seen, auth_seen] {
        assert!(seen.lock().unwrap().is_empty(), "{seen:?}");
    }
}

#[tokio::test]
async fn what_is_odd_but_ours_arrives_byte_for_byte() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    for (path, arrives) in [
        (
            "/storage/v1/object/b/a%2Fb//c%20d",
            "/object/b/a%2Fb//c%20d",
        ),
        ("/storage/v1/object/b/.hidden", "/object/b/.hidden"),
        (
            "/rest/v1/t?a=eq.%2e%2e&b=in.(%22,%22)&c=..",
            "/t?a=eq.%2e%2e&b=in.(%22,%22)&c=..",
        ),
        ("/rest/v1/t?&&x==&", "/t?&&x==&"),
        ("/rest/v1/t?", "/t?"),
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(
            statuses(&raw(gateway.address, request).await),
            [200],
            "{path}"
        );
        let line = seen.lock().unwrap().pop().unwrap();
        assert!(
            line.starts_with(&format!("GET {arrives} ")),
            "{path}: {line}"
        );
    }
}

#[tokio::test]
async fn methods_that_speak_to_proxies_are_refused() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    for request in [
        "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n",
        "TRACE /rest/v1/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ] {
        let answer = raw(gateway.address, request).await;
        assert_eq!(statuses(&answer), [405], "{answer}");
    }
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_only_the_gateway_says_cannot_be_said_by_a_client() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    let lies = "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\nX-Forwarded-Prefix: /evil\r\n\
        X-Forwarded-User: evil\r\nX-Real-IP: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\nsb-api-key: evil\r\nx-api-key: evil\r\n\
        Connection: close, X-Forwarded-For, X-Api-Key, X-Mine\r\nX-Mine: evil\r\nProxy-Authorization: evil\r\nKeep-Alive: evil\r\nUpgrade: h2c\r\nHTTP2-Settings: evil";
    for path in [
        "/rest/v1/t",
        "/functions/v1/f",
        "/realtime/v1/api/broadcast",
        "/storage/v1/object/b/k",
    ] {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: good\r\napikey: {ANON}\r\n{lies}\r\n\r\n");
        assert_eq!(
            statuses(&raw(gateway.address, request).await),
            [200],
            "{path}"
        );
        let line = seen.lock().unwrap().pop().unwrap();
        assert!(
            !line.contains("evil") && !line.contains("6.6.6.6"),
            "{line}"
        );
        assert!(
            line.contains("\"x-forwarded-for\": \"127.0.0.1\""),
            "{line}"
        );
        assert!(line.contains("\"x-forwarded-proto\": \"http\""), "{line}");
    }
}

#[tokio::test]
async fn a_trusted_proxy_is_believed_and_its_chain_goes_on() {
    let (gateway, seen) = in_front_of_notes(&[("GATEWAY_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let request = format!(
        "GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\nX-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: api.example\r\nConnection: close\r\n\r\n"
    );
    raw(gateway.address, request).await;
    let line = seen.lock().unwrap().pop().unwrap();
    for said in [
        "\"x-forwarded-for\": \"203.0.113.7, 127.0.0.1\"",
        "\"x-real-ip\": \"203.0.113.7\"",
        "\"x-forwarded-proto\": \"https\"",
        "\"x-forwarded-host\": \"api.example\"",
    ] {
        assert!(line.contains(said), "{said}: {line}");
    }
}

#[tokio::test]
async fn too_much_is_refused_and_the_refusal_can_be_read() {
    let more = [
        ("GATEWAY_MAX_BODY_SIZE", "1000"),
        ("GATEWAY_MAX_HEADER_SIZE", "16384"),
    ];
    let (gateway, seen) = in_front_of_notes(&more).await;
    let head =
        format!("POST /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\nConnection: close\r\n");
    let large = "x".repeat(2000);
    for (name, request, status) in [
        (
            "one header",
            format!("{head}X-A: {}\r\n\r\n", "a".repeat(20_000)),
            431,
        ),
        (
            "many headers",
            format!("{head}{}\r\n", "X-A: b\r\n".repeat(500)),
            431,
        ),
        (
            "a long path",
            format!(
                "GET /rest/v1/{} HTTP/1.1\r\nHost: x\r\n\r\n",
                "a".repeat(70_000)
            ),
            431,
        ),
        (
            "a body that says so",
            format!("{head}Content-Length: 2000\r\n\r\n{large}"),
            413,
        ),
        (
            "a body in chunks",
            format!("{head}Transfer-Encoding: chunked\r\n\r\n7d0\r\n{large}\r\n0\r\n\r\n"),
            413,
        ),
    ] {
        let answer = raw(gateway.address, request).await;
        assert!(
            statuses(&answer) == [status] || (name == "a long path" && statuses(&answer) == [414]),
            "{name}: {answer}"
        );
    }
    assert!(seen.lock().unwrap().iter().all(|line| line.len() < 3000));
    let fits = raw(
        gateway.address,
        format!("{head}Content-Length: 3\r\n\r\nabc"),
    )
    .await;
    assert_eq!(statuses(&fits), [200]);
}

#[tokio::test]
async fn who_never_finishes_a_request_is_cut_off() {
    let more = [
        ("GATEWAY_HEADER_TIMEOUT", "200ms"),
        ("GATEWAY_IDLE_TIMEOUT", "300ms"),
    ];
    let (gateway, _seen) = in_front_of_notes(&more).await;
    // Silence, half a line, a header at a time, and half a body: `raw` returns when the gateway closes.
    for start in [
        "",
        "GET /rest",
        "GET /rest/v1/t HTTP/1.1\r\nHost: x\r\nX-A: ",
    ] {
        let answer = raw(gateway.address, start).await;
        assert!(
            statuses(&answer).iter().all(|status| *status >= 400),
            "{answer}"
        );
    }
    let half = format!(
        "POST /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\nContent-Length: 10\r\n\r\nabc"
    );
    assert_eq!(statuses(&raw(gateway.address, half).await), [408]);
}

#[tokio::test]
async fn ten_thousand_idle_connections_leave_room_for_a_request() {
    // Each has two ends in this process.
    let files = usize::try_from(gateway::raise_open_files()).unwrap();
    let idle = 10_000.min((files.saturating_sub(500)) / 2);
    let count = (idle + 100).to_string();
    let (gateway, _seen) = in_front_of_notes(&[("GATEWAY_MAX_CONNECTIONS", &count)]).await;
    let mut sockets = Vec::with_capacity(idle);
    for index in 0..idle {
        let mut socket = TcpStream::connect(gateway.address).await.unwrap();
        if index % 2 == 0 {
            socket
                .write_all(b"GET /rest/v1/t HTTP/1.1\r\nX-Slow: ")
                .await
                .unwrap();
        }
        sockets.push(socket);
    }
    let request = format!(
        "GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\nConnection: close\r\n\r\n"
    );
    let answer = tokio::time::timeout(PATIENCE, raw(gateway.address, request))
        .await
        .unwrap();
    assert_eq!(statuses(&answer), [200]);
    drop(sockets);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_told_so_and_room_comes_back() {
    let (gateway, _seen) = in_front_of_notes(&[("GATEWAY_MAX_CONNECTIONS", "20")]).await;
    let request = format!("GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\n\r\n");
    let mut sockets = Vec::new();
    for _ in 0..20 {
        let mut socket = TcpStream::connect(gateway.address).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        assert!(socket.read_u8().await.is_ok());
        sockets.push(socket);
    }
    assert_eq!(statuses(&raw(gateway.address, "").await), [503]);
    drop(sockets);
    let closing = request.replace("Host: x", "Host: x\r\nConnection: close");
    // The gateway notices each end by itself.
    while statuses(&raw(gateway.address, &closing).await) != [200] {}
}

#[tokio::test]
async fn one_address_cannot_take_all_connections() {
    let (gateway, _seen) = in_front_of_notes(&[("GATEWAY_MAX_CONNECTIONS_PER_IP", "3")]).await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = TcpStream::connect(gateway.address).await.unwrap();
        socket
            .write_all(b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        assert!(socket.read_u8().await.is_ok());
        sockets.push(socket);
    }
    assert_eq!(statuses(&raw(gateway.address, "").await), [503]);
}

#[tokio::test]
async fn keys_are_in_no_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("access.log");
    let (gateway, _seen) =
        in_front_of_notes(&[("GATEWAY_ACCESS_LOG", path.to_str().unwrap())]).await;
    let mut requests = 0;
    for key in [ANON, SERVICE, PUBLISHABLE, SECRET, "sb_secret_wrong"] {
        for request in [
            format!(
                "GET /rest/v1/t?apikey={key}&select=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            ),
            format!(
                "GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {key}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
            ),
            format!(
                "GET /auth/v1/verify?token={key} HTTP/1.1\r\nHost: x\r\nCookie: {key}\r\nConnection: close\r\n\r\n"
            ),
        ] {
            assert_eq!(statuses(&raw(gateway.address, request).await).len(), 1);
            requests += 1;
        }
    }
    gateway.stop.cancel();
    gateway.ended.await.unwrap();
    let log = read_lines(&path, requests).await;
    for secret in [ANON, SERVICE, PUBLISHABLE, SECRET, "sb_secret_wrong"] {
        assert!(!log.contains(secret), "{log}");
    }
    assert!(log.contains("\"GET /rest/v1/t HTTP/1.1\" 200"), "{log}");
}

/// The log's own thread writes the last lines.
async fn read_lines(path: &std::path::Path, lines: usize) -> String {
    loop {
        let text = std::fs::read_to_string(path).unwrap();
        if text.lines().count() >= lines {
            return text;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn no_answer_invites_other_pages_to_send_credentials() {
    let (gateway, _seen) = in_front_of_notes(&[]).await;
    let mut requests = String::new();
    for (method, path, more) in [
        ("GET", "/rest/v1/t", ""),
        ("GET", "/pg/query", ""),
        (
            "OPTIONS",
            "/rest/v1/t",
            "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n",
        ),
    ] {
        requests.clear();
        write!(requests, "{method} {path} HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nCookie: a=b\r\n{more}apikey: {ANON}\r\nConnection: close\r\n\r\n").unwrap();
        let answer = raw(gateway.address, &requests).await;
        assert_eq!(
            answer.matches("access-control-allow-origin: *\r\n").count(),
            1,
            "{answer}"
        );
        assert!(!answer.contains("allow-credentials"), "{answer}");
        assert!(!answer.contains("evil.example"), "{answer}");
    }
}
