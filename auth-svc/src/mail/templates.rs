use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::Template;
use crate::config;

/// How long a fetched template is used before it is fetched again.
const FRESH: Duration = Duration::from_secs(600);
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: usize = 256 * 1024;

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
}

impl Kind {
    /// The name in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invite => "invite",
            Self::Confirmation => "confirmation",
            Self::Recovery => "recovery",
            Self::MagicLink => "magic_link",
            Self::EmailChange => "email_change",
            Self::Reauthentication => "reauthentication",
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
        }
    }
}

struct Fetched {
    text: Option<Arc<str>>,
    at: DateTime<Utc>,
}

/// The texts of all mails: those of the project, fetched from where the settings say, and our own.
pub struct Templates {
    subjects: BTreeMap<&'static str, String>,
    urls: BTreeMap<&'static str, String>,
    site_url: String,
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
        let own = match self.fetch(kind, now).await {
            Some(text) => Template::parse(&text)
                .inspect_err(|error| {
                    tracing::warn!(kind = kind.as_str(), %error, "mail template cannot be read");
                })
                .ok(),
            None => None,
        };
        let body = own
            .or_else(|| Template::parse(kind.body()).ok())
            .map(|template| template.render_html(data))
            .unwrap_or_default();
        (subject, body)
    }

    async fn fetch(&self, kind: Kind, now: DateTime<Utc>) -> Option<Arc<str>> {
        let url = self.urls.get(kind.as_str())?;
        let known = {
            let fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
            fetched
                .get(&kind)
                .map(|entry| (entry.text.clone(), now - entry.at))
        };
        if let Some((text, age)) = &known
            && age.to_std().is_ok_and(|age| age < FRESH)
        {
            return text.clone();
        }
        let text = match self.download(url).await {
            Ok(text) => Some(Arc::from(text)),
            Err(error) => {
                tracing::warn!(kind = kind.as_str(), %error, "mail template cannot be fetched");
                known.and_then(|(text, _)| text)
            }
        };
        let entry = Fetched {
            text: text.clone(),
            at: now,
        };
        self.fetched
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(kind, entry);
        text
    }

    async fn download(&self, url: &str) -> anyhow::Result<String> {
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
            anyhow::ensure!(body.len() <= MAX_BYTES, "the template is too large");
        }
        Ok(String::from_utf8(body)?)
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
}
