use serde_json::{Map, Value};

/// One of a user's mail addresses, as the provider has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// The address, as it was written.
    pub address: String,
    /// Whether the provider vouches for it.
    pub verified: bool,
    /// Whether it is the user's main one.
    pub primary: bool,
}

/// What a provider says about its user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The mail addresses, in the provider's order.
    pub emails: Vec<Email>,
    /// Everything else, under the names of OpenID Connect; `sub` is always there.
    pub claims: Map<String, Value>,
}

impl Profile {
    /// Begins with who says it about whom. Nothing without a subject: it would be everybody's.
    pub(in crate::domain) fn of(issuer: &str, subject: &str) -> Option<Self> {
        if subject.is_empty() {
            return None;
        }
        let profile = Self::default().with("iss", issuer).with("sub", subject);
        Some(profile)
    }

    /// The owner of a wallet, who has a key and nothing else.
    pub fn of_wallet(subject: String, custom: Value) -> Self {
        Self::default().with("sub", subject).with_custom(custom)
    }

    /// Adds a claim, unless there is nothing to say.
    pub(in crate::domain) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if !value.is_null() && value != "" {
            self.claims.insert(name.to_owned(), value);
        }
        self
    }

    /// Adds the subject under its old name as well.
    pub(super) fn with_provider_id(self) -> Self {
        let subject = self.subject().to_owned();
        self.with("provider_id", subject)
    }

    /// Adds the name under its old name as well.
    pub(super) fn named(self, name: &str) -> Self {
        self.with("name", name).with("full_name", name)
    }

    /// Adds the picture under its old name as well.
    pub(super) fn pictured(self, url: &str) -> Self {
        self.with("picture", url).with("avatar_url", url)
    }

    /// Adds what only this provider has.
    pub(in crate::domain) fn with_custom(self, custom: Value) -> Self {
        self.with("custom_claims", custom)
    }

    /// Adds the one address that the provider tells.
    pub(in crate::domain) fn mailed(self, address: &str, verified: bool) -> Self {
        self.also_mailed(address, verified, true)
    }

    /// Adds one of several addresses.
    pub(super) fn also_mailed(mut self, address: &str, verified: bool, primary: bool) -> Self {
        if !address.is_empty() {
            self.emails.push(Email {
                address: address.to_owned(),
                verified,
                primary,
            });
        }
        self
    }

    /// The provider's id of the user.
    pub fn subject(&self) -> &str {
        self.claims
            .get("sub")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The address that the identity goes by: the main one, else the last.
    pub fn email(&self) -> Option<&Email> {
        let primary = self.emails.iter().find(|email| email.primary);
        primary.or(self.emails.last())
    }

    /// What is kept of it all in `identity_data` and in the user's metadata.
    pub fn identity_data(&self) -> Map<String, Value> {
        let mut data = self.claims.clone();
        data.remove("email");
        if let Some(email) = self.email().filter(|email| !email.address.is_empty()) {
            data.insert("email".into(), email.address.to_lowercase().into());
        }
        let verified = self.email().is_some_and(|email| email.verified);
        data.insert("email_verified".into(), verified.into());
        data.entry("phone_verified").or_insert(false.into());
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_identity_goes_by_the_main_address() {
        let profile = Profile::of("https://issuer.test", "1")
            .unwrap()
            .named("Ada")
            .also_mailed("old@example.com", true, false)
            .also_mailed("Ada@Example.com", false, true)
            .also_mailed("other@example.com", true, false);
        assert_eq!(
            Value::Object(profile.identity_data()),
            json!({
                "iss": "https://issuer.test",
                "sub": "1",
                "name": "Ada",
                "full_name": "Ada",
                "email": "ada@example.com",
                "email_verified": false,
                "phone_verified": false,
            })
        );
        assert!(Profile::of("https://issuer.test", "").is_none());
    }
}
