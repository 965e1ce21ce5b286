//! Connections: web sockets, streams, HTTP/2, TLS, reloads and the end.

use std::{fs, net::SocketAddr, path::Path, sync::Arc};

use axum::{Router, body::Body, extract::Request, response::Response};
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _, stream};
use gateway::Service;
use http::StatusCode;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Notify, mpsc},
};
use tokio_rustls::{TlsConnector, rustls};
use tokio_tungstenite::tungstenite::{Message, protocol::frame::coding::CloseCode};

use super::{
    ANON, PUBLISHABLE,
    served::{Served, config, in_front_of_notes, listening, noting, raw, remote, serve, statuses},
};

/// A service whose web sockets say everything back, and greet with the path of the handshake.
async fn echoing() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else {
                    return;
                };
                while let Some(Ok(message)) = socket.next().await {
                    if socket.send(message).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

async fn in_front_of(service: Service, address: SocketAddr, more: &[(&str, &str)]) -> Served {
    let mut config = config(more);
    config.upstreams.set(service, remote(&[address]));
    serve(config).await
}

fn socket_url(gateway: &Served) -> String {
    format!(
        "ws://{}/realtime/v1/websocket?apikey={PUBLISHABLE}&vsn=1.0.0",
        gateway.address
    )
}

#[tokio::test]
async fn a_web_socket_carries_messages_and_is_told_of_the_end() {
    let gateway = in_front_of(Service::Realtime, echoing().await, &[]).await;
    let (mut socket, _) = tokio_tungstenite::connect_async(socket_url(&gateway))
        .await
        .unwrap();
    for size in [0, 1, 126, 70_000] {
        let message = Message::text("x".repeat(size));
        socket.send(message.clone()).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), message);
    }
    gateway.stop.cancel();
    let Some(Ok(Message::Close(Some(frame)))) = socket.next().await else {
        panic!("no reason given");
    };
    assert_eq!(frame.code, CloseCode::Restart);
    gateway.ended.await.unwrap();
}

#[tokio::test]
async fn a_silent_web_socket_ends_and_a_talking_one_does_not() {
    let more = [
        ("GATEWAY_IDLE_TIMEOUT", "300ms"),
        ("GATEWAY_HEADER_TIMEOUT", "100ms"),
    ];
    let gateway = in_front_of(Service::Realtime, echoing().await, &more).await;
    let (mut socket, _) = tokio_tungstenite::connect_async(socket_url(&gateway))
        .await
        .unwrap();
    let began = std::time::Instant::now();
    // Far longer than any timeout, with something to say all the time.
    while began.elapsed().as_millis() < 700 {
        socket.send(Message::text("beat")).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("beat"));
    }
    assert!(
        !matches!(socket.next().await, Some(Ok(Message::Text(_)))),
        "it ends"
    );
}

#[tokio::test]
async fn web_sockets_need_a_key_and_count_as_connections() {
    let more = [("GATEWAY_MAX_CONNECTIONS", "10")];
    let gateway = in_front_of(Service::Realtime, echoing().await, &more).await;
    let url = format!(
        "ws://{}/realtime/v1/websocket?apikey=wrong",
        gateway.address
    );
    assert!(tokio_tungstenite::connect_async(url).await.is_err());
    let (mut sockets, mut refused) = (Vec::new(), 0);
    for _ in 0..50 {
        match tokio_tungstenite::connect_async(socket_url(&gateway)).await {
            Ok((socket, _)) => sockets.push(socket),
            Err(_) => refused += 1,
        }
    }
    assert!(
        sockets.len() <= 10 && refused >= 40,
        "{} {refused}",
        sockets.len()
    );
    let mut last = sockets.pop().unwrap();
    last.send(Message::text("still here")).await.unwrap();
    assert_eq!(
        last.next().await.unwrap().unwrap(),
        Message::text("still here")
    );
}

/// The first piece of the answer is here before the second piece of the request is sent.
#[tokio::test]
async fn bodies_are_streamed_both_ways() {
    let back = Router::new().fallback(|request: Request| async move {
        Response::new(Body::from_stream(request.into_body().into_data_stream()))
    });
    for service in ["rest", "storage"] {
        let which = if service == "rest" {
            Service::Rest
        } else {
            Service::Storage
        };
        let gateway = in_front_of(which, listening(back.clone()).await, &[]).await;
        let (sender, pieces) = mpsc::channel::<Bytes>(1);
        let pieces = stream::unfold(pieces, |mut pieces| async {
            Some((Ok::<_, std::io::Error>(pieces.recv().await?), pieces))
        });
        let url = format!("http://{}/{service}/v1/t", gateway.address);
        let request = reqwest::Client::new().post(url).header("apikey", ANON);
        let answer = tokio::spawn(request.body(reqwest::Body::wrap_stream(pieces)).send());
        sender.send(Bytes::from_static(b"one")).await.unwrap();
        let mut answer = answer.await.unwrap().unwrap();
        assert_eq!(answer.chunk().await.unwrap().unwrap(), "one");
        sender.send(Bytes::from_static(b"two")).await.unwrap();
        assert_eq!(answer.chunk().await.unwrap().unwrap(), "two");
        drop(sender);
        assert_eq!(answer.chunk().await.unwrap(), None);
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_not_taken_for_a_whole_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
                .await;
        }
    });
    let gateway = in_front_of(Service::Rest, address, &[]).await;
    let url = format!("http://{}/rest/v1/t", gateway.address);
    let answer = reqwest::Client::new()
        .get(url)
        .header("apikey", ANON)
        .send()
        .await;
    let whole = match answer {
        Ok(answer) => answer.bytes().await,
        Err(error) => Err(error),
    };
    assert!(whole.is_err(), "{whole:?}");
}

