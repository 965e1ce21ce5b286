//! What imports mean.

use crate::support::{Service, until};

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

#[tokio::test]
async fn the_platforms_packages_need_no_map() {
    let service = Service::start(&[
        ("none/index.ts", "import { corsHeaders } from '@supabase/supabase-js/cors'; Deno.serve(() => Response.json(corsHeaders))"),
        ("said/index.ts", "import { x } from '@supabase/supabase-js'; Deno.serve(() => new Response(x))"),
        ("said/deno.json", r#"{ "imports": { "@supabase/supabase-js": "./mine.ts" } }"#),
        ("said/mine.ts", "export const x = 'mine'"),
        ("all/index.ts", "import { x } from '@supabase/any/x.ts'; Deno.serve(() => new Response(x))"),
        ("all/deno.json", r#"{ "imports": { "@supabase/": "./of/" } }"#),
        ("all/of/any/x.ts", "export const x = 'any'"),
        ("others/index.ts", "import ms from 'ms'; Deno.serve(() => new Response(ms('1s')))"),
    ])
    .await;
    assert_eq!(
        service.get("none").await.json()["Access-Control-Allow-Origin"],
        "*"
    );
    assert_eq!(service.text("said").await, "mine");
    assert_eq!(service.text("all").await, "any");
    assert_eq!(service.get("others").await.json()["code"], "BOOT_ERROR");
}

#[tokio::test]
async fn a_bundle_takes_the_modules_place_unless_it_would_notice() {
    let source = |more: &str| {
        format!(
            r"import ms from 'npm:ms@2.1.3';
            const place = new Error('x').stack!.split('\n')[1];
            {more}
            Deno.serve(() => Response.json([ms('1s'), place]));"
        )
    };
    let service = Service::start_with(
        &[
            ("plain/index.ts", &source("")),
            ("placed/index.ts", &source("const here = import.meta.url;")),
        ],
        &[("FUNCTIONS_POLICY", "oneshot")],
    )
    .await;
    let is_bundled = |name: &'static str| {
        let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/functions-cache/functions");
        let newest = std::fs::read_dir(cache)
            .unwrap()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(name))
            .max_by_key(|entry| entry.metadata().unwrap().modified().unwrap())
            .map(|entry| entry.path());
        newest.map(|folder| {
            (
                folder.join("bundle/index.js").is_file(),
                folder.join("unbundled").is_file(),
            )
        })
    };
    until("both were looked at", || async {
        is_bundled("plain-") == Some((true, false)) && is_bundled("placed-") == Some((false, true))
    })
    .await;
    for name in ["plain", "placed"] {
        let answer = service.get(name).await.json();
        assert_eq!(answer[0], 1000);
        // Errors name the lines that somebody wrote.
        let place = answer[1].as_str().unwrap();
        assert!(place.contains(&format!("{name}/index.ts:2:")), "{place}");
    }
}
