//! Rows that are written, and subscribers who may see them or not.

use std::rc::Rc;

use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::{
    crowd::{Join, Target, user},
    figures::{Tally, digits},
    options::Options,
    pace::Pace,
    processes::Processes,
    socket::find,
};

const STAMP: &[u8] = br#""sent":"#;
/// A table that was there before: the planner knows how large it is.
const TABLE: &str = "
    create table if not exists public.bench_changes (
        id bigint generated always as identity primary key,
        owner uuid not null,
        sent bigint not null,
        title text not null,
        is_read boolean not null default false,
        created_at timestamptz not null default now());
    truncate public.bench_changes;
    insert into public.bench_changes (owner, sent, title)
        select gen_random_uuid(), 0, 'a row from before' from generate_series(1, 10000);
    analyze public.bench_changes;
    grant select on public.bench_changes to authenticated;
    drop policy if exists seen on public.bench_changes;
    create policy seen on public.bench_changes for select to authenticated
        using (owner in (auth.uid(), '00000000-0000-4000-8000-ffffffffffff'));
    do $$ begin
        if not exists (select from pg_publication_tables where pubname = 'supabase_realtime' and tablename = 'bench_changes') then
            alter publication supabase_realtime add table public.bench_changes;
        end if;
    end $$;";
const INSERT: &str = "insert into public.bench_changes (owner, sent, title) select owner::uuid, $2, 'a row of the bench'
    from unnest($1::text[]) owner";

/// Subscribers are different users. A row is one user's, in turns, or everybody's.
pub(crate) async fn run(options: &Options) -> anyhow::Result<Value> {
    let count = options.number("subscribers", 100_usize)?.max(1);
    let batch = options.number("batch", 20_usize)?.max(1);
    let is_for_all = options.text("visible") == Some("all");
    let is_guarded = options.text("rls") != Some("off");
    let is_one_topic = options.text("topic") == Some("one");
    let is_filtered = options.text("filter") == Some("yes");
    // Without row-level security only a filter keeps a row from anybody.
    let receivers = if is_for_all || !(is_guarded || is_filtered) {
        count
    } else {
        1
    };
    let rate = options.rate("max")?.map(|rows| rows / batch as f64);
    let pace = Pace::new(options, rate, 25, (batch * receivers) as u64)?;
    let mut processes = Processes::new(options);

    let mut writer = PgConnection::connect(options.required("database-url")?).await?;
    sqlx::raw_sql(TABLE).execute(&mut writer).await?;
    let guard = if is_guarded { "enable" } else { "disable" };
    let guard = format!("alter table public.bench_changes {guard} row level security");
    sqlx::raw_sql(sqlx::AssertSqlSafe(guard))
        .execute(&mut writer)
        .await?;
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()")
        .fetch_one(&mut writer)
        .await?;
    processes.writer = u32::try_from(pid).ok();

    let crowd = Target::new(options)?
        .gather(count, |index| {
            let mut wanted =
                json!({"event": "INSERT", "schema": "public", "table": "bench_changes"});
            if is_filtered {
                wanted["filter"] = format!("owner=eq.{}", owner(index, is_for_all)).into();
            }
            Join {
                topic: if is_one_topic {
                    "realtime:changes".to_owned()
                } else {
                    format!("realtime:changes-{index}")
                },
                config: json!({"postgres_changes": [wanted]}),
                claims: user(&owner(index, false)),
                ready: Some("Subscribed to PostgreSQL"),
            }
        })
        .await?;
    let tally = Rc::new(Tally::new());
    let mut counts = Vec::new();
    for reader in crowd.readers {
        let (tally, own) = (tally.clone(), Rc::new(std::cell::Cell::new(0_u64)));
        counts.push(own.clone());
        tokio::task::spawn_local(async move {
            // A frame looks like the one before it.
            let mut at = 0;
            let on_frame = |frame: &[u8]| {
                let from = usize::min(at, frame.len()).saturating_sub(4);
                let found = find(&frame[from..], STAMP).map(|found| from + found);
                if let Some(found) = found.or_else(|| find(frame, STAMP)) {
                    at = found;
                    own.set(own.get() + 1);
                    tally.count(Some(digits(&frame[found + STAMP.len()..])));
                }
            };
            reader.pump(on_frame).await;
            tally.closed.set(tally.closed.get() + 1);
        });
    }
    let outcome = pace
        .run(&tally, &processes, async |index, stamp| {
            let first = index as usize * batch;
            let owners: Vec<_> = (first..first + batch)
                .map(|row| owner(row % count, is_for_all))
                .collect();
            let insert = sqlx::query(INSERT).bind(owners).bind(stamp.cast_signed());
            insert.execute(&mut writer).await?;
            Ok(())
        })
        .await?;

    // Everybody has got exactly what is theirs.
    let all_rows = outcome.all_sent as usize * batch;
    let wrong = counts.iter().enumerate().filter(|(index, got)| {
        let expected = if receivers == count {
            all_rows
        } else {
            all_rows / count + usize::from(index < &(all_rows % count))
        };
        got.get() != expected as u64
    });
    let wrong = wrong.count();
    let mut figures = outcome.figures;
    let seconds = figures["seconds"].as_f64().unwrap_or(1.0);
    let delivered = figures["deliveries_per_s"].as_f64().unwrap_or(0.0) / receivers as f64;
    let each = |spent: f64| spent * 1e3 / (delivered * seconds).max(1.0);
    figures["subscribers"] = count.into();
    figures["rows_per_s"] = delivered.into();
    figures["wrong_subscribers"] = wrong.into();
    figures["server_ms_per_row"] = each(outcome.spent.server).into();
    figures["postgres_ms_per_row"] = each(outcome.spent.postgres).into();
    figures["writer_ms_per_row"] = each(outcome.spent.writer).into();
    figures["joins_per_s"] = (count as f64 / crowd.took.as_secs_f64()).into();
    Ok(figures)
}

/// The user of this number, or the one that stands for all.
fn owner(index: usize, is_for_all: bool) -> String {
    if is_for_all {
        "00000000-0000-4000-8000-ffffffffffff".to_owned()
    } else {
        format!("00000000-0000-4000-8000-{index:012}")
    }
}
