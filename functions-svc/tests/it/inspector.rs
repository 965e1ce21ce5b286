//! Debuggers of functions.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Service, until};

/// Asks for the list under a name of the machine.
async fn listed(port: u16, host: &str) -> reqwest::Response {
    reqwest::Client::new()
        .get(format!("http://127.0.0.1:{port}/json/list"))
        .header("host", host)
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_function_waits_for_its_debugger() {
    let port = pg_embed::free_port().unwrap();
    let service = Service::start_with(
        &[(
            "seen/index.ts",
            "globalThis.answer = 42; Deno.serve(() => new Response(String(globalThis.answer)))",
        )],
        &[
            ("FUNCTIONS_INSPECT", &format!("127.0.0.1:{port}")),
            ("FUNCTIONS_INSPECT_MODE", "brk"),
        ],
    )
    .await;
    let first = tokio::spawn(service.client.get(service.url("seen")).send());
    until("the process is listed", || async {
        listed(port, "localhost:9229").await.text().await.unwrap() != "[]"
    })
    .await;
    assert_eq!(listed(port, "evil.example").await.status(), 403);
    let list: Value = listed(port, "127.0.0.1").await.json().await.unwrap();
    assert_eq!(list[0]["title"], "seen");
    assert!(list[0]["url"].as_str().unwrap().ends_with("/seen/index.ts"));

    let address = list[0]["webSocketDebuggerUrl"].as_str().unwrap();
    let (mut debugger, _) = tokio_tungstenite::connect_async(address).await.unwrap();
    let mut id = 0;
    let mut order = |method: &str, params: Value| {
        id += 1;
        Message::text(json!({ "id": id, "method": method, "params": params }).to_string())
    };
    for method in [
        "Runtime.enable",
        "Debugger.enable",
        "Runtime.runIfWaitingForDebugger",
    ] {
        debugger.send(order(method, json!({}))).await.unwrap();
    }
    // Once by the wait, or once more before the function is loaded.
    let evaluated = loop {
        let message = debugger.next().await.unwrap().unwrap();
        let Ok(text) = message.to_text() else {
            continue;
        };
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        if message["method"] == "Debugger.paused" {
            assert!(!first.is_finished());
            debugger
                .send(order("Debugger.resume", json!({})))
                .await
                .unwrap();
            break order(
                "Runtime.evaluate",
                json!({ "expression": "globalThis.answer = 43" }),
            );
        }
    };
    let first = first.await.unwrap().unwrap();
    assert_eq!(first.text().await.unwrap(), "42");
    debugger.send(evaluated).await.unwrap();
    until("the function was changed", || async {
        service.text("seen").await == "43"
    })
    .await;
    drop(debugger);
    service.stop().await;
}
