use axum::{Router, body::Body, extract::Request};
use gateway::{App, Config, Service, Upstream};
use http::StatusCode;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{ANON, echo, json_of, mounted, send, vars};

/// A gateway whose rest service is a process of its own, as far as the gateway can tell.
async fn remote(service: Service, router: Router) -> Router {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(svc_kit::http::serve(
        listener,
        router,
        CancellationToken::new(),
    ));
    let mut config = Config::from_vars(&vars(&[])).unwrap();
    config
        .upstreams
        .set(service, Upstream::Remote(vec![url.parse().unwrap()]));
    App::new(config).router()
}

#[tokio::test]
async fn a_mounted_and_a_remote_service_see_the_same_request() {
    let gateways = [mounted(&[]), remote(Service::Rest, echo()).await];
    for gateway in gateways {
        let request = Request::builder()
            .method("POST")
            .uri("/rest/v1/t%2Fx?select=a,b&or=(a.eq.%22x%22)")
            .header("host", "api.example:8443")
            .header("apikey", ANON)
            .header("traceparent", "00-1-2-01")
            .body(Body::from("body"))
            .unwrap();
        let response = gateway.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.headers().contains_key("sb-request-id"));
        let exposed = response.headers()["access-control-expose-headers"]
            .to_str()
            .unwrap();
        assert!(exposed.contains("Content-Range"), "{exposed}");
        let seen = json_of(response).await;
        assert_eq!(seen["method"], "POST");
        assert_eq!(seen["uri"], "/t%2Fx?select=a,b&or=(a.eq.%22x%22)");
        assert_eq!(seen["body"], "body");
        for (name, value) in [
            ("traceparent", "00-1-2-01"),
            ("x-forwarded-prefix", "/rest/v1"),
            ("x-forwarded-host", "api.example:8443"),
            ("x-forwarded-port", "8443"),
        ] {
            assert_eq!(seen["headers"][name], value, "{name}");
        }
    }
}

#[tokio::test]
async fn a_service_that_is_down_is_a_502_in_json() {
    let mut config = Config::from_vars(&vars(&[])).unwrap();
    config.upstreams.set(
        Service::Rest,
        Upstream::Remote(vec!["http://127.0.0.1:1".parse().unwrap()]),
    );
    let response = send(
        &App::new(config).router(),
        "GET",
        "/rest/v1/t",
        &[("apikey", ANON)],
    )
    .await;
    assert_eq!(response.status(), StatusCode::BAD_GATEWAY);
    assert!(json_of(response).await["message"].is_string());
}

#[tokio::test]
async fn a_slow_service_is_a_504() {
    let never = Router::new().fallback(|| async {
        std::future::pending::<()>().await;
    });
    let mut config = Config::from_vars(&vars(&[("GATEWAY_TIMEOUT", "20ms")])).unwrap();
    config
        .upstreams
        .set(Service::Rest, Upstream::Mounted(never));
    let response = send(
        &App::new(config).router(),
        "GET",
        "/rest/v1/t",
        &[("apikey", ANON)],
    )
    .await;
    assert_eq!(response.status(), StatusCode::GATEWAY_TIMEOUT);
}

#[tokio::test]
async fn a_preflight_is_answered_here_and_allows_what_is_asked() {
    let headers = [
        ("origin", "http://localhost:5173"),
        ("access-control-request-method", "POST"),
        (
            "access-control-request-headers",
            "apikey,x-supabase-new-feature",
        ),
    ];
    let response = send(&mounted(&[]), "OPTIONS", "/rest/v1/t", &headers).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert_eq!(
        response.headers()["access-control-allow-headers"],
        "apikey,x-supabase-new-feature"
    );
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
}

#[tokio::test]
async fn an_upgraded_connection_carries_bytes_both_ways() {
    let service = Router::new().fallback(|mut request: Request| async move {
        let upgrade = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let mut io = hyper_util::rt::TokioIo::new(upgrade.await.unwrap());
            let mut word = [0; 4];
            io.read_exact(&mut word).await.unwrap();
            word.reverse();
            io.write_all(&word).await.unwrap();
        });
        (
            StatusCode::SWITCHING_PROTOCOLS,
            [("connection", "upgrade"), ("upgrade", "websocket")],
        )
    });
    let gateway = remote(Service::Realtime, service).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(svc_kit::http::serve(
        listener,
        gateway,
        CancellationToken::new(),
    ));
    let mut socket = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "GET /realtime/v1/websocket?apikey={ANON} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(socket.read_u8().await.unwrap());
    }
    assert!(
        answer.starts_with(b"HTTP/1.1 101"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    socket.write_all(b"ping").await.unwrap();
    let mut word = [0; 4];
    socket.read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"gnip");
}
