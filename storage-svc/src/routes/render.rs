//! `/render/image`: objects as images of another size or format.

use axum::{body::Body, response::Response};
use http::{HeaderName, StatusCode, header, request::Parts};
use image_transform::{ImageError, SizeLimits, Transform};
use serde_json::Value;

use super::{Routed, header_text, input, is_get, read};
use crate::{
    App, blobs,
    domain::tokens::Scope,
    error::{Error, Result},
    store::objects::{self, Object},
};

const TRANSFORMATIONS: HeaderName = HeaderName::from_static("x-transformations");

impl From<ImageError> for Error {
    fn from(error: ImageError) -> Self {
        let status = error.status();
        let code = match error {
            ImageError::Busy => "SlowDown",
            _ if status >= 500 => "InternalError",
            _ => "InvalidRequest",
        };
        let mapped = Self::new(code, status, error.to_string());
        // A client that is to wait should see so without reading the body.
        if status == 429 {
            mapped.with_rest_status(429)
        } else {
            mapped
        }
    }
}

impl App {
    /// The bounds of widths and heights.
    pub(crate) fn image_sizes(&self) -> SizeLimits {
        let (min, max) = self.config().image_sizes;
        SizeLimits { min, max }
    }
}

pub(super) async fn route(app: &App, routed: Routed) -> Result<Response> {
    let rest = routed.path().strip_prefix("/render/image/");
    let rest = rest.filter(|_| app.config().images && is_get(&routed.parts.method));
    let Some(rest) = rest else {
        return Err(routed.no_route());
    };
    let keyed = |prefix: &str| match rest.strip_prefix(prefix) {
        Some(rest) => input::bucket_and_key(rest),
        None => Ok(None),
    };
    if let Some((bucket, key)) = keyed("public/")? {
        return public(app, &routed.parts, &bucket, &key).await;
    }
    if let Some((bucket, key)) = keyed("authenticated/")? {
        return authenticated(app, &routed.parts, &bucket, &key).await;
    }
    if let Some((bucket, key)) = keyed("sign/")? {
        return signed(app, &routed.parts, &bucket, &key).await;
    }
    Err(routed.no_route())
}

fn wanted(app: &App, parts: &Parts) -> Result<Transform> {
    let raw = parts.uri.query().unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(raw.as_bytes()).collect();
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    Transform::from_query(pairs, app.image_sizes()).map_err(|error| Error::schema(error.0))
}

async fn public(app: &App, parts: &Parts, bucket: &str, key: &str) -> Result<Response> {
    let wanted = wanted(app, parts)?;
    let operation = "storage.render.image_public";
    let access = read::Access::Public;
    let object = app.readable(parts, access, operation, bucket, key).await?;
    render(app, parts, &object, &wanted, read::Serving::of(parts)?).await
}

/// Policies decide, even of public buckets.
async fn authenticated(app: &App, parts: &Parts, bucket: &str, key: &str) -> Result<Response> {
    let wanted = wanted(app, parts)?;
    let caller = app.authenticate_or_refuse(parts)?;
    crate::names::check_bucket(bucket)?;
    app.config().key_rules.check_characters(key)?;
    let caller = caller.doing("storage.render.image_authenticated");
    let object = objects::find_as(app.db(), &caller, bucket, key).await?;
    render(app, parts, &object, &wanted, read::Serving::of(parts)?).await
}

/// What the image becomes stands in the token.
async fn signed(app: &App, parts: &Parts, bucket: &str, key: &str) -> Result<Response> {
    let token = input::required_query_value(parts, "token")?;
    let path = format!("{bucket}/{key}");
    let claims = app
        .config()
        .url_keys
        .verify(&token, &path, Scope::Download)?;
    let claim = claims.text("transformations").unwrap_or_default();
    let wanted = Transform::from_claim(claim, app.image_sizes());
    let object = objects::find(app.db(), bucket, key).await?;
    let expires = claims.get("exp").and_then(Value::as_u64);
    let serving = read::Serving {
        expires,
        ..read::Serving::of(parts)?
    };
    render(app, parts, &object, &wanted, serving).await
}

async fn render(
    app: &App,
    parts: &Parts,
    object: &Object,
    wanted: &Transform,
    serving: read::Serving,
) -> Result<Response> {
    let facts = read::Facts::complete(app, object).await?;
    let mut headers = read::headers(&facts)?;
    match serving.expires {
        Some(seconds) => read::set_expires(&mut headers, seconds)?,
        None => read::set_cache_control(app, parts, &facts, &mut headers, false)?,
    }
    read::set_download(&mut headers, serving.download.as_deref())?;
    let transformations = wanted.header();
    if !transformations.is_empty() {
        headers.set(TRANSFORMATIONS, &transformations)?;
    }
    // Which format is sent may depend on what the client takes.
    headers.set(header::VARY, "Accept")?;
    // A version is never another's content, and the tag is the version's.
    if read::is_unchanged(parts, &facts) {
        return Ok(headers.answer(StatusCode::NOT_MODIFIED, Body::empty()));
    }
    let path = app
        .locator()
        .object(&object.bucket, &object.name, object.version.as_deref());
    let source = async {
        let most = app.image_limits().source_bytes;
        let length = facts
            .size
            .map(|size| usize::try_from(size).unwrap_or(usize::MAX));
        if length.is_some_and(|length| length > most) {
            return Err(Error::from(ImageError::FileTooLarge));
        }
        let content = app.blobs().read(&path, None).await?;
        let content = content.ok_or_else(|| Error::blob_gone(&object.name))?;
        let bytes = blobs::collect(content.into_stream(), length, most).await;
        let bytes = bytes.map_err(|error| {
            tracing::error!(%error, "a source could not be read");
            Error::internal()
        })?;
        bytes
            .map(bytes::Bytes::from)
            .ok_or_else(|| ImageError::FileTooLarge.into())
    };
    let accept = header_text(parts, header::ACCEPT);
    let version = path.as_str();
    let output = app
        .renderer()
        .render(version, wanted, accept, source)
        .await?;
    headers.set(header::CONTENT_TYPE, output.content_type)?;
    headers.set(header::CONTENT_LENGTH, &output.bytes.len().to_string())?;
    // The bytes belong to the cache; they are copied once, into the answer.
    Ok(headers.answer(StatusCode::OK, Body::from(output.bytes.clone())))
}
