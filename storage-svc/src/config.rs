//! What the service is told, under the original's names.

mod backend;

use std::{path::PathBuf, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};
use svc_kit::{
    env::{ConfigError, Reader, Vars},
    jwt::KeySet,
};

pub use backend::Backend;

use crate::{domain::tokens::UrlKeys, names::KeyRules};

/// The storage service's settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// `SERVER_HOST` or `HOST`, default `0.0.0.0`.
    pub host: String,
    /// `SERVER_PORT` or `PORT`, default 5000.
    pub port: u16,
    /// `SERVER_REGION` or `REGION`: the region that S3 clients sign for.
    pub region: String,
    /// `VERSION`: what `/version` answers.
    pub version: String,
    /// `TENANT_ID` or `PROJECT_REF`, default `storage-single-tenant`: a part of every blob's path.
    pub tenant: String,
    /// `DATABASE_URL`: as the role that owns the schema `storage`.
    pub database_url: SecretString,
    /// `DATABASE_POOL_URL`: a pooler in transaction mode, which requests then use; nothing is prepared on it.
    pub pool_url: Option<SecretString>,
    /// `DATABASE_MAX_CONNECTIONS`, default 20.
    pub max_connections: usize,
    /// `DATABASE_CONNECTION_TIMEOUT` in milliseconds, default 3000: how long a request waits for a connection.
    pub connection_timeout: Duration,
    /// `DATABASE_STATEMENT_TIMEOUT` in milliseconds, default 30000.
    pub statement_timeout: Duration,
    /// `AUTH_JWT_SECRET` or `PGRST_JWT_SECRET`, and with `JWT_JWKS` also asymmetric keys.
    pub keys: KeySet,
    /// `AUTH_JWT_ALGORITHM` or `PGRST_JWT_ALGORITHM`, default HS256: what tokens are signed with where there is no
    /// `JWT_JWKS`.
    pub only_algorithm: Option<String>,
    /// The keys of signed URLs.
    pub(crate) url_keys: UrlKeys,
    /// `SERVICE_KEY`: the token whose claims the service's own steps have. Made from the secret if there is none.
    pub service_key: SecretString,
    /// `ANON_KEY`: the secret of S3's session-token credentials. Made from the secret if there is none.
    pub anon_key: SecretString,
    /// `DB_SERVICE_ROLE`, default `service_role`.
    pub service_role: String,
    /// Where blobs are kept.
    pub backend: Backend,
    /// `STORAGE_S3_BUCKET` or `GLOBAL_S3_BUCKET`: the bucket of the backend, or the first folder of the files.
    pub root: String,
    /// `UPLOAD_FILE_SIZE_LIMIT` or `FILE_SIZE_LIMIT`, bytes.
    pub file_size_limit: u64,
    /// `UPLOAD_FILE_SIZE_LIMIT_STANDARD` or `FILE_SIZE_LIMIT_STANDARD_UPLOAD`, bytes; 0 for none.
    pub standard_size_limit: u64,
    /// `UPLOAD_SIGNED_URL_EXPIRATION_TIME` or `SIGNED_UPLOAD_URL_EXPIRATION_TIME`, seconds, default 60.
    pub upload_url_lifetime: u64,
    /// `STORAGE_PUBLIC_URL`: where clients reach the service, its path included.
    pub public_url: Option<url::Url>,
    /// `REQUEST_ALLOW_X_FORWARDED_PATH`: whether `x-forwarded-prefix` is believed.
    pub allow_forwarded_prefix: bool,
    /// `REQUEST_ETAG_HEADERS`, default `if-none-match`: headers whose value is compared with the tag of an answer.
    pub etag_headers: Vec<http::HeaderName>,
    /// `RESPONSE_S_MAXAGE`, seconds; 0 for none.
    pub s_maxage: u64,
    /// `REQUEST_HARD_LIMITS_ENABLED`: whether one request deletes at most 1000 objects.
    pub hard_limits: bool,
    /// `STORAGE_EMPTY_BUCKET_MAX`, default 200000: buckets with more objects are not emptied at once.
    pub empty_bucket_max: u64,
    /// `STORAGE_KEY_CHARACTERS`: `ascii` (default) or `unicode`.
    pub(crate) key_rules: KeyRules,
    /// `STORAGE_SWEEP_GRACE` in seconds, default 86400: how old a blob without a row must be to be removed; 0 for never.
    pub sweep_grace: Duration,
    /// `WEBHOOK_URL` and `WEBHOOK_API_KEY`: who is told of changes.
    pub webhook: Option<(url::Url, Option<SecretString>)>,
    /// `CDN_PURGE_ENDPOINT_URL` and `CDN_PURGE_ENDPOINT_KEY`.
    pub cdn: Option<(url::Url, Option<SecretString>)>,
    /// `IMAGE_TRANSFORMATION_ENABLED` or `ENABLE_IMAGE_TRANSFORMATION`.
    pub images: bool,
    /// `IMAGE_TRANSFORMATION_LIMIT_MIN_SIZE` and `_MAX_SIZE` (`IMG_LIMITS_…`), pixels, default 1 and 2000.
    pub image_sizes: (u32, u32),
    /// `IMAGE_TRANSFORMATION_WORKERS`, default the number of cores: images that are made at a time.
    pub image_workers: usize,
    /// `IMAGE_TRANSFORMATION_QUEUE_SIZE`, default 500 per worker: how many may wait; more are refused. That many can be made,
    /// some 30 ms each, before a request gives up, and one that waits holds no image. imgproxy's queue has no end unless told;
    /// with a short one, a few visitors who open a page of pictures that were never asked for see some of them refused.
    pub image_queue: usize,
    /// `IMAGE_TRANSFORMATION_CACHE_SIZE`, bytes, default 16 MiB: results that are kept.
    pub image_cache: u64,
    /// `IMAGE_TRANSFORMATION_MAX_SRC_RESOLUTION`, megapixels, default 50, in pixels.
    pub image_source_pixels: u64,
    /// `IMGPROXY_REQUEST_TIMEOUT`, seconds, default 15: how long a request for an image may take.
    pub image_timeout: Duration,
    /// `S3_PROTOCOL_…`
    pub s3: S3,
    /// `TUS_URL_PATH`, default `/upload/resumable`.
    pub tus_path: String,
    /// `TUS_URL_EXPIRY_MS`, default an hour: how long an upload may rest before it is given up.
    pub tus_expiry: Duration,
    /// `TUS_MAX_CONCURRENT_UPLOADS`, default 500: of how many resumable uploads bodies are read at a time.
    pub tus_max_uploads: usize,
    /// `PROMETHEUS_METRICS_ENABLED`: whether `/metrics` answers.
    pub metrics: bool,
}

