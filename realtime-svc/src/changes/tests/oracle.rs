//! What the engine gives is what `realtime.apply_rls` gives for the same change, to the letter.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{World, on, service, user};
use crate::{
    changes::SubscribeError,
    replication::{Action, Cell, Change, Commit, Old},
    socket::{Frame, Order},
};

/// A row of `apply_rls` as a message, for each subscription.
const EXPECTED: &str = "select s.subscription_id::text, (
        jsonb_build_object('schema', r.wal -> 'schema', 'table', r.wal -> 'table', 'type', r.wal -> 'type',
            'commit_timestamp', r.wal -> 'commit_timestamp',
            'columns', coalesce(nullif(r.wal -> 'columns', 'null'), '[]'),
            'errors', case when r.errors <> '{}' then to_jsonb(r.errors) end)
        || case when r.wal ->> 'type' = 'DELETE' then '{}'
            else jsonb_build_object('record', coalesce(nullif(r.wal -> 'record', 'null'), '{}')) end
        || case when r.wal ->> 'type' = 'INSERT' then '{}'
            else jsonb_build_object('old_record', coalesce(nullif(r.wal -> 'old_record', 'null'), '{}')) end
    )::text
    from realtime.apply_rls($1, $2) r, unnest(r.subscription_ids) s (subscription_id)";

/// Messages by channel: the ids and the text of the data.
type Messages = BTreeMap<u64, Vec<(String, BTreeSet<u64>)>>;

