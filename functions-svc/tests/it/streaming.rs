//! Bodies that are not known when they begin.

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Service, until};

#[tokio::test]
async fn events_arrive_while_the_answer_goes_on() {
    // The second event comes only after somebody has seen the first.
    let service = Service::start(&[(
        "events/index.ts",
        r"const seen = Promise.withResolvers<void>();
        Deno.serve((req) => {
            if (new URL(req.url).searchParams.has('seen')) { seen.resolve(); return new Response('ok'); }
            const text = new TextEncoder();
            const body = new ReadableStream({ async start(out) {
                out.enqueue(text.encode('data: 1\n\n'));
                await seen.promise;
                out.enqueue(text.encode('data: 2\n\n'));
                out.close();
            } });
            return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
        })",
    )])
    .await;
    let mut response = service
        .client
        .get(service.url("events"))
        .send()
        .await
        .unwrap();
    assert_eq!(response.chunk().await.unwrap().unwrap(), "data: 1\n\n");
    service.text("events?seen").await;
    assert_eq!(response.chunk().await.unwrap().unwrap(), "data: 2\n\n");
    assert_eq!(response.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn a_body_is_answered_while_it_is_sent() {
    let service = Service::start(&[(
        "echo/index.ts",
        "Deno.serve((req) => new Response(req.body))",
    )])
    .await;
    let (send, mut pieces) = mpsc::channel::<Result<Bytes, std::io::Error>>(1);
    send.send(Ok(Bytes::from_static(b"one"))).await.unwrap();
    let mut response = service
        .client
        .post(service.url("echo"))
        .body(reqwest::Body::wrap_stream(stream::poll_fn(
            move |context| pieces.poll_recv(context),
        )))
        .send()
        .await
        .unwrap();
    assert_eq!(response.chunk().await.unwrap().unwrap(), "one");
    send.send(Ok(Bytes::from_static(b"two"))).await.unwrap();
    assert_eq!(response.chunk().await.unwrap().unwrap(), "two");
    drop(send);
    assert_eq!(response.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn a_large_body_comes_back_whole() {
    let service = Service::start(&[(
        "echo/index.ts",
        "Deno.serve((req) => new Response(req.body))",
    )])
    .await;
    let body: Vec<u8> = (0..8_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let response = service
        .client
        .post(service.url("echo"))
        .body(body.clone())
        .send()
        .await
        .unwrap();
    assert!(response.bytes().await.unwrap() == body);
}

#[tokio::test]
async fn web_sockets_are_passed_on() {
    let service = Service::start_with(
        &[
            (
                "socket/index.ts",
                r"Deno.serve((req) => {
                    const { socket, response } = Deno.upgradeWebSocket(req);
                    socket.onmessage = (event) => socket.send('echo ' + event.data);
                    return response;
                })",
            ),
            ("other/index.ts", "Deno.serve(() => new Response('other'))"),
        ],
        &[("FUNCTIONS_IDLE_TIMEOUT", "100ms")],
    )
    .await;
    let url = format!("ws://{}/socket", service.address);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    for text in ["one", "two"] {
        socket.send(Message::text(text)).await.unwrap();
        let answer = socket.next().await.unwrap().unwrap();
        assert_eq!(answer, Message::text(format!("echo {text}")));
        // A process without requests is stopped meanwhile, that of the socket is not.
        let ends = "functions_worker_ends_total{cause=\"stopped\"}";
        let before = service.metric(ends).await;
        service.text("other").await;
        until("the other process is stopped", || async {
            service.metric(ends).await > before
        })
        .await;
    }
    socket.close(None).await.unwrap();
}

#[tokio::test]
async fn a_caller_who_leaves_is_noticed() {
    let service = Service::start(&[(
        "slow/index.ts",
        r"let begun = 0, aborted = 0, cancelled = 0;
        Deno.serve((req) => {
            const what = new URL(req.url).searchParams.get('what');
            if (what === 'state') return Response.json({ begun, aborted, cancelled });
            begun++;
            if (what === 'stream') return new Response(new ReadableStream({
                start(out) { out.enqueue(new Uint8Array(1)); }, cancel() { cancelled++; },
            }));
            req.signal.addEventListener('abort', () => aborted++);
            return new Promise(() => {});
        })",
    )])
    .await;
    let state = || async { service.get("slow?what=state").await.json() };
    let waiting = tokio::spawn(service.client.get(service.url("slow?what=wait")).send());
    until("the request is there", || async {
        state().await["begun"] == 1
    })
    .await;
    waiting.abort();
    until("the abort is there", || async {
        state().await["aborted"] == 1
    })
    .await;
    let mut stream = service
        .client
        .get(service.url("slow?what=stream"))
        .send()
        .await
        .unwrap();
    stream.chunk().await.unwrap().unwrap();
    drop(stream);
    until("the cancel is there", || async {
        state().await["cancelled"] == 1
    })
    .await;
}
