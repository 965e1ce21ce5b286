//! What imports mean.

use crate::support::Service;

#[tokio::test]
async fn each_kind_of_configuration_is_used() {
    let service = Service::start(&[
        ("deno/index.ts", "import { x } from 'lib'; import { y } from 'own/y.ts'; Deno.serve(() => new Response(x + y))"),
        ("deno/deno.jsonc", "{ /* ours */ \"imports\": { \"lib\": \"./lib.ts\", \"own/\": \"./sub/\" }, }"),
        ("deno/lib.ts", "export const x = 'x'"),
        ("deno/sub/y.ts", "export const y = 'y'"),
        ("map/index.ts", "import { x } from 'lib'; Deno.serve(() => new Response(x))"),
        ("map/import_map.json", r#"{ "imports": { "lib": "../_shared/lib.ts" } }"#),
        ("_shared/lib.ts", "export const x = 'shared'"),
        ("named/index.ts", "import { x } from 'lib'; Deno.serve(() => new Response(x))"),
        ("named/deno.json", r#"{ "importMap": "./maps/one.json" }"#),
        ("named/maps/one.json", r#"{ "imports": { "lib": "../lib.ts" } }"#),
        ("named/lib.ts", "export const x = 'by name'"),
        ("entry/src/main.ts", "import { x } from '../lib.ts'; Deno.serve(() => new Response(x))"),
        ("entry/lib.ts", "export const x = 'entry'"),
        ("types/index.ts", "import 'jsr:@supabase/functions-js@2/edge-runtime.d.ts'; Deno.serve(() => new Response('types'))"),
        ("../config.toml", "[functions.entry]\nentrypoint = './functions/entry/src/main.ts'\n"),
    ])
    .await;
    for (name, expected) in [
        ("deno", "xy"),
        ("map", "shared"),
        ("named", "by name"),
        ("entry", "entry"),
        ("types", "types"),
    ] {
        assert_eq!(service.text(name).await, expected, "{name}");
    }
}

#[tokio::test]
async fn packages_of_npm_can_be_imported() {
    let service = Service::start(&[
        ("direct/index.ts", "import ms from 'npm:ms@2.1.3'; Deno.serve(() => new Response(String(ms('1m'))))"),
        ("named/index.ts", "import ms from 'ms'; Deno.serve(() => new Response(String(ms('2m'))))"),
        ("named/deno.json", r#"{ "imports": { "ms": "npm:ms@2.1.3" } }"#),
        ("package/index.ts", "import ms from 'ms'; Deno.serve(() => new Response(String(ms('3m'))))"),
        ("package/package.json", r#"{ "dependencies": { "ms": "2.1.3" } }"#),
        ("jsx/index.tsx", "import { render } from 'preact-render-to-string'; Deno.serve(() => new Response(render(<b>4</b>)))"),
        ("jsx/deno.json", r#"{
            "imports": { "preact": "npm:preact@10.27.2", "preact-render-to-string": "npm:preact-render-to-string@6.6.1" },
            "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "preact" }
        }"#),
        ("missing/index.ts", "import x from 'npm:ms@99.99.99'; Deno.serve(() => new Response(x))"),
    ])
    .await;
    assert_eq!(service.text("direct").await, "60000");
    assert_eq!(service.text("named").await, "120000");
    assert_eq!(service.text("package").await, "180000");
    assert_eq!(service.text("jsx").await, "<b>4</b>");
    assert_eq!(service.get("missing").await.json()["code"], "BOOT_ERROR");
}
