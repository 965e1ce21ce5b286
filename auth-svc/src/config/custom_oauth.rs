//! Providers that administrators add while the service runs: `GOTRUE_CUSTOM_OAUTH_*`.

use svc_kit::env::Reader;
use url::Url;

/// Rules for them.
#[derive(Clone, Debug)]
pub struct CustomOAuth {
    /// `…_ENABLED`, default true.
    pub enabled: bool,
    /// `…_MAX_PROVIDERS`: how many there may be; 0, the default, is no limit.
    pub max_providers: i64,
    /// `…_EXTERNAL_URL`: how providers reach us, if not by `API_EXTERNAL_URL`.
    pub external_url: Option<Url>,
}

pub(super) fn read(r: &mut Reader<'_>) -> CustomOAuth {
    CustomOAuth {
        enabled: r.flag(&["GOTRUE_CUSTOM_OAUTH_ENABLED"], true),
        max_providers: r.parse_or(&["GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS"], 0),
        external_url: r.parse_with(&["GOTRUE_CUSTOM_OAUTH_EXTERNAL_URL"], |text| {
            Url::parse(text).map_err(|error| error.to_string())
        }),
    }
}
