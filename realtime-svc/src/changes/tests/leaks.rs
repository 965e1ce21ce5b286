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
