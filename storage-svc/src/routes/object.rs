use axum::response::Response;
use http::Method;

use super::{Routed, change, input, is_get, list, read, sign, upload};
use crate::{App, error::Result};

/// The routes under `/object`, the more special ones first. What looks like one of them but has too few parts is a
/// bucket of that name.
pub(super) async fn route(app: &App, routed: Routed) -> Result<Response> {
    let path = routed.path().to_owned();
    let rest = path.strip_prefix("/object").unwrap_or_default();
    let has_slash = rest.starts_with('/');
    let rest = rest.strip_prefix('/').unwrap_or_default();
    let after = |prefix: &str| rest.strip_prefix(prefix);
    let keyed = |prefix: &str| match after(prefix) {
        Some(rest) => input::bucket_and_key(rest),
        None => Ok(None),
    };
    match routed.parts.method {
        ref method if is_get(method) => {
            let access = |access| (access, method == Method::HEAD);
            for (prefix, kind) in [
                ("info/public/", read::Access::Public),
                ("info/authenticated/", read::Access::Authenticated),
                ("info/", read::Access::Either),
            ] {
                // There is no HEAD for what is public: it asks for an object of a bucket named so.
                let is_there = method == Method::GET || kind != read::Access::Public;
                if let Some((bucket, key)) = keyed(prefix)?
                    && is_there
                {
                    return read::info(app, &routed.parts, kind, &bucket, &key).await;
                }
            }
            if let Some((bucket, key)) = keyed("sign/")? {
                return read::signed(app, &routed.parts, &bucket, &key).await;
            }
            for (prefix, kind) in [
                ("public/", read::Access::Public),
                ("authenticated/", read::Access::Authenticated),
                ("", read::Access::Either),
            ] {
                if let Some((bucket, key)) = keyed(prefix)? {
                    let (kind, is_head) = access(kind);
                    return read::object(app, &routed.parts, kind, is_head, &bucket, &key).await;
                }
            }
        }
        Method::POST => {
            match rest {
                "move" => return change::rename(app, routed).await,
                "copy" => return change::copy(app, routed).await,
                _ => {}
            }
            if let Some((bucket, key)) = keyed("upload/sign/")? {
                input::unused_json(&routed.parts, routed.body, false).await?;
                return sign::upload(app, &routed.parts, &bucket, &key).await;
            }
            for prefix in ["list/", "list-v2/", "sign/"] {
                let Some(bucket) = after(prefix).filter(|rest| !rest.contains('/')) else {
                    continue;
                };
                let bucket = input::decode(bucket)?;
                return match prefix {
                    "list/" => list::search(app, routed, &bucket).await,
                    "list-v2/" => list::page(app, routed, &bucket).await,
                    _ => sign::many(app, routed, &bucket).await,
                };
            }
            if let Some((bucket, key)) = keyed("sign/")? {
                return sign::one(app, routed, &bucket, &key).await;
            }
            if let Some((bucket, key)) = keyed("")? {
                return upload::create(app, routed, &bucket, &key).await;
            }
        }
        Method::PUT => {
            if let Some((bucket, key)) = keyed("upload/sign/")? {
                return upload::signed(app, routed, &bucket, &key).await;
            }
            if let Some((bucket, key)) = keyed("")? {
                return upload::replace(app, routed, &bucket, &key).await;
            }
        }
        Method::DELETE => {
            if let Some((bucket, key)) = keyed("")? {
                input::unused_json(&routed.parts, routed.body, false).await?;
                return change::delete(app, &routed.parts, &bucket, &key).await;
            }
            if has_slash {
                let bucket = input::decode(rest)?;
                return change::delete_many(app, routed, &bucket).await;
            }
        }
        _ => {}
    }
    Err(routed.no_route())
}
