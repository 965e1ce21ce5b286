//! The pictures of the demonstration data, which go where an administrator would put them: into storage, through its
//! own API.

use anyhow::bail;
use axum::{Router, body::Body};
use http::{Method, Request, StatusCode, header};
use tower::ServiceExt as _;

/// The buckets in which the demonstration data looks for its pictures.
const BUCKETS: [&str; 2] = ["coworking-images", "property-images"];
const CACHE_CONTROL: &str = "public, max-age=86400";

macro_rules! scenes {
    ($($number:literal)*) => {
        [$((
            concat!("demo/scene-", $number, ".webp"),
            include_bytes!(concat!("../../sql/marketplace/seed/pictures/scene-", $number, ".webp")),
        )),*]
    };
}

/// Names and contents.
const SCENES: [(&str, &[u8]); 24] = scenes!(
    "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11" "12"
    "13" "14" "15" "16" "17" "18" "19" "20" "21" "22" "23" "24"
);

/// Uploads the pictures unless they are there.
///
/// # Errors
/// Storage refused one.
pub(crate) async fn upload(storage: &Router, service_key: &str) -> anyhow::Result<()> {
    for bucket in BUCKETS {
        // In this order, so that the last tells of all before it.
        let last = SCENES.last().map_or("", |(name, _)| name);
        if ask(storage, Method::HEAD, bucket, last, service_key, &[]).await? == StatusCode::OK {
            continue;
        }
        for (name, content) in SCENES {
            let status = ask(storage, Method::PUT, bucket, name, service_key, content).await?;
            if status != StatusCode::OK {
                bail!("{name} was refused by the bucket {bucket}: {status}");
            }
        }
    }
    Ok(())
}

async fn ask(
    storage: &Router,
    method: Method,
    bucket: &str,
    name: &str,
    service_key: &str,
    content: &'static [u8],
) -> anyhow::Result<StatusCode> {
    let request = Request::builder()
        .method(method)
        .uri(format!("/object/{bucket}/{name}"))
        .header(header::AUTHORIZATION, format!("Bearer {service_key}"))
        .header(header::CONTENT_TYPE, "image/webp")
        .header(header::CACHE_CONTROL, CACHE_CONTROL)
        .header(header::CONTENT_LENGTH, content.len())
        .body(Body::from(content))?;
    Ok(storage.clone().oneshot(request).await?.status())
}
