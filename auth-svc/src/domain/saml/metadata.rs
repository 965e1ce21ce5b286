//! What an identity provider says about itself.

use chrono::{DateTime, Duration, Utc};
use roxmltree::Node;

use super::{
    Problem, refuse,
    signature::TrustedKey,
    xml,
    xml::{DSIG, METADATA},
};

const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/// So many keys of a provider are tried.
const MAX_KEYS: usize = 16;
/// Without any word of the provider its metadata are fetched again after this time.
const DEFAULT_CACHE: Duration = Duration::hours(24);

/// As far as it is of interest.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata {
    pub(super) entity_id: String,
    /// How many roles as an identity provider there are; more than one leaves open which is meant.
    pub(super) roles: usize,
    /// Where users are sent with a request in the query.
    pub(super) sign_in_url: Option<String>,
    pub(super) valid_until: Option<DateTime<Utc>>,
    pub(super) cache_duration: Option<Duration>,
    certificates: Vec<Vec<u8>>,
}

impl Metadata {
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let document = xml::parse(text)?;
        let root = document.root_element();
        if xml::is(root, METADATA, "EntityDescriptor") {
            return Self::of(root);
        }
        if !xml::is(root, METADATA, "EntitiesDescriptor") {
            return refuse("not the metadata of an entity");
        }
        let is_provider = |one: &Node<'_, '_>| {
            xml::children(*one, METADATA, "IDPSSODescriptor")
                .next()
                .is_some()
        };
        let entity = xml::children(root, METADATA, "EntityDescriptor").find(is_provider);
        entity.map_or_else(|| refuse("no entity is an identity provider"), Self::of)
    }

    fn of(entity: Node<'_, '_>) -> Result<Self, Problem> {
        let mut metadata = Self {
            entity_id: xml::attribute(entity, "entityID").trim().to_owned(),
            valid_until: xml::time_of(entity, "validUntil")?,
            cache_duration: entity
                .attributes()
                .find(|one| one.namespace().is_none() && one.name() == "cacheDuration")
                .map(|one| one.value())
                .map(duration)
                .transpose()?,
            ..Self::default()
        };
        for role in xml::children(entity, METADATA, "IDPSSODescriptor") {
            metadata.roles += 1;
            for service in xml::children(role, METADATA, "SingleSignOnService") {
                if xml::attribute(service, "Binding") == REDIRECT && metadata.sign_in_url.is_none()
                {
                    let url = xml::attribute(service, "Location").to_owned();
                    metadata.sign_in_url = Some(url);
                }
            }
            for key in xml::children(role, METADATA, "KeyDescriptor") {
                if matches!(xml::attribute(key, "use"), "" | "signing") {
                    metadata.read_key(key)?;
                }
            }
        }
        Ok(metadata)
    }

    fn read_key(&mut self, key: Node<'_, '_>) -> Result<(), Problem> {
        for info in xml::children(key, DSIG, "KeyInfo") {
            for data in xml::children(info, DSIG, "X509Data") {
                for certificate in xml::children(data, DSIG, "X509Certificate") {
                    if self.certificates.len() < MAX_KEYS {
                        self.certificates.push(xml::octets(certificate)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// The keys that the provider signs with.
    pub(super) fn keys(&self) -> Result<Vec<TrustedKey>, Problem> {
        if self.certificates.is_empty() {
            return refuse("the provider's metadata have no signing certificate");
        }
        self.certificates
            .iter()
            .map(|der| TrustedKey::of_certificate(der))
            .collect()
    }

    /// Whether they should be fetched again, if they were fetched before.
    pub(super) fn is_stale(&self, updated_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        if self.valid_until.is_some_and(|until| now > until) {
            return true;
        }
        let cache = match (self.cache_duration, self.valid_until) {
            (Some(duration), _) => duration,
            (None, Some(_)) => return false,
            (None, None) => DEFAULT_CACHE,
        };
        now - updated_at > cache
    }
}

/// `P1DT2H`, with months of 30 days and years of 365.
fn duration(text: &str) -> Result<Duration, Problem> {
    let wrong = || Problem::new("not a duration");
    let text = text.trim();
    let (sign, text) = text
        .strip_prefix('-')
        .map_or((1.0, text), |text| (-1.0, text));
    let text = text.strip_prefix('P').ok_or_else(wrong)?;
    let mut seconds = 0.0_f64;
    let (mut in_time, mut digits, mut parts) = (false, String::new(), 0);
    for c in text.chars() {
        let unit = match (c, in_time) {
            ('0'..='9' | '.', _) => {
                digits.push(c);
                continue;
            }
            ('T', false) if digits.is_empty() => {
                in_time = true;
                continue;
            }
            ('Y', false) => 365.0 * 86400.0,
            ('M', false) => 30.0 * 86400.0,
            ('D', false) => 86400.0,
            ('H', true) => 3600.0,
            ('M', true) => 60.0,
            ('S', true) => 1.0,
            _ => return Err(wrong()),
        };
        let count: f64 = digits.parse().map_err(|_| wrong())?;
        seconds += count * unit;
        parts += 1;
        digits.clear();
    }
    if parts == 0 || !digits.is_empty() {
        return Err(wrong());
    }
    let whole = std::time::Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    let whole = Duration::from_std(whole).map_err(|_| wrong())?;
    // Ten thousand years are as good as for ever, and can be added to any time.
    let longest = Duration::days(3_650_000);
    let whole = whole.min(longest);
    Ok(if sign < 0.0 { -whole } else { whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_xml_schema_writes_them() {
        for (text, seconds) in [
            ("PT1H", 3600),
            ("P1D", 86400),
            (
                "P1Y2M3DT4H5M6.5S",
                31_536_000 + 5_184_000 + 259_200 + 14_706,
            ),
            ("-PT5M", -300),
            ("P0D", 0),
        ] {
            assert_eq!(duration(text).unwrap().num_seconds(), seconds, "{text}");
        }
        for wrong in ["", "P", "PT", "1H", "P1H", "PTH", "PT1", "P1DT1D", "PT-1H"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(duration("P999999999999999999Y").is_err());
    }

    #[test]
    fn metadata_are_stale_when_they_or_the_day_are_over() {
        let now = Utc::now();
        let ago = |hours| now - Duration::hours(hours);
        let silent = Metadata::default();
        assert!(!silent.is_stale(ago(23), now) && silent.is_stale(ago(25), now));
        let cached = Metadata {
            cache_duration: Some(Duration::hours(1)),
            valid_until: Some(now + Duration::days(9)),
            ..Metadata::default()
        };
        assert!(!cached.is_stale(now, now) && cached.is_stale(ago(2), now));
        let valid = Metadata {
            valid_until: Some(now + Duration::days(9)),
            ..Metadata::default()
        };
        assert!(!valid.is_stale(ago(200), now));
        let over = Metadata {
            valid_until: Some(ago(1)),
            ..Metadata::default()
        };
        assert!(over.is_stale(now, now));
    }
}