/// Settings of the S3 protocol.
#[derive(Clone, Debug)]
pub struct S3 {
    /// `S3_PROTOCOL_ENABLED`, default true.
    pub enabled: bool,
    /// `S3_PROTOCOL_PREFIX`: what clients sign in front of `/s3`.
    pub prefix: String,
    /// `S3_PROTOCOL_ENFORCE_REGION`
    pub enforce_region: bool,
    /// `S3_ALLOW_FORWARDED_HEADER`: whether `Forwarded` is believed.
    pub allow_forwarded: bool,
    /// `S3_PROTOCOL_NON_CANONICAL_HOST_HEADER`
    pub host_header: Option<http::HeaderName>,
    /// `S3_PROTOCOL_ACCESS_KEY_ID` and `S3_PROTOCOL_ACCESS_KEY_SECRET`: credentials that act as the service role.
    pub credentials: Option<(String, SecretString)>,
    /// `STORAGE_S3_REGION` or `REGION`, accepted beside the usual ones.
    pub region: Option<String>,
    /// `AUTH_ENCRYPTION_KEY` or `ENCRYPTION_KEY`: seals how far an upload in parts has come.
    pub encryption_key: SecretString,
}

/// What a worker makes of images in fifteen seconds.
const QUEUE_PER_WORKER: usize = 500;
const DAY: Duration = Duration::from_secs(86_400);

