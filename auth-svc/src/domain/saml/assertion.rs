//! What an identity provider says about its user.

use chrono::{DateTime, Utc};

const EMAIL_FORMAT: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const TRANSIENT_FORMAT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const SUBJECT_ID: &str = "urn:oasis:names:tc:SAML:attribute:subject-id";
/// The names under which providers send the mail address, best first.
const EMAIL_ATTRIBUTES: [&str; 5] = [
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "http://schemas.xmlsoap.org/claims/EmailAddress",
    "mail",
    "email",
];

/// The parts that are of interest, all of them signed and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Assertion {
    pub(super) id: String,
    pub(super) name_id: String,
    pub(super) name_id_format: String,
    pub(super) attributes: Vec<Attribute>,
    /// When the session at the provider ends.
    pub(super) session_not_on_or_after: Option<DateTime<Utc>>,
}

/// One attribute of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) friendly_name: String,
    pub(super) values: Vec<String>,
}

impl Assertion {
    /// All values of the attributes that go by a name, of either kind and in any case.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.attributes
            .iter()
            .filter(move |one| same(&one.name, name) || same(&one.friendly_name, name))
            .flat_map(|one| one.values.iter().map(String::as_str))
    }

    /// What stays the user's for ever: the attribute that is meant for it, else the name identifier, unless
    /// that is another one each time.
    pub(super) fn subject(&self) -> Option<String> {
        if let Some(id) = self.values(SUBJECT_ID).next() {
            return Some(id.to_owned()).filter(|id| !id.is_empty());
        }
        let subject = match self.name_id_format.as_str() {
            TRANSIENT_FORMAT => return None,
            EMAIL_FORMAT => self.name_id.trim().to_lowercase(),
            _ => self.name_id.clone(),
        };
        Some(subject).filter(|subject| !subject.is_empty())
    }

    /// The mail address, where the attribute mapping does not say which it is.
    pub(super) fn email(&self) -> Option<&str> {
        EMAIL_ATTRIBUTES
            .iter()
            .flat_map(|name| self.values(name))
            .chain((self.name_id_format == EMAIL_FORMAT).then_some(self.name_id.as_str()))
            .find(|address| !address.is_empty())
    }
}

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, friendly: &str, values: &[&str]) -> Attribute {
        Attribute {
            name: name.into(),
            friendly_name: friendly.into(),
            values: values.iter().map(|one| (*one).to_owned()).collect(),
        }
    }

    #[test]
    fn a_subject_has_to_last() {
        let mut assertion = Assertion {
            name_id: " Ada@Example.com ".into(),
            name_id_format: EMAIL_FORMAT.into(),
            ..Assertion::default()
        };
        assert_eq!(assertion.subject().as_deref(), Some("ada@example.com"));
        assertion.name_id_format = TRANSIENT_FORMAT.into();
        assert_eq!(assertion.subject(), None);
        assertion.name_id_format = String::new();
        assert_eq!(assertion.subject().as_deref(), Some(" Ada@Example.com "));
        assertion.attributes = vec![attribute(SUBJECT_ID, "", &["ada@idp.test", "x"])];
        assert_eq!(assertion.subject().as_deref(), Some("ada@idp.test"));
    }

    #[test]
    fn the_address_is_found_under_many_names() {
        let mut assertion = Assertion {
            name_id: "ada@name.test".into(),
            name_id_format: EMAIL_FORMAT.into(),
            attributes: vec![
                attribute("x", "MAIL", &["", "ada@mail.test"]),
                attribute("urn:oid:0.9.2342.19200300.100.1.3", "", &[]),
            ],
            ..Assertion::default()
        };
        assert_eq!(assertion.email(), Some("ada@mail.test"));
        assertion.attributes.clear();
        assert_eq!(assertion.email(), Some("ada@name.test"));
        assertion.name_id_format.clear();
        assert_eq!(assertion.email(), None);
    }
}
