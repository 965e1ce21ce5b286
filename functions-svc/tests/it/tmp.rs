//! The folder `/tmp` of a function.

use crate::support::{Service, until};

#[tokio::test]
async fn each_process_has_its_own() {
    let source = r"
        import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
        import fs from 'node:fs';
        import { readFile, rm } from 'node:fs/promises';
        import os from 'node:os';
        Deno.serve(async (req) => {
            const own = await Deno.readTextFile(new URL('./own.txt', import.meta.url));
            if (new URL(req.url).search) return Response.json([existsSync('/tmp/deep/a.txt'), Deno.env.get('TMPDIR')]);
            await Deno.mkdir('/tmp/deep');
            await Deno.writeTextFile('/tmp/deep/a.txt', own);
            appendFileSync('/tmp/deep/a.txt', '+');
            fs.writeFileSync(os.tmpdir() + '/b.txt', await readFile('/tmp/deep/a.txt', 'utf8'));
            await fs.promises.rename('/tmp/b.txt', '/tmp/deep/b.txt');
            const made = await Deno.makeTempFile({ dir: '/tmp/deep', prefix: 'c' });
            Deno.removeSync(made);
            mkdirSync('/tmp/x/y', { recursive: true });
            await rm('/tmp/x', { recursive: true });
            const there = [...Deno.readDirSync('/tmp')].map((entry) => entry.name);
            return Response.json([there, readdirSync('/tmp/deep').sort(), Deno.readTextFileSync('/tmp/deep/b.txt')]);
        });";
    let service = Service::start(&[
        ("one/index.ts", source),
        ("one/own.txt", "one"),
        ("two/index.ts", source),
        ("two/own.txt", "two"),
    ])
    .await;
    assert_eq!(
        service.text("one").await,
        r#"[["deep"],["a.txt","b.txt"],"one+"]"#
    );
    let one = service.get("one?look").await.json();
    let one = one[1].as_str().unwrap().to_owned();
    let two = service.get("two?look").await.json();
    assert_eq!(two[0], false);
    assert_ne!(two[1], one.as_str());
    assert!(std::path::Path::new(&one).join("deep/a.txt").is_file());
    // It goes with the process.
    service.write("one/index.ts", "Deno.serve(() => new Response('other'))");
    until("the process is gone", || async {
        !std::path::Path::new(&one).exists()
    })
    .await;
}

#[tokio::test]
async fn the_folder_of_another_process_is_closed() {
    let service = Service::start(&[
        (
            "owner/index.ts",
            "await Deno.writeTextFile('/tmp/secret', 's'); Deno.serve(() => new Response(Deno.env.get('TMPDIR')))",
        ),
        (
            "spy/index.ts",
            r"Deno.serve(async (req) => {
                // Not as `/tmp`, which is another folder here.
                const place = '/.' + await req.text();
                const attempt = (act: () => Promise<unknown>) => act().then(() => 'done', (error) => error.name);
                return Response.json([
                    await attempt(() => Deno.readTextFile(place + '/secret')),
                    await attempt(() => Deno.writeTextFile(place + '/other', '')),
                    await attempt(() => Deno.symlink(place, '/tmp/link')),
                ]);
            })",
        ),
    ])
    .await;
    let place = service.text("owner").await;
    let request = service.client.post(service.url("spy")).body(place);
    let answer: Vec<String> = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer, ["NotCapable"; 3]);
}

#[tokio::test]
async fn who_fills_it_is_ended() {
    let service = Service::start_with(
        &[(
            "bad/index.ts",
            r"Deno.serve(async (req) => {
                if (!req.url.endsWith('?go')) return new Response('fine');
                const file = await Deno.open('/tmp/large', { create: true, write: true });
                await Deno.remove('/tmp/large');
                for (let n = 0; n < 48; n++) await file.write(new Uint8Array(1 << 20));
                await new Promise(() => {});
            })",
        )],
        &[("FUNCTIONS_TMP_LIMIT_MB", "32")],
    )
    .await;
    let answer = service.get("bad?go").await;
    assert_eq!(answer.status, 546, "{answer:?}");
    assert_eq!(answer.json()["code"], "WORKER_LIMIT");
    assert_eq!(service.text("bad").await, "fine");
    until("the end is counted", || async {
        service
            .metric("functions_worker_ends_total{cause=\"storage\"}")
            .await
            == 1
    })
    .await;
}

#[tokio::test]
async fn who_fills_it_while_it_loads_is_ended() {
    // Longer than the test waits for an answer.
    let service = Service::start_with(
        &[(
            "bad/index.ts",
            r"await Deno.writeFile('/tmp/large', new Uint8Array(48 << 20).fill(1));
            await new Promise(() => {});",
        )],
        &[
            ("FUNCTIONS_TMP_LIMIT_MB", "32"),
            ("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "600s"),
        ],
    )
    .await;
    let answer = service.get("bad").await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.json()["code"], "BOOT_ERROR");
}

#[tokio::test]
async fn functions_on_functions_take_its_paths_too() {
    let service = Service::start(&[(
        "fs/index.ts",
        r"import fs, { exists, lutimes, realpath, realpathSync } from 'node:fs';
        import { lutimes as touch } from 'node:fs/promises';
        import { promisify } from 'node:util';
        Deno.serve(async () => {
            fs.writeFileSync('/tmp/a', '');
            await promisify(lutimes)('/tmp/a', 1, 1);
            await touch('/tmp/a', 2, 2);
            const custom = Object.getOwnPropertyDescriptor(exists, promisify.custom);
            const real = await promisify(realpath.native)('/tmp/a');
            return Response.json([
                await promisify(exists)('/tmp/a'),
                await promisify(exists)('/tmp/b'),
                custom?.enumerable,
                Object.keys(exists),
                real === realpathSync.native('/tmp/a') && real.startsWith(Deno.env.get('TMPDIR')),
                fs.lstatSync('/tmp/a').mtimeMs,
                [exists.name, exists.length],
            ]);
        })",
    )])
    .await;
    assert_eq!(
        service.text("fs").await,
        r#"[true,false,false,[],true,2000,["exists",2]]"#
    );
}
