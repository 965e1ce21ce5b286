//! The service, a provider, and a browser between the two.

use auth_svc::domain::outside::StandIns;
use url::Url;

use crate::{
    provider::{CALLBACK, CLIENT, Provider, SECRET},
    test_app::{Reply, TestApp},
};

/// What the provider is published as in some tests.
pub(crate) const IDP: &str = "https://idp.test";

pub(crate) struct World {
    pub(crate) app: TestApp,
    pub(crate) provider: Provider,
    browser: reqwest::Client,
}

impl World {
    /// GitHub, Keycloak and X are the provider on loopback.
    pub(crate) async fn start(more: &[(&str, &str)]) -> Self {
        let provider = Provider::start().await;
        let address = provider.address();
        let mut settings = Vec::new();
        for name in ["GITHUB", "KEYCLOAK", "X"] {
            for (field, value) in [
                ("ENABLED", "true"),
                ("CLIENT_ID", CLIENT),
                ("SECRET", SECRET),
                ("REDIRECT_URI", CALLBACK),
                ("URL", &address),
            ] {
                settings.push((format!("GOTRUE_EXTERNAL_{name}_{field}"), value));
            }
        }
        let mut all: Vec<(&str, &str)> = settings
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        all.extend(more);
        let browser = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self {
            app: TestApp::start(&all).await,
            provider,
            browser,
        }
    }

    /// The provider on loopback stands in for one at [`IDP`], which is none of the settings'.
    pub(crate) async fn with_idp(more: &[(&str, &str)]) -> Self {
        let provider = Provider::start().await;
        provider.publish_as(IDP);
        let stand_ins = StandIns::new([("idp.test", provider.address())]);
        Self {
            app: TestApp::start_with(more, stand_ins).await,
            provider,
            browser: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
        }
    }

    /// From the app to the provider; gives the address at which the user comes back to us.
    pub(crate) async fn visit(&self, path: &str) -> String {
        let reply = self.app.get(path, "").await;
        assert_eq!(reply.status, 302, "{reply:?}");
        self.at_provider(reply.header("location")).await
    }

    pub(crate) async fn at_provider(&self, url: &str) -> String {
        let response = self
            .browser
            .get(url.replace(IDP, &self.provider.address()))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 303, "{}", response.text().await.unwrap());
        let back = response.headers()["location"].to_str().unwrap();
        back.strip_prefix("http://auth.test").unwrap().to_owned()
    }

    /// The whole way; gives where the user ends up.
    pub(crate) async fn dance(&self, path: &str) -> Landing {
        let back = self.visit(path).await;
        landing(&self.app.get(&back, "").await)
    }
}

/// Where a browser ends up.
#[derive(Debug)]
pub(crate) struct Landing {
    pub(crate) url: Url,
}

impl Landing {
    pub(crate) fn query(&self, name: &str) -> String {
        let mut pairs = self.url.query_pairs();
        let found = pairs.find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    }

    pub(crate) fn fragment(&self, name: &str) -> String {
        let fragment = self.url.fragment().unwrap_or_default().as_bytes();
        let mut pairs = url::form_urlencoded::parse(fragment);
        let found = pairs.find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    }

    /// Fails unless this is told, in the query and in the fragment.
    #[track_caller]
    pub(crate) fn refused(&self, error: &str, code: &str) {
        let found = (self.query("error"), self.query("error_code"));
        assert_eq!(found, (error.to_owned(), code.to_owned()), "{self:?}");
        assert_eq!(self.fragment("error"), error);
        assert_eq!(self.fragment("error_code"), code);
        assert!(self.fragment("access_token").is_empty());
        assert!(self.url.fragment().unwrap().contains("sb="));
    }
}

#[track_caller]
pub(crate) fn landing(reply: &Reply) -> Landing {
    assert_eq!(reply.status, 302, "{reply:?}");
    let url = reply.header("location").parse().unwrap();
    Landing { url }
}
