//! What GoTrue tries out: `GOTRUE_EXPERIMENTAL_*`.

use std::collections::BTreeMap;

use svc_kit::env::Reader;

/// Settings whose names may still change there.
#[derive(Clone, Debug, Default)]
pub struct Experimental {
    /// `…_PROVIDER_LINKING_DOMAINS`, and `…_PROVIDERS_WITH_OWN_LINKING_DOMAIN`, its older form.
    pub linking_domains: LinkingDomains,
    /// `…_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED`: who sets a first password can sign in with the mail
    /// address from then on, also where it came from a provider.
    pub email_identity_on_password: bool,
    /// `…_CURSOR_PAGINATION_ENABLED`: the list of users goes on where it ended, without being counted.
    pub cursor_pagination: bool,
    /// `…_SCIM_ENABLED`: `/scim/v2` says what it can do.
    pub scim: bool,
}

/// Which providers share their users: those of one domain know a user by the mail address, those of
/// different ones never.
#[derive(Clone, Debug, Default)]
pub struct LinkingDomains(BTreeMap<String, String>);

/// The domain of all providers about which nothing else is said.
pub const DEFAULT_DOMAIN: &str = "default";

impl LinkingDomains {
    /// The domain of a provider. Each provider of single sign-on is one of its own.
    pub fn of<'a>(&'a self, provider: &'a str) -> &'a str {
        if provider.starts_with("sso:") {
            return provider;
        }
        self.0.get(provider).map_or(DEFAULT_DOMAIN, String::as_str)
    }

    /// The providers that the settings put into a domain.
    pub fn members(&self, domain: &str) -> Vec<String> {
        let members = self.0.iter().filter(|(_, of)| *of == domain);
        members.map(|(provider, _)| provider.clone()).collect()
    }

    /// The providers that the settings take out of the default domain.
    pub fn apart(&self) -> Vec<String> {
        let apart = self.0.iter().filter(|(_, of)| *of != DEFAULT_DOMAIN);
        apart.map(|(provider, _)| provider.clone()).collect()
    }

    /// Reads `custom:one=social,custom:two=social`.
    fn parse(text: &str) -> Result<Self, String> {
        let pair = |pair: &str| {
            let (provider, domain) = pair
                .split_once('=')
                .ok_or_else(|| "expected provider=domain pairs".to_owned())?;
            let (provider, domain) = (provider.trim(), domain.trim());
            if provider.is_empty() || domain.is_empty() {
                return Err("provider and domain must be non-empty".to_owned());
            }
            Ok((provider.to_owned(), domain.to_owned()))
        };
        text.trim()
            .split(',')
            .map(pair)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Experimental {
    const PREFIX: &str = "GOTRUE_EXPERIMENTAL_";
    let name = |rest: &str| format!("{PREFIX}{rest}");
    let mut linking_domains = r
        .parse_with(&[&name("PROVIDER_LINKING_DOMAINS")], LinkingDomains::parse)
        .unwrap_or_default();
    for provider in super::read::list(r.text(&[&name("PROVIDERS_WITH_OWN_LINKING_DOMAIN")])) {
        let own = provider.clone();
        linking_domains.0.entry(provider).or_insert(own);
    }
    let email_identity = name("CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED");
    Experimental {
        linking_domains,
        email_identity_on_password: r.flag(&[&email_identity], false),
        cursor_pagination: r.flag(&[&name("CURSOR_PAGINATION_ENABLED")], false),
        scim: r.flag(&[&name("SCIM_ENABLED")], false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_of_one_domain_are_together() {
        let domains = LinkingDomains::parse(" custom:a=x , google=x,github=default").unwrap();
        assert_eq!(domains.of("custom:a"), "x");
        assert_eq!(domains.of("github"), DEFAULT_DOMAIN);
        assert_eq!(domains.of("email"), DEFAULT_DOMAIN);
        assert_eq!(domains.of("sso:1"), "sso:1");
        assert_eq!(domains.members("x"), ["custom:a", "google"]);
        assert_eq!(domains.apart(), ["custom:a", "google"]);
        for wrong in ["google", "google=", "=x", "google=x,"] {
            assert!(LinkingDomains::parse(wrong).is_err(), "{wrong}");
        }
    }
}
