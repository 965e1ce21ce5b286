//! Twitter as it was before X: OAuth 1.0a (RFC 5849), where every request is signed.

mod sign;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use subtle::ConstantTimeEq as _;
use url::form_urlencoded;

use self::sign::{Key, Request};
use super::{
    Problem, Profile,
    client::{self, Grant, Refusal},
    complete::Answer,
    fetch,
    party::Begun,
};
use crate::{app::App, config::Provider, error::Error};

/// Its name in the settings and in identities.
pub const NAME: &str = "twitter";

const PUBLIC: &str = "https://api.twitter.com";
const PROFILE: &str = "/1.1/account/verify_credentials.json";
/// Its tokens have some 50 letters.
const MAX_TOKEN: usize = 1024;

/// Twitter as this project set it up.
pub struct Twitter<'a> {
    config: &'a Provider,
    id: &'a str,
}

/// A token, and the secret that signs for it.
struct Token {
    token: String,
    secret: SecretString,
}

impl<'a> Twitter<'a> {
    /// Fails with `validation_failed` when it is disabled or not set up.
    pub fn find(app: &'a App) -> Result<Self, Error> {
        let (config, id) = client::settings(app, NAME)?;
        Ok(Self { config, id })
    }

    /// Whether users without a mail address are taken.
    pub fn email_optional(&self) -> bool {
        self.config.email_optional
    }

    fn base(&self) -> &str {
        match self.config.url.as_str() {
            "" => PUBLIC,
            own => own,
        }
    }

    /// Announces a user, who comes back with `state`.
    pub async fn begin(&self, app: &App, state: &str) -> Result<Begun, Error> {
        let callback = format!("{}?state={state}", self.config.redirect_uri);
        let parameters = [("oauth_callback", callback.as_str())];
        let url = format!("{}/oauth/request_token", self.base());
        let token = self.token(app, &url, None, &parameters).await;
        let token = token
            .map_err(|problem| Error::internal("Unable to retrieve request token", problem))?;
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("oauth_token", &token.token)
            .finish();
        Ok(Begun {
            url: format!("{}/oauth/authenticate?{query}", self.base()),
            kept: Some(format!("{} {}", token.token, token.secret.expose_secret()).into()),
        })
    }

    /// Trades what the user came back with for an access token, and asks who the user is.
    pub async fn redeem(
        &self,
        app: &App,
        answer: &Answer,
        kept: Option<&str>,
    ) -> Result<Grant, Refusal> {
        let begun = kept
            .and_then(|kept| kept.split_once(' '))
            .ok_or(Refusal::Code(Problem::Answer("nothing was kept")))?;
        // Otherwise a user could be sent to us with somebody else's token.
        let same = begun.0.as_bytes().ct_eq(answer.oauth_token.as_bytes());
        if !bool::from(same) {
            return Err(Refusal::Code(Problem::Answer("another request token")));
        }
        let begun = Token {
            token: begun.0.to_owned(),
            secret: begun.1.to_owned().into(),
        };
        let parameters = [("oauth_verifier", answer.oauth_verifier.as_str())];
        let url = format!("{}/oauth/access_token", self.base());
        let token = self
            .token(app, &url, Some(&begun), &parameters)
            .await
            .map_err(Refusal::Code)?;
        let profile = self.profile(app, &token).await.map_err(Refusal::Profile)?;
        Ok(Grant {
            profile,
            access_token: token.token.into(),
            refresh_token: None,
        })
    }

    async fn send(
        &self,
        app: &App,
        url: &str,
        query: &[(&str, &str)],
        with: Option<&Token>,
        parameters: &[(&str, &str)],
    ) -> Result<fetch::Answer, Problem> {
        let mut nonce = [0; 16];
        app.random().fill(&mut nonce);
        let request = Request {
            url,
            query,
            parameters,
            nonce: hex::encode(nonce),
            timestamp: app.now().timestamp(),
        };
        let key = Key {
            client: self.id,
            secret: &self.config.secret,
            token: with.map(|token| (token.token.as_str(), &token.secret)),
        };
        let mut header = http::HeaderValue::try_from(request.authorization(&key))
            .map_err(|_| Problem::Answer("the client's id cannot be sent"))?;
        header.set_sensitive(true);
        let url = match sign::form(query) {
            query if query.is_empty() => url.to_owned(),
            query => format!("{url}?{query}"),
        };
        let request = app
            .http()
            .get(url)
            .header(http::header::AUTHORIZATION, header);
        let answer = fetch::send(request).await?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        Err(Problem::Status(answer.status))
    }

    async fn token(
        &self,
        app: &App,
        url: &str,
        with: Option<&Token>,
        parameters: &[(&str, &str)],
    ) -> Result<Token, Problem> {
        let answer = self.send(app, url, &[], with, parameters).await?;
        let field = |name: &str| {
            let mut fields = form_urlencoded::parse(&answer.body);
            let found = fields.find(|(key, _)| key == name);
            found.map(|(_, value)| value.into_owned())
        };
        let fits = |text: &String| {
            !text.is_empty()
                && text.len() <= MAX_TOKEN
                && text.bytes().all(|b| b.is_ascii_graphic())
        };
        let token = field("oauth_token").filter(fits);
        let secret = field("oauth_token_secret").filter(fits);
        match (token, secret) {
            (Some(token), Some(secret)) => Ok(Token {
                token,
                secret: secret.into(),
            }),
            _ => Err(Problem::Answer("no token or no secret")),
        }
    }

    async fn profile(&self, app: &App, token: &Token) -> Result<Profile, Problem> {
        let url = format!("{}{PROFILE}", self.base());
        let query = [
            ("include_entities", "false"),
            ("skip_status", "true"),
            ("include_email", "true"),
        ];
        let answer = self.send(app, &url, &query, Some(token), &[]).await?;
        let user: Value =
            serde_json::from_slice(&answer.body).map_err(|_| Problem::Answer("not JSON"))?;
        let text = |name: &str| user.get(name).and_then(Value::as_str).unwrap_or_default();
        let profile =
            Profile::of(&url, text("id_str")).ok_or(Problem::Answer("the profile has no id"))?;
        Ok(profile
            .with_provider_id()
            .named(text("name"))
            .pictured(text("profile_image_url_https"))
            .with("preferred_username", text("screen_name"))
            .with("user_name", text("screen_name"))
            .mailed(text("email"), true))
    }
}