impl World {
    /// The change as wal2json writes it.
    async fn document(&self, commit: &Commit, change: &Change) -> Value {
        let relation = &change.relation;
        let facts: Value = sqlx::query_scalar(
            "select jsonb_build_object(
                'key', (select coalesce(jsonb_agg(jsonb_build_object('name', a.attname,
                        'type', format_type(a.atttypid, a.atttypmod))), '[]')
                    from pg_constraint p, pg_attribute a
                    where p.conrelid = $1 and p.contype = 'p' and a.attrelid = $1 and a.attnum = any (p.conkey)),
                'types', (select jsonb_object_agg(a.attname, format_type(a.atttypid, a.atttypmod))
                    from pg_attribute a where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped),
                'at', timestamptz 'epoch' + $2 * interval '1 microsecond')",
        )
        .bind(i32::try_from(relation.oid).unwrap())
        .bind(commit.at)
        .fetch_one(&self.pool)
        .await
        .unwrap();
        let value = |type_oid: u32, cell: &Cell| {
            let Cell::Text(text) = cell else {
                return Value::Null;
            };
            let text = std::str::from_utf8(text).unwrap();
            match type_oid {
                16 => json!(text == "t"),
                17 => json!(text.strip_prefix("\\x").unwrap()),
                20 | 21 | 23 => json!(text.parse::<i64>().unwrap()),
                _ => json!(text),
            }
        };
        let listed = |cells: &[Cell], all: bool| -> Vec<Value> {
            let columns = relation.columns.iter().zip(cells);
            let columns =
                columns.filter(|(it, cell)| (all || it.is_identity) && **cell != Cell::Unchanged);
            let column = |(it, cell): (&crate::replication::Column, &Cell)| {
                json!({"name": it.name, "type": facts["types"][&*it.name], "typeoid": it.type_oid,
                    "value": value(it.type_oid, cell)})
            };
            columns.map(column).collect()
        };
        let action = match change.action {
            Action::Insert => "I",
            Action::Update => "U",
            Action::Delete => "D",
        };
        let mut document = json!({"action": action, "schema": relation.schema, "table": relation.name,
            "timestamp": facts["at"], "pk": facts["key"]});
        if let Some(cells) = &change.new {
            let mut columns = listed(cells, true);
            columns.extend(self.generated(change).await);
            document["columns"] = columns.into();
        }
        if change.action != Action::Insert {
            document["identity"] = match (&change.old, &change.new) {
                (Old::Full(cells), _) => listed(cells, true),
                (Old::Key(cells), _) | (Old::None, Some(cells)) => listed(cells, false),
                (Old::None, None) => Vec::new(),
            }
            .into();
        }
        document
    }

    /// The columns that pgoutput leaves out, as they are now.
    async fn generated(&self, change: &Change) -> Vec<Value> {
        let table = change.relation.oid.to_string();
        let names: Vec<(String, String, i64, String)> = sqlx::query_as(
            "select attname::text, format_type(atttypid, atttypmod), atttypid::int8, attrelid::regclass::text
            from pg_attribute where attrelid = $1::oid and attgenerated = 's'",
        )
        .bind(i64::from(change.relation.oid))
        .fetch_all(&self.pool)
        .await
        .unwrap();
        let mut found = Vec::new();
        for (name, kind, oid, relation) in names {
            let Cell::Text(id) = &change.new.as_ref().unwrap()[0] else {
                panic!("{table}")
            };
            let id = std::str::from_utf8(id).unwrap();
            let value: Option<Option<String>> = sqlx::query_scalar(AssertSqlSafe(format!(
                "select {name}::text from {relation} where id = {id}"
            )))
            .fetch_optional(&self.pool)
            .await
            .unwrap();
            if let Some(value) = value {
                found.push(json!({"name": name, "type": kind, "typeoid": oid, "value": value}));
            }
        }
        found
    }

    /// True if `apply_rls` fails on the newest subscription's filter, and with it on everything.
    async fn raises(&self, values: [&str; 2]) -> bool {
        let asked = sqlx::query(
            "select realtime.check_equality_op(f.op, a.atttypid, realtime.cast(v, a.atttypid) #>> '{}', f.value, f.negate)
            from (select * from realtime.subscription order by id desc limit 1) s, unnest(s.filters) f, pg_attribute a,
                unnest($1::text[]) v
            where a.attrelid = s.entity and a.attname = f.column_name",
        );
        asked
            .bind(values.map(str::to_owned).to_vec())
            .execute(&self.pool)
            .await
            .is_err()
    }

    /// What `apply_rls` says of changes.
    async fn expected(&mut self, batch: &[(Commit, Change)]) -> Messages {
        let mut messages = Messages::new();
        let limit = i32::try_from(self.engine.0.settings.max_record_bytes).unwrap();
        let known: BTreeMap<String, (u64, u64)> = {
            let index = self.engine.read();
            let all = index.channels().flat_map(|channel| {
                let subscriptions = channel.subscriptions.iter();
                subscriptions.map(|it| {
                    (
                        it.uuid.to_string(),
                        (channel.number, u64::from(it.wanted.id)),
                    )
                })
            });
            all.collect()
        };
        for (commit, change) in batch {
            let document = self.document(commit, change).await;
            let rows: Vec<(String, String)> = sqlx::query_as(EXPECTED)
                .bind(&document)
                .bind(limit)
                .fetch_all(&mut self.log)
                .await
                .unwrap_or_else(|error| panic!("{error}: {document}"));
            let mut by_data: BTreeMap<(u64, String), BTreeSet<u64>> = BTreeMap::new();
            for (subscription, data) in rows {
                let (channel, id) = known[&subscription];
                by_data.entry((channel, data)).or_default().insert(id);
            }
            for ((channel, data), ids) in by_data {
                messages.entry(channel).or_default().push((data, ids));
            }
        }
        messages
    }

    /// Delivers what the log has and holds it against what `apply_rls` says; gives how many messages there were.
    async fn compare(&mut self) -> usize {
        let batch = self.changes().await;
        assert!(!batch.is_empty());
        let mut expected = self.expected(&batch).await;
        self.engine.deliver(&batch).await.unwrap();
        let (mut owners, mut texts) = (Vec::new(), Vec::new());
        for (channel, frames) in &mut self.channels {
            while let Ok(frame) = frames.try_recv() {
                let Order::Send(Frame::Text(text)) = frame else {
                    panic!()
                };
                owners.push(*channel);
                texts.push(text.to_string());
            }
        }
        let sent: Vec<(Value, String)> = sqlx::query_as(
            "select t::jsonb #> '{4,ids}', (t::jsonb #> '{4,data}')::text
            from unnest($1::text[]) with ordinality u (t, place) order by place",
        )
        .bind(&texts)
        .fetch_all(&mut self.log)
        .await
        .unwrap();
        let mut given = Messages::new();
        for (channel, (ids, data)) in owners.into_iter().zip(sent) {
            let ids = serde_json::from_value(ids).unwrap();
            given.entry(channel).or_default().push((data, ids));
        }
        // Of one change, a channel's messages have no order.
        for messages in given.values_mut().chain(expected.values_mut()) {
            messages.sort_unstable();
        }
        let count = given.values().map(Vec::len).sum();
        for channel in expected.keys().chain(given.keys()) {
            if given.get(channel) == expected.get(channel) {
                continue;
            }
            let index = self.engine.read();
            let wanted = index.channel(*channel).map(|it| it.subscriptions.clone());
            assert_eq!(given.get(channel), expected.get(channel), "{wanted:?}");
        }
        count
    }
}