#[tokio::test]
async fn large_bodies_arrive_as_they_are() {
    let back = Router::new().fallback(|request: Request| async move {
        Response::new(Body::from_stream(request.into_body().into_data_stream()))
    });
    let gateway = in_front_of(Service::Storage, listening(back).await, &[]).await;
    let url = format!("http://{}/storage/v1/object/b/k", gateway.address);
    let body: Vec<u8> = (0..60_000_000_u32).map(|byte| (byte % 251) as u8).collect();
    let answer = reqwest::Client::new()
        .post(url)
        .body(body.clone())
        .send()
        .await
        .unwrap();
    assert!(answer.bytes().await.unwrap() == body);
}

#[tokio::test]
async fn ids_and_trace_context_reach_the_service_and_come_back() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    let trace = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ntracestate: a=b\r\nbaggage: c=d";
    let request = format!(
        "GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {ANON}\r\n{trace}\r\nConnection: close\r\n\r\n"
    );
    let answer = raw(gateway.address, request).await;
    let line = seen.lock().unwrap().pop().unwrap();
    for said in [
        "b7ad6b7169203331",
        "\"tracestate\": \"a=b\"",
        "\"baggage\": \"c=d\"",
    ] {
        assert!(line.contains(said), "{line}");
    }
    let id = answer.split("sb-request-id: ").nth(1).unwrap();
    let id = id.split('\r').next().unwrap();
    assert_eq!(id.len(), 36);
    assert!(line.contains(id), "{line}");
}

#[tokio::test]
async fn http2_is_spoken_without_asking() {
    let (gateway, seen) = in_front_of_notes(&[]).await;
    let stream = TcpStream::connect(gateway.address).await.unwrap();
    assert_eq!(
        over_http2(TokioIo::new(stream), "http").await,
        StatusCode::OK
    );
    let line = seen.lock().unwrap().pop().unwrap();
    assert!(line.contains("\"cookie\": \"a=1; b=2\""), "{line}");
    assert!(
        line.contains("\"x-forwarded-host\": \"api.example\""),
        "{line}"
    );
}

/// One request, with a cookie in two headers as HTTP/2 allows.
async fn over_http2<S>(stream: TokioIo<S>, scheme: &str) -> StatusCode
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream);
    let (mut sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    let request = http::Request::builder()
        .uri(format!("{scheme}://api.example/rest/v1/t"))
        .header("apikey", ANON)
        .header("cookie", "a=1")
        .header("cookie", "b=2")
        .body(Empty::<Bytes>::new())
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let status = answer.status();
    answer.into_body().collect().await.unwrap();
    status
}

/// A certificate for this name in the two files.
fn certificate(folder: &Path, name: &str) -> rustls::pki_types::CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    made.cert.der().clone()
}

async fn over_tls(
    address: SocketAddr,
    root: &rustls::pki_types::CertificateDer<'static>,
    protocols: &[&[u8]],
) -> std::io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(root.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(address).await.unwrap();
    let name = "api.example".try_into().unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

#[tokio::test]
async fn tls_speaks_both_protocols_and_takes_new_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let first = certificate(folder.path(), "api.example");
    let settings = [
        ("GATEWAY_TLS_CERT", path("cert.pem")),
        ("GATEWAY_TLS_KEY", path("key.pem")),
        ("GATEWAY_HTTPS_PORT", "0".to_owned()),
    ];
    let settings: Vec<_> = settings
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let (gateway, seen) = in_front_of_notes(&settings).await;
    let https = gateway.https.unwrap();

    let stream = over_tls(https, &first, &[b"h2", b"http/1.1"])
        .await
        .unwrap();
    assert_eq!(
        over_http2(TokioIo::new(stream), "https").await,
        StatusCode::OK
    );
    let line = seen.lock().unwrap().pop().unwrap();
    assert!(line.contains("\"x-forwarded-proto\": \"https\""), "{line}");
    assert!(line.contains("\"x-forwarded-port\": \"443\""), "{line}");

    let mut kept = over_tls(https, &first, &[b"http/1.1"]).await.unwrap();
    let second = certificate(folder.path(), "api.example");
    let again = || config(&settings);
    // Who waits for a reload starts to wait some time after the gateway is there.
    while over_tls(https, &second, &[]).await.is_err() {
        gateway.app.reload(again());
        tokio::task::yield_now().await;
    }
    assert!(over_tls(https, &first, &[]).await.is_err());
    // The connection from before goes on.
    let request = "GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    kept.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = kept.read_to_string(&mut answer).await;
    assert_eq!(statuses(&answer), [404]);
}

