//! AWS signature version 4: who signed a request, and whether it is the request that was signed.
//!
//! A signature comes in the `Authorization` header, in the query of a presigned URL, or in the fields of
//! a form whose policy it signs ([`parse`]). What it covers is rebuilt in [`canonical`]; because proxies stand
//! between the client and this service, the host and the path that the client saw are a matter of
//! configuration ([`Rules`]).

mod canonical;
mod key;
mod parse;
mod policy;

use http::{HeaderMap, HeaderName, Method};

pub(crate) use key::{KeyPair, Signer};
pub(crate) use policy::LengthRange;

use crate::error::Error;
use crate::s3::{error, query::Query};

const SERVICE: &str = "s3";
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Who signed, where, and on which day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Credential {
    pub(crate) access_key: String,
    pub(crate) short_date: String,
    pub(crate) region: String,
    pub(crate) service: String,
}

/// The form of an upload from a browser: the policy, and every field it has to allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    policy: String,
    /// Names in lower case, each of them once.
    fields: Vec<(String, String)>,
}

/// A signature as the client sent it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClientSignature {
    pub(crate) credential: Credential,
    /// A JWT: the caller acts as its user.
    pub(crate) session_token: Option<String>,
    signed_headers: Vec<String>,
    signature: String,
    long_date: String,
    content_sha: Option<String>,
    form: Option<Form>,
}

impl std::fmt::Debug for ClientSignature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientSignature")
            .field("credential", &self.credential)
            .field("signed_headers", &self.signed_headers)
            .finish_non_exhaustive()
    }
}

/// How to tell what the client saw and signed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    /// `STORAGE_S3_REGION` or `REGION`.
    pub(crate) region: Option<String>,
    /// `S3_PROTOCOL_ENFORCE_REGION`: no other region will do.
    pub(crate) enforce_region: bool,
    /// `S3_PROTOCOL_PREFIX`: what the client's path had in front.
    pub(crate) prefix: String,
    /// `REQUEST_ALLOW_X_FORWARDED_PATH`: `x-forwarded-prefix` comes first.
    pub(crate) trust_prefix_header: bool,
    /// The host of `STORAGE_PUBLIC_URL`, with its port unless that is the scheme's own.
    pub(crate) public_host: Option<String>,
    /// `S3_ALLOW_FORWARDED_HEADER`: `Forwarded` may name the host.
    pub(crate) allow_forwarded: bool,
    /// `S3_PROTOCOL_NON_CANONICAL_HOST_HEADER`: a header of the proxy's own that names the host.
    pub(crate) host_header: Option<HeaderName>,
}

/// The parts of a request that a signature may cover.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signed<'a> {
    pub(crate) method: &'a Method,
    /// As received, with the mount point and without the query.
    pub(crate) path: &'a str,
    pub(crate) query: &'a Query,
    pub(crate) headers: &'a HeaderMap,
    /// What stands for the `Host` header in HTTP/2.
    pub(crate) authority: Option<&'a str>,
}

impl ClientSignature {
    /// Whether the request's parts are those that were signed with the key pair; if so, with what its chunks
    /// are signed.
    pub(crate) fn verify(
        &self,
        request: &Signed<'_>,
        keys: &KeyPair<'_>,
        rules: &Rules,
    ) -> Result<Signer, Error> {
        let signer = self.signer(keys, rules)?;
        if self.long_date.is_empty() {
            return Err(Error::access_denied("No date provided"));
        }
        // Clients may use another name than the public one, such as `localhost`, and sign that.
        let is_signed = canonical::hosts(request, rules).iter().any(|host| {
            let hash = self.payload_hash(request);
            let canonical =
                canonical::request(request, &self.signed_headers, host.as_deref(), hash, rules);
            signer.verifies_request(&canonical, &self.signature)
        });
        if is_signed {
            Ok(signer)
        } else {
            Err(self.mismatch())
        }
    }

    /// Whether the form's policy was signed with the key pair, is still valid, and allows the form's
    /// fields and the bucket; if so, how long the file may be.
    pub(crate) fn verify_form(
        &self,
        bucket: &str,
        keys: &KeyPair<'_>,
        rules: &Rules,
        now: chrono::DateTime<chrono::Utc>,
    ) -> Result<LengthRange, Error> {
        let signer = self.signer(keys, rules)?;
        let form = self.form.as_ref().ok_or_else(|| self.mismatch())?;
        if !signer.verifies(form.policy.as_bytes(), &self.signature) {
            return Err(self.mismatch());
        }
        policy::Policy::parse(&form.policy)?.allows(&form.fields, bucket, now)
    }

    /// The hash of the body that was signed for, if one was.
    pub(crate) fn body_hash(&self, request: &Signed<'_>) -> Option<[u8; 32]> {
        let mut hash = [0; 32];
        hex::decode_to_slice(self.payload_hash(request), &mut hash).ok()?;
        Some(hash)
    }

    /// The payload line of the canonical request.
    fn payload_hash<'a>(&'a self, request: &Signed<'a>) -> &'a str {
        const UNSIGNED: &str = "UNSIGNED-PAYLOAD";
        if request.query.has("X-Amz-Signature") && request.method == Method::GET {
            return UNSIGNED;
        }
        self.content_sha.as_deref().unwrap_or(UNSIGNED)
    }

    fn mismatch(&self) -> Error {
        if self.session_token.is_some() {
            error::session_mismatch()
        } else {
            error::signature_mismatch()
        }
    }

    fn signer(&self, keys: &KeyPair<'_>, rules: &Rules) -> Result<Signer, Error> {
        if !keys.is_named(&self.credential.access_key) {
            return Err(Error::access_denied("Invalid Access Key"));
        }
        let region = self.credential.region.as_str();
        let own = rules.region.as_deref().unwrap_or_default();
        if rules.enforce_region && region != own {
            return Err(Error::access_denied("Invalid Region"));
        }
        if self.credential.service != SERVICE {
            return Err(Error::access_denied("Invalid Service"));
        }
        // Clients made for Amazon's service often cannot be told of another region.
        let region = if ["auto", "us-east-1", "", own].contains(&region) {
            region
        } else {
            own
        };
        Ok(Signer::new(
            keys,
            &self.credential.short_date,
            region,
            &self.long_date,
        ))
    }
}

#[cfg(test)]
mod tests;
