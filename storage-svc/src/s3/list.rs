//! Lists of objects and of uploads.

use axum::response::{IntoResponse as _, Response};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use crate::{
    error::{Error, Result},
    names,
    s3::{
        page::{self, Entry, Page},
        routes::Call,
        xml::Document,
    },
    store::{buckets, values::iso},
};

const MOST: i32 = 1000;
/// As Node.js reads base64, in which the original's tokens are read.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A token that names the last entry of a page, in the form of the newer list of the REST surface.
fn token(last: &str) -> String {
    LENIENT.encode(format!("l:{last}"))
}

fn read_token(token: &str) -> Result<String> {
    let wrong = || Error::invalid_parameter("continuation token");
    let bytes = LENIENT.decode(token.trim()).map_err(|_| wrong())?;
    let text = String::from_utf8(bytes).map_err(|_| wrong())?;
    let mut last = None;
    for line in text.split('\n') {
        match line.split_once(':') {
            Some(("l", name)) => last = Some(name.to_owned()),
            Some(("o" | "c" | "a", _)) => {}
            _ => return Err(wrong()),
        }
    }
    last.ok_or_else(wrong)
}

/// How names are written.
#[derive(Clone, Copy)]
struct Encoding(bool);

impl Encoding {
    fn of(call: &Call<'_>) -> Result<Self> {
        match call.query.get("encoding-type") {
            None => Ok(Self(false)),
            Some("url") => Ok(Self(true)),
            Some(_) => Err(Error::invalid_request(
                "Querystring, encoding-type must be equal to one of the allowed values",
            )),
        }
    }

    fn name(self, name: &str) -> String {
        if self.0 {
            names::encode_uri_component(name)
        } else {
            name.to_owned()
        }
    }

    fn text(self) -> Option<&'static str> {
        self.0.then_some("url")
    }
}

/// A page of objects.
struct Listed {
    contents: Vec<Entry>,
    prefixes: Vec<String>,
    /// The last entry, if there are more.
    next: Option<String>,
    limit: i32,
}

async fn listed(call: &Call<'_>, bucket: &str, after: Option<&str>) -> Result<Listed> {
    let limit = call.number("max-keys", 0, i32::MAX)?;
    let limit = limit.filter(|&limit| limit > 0).unwrap_or(MOST).min(MOST);
    buckets::get(call.app.db(), bucket).await?;
    let page = Page {
        bucket,
        prefix: call.query.get("prefix").unwrap_or_default(),
        delimiter: call.query.non_empty("delimiter"),
        after,
        limit: limit + 1,
    };
    let mut entries = page::objects(call.app.db(), &call.user(), &page).await?;
    let next = cut(&mut entries, limit).map(|last| last.name.clone());
    let (prefixes, contents): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.is_prefix);
    Ok(Listed {
        contents,
        prefixes: prefixes.into_iter().map(|entry| entry.name).collect(),
        next,
        limit,
    })
}

/// Takes away what is more than a page; the last entry if there was more.
fn cut<T>(entries: &mut Vec<T>, limit: i32) -> Option<&T> {
    let limit = usize::try_from(limit).unwrap_or_default();
    let is_truncated = entries.len() > limit;
    entries.truncate(limit);
    entries.last().filter(|_| is_truncated)
}

fn contents(document: Document, entries: &[Entry], encoding: Encoding) -> Document {
    document.each("Contents", entries, |document, entry| {
        described(document.text("Key", &encoding.name(&entry.name)), entry)
    })
}

fn described(document: Document, entry: &Entry) -> Document {
    document
        .optional("LastModified", entry.updated_at.map(iso).as_deref())
        .optional("ETag", entry.etag.as_deref())
        .value("Size", entry.size)
        .text("StorageClass", "STANDARD")
}

fn common_prefixes(document: Document, prefixes: &[String], encoding: Encoding) -> Document {
    document.each("CommonPrefixes", prefixes, |document, prefix| {
        document.text("Prefix", &encoding.name(prefix))
    })
}

/// `ListObjectsV2`
pub(super) async fn objects_v2(call: &Call<'_>, bucket: &str) -> Result<Response> {
    let encoding = Encoding::of(call)?;
    let query = call.query;
    let continued = query
        .non_empty("continuation-token")
        .map(read_token)
        .transpose()?;
    let after = continued.as_deref().or(query.non_empty("start-after"));
    let page = listed(call, bucket, after).await?;
    let document = Document::new("ListBucketResult")
        .text("Name", bucket)
        .text("Prefix", query.get("prefix").unwrap_or_default())
        .optional("ContinuationToken", query.get("continuation-token"));
    let document = contents(document, &page.contents, encoding)
        .value("IsTruncated", page.next.is_some())
        .value("MaxKeys", page.limit)
        .optional("Delimiter", query.get("delimiter"))
        .optional("EncodingType", encoding.text())
        .value("KeyCount", page.contents.len() + page.prefixes.len());
    let document = common_prefixes(document, &page.prefixes, encoding).optional(
        "NextContinuationToken",
        page.next.as_deref().map(token).as_deref(),
    );
    Ok(document.into_response())
}

