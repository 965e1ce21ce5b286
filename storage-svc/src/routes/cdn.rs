//! Telling a CDN to forget what it has: `/cdn`.

use std::time::Duration;

use axum::response::Response;
use http::Method;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::{Routed, input, output};
use crate::{
    App,
    error::{Error, Result},
    schema::Rule,
};

const TIMEOUT: Duration = Duration::from_secs(10);

/// What is to be forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Purge {
    bucket: Option<String>,
    key: Option<String>,
    transformations: bool,
}

impl Purge {
    pub(crate) fn bucket(id: &str) -> Self {
        Self {
            bucket: Some(id.to_owned()),
            key: None,
            transformations: false,
        }
    }
}

pub(super) async fn route(app: &App, routed: Routed) -> Result<Response> {
    let rest = routed.path().strip_prefix("/cdn").unwrap_or_default();
    let rest = rest.strip_prefix('/').unwrap_or_default();
    if routed.parts.method != Method::DELETE {
        return Err(routed.no_route());
    }
    let (bucket, key) = match input::bucket_and_key(rest)? {
        Some((bucket, key)) => (Some(bucket), Some(key)),
        None if rest.is_empty() => (None, None),
        None => (Some(input::decode(rest)?), None),
    };
    if key.as_deref() == Some("") {
        return Err(Error::schema(
            "params/* must NOT have fewer than 1 characters",
        ));
    }
    let mut query = input::query(&routed.parts);
    if let Some(value) = query.get_mut("transformations") {
        Rule::Boolean
            .check("querystring/transformations", value)
            .map_err(Error::schema)?;
    }
    app.authenticate_service(&routed.parts)?;
    let purge = Purge {
        bucket,
        key,
        transformations: query.get("transformations") == Some(&Value::Bool(true)),
    };
    app.purge(&purge).await?;
    Ok(output::json(&json!({ "message": "success" })))
}

impl App {
    /// Tells the CDN, and waits for its answer.
    async fn purge(&self, purge: &Purge) -> Result<()> {
        let Some((url, key)) = &self.config().cdn else {
            return Err(Error::missing_parameter(
                "CDN_PURGE_ENDPOINT_URL is not set",
            ));
        };
        let tenant = &self.config().tenant;
        let failed = |error: reqwest::Error| {
            tracing::error!(%error, "the CDN could not be told");
            Error::new("InternalError", 500, "Error purging cache")
        };
        let client = reqwest::Client::builder().timeout(TIMEOUT).build();
        let kind = match (&purge.bucket, &purge.key) {
            (None, _) => "tenant",
            (Some(_), None) => "bucket",
            (Some(_), Some(_)) => "object",
        };
        let kind = if purge.transformations {
            format!("{kind}-transforms")
        } else {
            kind.to_owned()
        };
        let mut body = json!({ "type": kind, "tenant": { "ref": tenant } });
        if let Some(bucket) = &purge.bucket {
            body["bucketId"] = bucket.as_str().into();
        }
        if let Some(key) = &purge.key {
            body["objectName"] = key.as_str().into();
        }
        let mut url = url.clone();
        let path = format!("{}/purge", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        let mut request = client.map_err(failed)?.post(url).json(&body);
        if let Some(key) = key {
            request = request.bearer_auth(key.expose_secret());
        }
        let answer = request.send().await.map_err(failed)?;
        answer.error_for_status().map_err(failed)?;
        Ok(())
    }

    /// Tells the CDN, if there is one, without keeping anybody waiting.
    pub(crate) fn purge_later(&self, purge: Purge) {
        if self.config().cdn.is_some() {
            let app = self.clone();
            tokio::spawn(async move { app.purge(&purge).await });
        }
    }
}
