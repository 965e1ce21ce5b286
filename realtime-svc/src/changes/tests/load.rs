//! How many changed rows a second, run by hand: `cargo test … load -- --ignored --nocapture`.

use std::time::Instant;

use super::*;

const SUBSCRIBERS: u64 = 1000;

const FIXTURE: &str = "
    create schema if not exists auth;
    grant usage on schema auth to public;
    create or replace function auth.uid() returns uuid stable language sql as $$
        select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''),
            (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'))::uuid $$;
    create table public.items (id bigint generated always as identity primary key, owner uuid, body text, made timestamptz default now());
    alter table public.items enable row level security;
    grant select on public.items to authenticated, anon, service_role;
    alter publication supabase_realtime add table public.items;";

fn owner(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// Claims as the auth service makes them, which are longer than a subject.
fn claims(number: u64) -> Value {
    json!({"aud": "authenticated", "exp": 1_900_000_000, "iat": 1_700_000_000, "sub": owner(number), "role": "authenticated",
        "email": format!("user{number}@example.com"), "phone": "", "aal": "aal1", "session_id": owner(number + 1_000_000),
        "app_metadata": {"provider": "email", "providers": ["email"]}, "user_metadata": {}, "is_anonymous": false,
        "amr": [{"method": "password", "timestamp": 1_700_000_000}]})
}

async fn measure(name: &str, policy: &str, has_filter: bool, batch_size: usize) {
    let mut world = World::new(FIXTURE).await;
    world
        .execute(&format!(
            "create policy seen on items for select to authenticated using ({policy})"
        ))
        .await;
    for number in 0..SUBSCRIBERS {
        let mut wanted = on("items");
        if has_filter {
            wanted["filter"] = format!("owner=eq.{}", owner(number)).into();
        }
        world
            .listen(number, claims(number), &[wanted])
            .await
            .unwrap();
    }
    world
        .execute(&format!("insert into items (owner, body)
            select ('00000000-0000-4000-8000-' || lpad((i % {SUBSCRIBERS})::text, 12, '0'))::uuid, md5(i::text)
            from generate_series(1, 2000) i; analyze items"))
        .await;
    let changes = world.changes().await;
    let started = Instant::now();
    let mut rows = 0;
    let mut messages = 0;
    for batch in changes.chunks(batch_size) {
        world.engine.deliver(batch).await.unwrap();
        rows += batch.len();
        for frames in world.channels.values_mut() {
            while let Ok(frame) = frames.try_recv() {
                let _ = frame;
                messages += 1;
            }
        }
        if started.elapsed() > Duration::from_secs(8) {
            break;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    #[expect(
        clippy::cast_precision_loss,
        clippy::print_stdout,
        reason = "a figure for people"
    )]
    {
        println!(
            "{name}, batches of {batch_size}: {:.0} rows/s, {messages} messages",
            rows as f64 / seconds
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn load() {
    for size in [100, 400] {
        measure("own rows, filter", "owner = auth.uid()", true, size).await;
        measure("own rows, no filter", "owner = auth.uid()", false, size).await;
        measure(
            "own rows, no filter, initplan",
            "owner = (select auth.uid())",
            false,
            size,
        )
        .await;
        measure("all rows, constant policy", "true", false, size).await;
        measure(
            "all rows, policy on claims",
            "auth.uid() is not null",
            false,
            size,
        )
        .await;
    }
}