/// `ListObjects`. Its `Marker` is where the next page begins, which clients of the original rely on.
pub(super) async fn objects(call: &Call<'_>, bucket: &str) -> Result<Response> {
    let encoding = Encoding::of(call)?;
    let query = call.query;
    let page = listed(call, bucket, query.non_empty("marker")).await?;
    let next = page.next.as_deref();
    let document = Document::new("ListBucketResult")
        .text("Name", bucket)
        .text("Prefix", query.get("prefix").unwrap_or_default())
        .optional("Marker", next)
        .optional(
            "NextMarker",
            next.filter(|_| query.non_empty("delimiter").is_some()),
        )
        .value("MaxKeys", page.limit)
        .value("IsTruncated", next.is_some());
    let document = contents(document, &page.contents, encoding);
    let document = common_prefixes(document, &page.prefixes, encoding)
        .optional("EncodingType", encoding.text());
    Ok(document.into_response())
}

/// `ListObjectVersions`: each object has one, which goes by the name "null".
pub(super) async fn versions(call: &Call<'_>, bucket: &str) -> Result<Response> {
    let encoding = Encoding::of(call)?;
    let query = call.query;
    let page = listed(call, bucket, query.non_empty("key-marker")).await?;
    let next = page.next.as_deref();
    let document = Document::new("ListVersionsResult")
        .text("Name", bucket)
        .text("Prefix", query.get("prefix").unwrap_or_default())
        .optional("KeyMarker", query.get("key-marker"))
        .optional("VersionIdMarker", query.get("version-id-marker"))
        .optional("NextKeyMarker", next)
        .optional("NextVersionIdMarker", next.map(|_| "null"))
        .value("MaxKeys", page.limit)
        .optional("Delimiter", query.get("delimiter"))
        .optional("EncodingType", encoding.text())
        .value("IsTruncated", next.is_some())
        .each("Version", &page.contents, |document, entry| {
            let document = document
                .text("Key", &encoding.name(&entry.name))
                .text("VersionId", "null")
                .value("IsLatest", true);
            described(document, entry)
        });
    Ok(common_prefixes(document, &page.prefixes, encoding).into_response())
}

/// `ListMultipartUploads`
pub(super) async fn uploads(call: &Call<'_>, bucket: &str) -> Result<Response> {
    let encoding = Encoding::of(call)?;
    let query = call.query;
    let limit = call.number("max-uploads", 1, MOST)?.unwrap_or(MOST);
    buckets::get(call.app.db(), bucket).await?;
    let page = Page {
        bucket,
        prefix: query.get("prefix").unwrap_or_default(),
        delimiter: query.non_empty("delimiter"),
        after: query.non_empty("key-marker"),
        limit: limit + 1,
    };
    let after_id = query.non_empty("upload-id-marker");
    let mut entries = page::uploads(call.app.db(), &call.user(), &page, after_id).await?;
    let next = cut(&mut entries, limit).cloned();
    let count = entries.len();
    let (prefixes, uploads): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.is_prefix);
    let prefixes: Vec<_> = prefixes.into_iter().map(|entry| entry.name).collect();
    let next_id = next.as_ref().filter(|next| !next.is_prefix);
    let document = Document::new("ListMultipartUploadsResult")
        .text("Name", bucket)
        .text("Prefix", page.prefix)
        .optional("KeyMarker", query.get("key-marker"))
        .optional("UploadIdMarker", query.get("upload-id-marker"))
        .optional(
            "NextKeyMarker",
            next.as_ref().map(|next| next.name.as_str()),
        )
        .optional("NextUploadIdMarker", next_id.map(|next| next.id.as_str()))
        .each("Upload", &uploads, |document, upload| {
            document
                .text("Key", &encoding.name(&upload.name))
                .optional("Initiated", upload.created_at.map(iso).as_deref())
                .text("UploadId", &upload.id)
                .text("StorageClass", "STANDARD")
        })
        .value("IsTruncated", next.is_some())
        .value("MaxUploads", limit)
        .optional("Delimiter", query.get("delimiter"))
        .optional("EncodingType", encoding.text())
        .value("KeyCount", count);
    Ok(common_prefixes(document, &prefixes, encoding).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_there_and_back() {
        assert_eq!(read_token(&token("a:b/c")).unwrap(), "a:b/c");
        assert_eq!(token("k"), "bDpr");
        // One of the REST surface, with its order.
        assert_eq!(read_token(&LENIENT.encode("l:k\no:asc")).unwrap(), "k");
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for text in ["not base64 ~", "eDpr", "a2V5", "bzphc2M="] {
            assert_eq!(
                read_token(text).unwrap_err().code,
                "InvalidParameter",
                "{text}"
            );
        }
    }
}
