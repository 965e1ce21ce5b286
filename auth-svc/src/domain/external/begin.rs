//! The way out: where a user goes to prove at a provider who they are.

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use uuid::Uuid;

use super::party::Party;
use crate::{
    app::App,
    domain::{clock, pkce::Challenge, session::Caller},
    error::{Code, Error},
    store::{
        external_flows::{self, NewExternalFlow},
        oauth_client_states, users,
    },
};

/// What an app may not say to a provider in our name. A `nonce` may pass: it is between those two.
const RESERVED: [&str; 8] = [
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "state",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
];
/// So many parameters of an app pass, and no more text than this in all.
const MAX_PASSED: usize = 32;
const MAX_PASSED_TEXT: usize = 8 * 1024;

/// What an app asks for.
pub struct Wish {
    /// The name of the provider.
    pub provider: String,
    /// What it should let the app do, separated by commas.
    pub scopes: String,
    /// For apps that want a code instead of tokens.
    pub challenge: Option<Challenge>,
    /// The hash in an invitation, or nothing.
    pub invite_token: String,
    /// The query of the request; what is not ours passes on to the provider.
    pub query: Vec<(String, String)>,
    /// The user who adds a way to sign in, if it is not a sign-in.
    pub linking_target: Option<Uuid>,
}

/// Notes what was asked for, and gives the address at the provider.
pub async fn begin(app: &App, wish: &Wish, caller: &Caller) -> Result<String, Error> {
    let client = Party::find(app, &wish.provider).await?;
    let mut passed = passed_on(&wish.query)?;
    let mut tx = app.begin().await?;
    if !wish.invite_token.is_empty() {
        users::find_by_token(&mut tx, &wish.invite_token, &["confirmation_token"])
            .await
            .map_err(Error::database("Database error finding user"))?
            .ok_or_else(|| {
                let message = "User identified by token not found";
                Error::refused(404, Code::UserNotFound, message)
            })?;
    }
    let mut oauth_client_state_id = None;
    if client.requires_pkce() {
        let verifier = verifier(app);
        let id = clock::id(app.random());
        oauth_client_states::insert(&mut tx, id, client.name(), &verifier, app.now()).await?;
        oauth_client_state_id = Some(id);
        let challenge = digest::digest(&digest::SHA256, verifier.as_bytes());
        passed.extend([
            ("code_challenge".into(), URL_SAFE_NO_PAD.encode(challenge)),
            ("code_challenge_method".into(), "S256".into()),
        ]);
    }
    let challenge = wish.challenge.as_ref();
    let new = NewExternalFlow {
        id: clock::id(app.random()),
        auth_code: challenge.map(|_| clock::id(app.random())),
        code_challenge: challenge.map(|challenge| challenge.value.as_str()),
        code_challenge_method: challenge.map(|challenge| challenge.method.as_str()),
        provider_type: client.name(),
        invite_token: Some(wish.invite_token.as_str()).filter(|token| !token.is_empty()),
        referrer: &caller.redirect_to,
        oauth_client_state_id,
        linking_target_id: wish.linking_target,
        email_optional: client.email_optional(),
    };
    external_flows::insert(&mut tx, &new, app.now())
        .await
        .map_err(Error::database("Error creating flow state"))?;
    tx.commit().await?;
    let state = new.id.to_string();
    client.authorize_url(&state, &wish.scopes, &passed).await
}

fn passed_on(query: &[(String, String)]) -> Result<Vec<(String, String)>, Error> {
    let mut passed: Vec<(String, String)> = Vec::new();
    let mut text = 0;
    for (name, value) in query {
        let reserved = RESERVED.contains(&name.to_ascii_lowercase().as_str());
        let repeated = passed.iter().any(|(known, _)| known == name);
        if reserved || repeated || name == "provider" || name == "scopes" {
            continue;
        }
        text += name.len() + value.len();
        // Which of several identity providers behind WorkOS; `provider` itself is ours.
        let name = if name == "workos_provider" {
            "provider"
        } else {
            name
        };
        passed.push((name.to_owned(), value.clone()));
    }
    if passed.len() > MAX_PASSED || text > MAX_PASSED_TEXT {
        return Err(Error::invalid("Too many parameters for the provider"));
    }
    Ok(passed)
}

fn verifier(app: &App) -> String {
    let mut bytes = [0; 32];
    app.random().fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_cannot_speak_for_us() {
        let pairs = [
            ("provider", "github"),
            ("scopes", "repo"),
            ("Redirect_URI", "https://evil.test"),
            ("state", "x"),
            ("CLIENT_ID", "x"),
            ("nonce", "n"),
            ("login_hint", "ada"),
            ("login_hint", "eve"),
            ("workos_provider", "GoogleOAuth"),
        ];
        let query = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let passed = passed_on(&query).unwrap();
        let expected = [
            ("nonce", "n"),
            ("login_hint", "ada"),
            ("provider", "GoogleOAuth"),
        ];
        assert_eq!(
            passed,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        let many: Vec<_> = (0..40).map(|n| (format!("p{n}"), String::new())).collect();
        assert!(passed_on(&many).is_err());
    }
}
