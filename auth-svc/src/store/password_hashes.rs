//! Hashes of passwords, where the password itself stays the same.

use sqlx::PgConnection;
use uuid::Uuid;

/// Puts a better hash of the same password in the place of an older one, unless the password was changed
/// meanwhile.
pub async fn replace(
    conn: &mut PgConnection,
    user: Uuid,
    (old, new): (&str, &str),
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users set encrypted_password = $3
         where id = $1 and encrypted_password = $2",
    )
    .bind(user)
    .bind(old)
    .bind(new)
    .execute(conn)
    .await?;
    Ok(())
}
