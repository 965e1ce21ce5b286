//! Rights that change, and what must not come through while they do.

use super::{oracle::OWNED, *};

const ANN: &str = "abcdef00-0000-4000-8000-000000000001";
const BOB: &str = "abcdef00-0000-4000-8000-000000000002";

/// Roles belong to the cluster, which all tests share.
fn role() -> String {
    format!("r_{}", uuid::Uuid::new_v4().simple())
}

fn member(role: &str, sub: &str) -> Value {
    json!({"role": role, "sub": sub})
}

impl World {
    /// Makes a role that may read all tables of `public`.
    async fn reader(&self, attributes: &str) -> String {
        let role = role();
        self.execute(&format!(
            "create role {role} nologin {attributes}; grant usage on schema public to {role};
            grant select on all tables in schema public to {role};"
        ))
        .await;
        role
    }

    async fn drop_roles(&self, roles: &[&str]) {
        for role in roles {
            self.execute(&format!("drop owned by {role}; drop role {role}"))
                .await;
        }
    }

    /// Delivers what the log has. What is seen of a table without rows to be seen is found out first, and takes until
    /// `meanwhile` is done.
    async fn deliver_across(
        &mut self,
        meanwhile: impl AsyncFnOnce(&Self),
    ) -> BTreeMap<u64, Vec<Message>> {
        let batch = self.changes().await;
        assert!(batch.len() > 1);
        let mut gate = PgConnection::connect(self.db.url()).await.unwrap();
        let lock = "select pg_advisory_lock(1)";
        sqlx::raw_sql(lock).execute(&mut gate).await.unwrap();
        let engine = self.engine.clone();
        let delivery = tokio::spawn(async move { engine.deliver(&batch).await });
        let waits = "select exists (select from pg_stat_activity
            where datname = current_database() and wait_event = 'advisory')";
        let waits = async || -> bool {
            let waits = sqlx::query_scalar(waits).fetch_one(&self.pool);
            waits.await.unwrap()
        };
        while !waits().await {
            assert!(!delivery.is_finished(), "it does not look at the gate");
            tokio::task::yield_now().await;
        }
        meanwhile(self).await;
        let unlock = "select pg_advisory_unlock(1)";
        sqlx::raw_sql(unlock).execute(&mut gate).await.unwrap();
        delivery.await.unwrap().unwrap();
        self.sent()
    }

    /// The same, for SQL; gives how many messages every channel was sent.
    async fn deliver_across_sql(&mut self, sql: &str) -> Vec<(u64, usize)> {
        let sent = self.deliver_across(async |world| world.execute(sql).await);
        let sent = sent.await.into_iter();
        sent.map(|(channel, messages)| (channel, messages.len()))
            .collect()
    }
}

/// A table whose rows nobody sees, and to find that out takes a lock.
const GATE: &str = "
    create table public.gate (id int primary key);
    alter table public.gate enable row level security;
    create policy gate on public.gate using (pg_advisory_xact_lock_shared(1) is null);
    grant select on public.gate to authenticated;
    alter publication supabase_realtime add table public.gate;";

async fn gated(fixture: &str) -> World {
    let mut world = World::new(&format!("{GATE} {fixture}")).await;
    world
        .listen(100, user("gate"), &[on("gate")])
        .await
        .unwrap();
    world.execute("insert into gate values (1)").await;
    world
}

#[tokio::test]
async fn a_policy_for_a_role_whose_rights_are_not_inherited_does_not_count() {
    let mut world = World::new(OWNED).await;
    let (reader, editors) = (world.reader("noinherit").await, role());
    world
        .execute(&format!(
            "create role {editors} nologin; grant {editors} to {reader};
            create policy own on owned for select to {editors} using (owner = auth.uid());"
        ))
        .await;
    world
        .listen(1, member(&reader, ANN), &[on("owned")])
        .await
        .unwrap();
    world
        .execute(&format!("insert into owned values (1, '{ANN}')"))
        .await;
    assert_eq!(world.deliver_and_count().await, []);
    world.drop_roles(&[&reader, &editors]).await;
}

