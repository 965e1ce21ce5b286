use axum::response::Response;
use http::{header, request::Parts};
use image_transform::Transform;
use serde_json::{Map, Value, json};

use super::{Routed, header_text, input, output};
use crate::{
    App,
    domain::{tokens::SignedImage, upload::NewObject},
    error::{Error, Result},
    names,
    schema::{Rule, Shape},
    store::objects::{self, Mode},
};

const ONE: Shape = Shape {
    required: &["expiresIn"],
    properties: &[("expiresIn", Rule::Integer(1))],
};

const MANY: Shape = Shape {
    required: &["expiresIn", "paths"],
    properties: &[
        ("expiresIn", Rule::Integer(1)),
        ("paths", Rule::Texts(1, 1000)),
    ],
};

/// The path of a signed URL: decoded as far as a path can be, as JavaScript's `decodeURI` does, which keeps what would
/// mean something else in a URL.
fn shown_path(bucket: &str, key: &str) -> String {
    use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
    const MEANT: &AsciiSet = &CONTROLS.add(b'?').add(b'#').add(b'%').add(b'\\');
    format!(
        "{}/{}",
        utf8_percent_encode(bucket, MEANT),
        utf8_percent_encode(key, MEANT)
    )
}

fn seconds(body: &Map<String, Value>) -> Result<u64> {
    // Beyond it JavaScript's numbers are not exact.
    const MOST: u64 = 1 << 52;
    let seconds = body.get("expiresIn").and_then(Value::as_u64);
    seconds
        .filter(|seconds| *seconds <= MOST)
        .ok_or_else(|| Error::invalid_parameter("expiresIn"))
}

/// `POST /object/sign/{bucket}/{key}`
pub(super) async fn one(app: &App, routed: Routed, bucket: &str, key: &str) -> Result<Response> {
    let body = input::json(&routed.parts, routed.body, &ONE).await?;
    let transform = match body.get("transform") {
        None => None,
        Some(value) => {
            let transform = Transform::from_json(value, app.image_sizes());
            let transform = transform.map_err(|error| Error::schema(error.0))?;
            let format = value.get("format").and_then(Value::as_str);
            Some((transform, format.map(str::to_owned)))
        }
    };
    let caller = app.authenticate(&routed.parts)?;
    names::check_bucket(bucket)?;
    app.config().key_rules.check(key)?;
    let seconds = seconds(&body)?;
    let caller = caller.doing("storage.object.sign");
    objects::find_as(app.db(), &caller, bucket, key).await?;
    let path = format!("{bucket}/{key}");
    let claim = transform
        .filter(|_| app.config().images)
        .map(|(transform, format)| (transform.claim(), format))
        .filter(|(claim, _)| !claim.is_empty());
    let image = match &claim {
        Some((claim, format)) => SignedImage {
            transformations: Some(claim),
            format: format.as_deref(),
        },
        None => SignedImage::default(),
    };
    let token = app.config().url_keys.download(&path, seconds, image);
    let shown = shown_path(bucket, key);
    let route = if claim.is_some() {
        "render/image"
    } else {
        "object"
    };
    let url = format!("/{route}/sign/{shown}?token={token}");
    Ok(output::json(&json!({ "signedURL": url })))
}

/// `POST /object/sign/{bucket}`
pub(super) async fn many(app: &App, routed: Routed, bucket: &str) -> Result<Response> {
    const REFUSED: &str = "Either the object does not exist or you do not have access to it";
    let body = input::json(&routed.parts, routed.body, &MANY).await?;
    let caller = app.authenticate(&routed.parts)?;
    names::check_bucket(bucket)?;
    let seconds = seconds(&body)?;
    let names = input::texts(&body, "paths").unwrap_or_default();
    let caller = caller.doing("storage.object.sign_many");
    let visible = objects::visible(app.db(), &caller, bucket, &names).await?;
    let keys = &app.config().url_keys;
    let answers = names.iter().map(|name| {
        if !visible.contains(name) {
            return json!({ "error": REFUSED, "path": name, "signedURL": null });
        }
        let token = keys.download(&format!("{bucket}/{name}"), seconds, SignedImage::default());
        let url = format!("/object/sign/{}?token={token}", shown_path(bucket, name));
        json!({ "error": null, "path": name, "signedURL": url })
    });
    Ok(output::json(&answers.collect::<Vec<_>>()))
}

/// `POST /object/upload/sign/{bucket}/{key}`
pub(super) async fn upload(app: &App, parts: &Parts, bucket: &str, key: &str) -> Result<Response> {
    let caller = app.authenticate(parts)?;
    names::check_bucket(bucket)?;
    app.config().key_rules.check(key)?;
    let upsert = header_text(parts, "x-upsert") == Some("true");
    let new = NewObject {
        bucket: bucket.to_owned(),
        name: key.to_owned(),
        mode: Mode::upsert_if(upsert),
        owner: caller.subject().map(str::to_owned),
        content_type: header_text(parts, header::CONTENT_TYPE)
            .unwrap_or_default()
            .to_owned(),
        cache_control: String::new(),
        robots: None,
        user_metadata: input::metadata_header(parts)?,
    };
    let length = input::content_length(parts);
    app.test_upload(&caller, "storage.object.sign_upload_url", &new, length)
        .await?;
    let config = app.config();
    let token = config.url_keys.upload(
        &format!("{bucket}/{key}"),
        config.upload_url_lifetime,
        caller.claimed_subject(),
        upsert,
    );
    let shown = shown_path(bucket, key);
    let url = format!("/object/upload/sign/{shown}?token={token}");
    Ok(output::json(&json!({ "url": url, "token": token })))
}
