//! Identity providers, as administrators keep them.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::{PgConnection, types::Json};
use url::Url;
use uuid::Uuid;

use super::{fetch, mapping::Mapping, metadata::Metadata};
use crate::{
    app::App,
    domain::{account::time, clock},
    error::{Code, Error, UNEXPECTED},
    store::sso::{self, SsoProvider},
};

const RESOURCE: &str = "resource_";
const NAME_ID_FORMATS: [&str; 4] = [
    "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
    "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
];

/// What an administrator says about one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields of the contract")]
pub struct Params {
    #[serde(rename = "type")]
    pub kind: String,
    pub metadata_url: String,
    pub metadata_xml: String,
    pub domains: Option<Vec<String>>,
    pub attribute_mapping: Mapping,
    pub name_id_format: Option<String>,
    pub resource_id: Option<String>,
    pub disabled: Option<bool>,
}

impl Params {
    fn check(&self, for_update: bool) -> Result<(), Error> {
        let (url, xml) = (self.metadata_url.as_str(), self.metadata_xml.as_str());
        if !for_update && self.kind != "saml" {
            return Err(Error::invalid(
                "Only 'saml' supported for SSO provider type",
            ));
        }
        if !url.is_empty() && !xml.is_empty() {
            return Err(Error::invalid(
                "Only one of metadata_xml or metadata_url needs to be set",
            ));
        }
        if !for_update && url.is_empty() && xml.is_empty() {
            return Err(Error::invalid(
                "Either metadata_xml or metadata_url must be set",
            ));
        }
        if !url.is_empty() {
            let unreadable = |_| Error::invalid("metadata_url is not a valid URL");
            if Url::parse(url).map_err(unreadable)?.scheme() != "https" {
                return Err(Error::invalid("metadata_url is not a HTTPS URL"));
            }
        }
        let format = self.name_id_format.as_deref().unwrap_or_default();
        if !format.is_empty() && !NAME_ID_FORMATS.contains(&format) {
            let known = NAME_ID_FORMATS.join(", ");
            return Err(Error::invalid(format!(
                "name_id_format must be unspecified or one of {known}"
            )));
        }
        Ok(())
    }

    /// The metadata as they are and as they are read, if there are any.
    async fn metadata(&self) -> Result<Option<(String, Metadata)>, Error> {
        let text = if !self.metadata_xml.is_empty() {
            self.metadata_xml.clone()
        } else if !self.metadata_url.is_empty() {
            fetch::fetch(&self.metadata_url).await?
        } else {
            return Ok(None);
        };
        let metadata = read_metadata(&text)?;
        Ok(Some((text, metadata)))
    }
}

pub(super) fn not_utf8() -> Error {
    Error::invalid(
        "SAML Metadata XML contains invalid UTF-8 characters, which are not supported at this time",
    )
}

/// Fails for metadata of anything else than one identity provider.
pub(super) fn read_metadata(text: &str) -> Result<Metadata, Error> {
    let metadata = Metadata::parse(text).map_err(|problem| Error::internal(UNEXPECTED, problem))?;
    let wrong = match metadata.roles {
        _ if metadata.entity_id.is_empty() => "SAML Metadata does not contain an EntityID",
        0 => "SAML Metadata does not contain any IDPSSODescriptor",
        1 => return Ok(metadata),
        _ => "SAML Metadata contains multiple IDPSSODescriptors",
    };
    Err(Error::invalid(wrong))
}

/// One as administrators see it.
pub fn json(provider: &SsoProvider, with_metadata: bool) -> Value {
    let mut saml = Map::new();
    saml.insert("entity_id".into(), provider.entity_id.as_str().into());
    if with_metadata {
        saml.insert("metadata_xml".into(), provider.metadata_xml.as_str().into());
    }
    if let Some(url) = &provider.metadata_url {
        saml.insert("metadata_url".into(), url.as_str().into());
    }
    let mapping = provider.attribute_mapping.as_ref();
    let mapping = mapping.map_or_else(|| json!({}), |Json(mapping)| mapping.clone());
    saml.insert("attribute_mapping".into(), mapping);
    if let Some(format) = &provider.name_id_format {
        saml.insert("name_id_format".into(), format.as_str().into());
    }
    let domains: Vec<Value> = provider
        .domains
        .iter()
        .map(|domain| json!({ "domain": domain }))
        .collect();
    let mut map = Map::new();
    map.insert("id".into(), provider.id.to_string().into());
    if let Some(id) = &provider.resource_id {
        map.insert("resource_id".into(), id.as_str().into());
    }
    map.insert("disabled".into(), provider.disabled.into());
    map.insert("saml".into(), saml.into());
    map.insert("domains".into(), domains.into());
    map.insert("created_at".into(), time(provider.created_at).into());
    map.insert("updated_at".into(), time(provider.updated_at).into());
    map.into()
}

/// The one that a path names, by its id or by the project's own after a prefix.
pub async fn find(conn: &mut PgConnection, name: &str) -> Result<SsoProvider, Error> {
    let found = match name.strip_prefix(RESOURCE) {
        Some(id) => sso::find_by_resource_id(conn, id).await,
        None => match Uuid::try_parse(name) {
            Ok(id) => sso::find(conn, id).await,
            Err(_) => Ok(None),
        },
    };
    found
        .map_err(Error::database(
            "Database error finding SSO Identity Provider",
        ))?
        .ok_or_else(|| {
            Error::refused(
                404,
                Code::SsoProviderNotFound,
                "SSO Identity Provider not found",
            )
        })
}