impl Config {
    /// Reads all settings; every wrong one is reported.
    pub fn from_vars(vars: &Vars) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(vars);
        let secret = reader.required(&["AUTH_JWT_SECRET", "PGRST_JWT_SECRET"]);
        let mut keys = KeySet::from_secret(secret.as_bytes());
        let jwks = reader.parse_with(&["JWT_JWKS"], |text| {
            let set = KeySet::from_secret_or_jwks(text).map_err(|error| error.to_string())?;
            let own = UrlKeys::signing_key(text)?;
            Ok((set, own))
        });
        let mut url_keys = UrlKeys::from_secret(secret.as_bytes());
        let only_algorithm = jwks
            .is_none()
            .then(|| reader.text_or(&["AUTH_JWT_ALGORITHM", "PGRST_JWT_ALGORITHM"], "HS256"));
        if let Some((set, own)) = jwks {
            keys.extend(set);
            if let Some(own) = own {
                url_keys.sign_with(own);
            }
        }
        url_keys.also_verify(keys.clone(), only_algorithm.clone());
        let service_role = reader.text_or(&["DB_SERVICE_ROLE"], "service_role");
        let anon_role = reader.text_or(&["DB_ANON_ROLE"], "anon");
        let key = |name: &str, role: &str| -> SecretString {
            let given = reader.text(&[name]).map(str::to_owned);
            given
                .unwrap_or_else(|| UrlKeys::from_secret(secret.as_bytes()).role_token(role))
                .into()
        };
        let service_key = key("SERVICE_KEY", &service_role);
        let anon_key = key("ANON_KEY", &anon_role);
        let backend = Backend::read(&mut reader);
        let limit = reader.required(&["UPLOAD_FILE_SIZE_LIMIT", "FILE_SIZE_LIMIT"]);
        let file_size_limit = limit.trim().parse().unwrap_or_else(|_| {
            if !limit.is_empty() {
                reader.problem("UPLOAD_FILE_SIZE_LIMIT is no number of bytes");
            }
            0
        });
        let image_workers = reader.parse_or(
            &["IMAGE_TRANSFORMATION_WORKERS"],
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        let config = Self {
            host: reader.text_or(&["SERVER_HOST", "HOST"], "0.0.0.0"),
            port: reader.parse_or(&["SERVER_PORT", "PORT"], 5000),
            region: reader.text_or(&["SERVER_REGION", "REGION"], "not-specified"),
            version: reader.text_or(&["VERSION"], "0.0.0"),
            tenant: reader.text_or(&["PROJECT_REF", "TENANT_ID"], "storage-single-tenant"),
            database_url: reader.required(&["DATABASE_URL"]).into(),
            pool_url: reader.text(&["DATABASE_POOL_URL"]).map(SecretString::from),
            max_connections: reader.parse_or(&["DATABASE_MAX_CONNECTIONS"], 20),
            connection_timeout: millis(&mut reader, &["DATABASE_CONNECTION_TIMEOUT"], 3000),
            statement_timeout: millis(&mut reader, &["DATABASE_STATEMENT_TIMEOUT"], 30_000),
            keys,
            only_algorithm,
            url_keys,
            service_key,
            anon_key,
            service_role,
            backend,
            root: reader.text_or(&["STORAGE_S3_BUCKET", "GLOBAL_S3_BUCKET"], "stub"),
            file_size_limit,
            standard_size_limit: reader.parse_or(
                &[
                    "UPLOAD_FILE_SIZE_LIMIT_STANDARD",
                    "FILE_SIZE_LIMIT_STANDARD_UPLOAD",
                ],
                0,
            ),
            upload_url_lifetime: reader.parse_or(
                &[
                    "UPLOAD_SIGNED_URL_EXPIRATION_TIME",
                    "SIGNED_UPLOAD_URL_EXPIRATION_TIME",
                ],
                60,
            ),
            public_url: reader.parse(&["STORAGE_PUBLIC_URL"]),
            allow_forwarded_prefix: reader.flag(&["REQUEST_ALLOW_X_FORWARDED_PATH"], false),
            etag_headers: reader
                .text_or(&["REQUEST_ETAG_HEADERS"], "if-none-match")
                .split(',')
                .filter_map(|name| name.trim().parse().ok())
                .collect(),
            s_maxage: reader.parse_or(&["RESPONSE_S_MAXAGE"], 0),
            hard_limits: reader.flag(&["REQUEST_HARD_LIMITS_ENABLED"], false),
            empty_bucket_max: reader.parse_or(&["STORAGE_EMPTY_BUCKET_MAX"], 200_000),
            key_rules: reader
                .parse_with(&["STORAGE_KEY_CHARACTERS"], |text| match text {
                    "ascii" => Ok(KeyRules::Ascii),
                    "unicode" => Ok(KeyRules::Unicode),
                    _ => Err("is neither ascii nor unicode".to_owned()),
                })
                .unwrap_or_default(),
            sweep_grace: Duration::from_secs(
                reader.parse_or(&["STORAGE_SWEEP_GRACE"], DAY.as_secs()),
            ),
            webhook: endpoint(&mut reader, "WEBHOOK_URL", "WEBHOOK_API_KEY"),
            cdn: endpoint(
                &mut reader,
                "CDN_PURGE_ENDPOINT_URL",
                "CDN_PURGE_ENDPOINT_KEY",
            ),
            images: reader.flag(
                &[
                    "IMAGE_TRANSFORMATION_ENABLED",
                    "ENABLE_IMAGE_TRANSFORMATION",
                ],
                false,
            ),
            image_sizes: (
                reader.parse_or(
                    &["IMAGE_TRANSFORMATION_LIMIT_MIN_SIZE", "IMG_LIMITS_MIN_SIZE"],
                    1,
                ),
                reader.parse_or(
                    &["IMAGE_TRANSFORMATION_LIMIT_MAX_SIZE", "IMG_LIMITS_MAX_SIZE"],
                    2000,
                ),
            ),
            image_workers,
            image_queue: reader.parse_or(
                &["IMAGE_TRANSFORMATION_QUEUE_SIZE"],
                image_workers.saturating_mul(QUEUE_PER_WORKER),
            ),
            image_cache: reader.parse_or(&["IMAGE_TRANSFORMATION_CACHE_SIZE"], 16 << 20),
            image_source_pixels: reader
                .parse_or(&["IMAGE_TRANSFORMATION_MAX_SRC_RESOLUTION"], 50_u64)
                .saturating_mul(1_000_000),
            image_timeout: Duration::from_secs(reader.parse_or(&["IMGPROXY_REQUEST_TIMEOUT"], 15)),
            s3: S3::read(&mut reader),
            tus_path: reader.text_or(&["TUS_URL_PATH"], "/upload/resumable"),
            tus_expiry: millis(&mut reader, &["TUS_URL_EXPIRY_MS"], 3_600_000),
            tus_max_uploads: reader.parse_or(&["TUS_MAX_CONCURRENT_UPLOADS"], 500),
            metrics: reader.flag(&["PROMETHEUS_METRICS_ENABLED"], false),
        };
        reader.finish()?;
        Ok(config)
    }

