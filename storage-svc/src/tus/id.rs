//! The name of an upload, and where its client finds it.

use base64::{
    Engine as _, alphabet,
    engine::{
        DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::URL_SAFE_NO_PAD,
    },
};
use http::{HeaderMap, header};
use uuid::Uuid;

use super::refusal;
use crate::{
    config::Config,
    error::{Error, Result},
    names::{self, KeyRules},
};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What an upload makes, and which of the uploads of that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UploadId {
    pub(super) bucket: String,
    pub(super) name: String,
    pub(super) version: Uuid,
}

impl UploadId {
    /// A new upload.
    pub(super) fn new(bucket: &str, name: &str, rules: KeyRules) -> Result<Self> {
        names::check_bucket(bucket)?;
        rules.check(name)?;
        Ok(Self {
            bucket: bucket.to_owned(),
            name: name.to_owned(),
            version: Uuid::new_v4(),
        })
    }

    /// Reads the last part of an upload's address.
    pub(super) fn decode(text: &str, rules: KeyRules) -> Result<Self> {
        let invalid = |message: &'static str| Error::new("InvalidUploadId", 400, message);
        let bytes = LENIENT
            .decode(text)
            .map_err(|_| invalid("Invalid upload id"))?;
        let path = String::from_utf8_lossy(&bytes);
        let (bucket, rest) = path
            .split_once('/')
            .ok_or_else(|| invalid("Invalid upload id"))?;
        let (name, version) = rest.rsplit_once('/').unwrap_or(("", rest));
        if version.is_empty() {
            return Err(invalid("Version not provided"));
        }
        names::check_bucket(bucket)?;
        rules.check(name)?;
        Ok(Self {
            bucket: bucket.to_owned(),
            name: name.to_owned(),
            // Versions are made here, so that nobody has an upload of another kind of name.
            version: Uuid::try_parse(version).map_err(|_| refusal::file_not_found())?,
        })
    }

    pub(super) fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.path())
    }

    /// `bucket/key/version`
    pub(super) fn path(&self) -> String {
        format!("{}/{}/{}", self.bucket, self.name, self.version)
    }

    /// The name of the folder with its pieces.
    pub(super) fn folder(&self) -> String {
        format!("tus-{}", self.version)
    }

    /// The address that a client goes on with, as the client sees the service.
    pub(super) fn location(&self, config: &Config, headers: &HeaderMap, is_signed: bool) -> String {
        let sign = if is_signed { "/sign" } else { "" };
        let path = config.tus_path.trim_end_matches('/');
        format!("{}{path}{sign}/{}", base(config, headers), self.encode())
    }
}