/// Adds one.
pub async fn create(app: &App, params: Params) -> Result<SsoProvider, Error> {
    params.check(false)?;
    let (metadata_xml, metadata) = params
        .metadata()
        .await?
        .ok_or_else(|| Error::invalid("Either metadata_xml or metadata_url must be set"))?;
    let mut tx = app.begin().await?;
    let entity_id = metadata.entity_id;
    if sso::find_by_entity_id(&mut tx, &entity_id).await?.is_some() {
        let message =
            format!("SAML Identity Provider with this EntityID ({entity_id}) already exists");
        return Err(Error::unprocessable(Code::SamlIdpAlreadyExists, message));
    }
    let domains = distinct(params.domains.unwrap_or_default());
    for domain in &domains {
        if let Some(other) = sso::find_by_domain(&mut tx, domain).await? {
            let message = format!(
                "SSO Domain '{domain}' is already assigned to an SSO identity provider ({})",
                other.id
            );
            return Err(Error::bad_request(Code::SsoDomainAlreadyExists, message));
        }
    }
    let now = app.now();
    let new = SsoProvider {
        id: clock::id(app.random()),
        resource_id: params.resource_id,
        disabled: params.disabled,
        created_at: now,
        updated_at: now,
        entity_id,
        metadata_xml,
        metadata_url: Some(params.metadata_url).filter(|url| !url.is_empty()),
        attribute_mapping: Some(Json(json!(params.attribute_mapping))),
        name_id_format: params.name_id_format.filter(|format| !format.is_empty()),
        metadata_updated_at: now,
        domains,
    };
    // What the database refuses here says nothing to a client, as in the original.
    sso::insert(&mut tx, &new, clock::id(app.random()))
        .await
        .map_err(|error| Error::internal(UNEXPECTED, error))?;
    let new = sso::find(&mut tx, new.id).await?;
    tx.commit().await?;
    new.ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// Each domain once, as it was written first: they are told apart without regard to case.
fn distinct(mut domains: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    domains.retain(|domain| seen.insert(domain.to_lowercase()));
    domains
}

/// Changes what is named; an empty text takes the value away.
pub async fn update(app: &App, before: SsoProvider, params: Params) -> Result<SsoProvider, Error> {
    params.check(true)?;
    let now = app.now();
    let mut changed = before.clone();
    // The provider may be slow, and holds no connection meanwhile.
    if let Some((text, metadata)) = params.metadata().await? {
        if metadata.entity_id != before.entity_id {
            let message = format!(
                "SAML Metadata can be updated only if the EntityID matches for the provider; expected '{}' but got '{}'",
                before.entity_id, metadata.entity_id
            );
            return Err(Error::bad_request(Code::SamlEntityIdMismatch, message));
        }
        if !params.metadata_url.is_empty() {
            changed.metadata_url = Some(params.metadata_url);
        }
        changed.metadata_xml = text;
        changed.metadata_updated_at = now;
    }
    let mut tx = app.begin().await?;
    let mut added = Vec::new();
    let mut removed = Vec::new();
    if let Some(domains) = params.domains.map(distinct) {
        for domain in &domains {
            let owner = sso::find_by_domain(&mut tx, domain).await?;
            if let Some(other) = owner.filter(|owner| owner.id != before.id) {
                let message = format!(
                    "SSO domain '{domain}' already assigned to another provider ({})",
                    other.id
                );
                return Err(Error::bad_request(Code::SsoDomainAlreadyExists, message));
            }
        }
        let without = |all: &[String], these: &[String]| -> Vec<String> {
            let rest = all.iter().filter(|one| !these.contains(one));
            rest.cloned().collect()
        };
        added = without(&domains, &before.domains);
        removed = without(&before.domains, &domains);
    }
    if params.attribute_mapping.keys.is_some() {
        changed.attribute_mapping = Some(Json(json!(params.attribute_mapping)));
    }
    if let Some(format) = params.name_id_format {
        changed.name_id_format = Some(format).filter(|format| !format.is_empty());
    }
    if let Some(id) = params.resource_id {
        changed.resource_id = Some(id).filter(|id| !id.is_empty());
    }
    changed.disabled = params.disabled.or(before.disabled);
    let same = added.is_empty()
        && removed.is_empty()
        && changed.metadata_updated_at == before.metadata_updated_at
        && changed.attribute_mapping == before.attribute_mapping
        && changed.name_id_format == before.name_id_format
        && changed.resource_id == before.resource_id
        && changed.disabled == before.disabled;
    if same {
        return Ok(before);
    }
    let conflict = |error: sqlx::Error| {
        tracing::info!(%error, "an SSO provider could not be updated");
        let message = "Updating SSO provider failed, likely due to a conflict. Try again?";
        Error::unprocessable(Code::Conflict, message)
    };
    sso::update(&mut tx, &changed, now)
        .await
        .map_err(conflict)?;
    sso::remove_domains(&mut tx, before.id, &removed)
        .await
        .map_err(conflict)?;
    sso::add_domains(&mut tx, before.id, &added, now)
        .await
        .map_err(conflict)?;
    let after = sso::find(&mut tx, before.id).await.map_err(conflict)?;
    tx.commit().await.map_err(conflict)?;
    after.ok_or_else(|| conflict(sqlx::Error::RowNotFound))
}