    /// Where requests reach the database.
    pub(crate) fn request_url(&self) -> &str {
        self.pool_url
            .as_ref()
            .unwrap_or(&self.database_url)
            .expose_secret()
    }

    /// The folder of the files, if blobs are files.
    pub fn files(&self) -> Option<&PathBuf> {
        match &self.backend {
            Backend::File { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl S3 {
    fn read(reader: &mut Reader<'_>) -> Self {
        let id = reader.text(&["S3_PROTOCOL_ACCESS_KEY_ID"]);
        let secret = reader.text(&["S3_PROTOCOL_ACCESS_KEY_SECRET"]);
        Self {
            enabled: reader.flag(&["S3_PROTOCOL_ENABLED"], true),
            prefix: reader.text_or(&["S3_PROTOCOL_PREFIX"], ""),
            enforce_region: reader.flag(&["S3_PROTOCOL_ENFORCE_REGION"], false),
            allow_forwarded: reader.flag(&["S3_ALLOW_FORWARDED_HEADER"], false),
            host_header: reader.parse(&["S3_PROTOCOL_NON_CANONICAL_HOST_HEADER"]),
            credentials: id
                .zip(secret)
                .map(|(id, secret)| (id.to_owned(), SecretString::from(secret))),
            region: reader
                .text(&["STORAGE_S3_REGION", "REGION"])
                .map(str::to_owned),
            encryption_key: reader
                .text_or(&["AUTH_ENCRYPTION_KEY", "ENCRYPTION_KEY"], "")
                .into(),
        }
    }
}

fn millis(reader: &mut Reader<'_>, names: &[&str], default: u64) -> Duration {
    Duration::from_millis(reader.parse_or(names, default))
}

fn endpoint(
    reader: &mut Reader<'_>,
    url: &str,
    key: &str,
) -> Option<(url::Url, Option<SecretString>)> {
    let url = reader.parse(&[url])?;
    Some((url, reader.text(&[key]).map(SecretString::from)))
}
