use std::{
    ops::Range,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{body::Body, response::Response};
use chrono::DateTime;
use http::{StatusCode, header, request::Parts};
use serde_json::{Map, Value};

use super::{header_text, input, output::Headers};
use crate::{
    App,
    auth::Context,
    blobs::Content,
    domain::{robots, tokens::Scope},
    error::{Error, Result},
    names,
    store::{
        buckets,
        objects::{self, Object},
        values::JsonWriter,
    },
};

/// By which door a reader comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Public buckets, whoever asks.
    Public,
    /// With a token: policies decide, unless the bucket is public.
    Authenticated,
    /// With a token, or without one for public buckets.
    Either,
}

impl App {
    /// The row that a reader may have.
    pub(crate) async fn readable(
        &self,
        parts: &Parts,
        access: Access,
        operation: &'static str,
        bucket: &str,
        key: &str,
    ) -> Result<Object> {
        let caller = match access {
            Access::Public => None,
            Access::Authenticated => Some(self.authenticate(parts)?),
            Access::Either => self.maybe_authenticate(parts),
        };
        if key.contains('\0') {
            // Postgres cannot even be asked.
            return Err(Error::invalid_key(key));
        }
        let Some(caller) = caller else {
            let found = objects::find_public(self.db(), bucket, key).await;
            return match found {
                // A key that none can have is told only where the bucket may be seen.
                Err(error) if error.message == "Object not found" => {
                    self.config().key_rules.check_characters(key)?;
                    Err(error)
                }
                other => other,
            };
        };
        let is_public = buckets::get(self.db(), bucket).await?.is_public;
        self.config().key_rules.check_characters(key)?;
        if is_public {
            objects::find(self.db(), bucket, key).await
        } else {
            objects::find_as(self.db(), &caller.doing(operation), bucket, key).await
        }
    }
}

/// What a row says of its blob, for the headers of an answer.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) size: Option<u64>,
    pub(crate) mimetype: Option<String>,
    pub(crate) cache_control: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<SystemTime>,
    robots: Option<String>,
}

impl Facts {
    pub(crate) fn of(metadata: &Map<String, Value>) -> Self {
        let text = |name: &str| {
            metadata
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let number = |name: &str| match metadata.get(name)? {
            Value::Number(number) => number.as_u64(),
            Value::String(digits) => digits.parse().ok(),
            _ => None,
        };
        let last_modified = text("lastModified")
            .and_then(|text| DateTime::parse_from_rfc3339(&text).ok())
            .map(SystemTime::from);
        Self {
            size: number("contentLength").or_else(|| number("size")),
            mimetype: text("mimetype"),
            cache_control: text("cacheControl"),
            etag: text("eTag"),
            last_modified,
            robots: text("xRobotsTag"),
        }
    }

    /// A row that somebody wrote by hand says little; the store then knows more.
    pub(crate) async fn complete(app: &App, object: &Object) -> Result<Self> {
        let mut facts = Self::of(&object.metadata_map());
        if facts.size.is_some() && facts.etag.is_some() {
            return Ok(facts);
        }
        let path = app
            .locator()
            .object(&object.bucket, &object.name, object.version.as_deref());
        let info = app.blobs().info(&path).await?;
        let info = info.ok_or_else(|| Error::blob_gone(&object.name))?;
        facts.size = Some(info.size);
        facts.mimetype = facts.mimetype.or(info.content_type);
        facts.cache_control = facts.cache_control.or(info.cache_control);
        let modified = SystemTime::from(info.last_modified);
        facts.last_modified = facts.last_modified.or(Some(modified));
        // Not the digest, but as good as a tag: blobs do not change.
        let millis = info.last_modified.timestamp_millis();
        facts.etag = facts
            .etag
            .or_else(|| Some(format!("\"{:x}-{millis:x}\"", info.size)));
        Ok(facts)
    }

    /// The media type, except that what a browser would run is shown as text.
    pub(crate) fn served_type(&self) -> &str {
        match self.mimetype.as_deref() {
            Some(kind) if kind.contains("text/html") => "text/plain",
            Some(kind) => kind,
            None => "application/octet-stream",
        }
    }
}

/// How an answer differs from a plain download.
#[derive(Debug, Default)]
pub(crate) struct Serving {
    /// `?download`: the name to save under, which may be empty.
    pub(crate) download: Option<String>,
    /// When the URL ends, as seconds since 1970.
    pub(crate) expires: Option<u64>,
}

impl Serving {
    pub(crate) fn of(parts: &Parts) -> Result<Self> {
        Ok(Self {
            download: input::query_value(parts, "download")?,
            expires: None,
        })
    }
}

/// `GET` and `HEAD` of `/object/…`
pub(super) async fn object(
    app: &App,
    parts: &Parts,
    access: Access,
    is_head: bool,
    bucket: &str,
    key: &str,
) -> Result<Response> {
    let operation = match (access, is_head) {
        (Access::Public, false) => "storage.object.get_public",
        (Access::Public, true) => "storage.object.info_public",
        (_, false) => "storage.object.get_authenticated",
        (_, true) => "object.head_authenticated_info",
    };
    let serving = if is_head {
        Serving::default()
    } else {
        Serving::of(parts)?
    };
    let object = app.readable(parts, access, operation, bucket, key).await?;
    if is_head {
        return head(app, parts, &object);
    }
    serve(app, parts, &object, serving).await
}

/// `GET /object/sign/{bucket}/{key}?token=`
pub(super) async fn signed(app: &App, parts: &Parts, bucket: &str, key: &str) -> Result<Response> {
    let token = input::required_query_value(parts, "token")?;
    let path = format!("{bucket}/{key}");
    let claims = app
        .config()
        .url_keys
        .verify(&token, &path, Scope::Download)?;
    let object = objects::find(app.db(), bucket, key).await?;
    let expires = claims.get("exp").and_then(Value::as_f64);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time, which was compared with the clock"
    )]
    let serving = Serving {
        expires: expires.map(|seconds| seconds as u64),
        ..Serving::of(parts)?
    };
    serve(app, parts, &object, serving).await
}