/// Scheme, host and prefix, without a slash at the end.
fn base(config: &Config, headers: &HeaderMap) -> String {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        // A proxy behind a proxy may have added its own.
        let first = value.split(',').next().unwrap_or_default().trim();
        (!first.is_empty()).then(|| first.to_owned())
    };
    let prefix = text("x-forwarded-prefix")
        .filter(|_| config.allow_forwarded_prefix)
        .map(|prefix| prefix.trim_end_matches('/').to_owned())
        .unwrap_or_default();
    if let Some(url) = &config.public_url {
        let origin = url.origin().ascii_serialization();
        // One with a path is complete.
        return match url.path().trim_end_matches('/') {
            "" => format!("{origin}{prefix}"),
            path => format!("{origin}{path}"),
        };
    }
    let forwarded = text(header::FORWARDED.as_str()).unwrap_or_default();
    let part = |name: &str| {
        let parts = forwarded.split(';').map(str::trim);
        let mut values = parts.filter_map(|part| {
            let (found, value) = part.split_once('=')?;
            found
                .eq_ignore_ascii_case(name)
                .then(|| value.trim_matches('"').to_owned())
        });
        values.next()
    };
    let scheme = part("proto").or_else(|| text("x-forwarded-proto"));
    let scheme = scheme.filter(|scheme| matches!(scheme.as_str(), "http" | "https"));
    let scheme = scheme.as_deref().unwrap_or("http");
    let forwarded_host = text("x-forwarded-host");
    let port = text("x-forwarded-port").filter(|port| {
        forwarded_host.is_some()
            && port.parse::<u16>().is_ok()
            && !matches!(port.as_str(), "80" | "443")
    });
    let host = part("host")
        .or(forwarded_host)
        .or_else(|| text(header::HOST.as_str()))
        .unwrap_or_default();
    let host = match port {
        Some(port) => format!("{}:{port}", without_port(&host)),
        None => host,
    };
    format!("{scheme}://{host}{prefix}")
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use svc_kit::env::Vars;

    use super::*;

    fn config(settings: &[(&str, &str)]) -> Config {
        let mut vars: Vars = [
            ("PGRST_JWT_SECRET", "a secret that is long enough for it"),
            ("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"),
            ("FILE_SIZE_LIMIT", "10"),
            ("STORAGE_BACKEND", "file"),
            ("STORAGE_FILE_BACKEND_PATH", "/nowhere"),
        ]
        .into_iter()
        .collect();
        for (name, value) in settings {
            vars.set(*name, *value);
        }
        Config::from_vars(&vars).unwrap()
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn ids_are_read_back() {
        let id = UploadId::new("b", "a/b c.txt", KeyRules::Ascii).unwrap();
        let again = UploadId::decode(&id.encode(), KeyRules::Ascii).unwrap();
        assert_eq!(id, again);
        let status = |path: &str| {
            let text = URL_SAFE_NO_PAD.encode(path);
            let error = UploadId::decode(&text, KeyRules::Ascii).unwrap_err();
            (error.status, error.message.into_owned())
        };
        let version = id.version;
        assert_eq!(status("b").1, "Invalid upload id");
        assert_eq!(status("b/k/").1, "Version not provided");
        assert_eq!(status(&format!("b/{version}")).1, "Invalid key: ");
        assert_eq!(status(&format!("b/../{version}")).0, 400);
        assert_eq!(status(&format!("/k/{version}")).1, "Bucket name invalid");
        assert_eq!(status("b/k/../../etc").0, 400);
        assert_eq!(status("b/k/missing").0, 404);
        assert!(UploadId::decode("*", KeyRules::Ascii).is_err());
    }

    #[test]
    fn addresses_are_those_that_clients_see() {
        let plain = config(&[]);
        let base_of = |config: &Config, pairs: &[_]| base(config, &headers(pairs));
        let host = ("host", "127.0.0.1:5000");
        assert_eq!(base_of(&plain, &[host]), "http://127.0.0.1:5000");
        let behind = [
            host,
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "api.example"),
            ("x-forwarded-port", "443"),
            ("x-forwarded-prefix", "/storage/v1/"),
        ];
        assert_eq!(base_of(&plain, &behind), "https://api.example");
        let prefixed = config(&[("REQUEST_ALLOW_X_FORWARDED_PATH", "true")]);
        assert_eq!(
            base_of(&prefixed, &behind),
            "https://api.example/storage/v1"
        );
        let port = ("x-forwarded-port", "8443");
        let other_port = |name| base_of(&plain, &[("x-forwarded-host", name), port]);
        assert_eq!(other_port("api.example"), "http://api.example:8443");
        assert_eq!(other_port("api.example:1"), "http://api.example:8443");
        assert_eq!(other_port("[::1]"), "http://[::1]:8443");
        let standard = ("forwarded", "for=1.2.3.4;host=\"f.example\";proto=https");
        assert_eq!(base_of(&plain, &[host, standard]), "https://f.example");
        let public = config(&[
            ("REQUEST_ALLOW_X_FORWARDED_PATH", "true"),
            ("STORAGE_PUBLIC_URL", "http://public.example:8000/"),
        ]);
        assert_eq!(
            base_of(&public, &behind),
            "http://public.example:8000/storage/v1"
        );
        let complete = config(&[
            ("REQUEST_ALLOW_X_FORWARDED_PATH", "true"),
            ("STORAGE_PUBLIC_URL", "https://public.example/files/"),
        ]);
        assert_eq!(base_of(&complete, &behind), "https://public.example/files");
    }
}
