use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::Template;
use crate::config::{self, TemplateCache};

const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The mails that the service sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Invite,
    Confirmation,
    Recovery,
    MagicLink,
    EmailChange,
    Reauthentication,
    PasswordChanged,
    EmailChanged,
    PhoneChanged,
    IdentityLinked,
    IdentityUnlinked,
    FactorEnrolled,
    FactorUnenrolled,
}

impl Kind {
    /// Those that tell a user what changed.
    pub const NOTIFICATIONS: [Self; 7] = [
        Self::PasswordChanged,
        Self::EmailChanged,
        Self::PhoneChanged,
        Self::IdentityLinked,
        Self::IdentityUnlinked,
        Self::FactorEnrolled,
        Self::FactorUnenrolled,
    ];

    /// The name in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invite => "invite",
            Self::Confirmation => "confirmation",
            Self::Recovery => "recovery",
            Self::MagicLink => "magic_link",
            Self::EmailChange => "email_change",
            Self::Reauthentication => "reauthentication",
            Self::PasswordChanged => "password_changed_notification",
            Self::EmailChanged => "email_changed_notification",
            Self::PhoneChanged => "phone_changed_notification",
            Self::IdentityLinked => "identity_linked_notification",
            Self::IdentityUnlinked => "identity_unlinked_notification",
            Self::FactorEnrolled => "mfa_factor_enrolled_notification",
            Self::FactorUnenrolled => "mfa_factor_unenrolled_notification",
        }
    }

    /// The name in extra headers of mails.
    pub fn message_type(self) -> &'static str {
        match self {
            Self::Reauthentication => "reauthenticate",
            other => other.as_str(),
        }
    }

    /// The setting with the path of its link. A magic link is a kind of recovery.
    pub fn path_setting(self) -> &'static str {
        match self {
            Self::MagicLink => "recovery",
            other => other.as_str(),
        }
    }

    fn subject(self) -> &'static str {
        match self {
            Self::Invite => "You are invited",
            Self::Confirmation => "Please confirm your email address",
            Self::Recovery => "Choose a new password",
            Self::MagicLink => "Your link to sign in",
            Self::EmailChange => "Please confirm your new email address",
            Self::Reauthentication => "{{ .Token }} is your code",
            Self::PasswordChanged => "Your password was changed",
            Self::EmailChanged => "Your email address was changed",
            Self::PhoneChanged => "Your phone number was changed",
            Self::IdentityLinked => "A way to sign in was added to your account",
            Self::IdentityUnlinked => "A way to sign in was removed from your account",
            Self::FactorEnrolled => "A second step was added to your account",
            Self::FactorUnenrolled => "A second step was removed from your account",
        }
    }

    fn body(self) -> &'static str {
        match self {
            Self::Invite => include_str!("defaults/invite.html"),
            Self::Confirmation => include_str!("defaults/confirmation.html"),
            Self::Recovery => include_str!("defaults/recovery.html"),
            Self::MagicLink => include_str!("defaults/magic_link.html"),
            Self::EmailChange => include_str!("defaults/email_change.html"),
            Self::Reauthentication => include_str!("defaults/reauthentication.html"),
            Self::PasswordChanged => {
                include_str!("defaults/password_changed_notification.html")
            }
            Self::EmailChanged => include_str!("defaults/email_changed_notification.html"),
            Self::PhoneChanged => include_str!("defaults/phone_changed_notification.html"),
            Self::IdentityLinked => include_str!("defaults/identity_linked_notification.html"),
            Self::IdentityUnlinked => {
                include_str!("defaults/identity_unlinked_notification.html")
            }
            Self::FactorEnrolled => {
                include_str!("defaults/mfa_factor_enrolled_notification.html")
            }
            Self::FactorUnenrolled => {
                include_str!("defaults/mfa_factor_unenrolled_notification.html")
            }
        }
    }
}

/// What came of fetching a text; nothing when our own stands in.
#[derive(Clone)]
struct Fetched {
    template: Option<Arc<Template>>,
    /// When it is fetched again.
    until: DateTime<Utc>,
}

/// The texts of all mails: those of the project, fetched from where the settings say, and our own.
pub struct Templates {
    subjects: BTreeMap<&'static str, String>,
    urls: BTreeMap<&'static str, String>,
    site_url: String,
    cache: TemplateCache,
    http: reqwest::Client,
    fetched: Mutex<HashMap<Kind, Fetched>>,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Templates({} of the project)", self.urls.len())
    }
}

