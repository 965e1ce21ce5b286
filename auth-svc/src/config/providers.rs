//! The external providers: `GOTRUE_EXTERNAL_<NAME>_*`.

use std::collections::BTreeMap;

use secrecy::SecretString;
use svc_kit::env::Reader;

/// The providers that `/settings` lists.
const LISTED: [&str; 23] = [
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "snapchat",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "keycloak",
    "kakao",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "spotify",
    "slack",
    "slack_oidc",
    "workos",
    "twitch",
    "twitter",
    "zoom",
];

/// Those that exist without being listed, as in the original.
const UNLISTED: [&str; 2] = ["vercel_marketplace", "x"];

/// What a project set up at one provider.
#[derive(Clone, Debug, Default)]
pub struct Provider {
    /// `…_ENABLED`, default false.
    pub enabled: bool,
    /// `…_CLIENT_ID`, a comma list: the first asks for codes, all may be the audience of an ID token.
    pub client_ids: Vec<String>,
    /// `…_SECRET`.
    pub secret: SecretString,
    /// `…_REDIRECT_URI`: our `/callback`, as registered with the provider.
    pub redirect_uri: String,
    /// `…_URL`: the provider's own installation, instead of the public one; without a slash at the end.
    pub url: String,
    /// `…_EMAIL_OPTIONAL`: users without a mail address are taken, too.
    pub email_optional: bool,
    /// `…_SKIP_NONCE_CHECK`: ID tokens are taken whatever their nonce.
    pub skip_nonce_check: bool,
}

/// The providers by name.
#[derive(Clone, Debug, Default)]
pub struct Providers(BTreeMap<&'static str, Provider>);

impl Providers {
    /// One of them, enabled or not.
    pub fn get(&self, name: &str) -> Option<&Provider> {
        self.0.get(name)
    }

    /// What `/settings` says: each name, and whether it is enabled.
    pub fn listed(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.0
            .iter()
            .filter(|(name, _)| !UNLISTED.contains(name))
            .map(|(name, provider)| (*name, provider.enabled))
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Providers {
    let all = LISTED.into_iter().chain(UNLISTED);
    Providers(all.map(|name| (name, provider(r, name))).collect())
}

fn provider(r: &mut Reader<'_>, name: &str) -> Provider {
    let prefix = format!("GOTRUE_EXTERNAL_{}", name.to_uppercase());
    let named = |field: &str| format!("{prefix}_{field}");
    Provider {
        enabled: r.flag(&[&named("ENABLED")], false),
        client_ids: super::read::list(r.text(&[&named("CLIENT_ID")])),
        secret: r.text_or(&[&named("SECRET")], "").into(),
        redirect_uri: r.text_or(&[&named("REDIRECT_URI")], ""),
        url: r
            .text_or(&[&named("URL")], "")
            .trim_end_matches('/')
            .to_owned(),
        email_optional: r.flag(&[&named("EMAIL_OPTIONAL")], false),
        skip_nonce_check: r.flag(&[&named("SKIP_NONCE_CHECK")], false),
    }
}