/// A type, two rows' values, and one more for filters.
type Sample = (&'static str, &'static str, &'static str, &'static str);

const TYPES: &[Sample] = &[
    ("int2", "-3", "7", "100"),
    ("int4", "5", "40", "6"),
    (
        "int8",
        "9007199254740993",
        "9007199254740992",
        "9007199254740994",
    ),
    (
        "numeric",
        "1.50",
        "123456789012345678901234567890.0001",
        "2",
    ),
    ("float4", "0.1", "1e20", "-0.5"),
    ("float8", "-0", "1e-7", "0.1"),
    ("bool", "true", "false", "true"),
    ("text", "Änn \"q\" \\ ,", "b\ny", "c"),
    ("varchar(10)", "one", "two", "onf"),
    ("char(4)", "ab", "ac", "b"),
    (
        "uuid",
        "11111111-1111-1111-1111-1111111111aa",
        "22222222-1111-1111-1111-1111111111aa",
        "11111111-1111-1111-1111-1111111111AB",
    ),
    ("date", "2025-01-02", "0044-03-15 BC", "infinity"),
    (
        "timestamp",
        "2025-01-02 03:04:05.678",
        "infinity",
        "2025-01-02 03:04:05",
    ),
    (
        "timestamptz",
        "2025-01-02 03:04:05+05:30",
        "10000-01-01 00:00:00+00",
        "2025-01-01 21:34:05+00",
    ),
    ("time", "03:04:05", "23:59:59.5", "04:00"),
    ("timetz", "03:04:05+02", "23:59:59.5+00", "04:00+00"),
    ("interval", "1 day 2 hours", "-1 year", "26 hours"),
    ("inet", "10.0.0.1", "10.0.0.0/8", "::1"),
    ("bytea", "\\x0102", "\\xff", "0102"),
    (
        "jsonb",
        "{\"b\": 1, \"a\": [1e2, null]}",
        "null",
        "{\"a\":[100,null],\"b\":1}",
    ),
    ("mood", "sad", "happy", "ok"),
    ("bit(3)", "101", "111", "1"),
    ("int4range", "[1,5)", "empty", "[1,4]"),
    ("small", "3", "4", "5"),
    ("oid", "7", "4000000000", "8"),
    ("money", "1.50", "2", "1"),
];

const SPECIAL: &[(&str, &str)] = &[
    ("numeric", "NaN"),
    ("numeric", "Infinity"),
    ("float8", "NaN"),
    ("float8", "-Infinity"),
    ("int4[]", "{1,NULL,3}"),
    ("text[]", "{\"a,b\",c}"),
    ("timestamptz[]", "{2025-01-02 03:04:05+02}"),
    ("json", "{\"b\": 1, \"a\": 2, \"b\": 3.10}"),
    ("pair", "(1,\"x y\")"),
    ("point", "(1,2)"),
    ("tsvector", "'a':1 'b':2"),
    ("xml", "<a>b</a>"),
    ("citext", "Ann"),
    ("hstore", "a=>1"),
    ("macaddr", "08:00:2b:01:02:03"),
    ("cidr", "10.0.0.0/8"),
    ("name", "x"),
    ("\"char\"", "c"),
];

