//! `[storage.buckets.*]`: made and filled through storage's own API, as the CLI's `seed buckets` does.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use axum::{Router, body::Body};
use http::{Method, Request, StatusCode, header};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{Project, config::Bucket};
use crate::progress::Progress;

const LARGEST_ANSWER: usize = 16 * 1024 * 1024;

/// Storage, called without a network.
struct Storage<'a> {
    router: &'a Router,
    key: &'a str,
}

/// Makes the buckets that are missing, with their files, and gives those that are there the properties of the
/// configuration.
///
/// # Errors
/// Storage refused something, or a folder cannot be read.
pub(crate) async fn seed(
    project: &Project,
    router: &Router,
    key: &str,
    progress: &Progress,
) -> anyhow::Result<()> {
    let buckets = &project.config.storage.buckets;
    if buckets.is_empty() {
        return Ok(());
    }
    let storage = Storage { router, key };
    let there = storage.buckets().await?;
    for (name, bucket) in buckets {
        let properties = properties(project, name, bucket);
        let Some(existing) = there.iter().find(|existing| existing["name"] == **name) else {
            progress.say(format!("Creating Storage bucket: {name}"));
            storage.expect(Method::POST, "/bucket", properties).await?;
            storage.fill(project, name, bucket, progress).await?;
            continue;
        };
        let same = ["public", "file_size_limit", "allowed_mime_types"]
            .iter()
            .all(|field| existing[field] == properties[field]);
        if !same {
            progress.say(format!("Updating Storage bucket: {name}"));
            let path = format!("/bucket/{}", encoded(name));
            storage.expect(Method::PUT, &path, properties).await?;
        }
    }
    Ok(())
}

fn properties(project: &Project, name: &str, bucket: &Bucket) -> Value {
    let limit = bucket
        .file_size_limit
        .filter(|limit| limit.0 > 0)
        .unwrap_or(project.config.storage.file_size_limit);
    let types = &bucket.allowed_mime_types;
    json!({
        "id": name,
        "name": name,
        "public": bucket.public.unwrap_or(false),
        "file_size_limit": limit.0,
        "allowed_mime_types": (!types.is_empty()).then_some(types),
    })
}

impl Storage<'_> {
    async fn buckets(&self) -> anyhow::Result<Vec<Value>> {
        let (status, body) = self
            .ask(Method::GET, "/bucket", "application/json", Body::empty())
            .await?;
        if status != StatusCode::OK {
            bail!("storage does not list its buckets: {status}");
        }
        Ok(serde_json::from_slice(&body)?)
    }

    async fn fill(
        &self,
        project: &Project,
        name: &str,
        bucket: &Bucket,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        if bucket.objects_path.is_empty() {
            return Ok(());
        }
        let root = project.resolve(&bucket.objects_path);
        for path in files(&root)
            .with_context(|| format!("[storage.buckets.{name}] objects_path {}", root.display()))?
        {
            let inside = path.strip_prefix(&root).unwrap_or(&path);
            let key = if inside.as_os_str().is_empty() {
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            } else {
                inside.to_string_lossy().into_owned()
            };
            progress.say(format!(
                "Uploading: {} => {name}/{key}",
                project.shown(&path)
            ));
            let content = fs::read(&path).with_context(|| path.display().to_string())?;
            let kind = mime_guess::from_path(&path).first_or_octet_stream();
            let target = format!("/object/{}/{}", encoded(name), encoded(&key));
            let (status, body) = self
                .ask(Method::POST, &target, kind.as_ref(), Body::from(content))
                .await?;
            if status != StatusCode::OK {
                bail!(
                    "{name}/{key} was refused: {}",
                    String::from_utf8_lossy(&body)
                );
            }
        }
        Ok(())
    }

    async fn expect(&self, method: Method, path: &str, body: Value) -> anyhow::Result<()> {
        let (status, answer) = self
            .ask(
                method,
                path,
                "application/json",
                Body::from(body.to_string()),
            )
            .await?;
        if status != StatusCode::OK {
            bail!("{path} was refused: {}", String::from_utf8_lossy(&answer));
        }
        Ok(())
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: Body,
    ) -> anyhow::Result<(StatusCode, axum::body::Bytes)> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .header(header::CONTENT_TYPE, kind)
            .header(header::CACHE_CONTROL, "max-age=3600")
            .header("x-upsert", "true")
            .body(body)?;
        let answer = self.router.clone().oneshot(request).await?;
        let status = answer.status();
        Ok((
            status,
            axum::body::to_bytes(answer.into_body(), LARGEST_ANSWER).await?,
        ))
    }
}

/// A name within a path: everything but letters, digits, `-_.~` and slashes is escaped.
fn encoded(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// All files below a folder, or the file itself; what is neither is passed over.
fn files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    if fs::metadata(root)?.is_file() {
        return Ok(vec![root.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