#[tokio::test]
async fn who_no_longer_passes_row_level_security_sees_nothing() {
    let mut world = World::new(NOTES).await;
    let reader = world.reader("bypassrls").await;
    world
        .listen(1, member(&reader, ANN), &[on("notes")])
        .await
        .unwrap();
    world
        .execute("insert into notes values (1, 'x', 'a')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
    world
        .execute(&format!("alter role {reader} nobypassrls"))
        .await;
    world
        .execute("insert into notes values (2, 'x', 'b')")
        .await;
    assert_eq!(world.deliver_and_count().await, []);
    world.drop_roles(&[&reader]).await;
}

#[tokio::test]
async fn who_leaves_a_role_loses_its_policies() {
    let mut world = World::new(NOTES).await;
    let (reader, editors) = (world.reader("").await, role());
    world
        .execute(&format!(
            "create role {editors} nologin; grant {editors} to {reader};
            create policy edit on notes for select to {editors} using (id > 0);"
        ))
        .await;
    world
        .listen(1, member(&reader, ANN), &[on("notes")])
        .await
        .unwrap();
    world
        .execute("insert into notes values (1, 'x', 'a')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
    world
        .execute(&format!("revoke {editors} from {reader}"))
        .await;
    world
        .execute("insert into notes values (2, 'x', 'b')")
        .await;
    assert_eq!(world.deliver_and_count().await, []);
    world.drop_roles(&[&reader, &editors]).await;
}

#[tokio::test]
async fn who_leaves_a_role_loses_its_schema() {
    let mut world = World::new(
        "create schema closed; create table closed.notes (id int primary key);
        alter table closed.notes enable row level security;
        create policy seen on closed.notes using (id > 0);
        alter publication supabase_realtime add table closed.notes;",
    )
    .await;
    let (reader, editors) = (world.reader("").await, role());
    world
        .execute(&format!(
            "create role {editors} nologin; grant {editors} to {reader};
            grant usage on schema closed to {editors}; grant select on closed.notes to {reader};"
        ))
        .await;
    let wanted = json!({"schema": "closed", "table": "notes"});
    world
        .listen(1, member(&reader, ANN), &[wanted])
        .await
        .unwrap();
    world.execute("insert into closed.notes values (1)").await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
    world
        .execute(&format!("revoke {editors} from {reader}"))
        .await;
    world.execute("insert into closed.notes values (2)").await;
    assert_eq!(world.deliver_and_count().await, []);
    world.drop_roles(&[&reader, &editors]).await;
}

#[tokio::test]
async fn a_policy_that_comes_while_others_are_checked_counts() {
    // Everybody sees everything, so one question stands for all claims, until it does not.
    let mut world = gated(NOTES).await;
    world
        .execute("create policy everybody on notes using (true); drop policy own on notes")
        .await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world.listen(2, user("bob"), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'a'), (2, 'bob', 'b'), (3, 'bob', 'c')")
        .await;
    let given = world
        .deliver_across_sql(
            "drop policy everybody on notes; create policy own on notes for select
            using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub')",
        )
        .await;
    assert_eq!(given, [(1, 1), (2, 2)]);
}

#[tokio::test]
async fn owners_are_told_only_while_the_policy_is_theirs() {
    for change in [
        "drop policy own on owned; create policy own on owned using (owner = auth.uid() and id > 5)",
        "create or replace function auth.uid() returns uuid language sql stable as 'select null::uuid'",
        "revoke execute on function auth.uid() from public",
        "revoke usage on schema public from public, authenticated",
        "alter policy own on owned to service_role",
        "create policy more on owned as restrictive using (false)",
    ] {
        let mut world = gated(OWNED).await;
        world
            .execute("create policy own on owned for select using (owner = auth.uid())")
            .await;
        world.listen(1, user(ANN), &[on("owned")]).await.unwrap();
        world
            .execute(&format!("insert into owned values (1, '{ANN}')"))
            .await;
        assert_eq!(world.deliver_across_sql(change).await, [], "{change}");
    }
}

#[tokio::test]
async fn a_table_that_is_guarded_while_another_is_checked_is_guarded() {
    let mut world = gated(
        "create table open (id int primary key, secret text);
        grant select on open to authenticated;
        alter publication supabase_realtime add table open;",
    )
    .await;
    world.listen(1, user("ann"), &[on("open")]).await.unwrap();
    world.execute("insert into open values (1, 's')").await;
    let given = world
        .deliver_across_sql("alter table open enable row level security")
        .await;
    assert_eq!(given, []);
}

#[tokio::test]
async fn a_column_that_is_taken_away_while_rows_are_checked_is_not_shown() {
    let mut world = gated(NOTES).await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'secret')")
        .await;
    let revoke = "revoke select on notes from authenticated;
        grant select (id, owner) on notes to authenticated;";
    let sent = world.deliver_across(async |world| world.execute(revoke).await);
    assert_eq!(
        sent.await[&1][0].1["record"],
        json!({"id": 1, "owner": "ann"})
    );
}

#[tokio::test]
async fn a_table_that_takes_the_name_of_another_says_nothing_about_its_rows() {
    let mut world = gated(NOTES).await;
    world
        .execute(
            "create table other (id int primary key); insert into other values (1);
            grant select on other to authenticated;",
        )
        .await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'bob', 'x')")
        .await;
    let given = world
        .deliver_across_sql("alter table notes rename to aside; alter table other rename to notes")
        .await;
    assert_eq!(given, []);
}