/// The headers that an object's answers share.
pub(crate) fn headers(facts: &Facts) -> Result<Headers> {
    let mut headers = Headers::new();
    headers
        .set(header::ACCEPT_RANGES, "bytes")?
        .set(header::CONTENT_TYPE, facts.served_type())?;
    if let Some(etag) = &facts.etag {
        headers.set(header::ETAG, etag)?;
    }
    let robots = facts.robots.as_deref();
    let robots = robots.filter(|value| robots::check(value).is_ok());
    headers.set(
        http::HeaderName::from_static("x-robots-tag"),
        robots.unwrap_or("none"),
    )?;
    if let Some(time) = facts.last_modified {
        headers.set(header::LAST_MODIFIED, &httpdate::fmt_http_date(time))?;
    }
    Ok(headers)
}

/// The tag that the client, or a cache before us, already has.
fn known_etag<'a>(app: &App, parts: &'a Parts) -> Option<&'a str> {
    let mut names = app.config().etag_headers.iter();
    names.find_map(|name| header_text(parts, name).filter(|tag| !tag.is_empty()))
}

/// Sets `Cache-Control`, to which a client that asks whether its copy is still good gets more said.
pub(crate) fn set_cache_control(
    app: &App,
    parts: &Parts,
    facts: &Facts,
    headers: &mut Headers,
    is_head: bool,
) -> Result<()> {
    let mut values: Vec<String> = Vec::new();
    let own = facts
        .cache_control
        .clone()
        .filter(|value| !value.is_empty());
    // What nobody said is asked for again; HEAD answers what is written.
    values.extend(own.or_else(|| (!is_head).then(|| "no-cache".to_owned())));
    if let Some(known) = known_etag(app, parts) {
        let shared = app.config().s_maxage;
        let is_same = facts.etag.as_deref() == Some(known);
        let says_shared = shared > 0 && (is_same || !is_head);
        if says_shared {
            values.push(format!("s-maxage={shared}"));
        }
        if !is_same {
            let word = if is_head {
                "must-revalidate"
            } else {
                "stale-while-revalidate=30"
            };
            values.push(word.to_owned());
        }
    }
    values.retain(|value| !value.is_empty());
    if !values.is_empty() {
        headers.set(header::CACHE_CONTROL, &values.join(", "))?;
    }
    Ok(())
}

