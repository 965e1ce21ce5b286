//! Finding the signature in a request.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use http::{HeaderMap, header};

use crate::error::Error;
use crate::s3::{
    error,
    query::Query,
    signature::{ALGORITHM, ClientSignature, Credential, Form},
};

fn malformed() -> Error {
    Error::invalid_signature("Invalid signature format")
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn credential(text: &str) -> Result<Credential, Error> {
    let parts: Vec<&str> = text.split('/').collect();
    let [access_key, short_date, region, service, _terminator] = parts[..] else {
        return Err(Error::invalid_signature("Invalid credentials"));
    };
    Ok(Credential {
        access_key: access_key.to_owned(),
        short_date: short_date.to_owned(),
        region: region.to_owned(),
        service: service.to_owned(),
    })
}

fn names(text: &str) -> Vec<String> {
    text.split(';').map(str::to_owned).collect()
}

impl ClientSignature {
    /// The signature of a request, from its headers or its query. `None` means that there is none, unless
    /// the request is a form.
    ///
    /// Any other kind of `Authorization` counts for nothing: browsers add one to presigned URLs.
    pub(crate) fn find(
        headers: &HeaderMap,
        query: &Query,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>, Error> {
        let authorization = header(headers, header::AUTHORIZATION.as_str());
        if let Some(parameters) = authorization
            .and_then(|value| value.strip_prefix(ALGORITHM))
            .and_then(|value| value.strip_prefix(' '))
        {
            return Self::from_header(parameters, headers).map(Some);
        }
        if query.has("X-Amz-Credential") {
            return Self::from_query(query, headers, now).map(Some);
        }
        Ok(None)
    }

    fn from_header(parameters: &str, headers: &HeaderMap) -> Result<Self, Error> {
        let parameter = |name| {
            parameters.split(',').find_map(|parameter| {
                let (key, value) = parameter.split_once('=')?;
                (key.trim() == name).then(|| value.trim())
            })
        };
        let (Some(scope), Some(signed_headers), Some(signature), Some(long_date)) = (
            parameter("Credential"),
            parameter("SignedHeaders"),
            parameter("Signature"),
            header(headers, "x-amz-date"),
        ) else {
            return Err(malformed());
        };
        let own = |name| header(headers, name).map(str::to_owned);
        Ok(Self {
            credential: credential(scope)?,
            signed_headers: names(signed_headers),
            signature: signature.to_owned(),
            long_date: long_date.to_owned(),
            content_sha: own("x-amz-content-sha256"),
            session_token: own("x-amz-security-token"),
            form: None,
        })
    }

    fn from_query(query: &Query, headers: &HeaderMap, now: DateTime<Utc>) -> Result<Self, Error> {
        let (Some(scope), Some(signed_headers), Some(signature), Some(long_date)) = (
            query.get("X-Amz-Credential"),
            query.get("X-Amz-SignedHeaders"),
            query.get("X-Amz-Signature"),
            query.get("X-Amz-Date"),
        ) else {
            return Err(malformed());
        };
        if let Some(seconds) = query.non_empty("X-Amz-Expires") {
            check_expiry(long_date, seconds, now)?;
        }
        let signed_headers = names(signed_headers);
        // Some signers leave the hash in a header, which then is among the signed ones.
        let signed_hash = || {
            signed_headers
                .iter()
                .any(|name| name == "x-amz-content-sha256")
                .then(|| header(headers, "x-amz-content-sha256"))
                .flatten()
        };
        Ok(Self {
            credential: credential(scope)?,
            signature: signature.to_owned(),
            long_date: long_date.to_owned(),
            content_sha: query
                .non_empty("X-Amz-Content-Sha256")
                .or_else(signed_hash)
                .map(str::to_owned),
            session_token: query.non_empty("X-Amz-Security-Token").map(str::to_owned),
            signed_headers,
            form: None,
        })
    }

    /// The signature among the fields of a form, those before its file.
    pub(crate) fn from_form(fields: Vec<(String, String)>) -> Result<Self, Error> {
        let mut unique: Vec<(String, String)> = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let name = name.to_ascii_lowercase();
            if unique.iter().any(|(other, _)| *other == name) {
                return Err(Error::invalid_signature(
                    "Duplicate form field in POST policy request",
                ));
            }
            unique.push((name, value));
        }
        let field = |name: &str| {
            unique
                .iter()
                .find_map(|(other, value)| (other == name).then_some(value.as_str()))
        };
        let (Some(scope), Some(signature), Some(policy), Some(long_date)) = (
            field("x-amz-credential"),
            field("x-amz-signature"),
            field("policy"),
            field("x-amz-date"),
        ) else {
            return Err(malformed());
        };
        Ok(Self {
            credential: credential(scope)?,
            signed_headers: Vec::new(),
            signature: signature.to_owned(),
            long_date: long_date.to_owned(),
            content_sha: None,
            session_token: field("x-amz-security-token").map(str::to_owned),
            form: Some(Form {
                policy: policy.to_owned(),
                fields: unique,
            }),
        })
    }

    /// A field of the form, by its name in lower case.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields()
            .find_map(|(other, value)| (other == name).then_some(value))
    }

    /// The fields of the form, with names in lower case.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.form
            .iter()
            .flat_map(|form| &form.fields)
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What the first chunk of the body is chained to.
    pub(crate) fn seed(&self) -> &str {
        &self.signature
    }
}

fn check_expiry(long_date: &str, seconds: &str, now: DateTime<Utc>) -> Result<(), Error> {
    let invalid = || Error::invalid_signature("Invalid expiration");
    let seconds: u32 = seconds.parse().map_err(|_| invalid())?;
    let signed =
        NaiveDateTime::parse_from_str(long_date, "%Y%m%dT%H%M%SZ").map_err(|_| invalid())?;
    let expires = signed
        .and_utc()
        .checked_add_signed(TimeDelta::seconds(i64::from(seconds)))
        .ok_or_else(invalid)?;
    if expires < now {
        return Err(error::expired());
    }
    Ok(())
}