#[tokio::test]
async fn a_token_that_is_replaced_while_rows_are_checked_sees_nothing_more() {
    let mut world = gated(NOTES).await;
    world.listen(1, user("ann"), &[on("notes")]).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'x')")
        .await;
    let sent = world.deliver_across(async |world| {
        let bob = subscriber(&user("bob"));
        world.engine.renew(1, bob).await.unwrap();
    });
    assert!(sent.await.is_empty());
}

#[tokio::test]
async fn of_two_tokens_the_newer_one_counts() {
    let mut world = World::new(NOTES).await;
    world.listen(1, user("eve"), &[on("notes")]).await.unwrap();
    let older = subscriber(&user("bob"));
    let newer = subscriber(&user("ann"));
    world.engine.renew(1, newer).await.unwrap();
    // The database was slow with this one.
    world.engine.renew(1, older).await.unwrap();
    world
        .execute("insert into notes values (1, 'ann', 'x'), (2, 'bob', 'x'), (3, 'bob', 'y')")
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
}

const ESCALATION: &str = "
    create table public.taken (who text);
    grant insert, select on public.taken to public;
    create table public.vips (id varchar primary key, owner uuid, twice text generated always as ('x') stored);
    alter table public.vips enable row level security;
    create policy own on public.vips using (owner = auth.uid());
    grant select on public.vips to authenticated;
    alter publication supabase_realtime add table public.vips;
    create function public.same(a varchar, b varchar) returns boolean language plpgsql as $$ begin
        insert into public.taken values (current_user); return a::text = b::text; end $$;
    create operator public.= (function = public.same, leftarg = varchar, rightarg = varchar);";

#[tokio::test]
async fn no_operator_of_a_user_runs_as_the_service() {
    let mut world = World::new(OWNED).await;
    world.execute(ESCALATION).await;
    world.listen(1, user(ANN), &[on("vips")]).await.unwrap();
    world
        .execute(&format!(
            "insert into vips values ('a', '{ANN}'), ('b', '{BOB}')"
        ))
        .await;
    assert_eq!(world.deliver_and_count().await, [(1, 1)]);
    let taken: Vec<String> =
        sqlx::query_scalar("select distinct who from taken where who <> 'authenticated'")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    assert_eq!(taken, Vec::<String>::new());
}

#[tokio::test]
async fn a_key_that_is_no_value_of_its_type_any_more_holds_up_nobody() {
    let mut world = World::new(OWNED).await;
    world
        .execute(
            "create domain small as int;
            create table public.few (id small primary key, owner uuid, twice int generated always as (1) stored);
            alter table public.few enable row level security;
            create policy own on public.few using (owner = auth.uid());
            grant select on public.few to authenticated;
            alter publication supabase_realtime add table public.few;",
        )
        .await;
    world.listen(1, user(ANN), &[on("few")]).await.unwrap();
    world
        .execute(&format!(
            "insert into few values (1, '{ANN}'), (7, '{ANN}'), (2, '{ANN}'); update few set owner = owner where id = 7"
        ))
        .await;
    let batch = world.changes().await;
    world
        .execute("delete from few where id = 7; alter domain small add check (value < 5)")
        .await;
    world.engine.deliver(&batch).await.unwrap();
    assert_eq!(world.sent()[&1].len(), 2);
}

#[tokio::test]
async fn a_filter_on_a_column_that_was_taken_away_tells_nothing() {
    let mut world = World::new(NOTES).await;
    let wanted = json!({"schema": "public", "table": "notes", "filter": "body=like.sec%"});
    world
        .listen(1, user("ann"), &[wanted, on("notes")])
        .await
        .unwrap();
    world
        .execute(
            "revoke select on notes from authenticated; grant select (id, owner) on notes to authenticated;
            insert into notes values (1, 'ann', 'secret')",
        )
        .await;
    let sent = world.deliver().await;
    let (ids, data) = &sent[&1][0];
    assert_eq!(ids, &[u64::from(Wanted::parse(&on("notes")).unwrap().id)]);
    assert_eq!(data["record"], json!({"id": 1, "owner": "ann"}));
}

#[tokio::test]
async fn a_token_that_may_not_subscribe_ends_what_the_former_saw() {
    let mut world = World::new(NOTES).await;
    let filtered = json!({"schema": "public", "table": "notes", "filter": "body=like.s%"});
    world.listen(1, user("ann"), &[filtered]).await.unwrap();
    world.execute("revoke select on notes from anon").await;
    let anonymous = subscriber(&json!({"role": "anon"}));
    let renewed = world.engine.renew(1, anonymous).await;
    assert!(matches!(renewed, Err(SubscribeError::Refused(_))));
    world
        .execute("insert into notes values (1, 'ann', 'secret')")
        .await;
    let sent = world.deliver().await;
    let told = sent.get(&1).map(|messages| &messages[0].1["record"]);
    assert!(told.is_none_or(|record| *record == json!({})), "{told:?}");
}
