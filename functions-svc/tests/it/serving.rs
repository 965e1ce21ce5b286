//! Requests and answers of functions that do nothing special.

use serde_json::json;

use crate::support::Service;

#[tokio::test]
async fn every_way_to_serve_is_served() {
    let service = Service::start(&[
        (
            "handler/index.ts",
            "Deno.serve((req: Request) => new Response(new URL(req.url).pathname))",
        ),
        (
            "options/index.js",
            "Deno.serve({ port: 1, hostname: '0.0.0.0' }, (req) => new Response(new URL(req.url).pathname))",
        ),
        (
            "object/index.mjs",
            "Deno.serve({ port: 1, handler: (req) => new Response(new URL(req.url).pathname) })",
        ),
        (
            "export/index.tsx",
            "export default { name: '/x', fetch(req: Request) { return new Response(new URL(req.url).pathname) } }",
        ),
        (
            "std/index.jsx",
            "import { serve } from 'https://deno.land/std@0.168.0/http/server.ts'; serve((req) => new Response(new URL(req.url).pathname), { port: 1 })",
        ),
        (
            "node/index.ts",
            "import http from 'node:http'; http.createServer((req, res) => res.end(req.url)).listen(1)",
        ),
        (
            "late/index.ts",
            "setTimeout(() => Deno.serve((req) => new Response(new URL(req.url).pathname)), 50)",
        ),
    ])
    .await;
    for name in [
        "handler", "options", "object", "export", "std", "node", "late",
    ] {
        let path = format!("{name}/and/more");
        assert_eq!(service.text(&path).await, format!("/{path}"));
    }
}

#[tokio::test]
async fn functions_are_one_route_of_the_counted_requests() {
    let service = Service::start(&[(
        "greet/index.ts",
        "Deno.serve((req: Request) => new Response('hi', { status: req.method === 'PUT' ? 299 : 200 }))",
    )])
    .await;
    for path in [
        "greet",
        "greet/more?key=secret",
        "nobody",
        "_internal/health",
    ] {
        service.get(path).await;
    }
    let put = service.client.put(service.url("greet")).send().await;
    assert_eq!(put.unwrap().status(), 299);
    for (method, route, status, count) in [
        ("GET", "/{function}", 200, 2),
        ("GET", "/{function}", 404, 1),
        ("GET", "/_internal/health", 200, 1),
        ("PUT", "/{function}", 299, 1),
    ] {
        let name = format!(
            "http_server_request_duration_seconds_count{{http_request_method=\"{method}\",\
             http_route=\"{route}\",http_response_status_code=\"{status}\"}}"
        );
        assert_eq!(service.metric(&name).await, count, "{name}");
    }
    let active = "http_server_active_requests{http_request_method=\"GET\"}";
    // The one that asks.
    assert_eq!(service.metric(active).await, 1);
    let text = service.text("_internal/metrics").await;
    assert!(
        !text.contains("nobody") && !text.contains("secret"),
        "{text}"
    );
}

#[tokio::test]
async fn a_request_arrives_and_an_answer_returns_as_they_are() {
    let service = Service::start(&[(
        "mirror/index.ts",
        r"Deno.serve(async (req, info) => {
            const headers = new Headers({ 'x-own': 'yes', 'content-type': 'application/json' });
            headers.append('set-cookie', 'a=1');
            headers.append('set-cookie', 'b=2');
            const seen = {
              url: req.url, copy: req.clone().url, method: req.method, header: req.headers.get('x-given'),
              body: await req.text(), from: info.remoteAddr,
            };
            return new Response(JSON.stringify(seen), { status: 418, headers });
        })",
    )])
    .await;
    let response = service
        .client
        .put(service.url("mirror/a%2Fb//c?x=1&y=%20"))
        .header("x-given", "a, b")
        .header("x-forwarded-for", "203.0.113.7, 10.0.0.1")
        .header("host", "project.example:8000")
        .body("text")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 418);
    assert_eq!(response.headers()["x-own"], "yes");
    assert_eq!(response.headers()["x-served-by"], "supabase-edge-runtime");
    let cookies: Vec<_> = response.headers().get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    let url = "http://project.example:8000/mirror/a%2Fb//c?x=1&y=%20";
    let seen: serde_json::Value = response.json().await.unwrap();
    assert_eq!(
        seen,
        json!({
            "url": url, "copy": url, "method": "PUT", "header": "a, b", "body": "text",
            "from": { "transport": "tcp", "hostname": "203.0.113.7", "port": 0 },
        })
    );
}

#[tokio::test]
async fn a_function_finds_its_environment_and_nothing_else() {
    let service = Service::start_with(
        &[
            (
                "env/index.ts",
                "Deno.serve(() => Response.json(Deno.env.toObject()))",
            ),
            (".env", "STRIPE=sk_1\nSUPABASE_URL=http://evil\n"),
        ],
        &[
            (
                "FUNCTIONS_SETTINGS",
                r#"{"env": {"env": {"OWN": "1"}}, "other": {"env": {"NOT": "mine"}}}"#,
            ),
            ("SUPABASE_PUBLISHABLE_KEY", "sb_publishable_x"),
            ("SB_REGION", "in-south"),
            ("HOME", "/root"),
            // They would be there where the machine sets them.
            ("SSL_CERT_FILE", ""),
            ("NODE_EXTRA_CA_CERTS", ""),
        ],
    )
    .await;
    let mut env = service.get("env").await.json();
    // These are different in each process.
    for name in ["SB_EXECUTION_ID", "DENO_SERVE_ADDRESS", "TMPDIR"] {
        let value = env.as_object_mut().unwrap().remove(name);
        assert!(value.is_some(), "{name}");
    }
    assert_eq!(
        env,
        json!({
            "OWN": "1",
            "STRIPE": "sk_1",
            "SB_REGION": "in-south",
            "SUPABASE_FUNCTION_SLUG": "env",
            "SUPABASE_URL": "http://platform.example",
            "SUPABASE_PUBLISHABLE_KEYS": r#"{"default":"sb_publishable_x"}"#,
        })
    );
}

#[tokio::test]
async fn without_deno_the_answer_says_what_to_install() {
    let service = Service::start_with(
        &[("hello/index.ts", "Deno.serve(() => new Response('hello'))")],
        &[("DENO_BIN", "/nowhere/deno")],
    )
    .await;
    let answer = service.get("hello").await;
    assert_eq!(answer.status, 503);
    assert!(answer.text.contains("npm install deno"), "{answer:?}");
    assert_eq!(service.get("_internal/health").await.status, 200);
}