impl Templates {
    /// Nothing is fetched yet.
    pub fn new(mailer: &config::Mailer, site_url: &str, http: reqwest::Client) -> Self {
        Self {
            subjects: mailer.subjects.clone(),
            urls: mailer.templates.clone(),
            site_url: site_url.to_owned(),
            cache: mailer.template_cache,
            http,
            fetched: Mutex::default(),
        }
    }

    /// Subject and body of a mail. What cannot be fetched or read is replaced by our own text, because a
    /// code that does not arrive is worse than one in the wrong design.
    pub async fn render(
        &self,
        kind: Kind,
        data: &Map<String, Value>,
        now: DateTime<Utc>,
    ) -> (String, String) {
        let subject = self
            .subjects
            .get(kind.as_str())
            .and_then(|text| Template::parse(text).ok())
            .or_else(|| Template::parse(kind.subject()).ok())
            .map(|template| template.render_text(data))
            .unwrap_or_default();
        let own = self.fetch(kind, now).await;
        let body = own
            .or_else(|| Template::parse(kind.body()).ok().map(Arc::new))
            .map(|template| template.render_html(data))
            .unwrap_or_default();
        (subject, body)
    }

    async fn fetch(&self, kind: Kind, now: DateTime<Utc>) -> Option<Arc<Template>> {
        let url = self.urls.get(kind.as_str())?;
        let known = {
            let fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
            fetched.get(&kind).cloned()
        };
        if let Some(known) = &known
            && now < known.until
        {
            return known.template.clone();
        }
        let (template, keep) = match self.download(url).await {
            Ok(template) => (Some(Arc::new(template)), self.cache.max_age),
            Err(error) => {
                tracing::warn!(kind = kind.as_str(), %error, "mail template cannot be used");
                match known.and_then(|known| known.template) {
                    Some(older) => (Some(older), self.cache.retry_interval),
                    None => (None, self.cache.max_age),
                }
            }
        };
        let entry = Fetched {
            template: template.clone(),
            until: now + keep,
        };
        self.fetched
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(kind, entry);
        template
    }

    async fn download(&self, url: &str) -> anyhow::Result<Template> {
        let url = if url.starts_with("http") {
            url::Url::parse(url)?
        } else {
            url::Url::parse(&self.site_url)?.join(url)?
        };
        let request = self.http.get(url).timeout(FETCH_TIMEOUT);
        let mut response = request.send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            body.extend_from_slice(&chunk);
            anyhow::ensure!(
                body.len() <= self.cache.max_size,
                "the template is too large"
            );
        }
        Ok(Template::parse(&String::from_utf8(body)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_texts_can_be_read_and_hold_the_link() {
        let mut data = Map::new();
        data.insert("ConfirmationURL".into(), "https://x.test/?a=1&b=2".into());
        data.insert("Token".into(), "123456".into());
        for kind in [
            Kind::Invite,
            Kind::Confirmation,
            Kind::Recovery,
            Kind::MagicLink,
            Kind::EmailChange,
            Kind::Reauthentication,
        ] {
            let body = Template::parse(kind.body()).unwrap().render_html(&data);
            let expected = if kind == Kind::Reauthentication {
                "123456"
            } else {
                "https://x.test/?a=1&amp;b=2"
            };
            assert!(body.contains(expected), "{kind:?}: {body}");
            assert!(!body.contains("{{"), "{kind:?}: {body}");
        }
    }

    #[test]
    fn our_own_texts_say_what_changed() {
        let mut data = Map::new();
        for name in [
            "Email",
            "OldEmail",
            "Phone",
            "OldPhone",
            "Provider",
            "FactorType",
        ] {
            data.insert(name.into(), format!("<the {name}>").into());
        }
        for (kind, said) in [
            (Kind::PasswordChanged, ["Email"].as_slice()),
            (Kind::EmailChanged, &["Email", "OldEmail"]),
            (Kind::PhoneChanged, &["Email", "Phone", "OldPhone"]),
            (Kind::IdentityLinked, &["Email", "Provider"]),
            (Kind::IdentityUnlinked, &["Email", "Provider"]),
            (Kind::FactorEnrolled, &["Email", "FactorType"]),
            (Kind::FactorUnenrolled, &["Email", "FactorType"]),
        ] {
            assert!(Kind::NOTIFICATIONS.contains(&kind));
            let body = Template::parse(kind.body()).unwrap().render_html(&data);
            for name in said {
                let escaped = format!("&lt;the {name}&gt;");
                assert!(body.contains(&escaped), "{kind:?}: {body}");
            }
        }
    }
}