/// Sets `Expires`, for what a signed URL gives.
pub(crate) fn set_expires(headers: &mut Headers, seconds: u64) -> Result<()> {
    // What lies beyond the years of such a date is as good as for ever.
    const LAST: u64 = 253_402_300_799;
    let time = UNIX_EPOCH + Duration::from_secs(seconds.min(LAST));
    headers.set(header::EXPIRES, &httpdate::fmt_http_date(time))?;
    Ok(())
}

/// Sets `Content-Disposition` for `?download`.
pub(crate) fn set_download(headers: &mut Headers, download: Option<&str>) -> Result<()> {
    match download {
        None => {}
        Some("") => {
            headers.set(header::CONTENT_DISPOSITION, "attachment;")?;
        }
        Some(name) => {
            let name = names::encode_uri_component(name);
            let value = format!("attachment; filename={name}; filename*=UTF-8''{name}");
            headers.set(header::CONTENT_DISPOSITION, &value)?;
        }
    }
    Ok(())
}

/// True if the copy that the client has is still good.
pub(crate) fn is_unchanged(parts: &Parts, facts: &Facts) -> bool {
    if let (Some(known), Some(etag)) = (header_text(parts, header::IF_NONE_MATCH), &facts.etag)
        && known == etag
    {
        return true;
    }
    let since = header_text(parts, header::IF_MODIFIED_SINCE);
    let since = since.and_then(|text| {
        let iso = || Some(DateTime::parse_from_rfc3339(text).ok()?.into());
        httpdate::parse_http_date(text).ok().or_else(iso)
    });
    match (since, facts.last_modified) {
        // Headers have whole seconds.
        (Some(since), Some(modified)) => whole_seconds(modified) <= since,
        _ => false,
    }
}

fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// Reads a `Range` header for a size: one range, or a refusal.
pub(crate) fn parse_range(text: &str, size: u64) -> Result<Range<u64>> {
    let wrong = Error::invalid_range;
    let (start, end) = text
        .strip_prefix("bytes=")
        .and_then(|range| range.split_once('-'))
        .ok_or_else(wrong)?;
    let number = |digits: &str| -> Result<Option<u64>> {
        if digits.is_empty() {
            return Ok(None);
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        digits.parse().map(Some).map_err(|_| wrong())
    };
    if size == 0 {
        return Err(wrong());
    }
    match (number(start)?, number(end)?) {
        (None, Some(last)) if last > 0 => Ok(size.saturating_sub(last)..size),
        (Some(start), end) if start < size && end.is_none_or(|end| end >= start) => {
            let end = end.map_or(size, |end| end.saturating_add(1));
            Ok(start..end.min(size))
        }
        _ => Err(wrong()),
    }
}

/// A blob's content as the body of an answer.
pub(crate) fn body_of(content: Content) -> Body {
    match content {
        Content::Whole(bytes) => Body::from(bytes),
        Content::Stream(stream) => Body::from_stream(stream),
    }
}

/// Sends an object, or a part of it, or that the client's copy is still good.
pub(crate) async fn serve(
    app: &App,
    parts: &Parts,
    object: &Object,
    serving: Serving,
) -> Result<Response> {
    let facts = Facts::complete(app, object).await?;
    let size = facts.size.unwrap_or_default();
    let mut headers = headers(&facts)?;
    match serving.expires {
        Some(seconds) => set_expires(&mut headers, seconds)?,
        None => set_cache_control(app, parts, &facts, &mut headers, false)?,
    }
    set_download(&mut headers, serving.download.as_deref())?;
    if is_unchanged(parts, &facts) {
        headers.set(header::CONTENT_LENGTH, "0")?;
        return Ok(headers.answer(StatusCode::NOT_MODIFIED, Body::empty()));
    }
    let range = header_text(parts, header::RANGE)
        .filter(|range| !range.is_empty())
        .map(|text| parse_range(text, size))
        .transpose()?;
    let path = app
        .locator()
        .object(&object.bucket, &object.name, object.version.as_deref());
    let content = app.blobs().read(&path, range.clone()).await?;
    let content = content.ok_or_else(|| Error::blob_gone(&object.name))?;
    let (status, length) = match &range {
        Some(range) => {
            let last = range.end.saturating_sub(1);
            let value = format!("bytes {}-{last}/{size}", range.start);
            headers.set(header::CONTENT_RANGE, &value)?;
            (StatusCode::PARTIAL_CONTENT, range.end - range.start)
        }
        None => (StatusCode::OK, size),
    };
    headers.set(header::CONTENT_LENGTH, &length.to_string())?;
    Ok(headers.answer(status, body_of(content)))
}

/// Answers from the row alone.
fn head(app: &App, parts: &Parts, object: &Object) -> Result<Response> {
    let facts = Facts::of(&object.metadata_map());
    let mut headers = headers(&facts)?;
    if facts.mimetype.is_none() {
        headers.0.remove(header::CONTENT_TYPE);
    }
    headers.set(http::HeaderName::from_static("x-robots-tag"), "none")?;
    if let Some(size) = facts.size {
        headers.set(header::CONTENT_LENGTH, &size.to_string())?;
    }
    set_cache_control(app, parts, &facts, &mut headers, true)?;
    Ok(headers.answer(StatusCode::OK, Body::empty()))
}

/// `GET /object/info/…`
pub(super) async fn info(
    app: &App,
    parts: &Parts,
    access: Access,
    bucket: &str,
    key: &str,
) -> Result<Response> {
    let operation = match access {
        Access::Public => "storage.object.info_public",
        _ => "object.get_authenticated_info",
    };
    let object = app.readable(parts, access, operation, bucket, key).await?;
    let facts = Facts::of(&object.metadata_map());
    let mut json = JsonWriter::default();
    let size = facts.size.map(|size| size.to_string());
    json.raw("{")
        .uuid("id", object.id)
        .string("name", Some(&object.name))
        .string("version", object.version.as_deref())
        .string("bucket_id", Some(&object.bucket))
        .json("size", size.as_deref())
        .string("content_type", facts.mimetype.as_deref())
        .string("cache_control", facts.cache_control.as_deref())
        .string("etag", facts.etag.as_deref())
        .json("metadata", object.user_metadata.as_deref())
        .time("last_modified", object.updated_at)
        .time("created_at", object.created_at)
        .raw("}");
    let mut headers = Headers::new();
    headers.set(header::CONTENT_TYPE, "application/json; charset=utf-8")?;
    if let Some(etag) = &facts.etag {
        headers.set(header::ETAG, etag)?;
    }
    if let Some(time) = facts.last_modified {
        headers.set(header::LAST_MODIFIED, &httpdate::fmt_http_date(time))?;
    }
    if let Some(cache) = facts
        .cache_control
        .as_deref()
        .filter(|text| !text.is_empty())
    {
        headers.set(header::CACHE_CONTROL, cache)?;
    }
    Ok(headers.answer(StatusCode::OK, Body::from(json.finish())))
}

/// What is known of a request that comes with a signed URL instead of a caller.
pub(crate) fn context(parts: &Parts) -> Context {
    Context::of(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_or_none() {
        for (text, range) in [
            ("bytes=0-0", 0..1),
            ("bytes=2-", 2..10),
            ("bytes=-3", 7..10),
            ("bytes=-30", 0..10),
            ("bytes=5-99", 5..10),
        ] {
            assert_eq!(parse_range(text, 10).unwrap(), range, "{text}");
        }
        for text in [
            "bytes=",
            "bytes=-",
            "bytes=-0",
            "bytes=10-",
            "bytes=5-4",
            "bytes=0-1,3-4",
            "bytes=+1-2",
            "items=0-1",
            "bytes=0-99999999999999999999999",
        ] {
            assert_eq!(parse_range(text, 10).unwrap_err().status, 416, "{text}");
        }
        assert!(parse_range("bytes=0-", 0).is_err());
    }
}