#[tokio::test]
async fn a_certificate_that_is_none_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path(), "api.example");
    let path = folder.path().join("cert.pem").display().to_string();
    let settings = [
        ("GATEWAY_TLS_CERT", path.as_str()),
        ("GATEWAY_TLS_KEY", path.as_str()),
        ("GATEWAY_HTTPS_PORT", "0"),
    ];
    let app = gateway::App::new(config(&settings));
    let error = gateway::Server::bind(&app).await.unwrap_err().to_string();
    assert!(error.contains("GATEWAY_TLS_KEY"), "{error}");
}

/// Keys and services change under a connection that stays.
#[tokio::test]
async fn a_reload_changes_keys_and_services_and_drops_no_connection() {
    let (first, first_seen) = noting().await;
    let (second, second_seen) = noting().await;
    let settings = |keys, address| {
        let mut config = config(&[("ANON_KEY", keys)]);
        config.upstreams.set(Service::Rest, remote(&[address]));
        config
    };
    let gateway = serve(settings("old", first)).await;
    let mut socket = TcpStream::connect(gateway.address).await.unwrap();
    let mut ask = async |key: &str| {
        let request = format!("GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {key}\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = vec![0; 12];
        socket.read_exact(&mut answer).await.unwrap();
        let status: u16 = String::from_utf8_lossy(&answer)[9..].parse().unwrap();
        // The rest of the answer, whose end its body is.
        let mut rest = String::new();
        while !(rest.ends_with('0') || rest.ends_with('}')) || !rest.contains("\r\n\r\n") {
            rest.push(socket.read_u8().await.unwrap().into());
        }
        status
    };
    assert_eq!((ask("old").await, ask("new").await), (200, 401));
    gateway.app.reload(settings("new,old", first));
    assert_eq!((ask("old").await, ask("new").await), (200, 200));
    gateway.app.reload(settings("new", second));
    assert_eq!((ask("old").await, ask("new").await), (401, 200));
    assert_eq!(first_seen.lock().unwrap().len(), 3);
    assert_eq!(second_seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn requests_under_way_end_before_the_gateway_does() {
    let (arrived, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = Router::new().fallback({
        let (arrived, go) = (Arc::clone(&arrived), Arc::clone(&go));
        move || {
            let (arrived, go) = (Arc::clone(&arrived), Arc::clone(&go));
            async move {
                arrived.notify_one();
                go.notified().await;
                "done"
            }
        }
    });
    let gateway = in_front_of(Service::Rest, listening(slow).await, &[]).await;
    let url = format!("http://{}/rest/v1/t", gateway.address);
    let request = tokio::spawn(
        reqwest::Client::new()
            .get(url)
            .header("apikey", ANON)
            .send(),
    );
    arrived.notified().await;
    gateway.stop.cancel();
    // The port closes at once.
    while TcpStream::connect(gateway.address).await.is_ok() {}
    assert!(!gateway.ended.is_finished());
    go.notify_one();
    let answer = request.await.unwrap().unwrap();
    assert_eq!(answer.text().await.unwrap(), "done");
    gateway.ended.await.unwrap();
}

#[tokio::test]
async fn the_admin_port_counts_what_happened() {
    let (gateway, _seen) = in_front_of_notes(&[("GATEWAY_ADMIN_PORT", "0")]).await;
    let closing = "Connection: close\r\n\r\n";
    for key in [ANON, "wrong"] {
        raw(
            gateway.address,
            format!("GET /rest/v1/t HTTP/1.1\r\nHost: x\r\napikey: {key}\r\n{closing}"),
        )
        .await;
    }
    let admin = gateway.admin.unwrap();
    let ask = |path: &str| {
        raw(
            admin,
            format!("GET {path} HTTP/1.1\r\nHost: x\r\n{closing}"),
        )
    };
    let metrics = ask("/metrics").await;
    for line in [
        "gateway_requests_total{service=\"rest\",status=\"2xx\"} 1",
        "gateway_requests_total{service=\"gateway\",status=\"4xx\"} 1",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    assert_eq!(statuses(&ask("/live").await), [200]);
    assert_eq!(statuses(&ask("/ready").await), [200]);
    // Clients do not reach it.
    let outside = raw(
        gateway.address,
        format!("GET /metrics HTTP/1.1\r\nHost: x\r\n{closing}"),
    )
    .await;
    assert_eq!(statuses(&outside), [404]);
}

#[tokio::test]
async fn realtime_gets_the_name_of_its_tenant() {
    let (gateway, seen) = in_front_of_notes(&[("GATEWAY_REALTIME_HOST", "acme.realtime")]).await;
    for (path, host) in [
        ("/realtime/v1/api/broadcast", "acme.realtime"),
        ("/rest/v1/t", "127.0.0.1:"),
    ] {
        raw(gateway.address, format!("GET {path} HTTP/1.1\r\nHost: api.example\r\napikey: {ANON}\r\nConnection: close\r\n\r\n")).await;
        let line = seen.lock().unwrap().pop().unwrap();
        assert!(line.contains(&format!("\"host\": \"{host}")), "{line}");
    }
}
