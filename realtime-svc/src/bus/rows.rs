//! Rows of `realtime.subscription` say by their identifiers which copy made them.

use std::collections::HashSet;

use sqlx::PgPool;
use uuid::Uuid;

/// A new identifier that begins with the copy's number, of 48 bits.
pub(crate) fn subscription_id(node: u64) -> Uuid {
    let mut bytes = Uuid::new_v4().into_bytes();
    bytes[..6].copy_from_slice(&node.to_be_bytes()[2..]);
    Uuid::from_bytes(bytes)
}

/// Deletes the rows of copies that are not alive. A row is read by people and their tools, never by the service, which
/// writes it anew when its channel gets a new token: so it does no harm if a copy that is only not heard loses its rows.
/// Those of the last minute stay: their copy may be too young to have been heard.
pub(super) async fn delete_of_others(pool: &PgPool, alive: &HashSet<u64>) -> sqlx::Result<u64> {
    let alive: Vec<_> = alive.iter().map(|node| format!("{node:012x}")).collect();
    let deleted = sqlx::query(
        "delete from realtime.subscription \
         where left(replace(subscription_id::text, '-', ''), 12) <> all ($1) \
         and created_at < timezone('utc', now()) - interval '1 minute'",
    )
    .bind(alive)
    .execute(pool)
    .await?;
    Ok(deleted.rows_affected())
}

#[cfg(test)]
mod tests {
    use svc_kit::testing::{Template, TestDb};

    use super::*;

    #[tokio::test]
    async fn only_old_rows_of_copies_that_are_gone_are_deleted() {
        let template = Template::new("realtime_bus")
            .migrated(crate::migrations())
            .migrated(crate::service_migrations());
        let db = TestDb::new(&template).await;
        let pool = db.pool();
        for (node, minutes) in [(1, 5), (2, 5), (2, 0), (3, 5)] {
            sqlx::query(
                "insert into realtime.subscription (subscription_id, entity, claims, created_at) \
                 values ($1, 'realtime.messages', '{\"role\": \"anon\"}', \
                     timezone('utc', now()) - make_interval(mins => $2))",
            )
            .bind(subscription_id(node))
            .bind(minutes)
            .execute(&pool)
            .await
            .unwrap();
        }
        let alive = HashSet::from([1, 3]);
        assert_eq!(delete_of_others(&pool, &alive).await.unwrap(), 1);
        assert_eq!(delete_of_others(&pool, &alive).await.unwrap(), 0);
    }

    #[test]
    fn an_identifier_begins_with_its_copy_and_is_a_uuid() {
        let id = subscription_id(0x00ab_cdef_0123);
        assert!(id.simple().to_string().starts_with("00abcdef0123"), "{id}");
        assert_eq!(id.get_version_num(), 4);
        assert_ne!(id, subscription_id(0x00ab_cdef_0123));
    }
}
