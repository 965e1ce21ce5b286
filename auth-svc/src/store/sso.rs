//! `auth.sso_providers` with `auth.saml_providers` and `auth.sso_domains`: whom users of an organisation
//! sign in with.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

/// One identity provider.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct SsoProvider {
    pub id: Uuid,
    pub resource_id: Option<String>,
    pub disabled: Option<bool>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub entity_id: String,
    pub metadata_xml: String,
    pub metadata_url: Option<String>,
    pub attribute_mapping: Option<Json<Value>>,
    pub name_id_format: Option<String>,
    /// When the metadata were last written.
    pub metadata_updated_at: DateTime<Utc>,
    pub domains: Vec<String>,
}

impl SsoProvider {
    /// Whether users may sign in with it.
    pub fn is_enabled(&self) -> bool {
        self.disabled != Some(true)
    }
}

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select p.id, p.resource_id, p.disabled, coalesce(p.created_at, 'epoch') as created_at,
                coalesce(p.updated_at, 'epoch') as updated_at, s.entity_id, s.metadata_xml,
                s.metadata_url, s.attribute_mapping, s.name_id_format,
                coalesce(s.updated_at, 'epoch') as metadata_updated_at,
                array(select d.domain from auth.sso_domains d where d.sso_provider_id = p.id
                      order by d.created_at, d.domain) as domains
         from auth.sso_providers p
         join auth.saml_providers s on s.sso_provider_id = p.id
         where {condition}"
    ))
}

type Found = Result<Option<SsoProvider>, sqlx::Error>;

/// By id.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Found {
    sqlx::query_as(select("p.id = $1"))
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// By the id that the project chose for it.
pub async fn find_by_resource_id(conn: &mut PgConnection, id: &str) -> Found {
    sqlx::query_as(select("p.resource_id = $1"))
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// By the provider's name of itself.
pub async fn find_by_entity_id(conn: &mut PgConnection, entity_id: &str) -> Found {
    sqlx::query_as(select("s.entity_id = $1"))
        .bind(entity_id)
        .fetch_optional(conn)
        .await
}

/// By one of the domains of its users, in any case.
pub async fn find_by_domain(conn: &mut PgConnection, domain: &str) -> Found {
    sqlx::query_as(select(
        "p.id = (select d.sso_provider_id from auth.sso_domains d
                 where lower(d.domain) = lower($1) limit 1)",
    ))
    .bind(domain)
    .fetch_optional(conn)
    .await
}

/// All, or those whose chosen id is or begins with a text.
pub async fn list(
    conn: &mut PgConnection,
    resource_id: Option<&str>,
    prefix: Option<&str>,
) -> Result<Vec<SsoProvider>, sqlx::Error> {
    sqlx::query_as(select(
        "($1::text is null or p.resource_id = $1)
         and ($2::text is null or starts_with(p.resource_id, $2))
         order by p.created_at, p.id",
    ))
    .bind(resource_id)
    .bind(prefix)
    .fetch_all(conn)
    .await
}

/// Adds one. The ids are those of the two rows.
pub async fn insert(
    conn: &mut PgConnection,
    new: &SsoProvider,
    saml_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.sso_providers (id, resource_id, disabled, created_at, updated_at)
         values ($1, $2, $3, $4, $4)",
    )
    .bind(new.id)
    .bind(&new.resource_id)
    .bind(new.disabled)
    .bind(new.created_at)
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "insert into auth.saml_providers
            (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping,
             name_id_format, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
    )
    .bind(saml_id)
    .bind(new.id)
    .bind(&new.entity_id)
    .bind(&new.metadata_xml)
    .bind(&new.metadata_url)
    .bind(&new.attribute_mapping)
    .bind(&new.name_id_format)
    .bind(new.created_at)
    .execute(&mut *conn)
    .await?;
    add_domains(conn, new.id, &new.domains, new.created_at).await
}

/// Gives domains to a provider, which keep their order.
pub async fn add_domains(
    conn: &mut PgConnection,
    provider: Uuid,
    domains: &[String],
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
         select gen_random_uuid(), $1, domain, at, at
         from unnest($2::text[]) with ordinality as named (domain, place),
              lateral (select $3 + (place - 1) * interval '1 microsecond') as written (at)",
    )
    .bind(provider)
    .bind(domains)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes domains away from a provider.
pub async fn remove_domains(
    conn: &mut PgConnection,
    provider: Uuid,
    domains: &[String],
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.sso_domains where sso_provider_id = $1 and domain = any($2)")
        .bind(provider)
        .bind(domains)
        .execute(conn)
        .await?;
    Ok(())
}

/// Writes everything but the domains.
pub async fn update(
    conn: &mut PgConnection,
    changed: &SsoProvider,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.sso_providers set resource_id = $2, disabled = $3, updated_at = $4
         where id = $1",
    )
    .bind(changed.id)
    .bind(&changed.resource_id)
    .bind(changed.disabled)
    .bind(now)
    .execute(&mut *conn)
    .await?;
    // The time of the metadata says when they were got, so other changes leave it.
    sqlx::query(
        "update auth.saml_providers
         set metadata_url = $3, attribute_mapping = $4, name_id_format = $5, metadata_xml = $2,
             updated_at = $6
         where sso_provider_id = $1",
    )
    .bind(changed.id)
    .bind(&changed.metadata_xml)
    .bind(&changed.metadata_url)
    .bind(&changed.attribute_mapping)
    .bind(&changed.name_id_format)
    .bind(changed.metadata_updated_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes newer metadata.
pub async fn refresh_metadata(
    conn: &mut PgConnection,
    provider: Uuid,
    xml: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.saml_providers set metadata_xml = $2, updated_at = $3
         where sso_provider_id = $1",
    )
    .bind(provider)
    .bind(xml)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes one with all that belongs to it.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.sso_providers where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}