fn types_fixture() -> String {
    let mut sql = String::from(
        "create extension if not exists citext schema extensions; create extension if not exists hstore schema extensions;
        set search_path to public, extensions;
        create type mood as enum ('sad', 'ok', 'happy');
        create domain small as int check (value < 10);
        create type pair as (a int, b text);

        create table kinds (id int primary key",
    );
    for (number, (kind, ..)) in TYPES.iter().enumerate() {
        write!(sql, ", c{number} {kind}").unwrap();
    }
    for (number, (kind, _)) in SPECIAL.iter().enumerate() {
        write!(sql, ", s{number} {kind}").unwrap();
    }
    sql.push_str(
        "); alter table kinds replica identity full;
        grant select on kinds to authenticated, anon, service_role;
        alter publication supabase_realtime add table kinds;",
    );
    sql
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[tokio::test]
async fn every_type_is_written_and_filtered_alike() {
    let mut world = World::new(&types_fixture()).await;
    let mut channel = 0;
    let (mut refused, mut raising) = (0, 0);
    for (number, (_, one, two, other)) in TYPES.iter().enumerate() {
        let mut filters = Vec::new();
        for operator in [
            "eq",
            "neq",
            "lt",
            "lte",
            "gt",
            "gte",
            "isdistinct",
            "like",
            "ilike",
            "match",
            "imatch",
        ] {
            for value in [one, two, other] {
                let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
                filters.push(format!("c{number}={operator}.\"{quoted}\""));
                filters.push(format!("c{number}=not.{operator}.\"{quoted}\""));
            }
        }
        let element =
            |value: &str| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        for list in [
            format!("({},{})", element(one), element(other)),
            format!("({},NULL)", element(two)),
            "()".to_owned(),
        ] {
            filters.push(format!("c{number}=in.{list}"));
            filters.push(format!("c{number}=not.in.{list}"));
        }
        for word in ["null", "true", "false", "unknown"] {
            filters.push(format!("c{number}=is.{word}"));
            filters.push(format!("c{number}=not.is.{word}"));
        }
        // Many on one channel, so that ids are told apart; what is refused is refused by the same trigger.
        for filter in filters {
            channel += 1;
            let wanted = json!({"schema": "public", "table": "kinds", "filter": filter});
            match world.listen(channel, service(), &[wanted]).await {
                Ok(()) if world.raises([one, two]).await => {
                    raising += 1;
                    world.engine.unsubscribe(channel);
                }
                Ok(()) => {}
                Err(SubscribeError::Refused(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    world.engine.delete_removed().await.unwrap();
    assert!(raising < channel / 10, "{raising} of {channel}");
    assert!(refused < channel / 2, "{refused} of {channel}");
    let row = |id: usize, pick: &dyn Fn(&Sample) -> String, special: bool| {
        let values: Vec<_> = TYPES.iter().map(pick).collect();
        let special: Vec<_> = SPECIAL
            .iter()
            .map(|(_, text)| {
                if special {
                    literal(text)
                } else {
                    "null".to_owned()
                }
            })
            .collect();
        format!(
            "insert into kinds values ({id}, {}, {});",
            values.join(", "),
            special.join(", ")
        )
    };
    let mut sql = "set search_path to public, extensions;".to_owned();
    sql += &row(1, &|it| literal(it.1), true);
    sql += &row(2, &|it| literal(it.2), false);
    sql += &row(3, &|_| "null".to_owned(), true);
    sql += "update kinds set id = 4 where id = 1; delete from kinds where id = 2;";
    world.execute(&sql).await;
    let count = world.compare().await;
    assert!(count > 1000, "{count}");
}

const SHAPES: &str = "

    create schema \"odd, schema\";
    grant usage on schema \"odd, schema\" to authenticated, service_role;
    create table public.pairs (a int, b text, c text, primary key (b, a));
    create table public.keyless (a int, b text);
    create table public.full_rows (id int primary key, owner text, big text);
    alter table public.full_rows replica identity full;
    create table public.nothing (id int primary key, owner text);
    alter table public.nothing replica identity nothing;
    create table public.by_index (id int primary key, code text not null unique, owner text);
    alter table public.by_index replica identity using index by_index_code_key;
    create table public.made (id int primary key, a int, twice int generated always as (a * 2) stored, owner text);
    create table \"odd, schema\".\"Odd \"\"Table\" (\"the Key\" int primary key, \"a,b\" text, owner text);
    create table public.parts (id int, day int, owner text, primary key (id, day)) partition by range (day);
    create table public.parts_1 partition of public.parts for values from (0) to (10);
    create table public.parts_2 partition of public.parts for values from (10) to (20);
    create table public.narrow (id int primary key, owner text, secret text, other text);
    alter publication supabase_realtime add table public.pairs, public.full_rows, public.nothing, public.by_index,
        public.made, \"odd, schema\".\"Odd \"\"Table\", public.parts, public.narrow, public.keyless;
    grant select on all tables in schema public, \"odd, schema\" to authenticated, service_role;
    revoke all on public.narrow from authenticated, anon;
    grant select (id, owner, other) on public.narrow to authenticated;";

const SHAPES_CHANGE: &str = "
    insert into public.pairs values (1, 'x', 'ann'), (2, 'y, z', null);
    update public.pairs set c = 'bob' where a = 1;
    update public.pairs set a = 3 where a = 2;
    delete from public.pairs where a = 1;
    insert into public.keyless values (1, 'x');
    insert into public.full_rows select 1, 'ann', string_agg(md5(i::text), '') from generate_series(1, 1000) i;
    insert into public.full_rows values (2, 'bob', null);
    update public.full_rows set owner = 'eve' where id = 1;
    update public.full_rows set owner = null where id = 2;
    delete from public.full_rows where id = 2;
    insert into public.nothing values (1, 'ann');
    insert into public.by_index values (1, 'one', 'ann'), (2, 'two', 'bob');
    update public.by_index set code = 'uno' where id = 1;
    update public.by_index set owner = 'bob' where id = 1;
    delete from public.by_index where id = 2;
    insert into public.made values (1, 2, default, 'ann'), (2, null, default, 'bob');
    update public.made set a = 5 where id = 2;
    insert into \"odd, schema\".\"Odd \"\"Table\" values (1, 'x', 'ann');
    update \"odd, schema\".\"Odd \"\"Table\" set \"the Key\" = 2;
    insert into public.parts values (1, 1, 'ann'), (2, 15, 'bob');
    update public.parts set day = 12 where id = 1;
    insert into public.narrow values (1, 'ann', 's', 'o'), (2, 'bob', null, null);
    update public.narrow set secret = 't' where id = 1;
    delete from public.narrow where id = 2;";

const TABLES: &[(&str, &str)] = &[
    ("public", "pairs"),
    ("public", "keyless"),
    ("public", "full_rows"),
    ("public", "nothing"),
    ("public", "by_index"),
    ("public", "made"),
    ("odd, schema", "Odd \"Table"),
    ("public", "parts_1"),
    ("public", "parts_2"),
    ("public", "narrow"),
];

async fn shapes(guard: bool) -> (World, usize) {
    let mut world = World::new(SHAPES).await;
    if guard {
        world
            .execute("do $$ declare t regclass; begin
                for t in select c.oid from pg_class c where c.relkind in ('r', 'p')
                    and c.relnamespace in ('public'::regnamespace, '\"odd, schema\"'::regnamespace)
                loop
                    execute format('alter table %s enable row level security', t);
                    if exists (select from pg_attribute where attrelid = t and attname = 'owner') then
                        execute format('create policy own on %s for select to authenticated using
                            (owner = current_setting(''request.jwt.claims'', true)::jsonb ->> ''sub'')', t);
                    end if;
                end loop; end $$;
                create policy everybody on public.pairs for select to public using (true);")
            .await;
    }
    let mut channel = 0;
    for claims in [service(), user("ann"), user("bob"), json!({"role": "anon"})] {
        for (schema, table) in TABLES {
            for more in [
                json!({}),
                json!({"event": "insert"}),
                json!({"event": "UPDATE"}),
                json!({"event": "delete"}),
                json!({"filter": "owner=eq.ann"}),
                json!({"filter": "owner=in.(bob,eve)"}),
                json!({"filter": "owner=not.is.null,id=lt.2"}),
                json!({"filter": "twice=gt.4"}),
                json!({"filter": "secret=eq.s"}),
                json!({"filter": "big=like.c4%"}),
                json!({"filter": "code=eq.uno"}),
                json!({"select": ["owner"]}),
                json!({"select": ["a", "other", "big", "owner"], "filter": "owner=not.eq.x"}),
                json!({"select": ["c", "a,b", "nothing"]}),
            ] {
                let mut wanted = json!({"schema": schema, "table": table});
                wanted
                    .as_object_mut()
                    .unwrap()
                    .extend(more.as_object().unwrap().clone());
                channel += 1;
                match world.listen(channel, claims.clone(), &[wanted]).await {
                    Ok(()) | Err(SubscribeError::Refused(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
        channel += 1;
        let both = [
            json!({"schema": "public", "table": "narrow", "select": ["owner"]}),
            on("narrow"),
            on("pairs"),
        ];
        if claims["role"] != "anon" {
            world.listen(channel, claims.clone(), &both).await.unwrap();
        }
        channel += 1;
        world
            .listen(
                channel,
                claims,
                &[json!({"schema": "*"}), json!({"table": "p%"})],
            )
            .await
            .unwrap();
    }
    world.execute(SHAPES_CHANGE).await;
    let count = world.compare().await;
    (world, count)
}

#[tokio::test]
async fn tables_of_every_shape_give_the_same() {
    let (mut world, count) = shapes(false).await;
    assert!(count > 500, "{count}");
    // Rights that went since.
    world.execute("revoke select (id) on public.narrow from authenticated; update public.narrow set other = 'p';").await;
    assert!(world.compare().await > 0);
}

#[tokio::test]
async fn guarded_tables_give_the_same() {
    let (mut world, count) = shapes(true).await;
    assert!(count > 200, "{count}");
    world.execute("update public.narrow set owner = 'bob'; insert into public.narrow values (9, 'ann', 's', 'o'); delete from public.narrow;").await;
    world.compare().await;
}

#[tokio::test]
async fn changes_around_the_limit_give_the_same() {
    let mut world = World::new(SHAPES).await;
    world
        .listen(1, service(), &[on("full_rows")])
        .await
        .unwrap();
    world.listen(2, service(), &[on("narrow")]).await.unwrap();
    let limit = world.engine.0.settings.max_record_bytes;
    for size in [limit - 1000, limit, limit * 2] {
        world
            .execute(&format!(
                "delete from public.full_rows;
                insert into public.full_rows values (1, null, repeat('x', {size}));
                update public.full_rows set owner = repeat('y', 62);
                insert into public.narrow values ({size}, 'x', repeat('\"', {size} / 2), null);
                update public.narrow set owner = 'z' where id = {size};"
            ))
            .await;
        assert!(world.compare().await >= 4);
    }
}

pub(super) const OWNED: &str = "
    create schema if not exists auth;
    grant usage on schema auth to public;
    create or replace function auth.uid() returns uuid language sql stable as $$
        select coalesce(
            nullif(current_setting('request.jwt.claim.sub', true), ''),
            (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
        )::uuid $$;
    create table public.owned (id int primary key, owner uuid, \"Other One\" uuid, body text);
    alter table public.owned enable row level security;
    grant select on public.owned to authenticated, anon, service_role;
    alter publication supabase_realtime add table public.owned;";

/// Lets users of many kinds listen and rows of many owners change, under policies; gives how many groups were checked.
async fn owned(policies: &str) -> u64 {
    let mut world = World::new(OWNED).await;
    world.execute(policies).await;
    let id = |number: u32| format!("abcdef00-0000-4000-8000-{number:012}");
    let claims = [
        user(&id(1)),
        user(&id(2)),
        user(&id(1).to_uppercase()),
        user(&format!("{{{}}}", id(2))),
        json!({"role": "authenticated"}),
        json!({"role": "anon", "sub": id(1)}),
    ];
    let claims = claims.into_iter();
    for (channel, claims) in (0..).zip(claims) {
        world.listen(channel, claims, &[on("owned")]).await.unwrap();
    }
    let (one, two) = (id(1), id(2));
    world
        .execute(&format!(
            "insert into owned values (1, '{one}', '{two}'), (2, '{two}', null), (3, null, null), (4, '{one}', '{one}');
            insert into owned values (5, '{one}', '{one}'); delete from owned where id = 5;
            update owned set owner = '{two}' where id = 4"
        ))
        .await;
    assert!(world.compare().await > 0);
    world.engine.metrics().counts().checks
}

#[tokio::test]
async fn owners_of_rows_are_told_without_asking_for_each() {
    for policies in [
        "create policy own on owned for select to authenticated using (owner = auth.uid());
            create policy none on owned for select to anon using (auth.uid() = owner)",
        "create policy own on owned using ((select auth.uid()) = owner);
            create policy other on owned using (\"Other One\" = (select auth.uid()))",
    ] {
        // Those whose subject is spelled in another way, or missing, are still asked about.
        assert_eq!(owned(policies).await, 2, "{policies}");
    }
    // What is the same for everybody is asked once for each role.
    assert_eq!(
        owned("create policy everybody on owned using (true)").await,
        2
    );
    for policies in [
        "create policy own on owned using (owner = auth.uid() or body is null)",
        "create policy own on owned using (owner = auth.uid());
            create policy more on owned as restrictive using (id > 1)",
        "create policy own on owned using (owner is distinct from auth.uid())",
        "create policy own on owned using (owner = auth.uid());
            create or replace function auth.uid() returns uuid language sql stable as 'select null::uuid';",
    ] {
        assert!(owned(policies).await > 2, "{policies}");
    }
}
