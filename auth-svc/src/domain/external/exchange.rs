//! The token endpoint: a code becomes tokens (RFC 6749, section 4.1.3).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::{Problem, fetch, spec::Credentials};

/// What is exchanged.
pub(super) struct Exchange<'a> {
    pub(super) endpoint: &'a str,
    pub(super) client_id: &'a str,
    pub(super) secret: &'a SecretString,
    pub(super) redirect_uri: &'a str,
    pub(super) code: &'a str,
    /// Of the challenge that the user was sent with.
    pub(super) verifier: Option<&'a str>,
    pub(super) credentials: Credentials,
}

/// What a provider gave for a code.
pub(super) struct Tokens {
    pub(super) access_token: SecretString,
    pub(super) refresh_token: Option<SecretString>,
    pub(super) id_token: Option<String>,
    /// All of it; some providers put the profile in here.
    pub(super) answer: Value,
}

impl Exchange<'_> {
    /// Trades the code. Providers differ in where they look for the secret and do not say so: one that
    /// refuses the header is asked again with the secret in the body, as the original does.
    pub(super) async fn run(&self, http: &reqwest::Client) -> Result<Tokens, Problem> {
        if self.credentials == Credentials::Either {
            match self.attempt(http, true).await {
                Err(Problem::Status(400..500) | Problem::Answer(_)) => {}
                done => return done,
            }
        }
        self.attempt(http, false).await
    }

    async fn attempt(&self, http: &reqwest::Client, in_header: bool) -> Result<Tokens, Problem> {
        let secret = self.secret.expose_secret();
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", self.code),
            ("redirect_uri", self.redirect_uri),
        ];
        if let Some(verifier) = self.verifier {
            form.push(("code_verifier", verifier));
        }
        let mut request = http.post(self.endpoint);
        if in_header {
            // Both are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
            let encoded = |text: &str| -> String {
                form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let joined = format!("{}:{}", encoded(self.client_id), encoded(secret));
            let mut value =
                http::HeaderValue::try_from(format!("Basic {}", STANDARD.encode(joined)))
                    .map_err(|_| Problem::Answer("the client's secret cannot be sent"))?;
            value.set_sensitive(true);
            request = request.header(http::header::AUTHORIZATION, value);
        } else {
            form.extend([("client_id", self.client_id), ("client_secret", secret)]);
        }
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let content_type = "application/x-www-form-urlencoded";
        let request = request
            .header(http::header::CONTENT_TYPE, content_type)
            .body(body);
        let answer = fetch::send(request).await?;
        if !(200..300).contains(&answer.status) {
            return Err(Problem::Status(answer.status));
        }
        read(&answer)
    }
}

fn read(answer: &fetch::Answer) -> Result<Tokens, Problem> {
    let map: Map<String, Value> = match serde_json::from_slice(&answer.body) {
        Ok(map) => map,
        Err(_) if answer.is_form => form_urlencoded::parse(&answer.body)
            .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
            .collect(),
        Err(_) => return Err(Problem::Answer("neither JSON nor a form")),
    };
    let text = |name: &str| {
        map.get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    // Some report errors with a status that means success.
    if text("error").is_some() {
        return Err(Problem::Answer("the token endpoint reports an error"));
    }
    let access_token = text("access_token").ok_or(Problem::Answer("no access token"))?;
    Ok(Tokens {
        access_token: access_token.into(),
        refresh_token: text("refresh_token").map(SecretString::from),
        id_token: text("id_token"),
        answer: Value::Object(map),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(is_form: bool, body: &str) -> fetch::Answer {
        fetch::Answer {
            status: 200,
            is_form,
            body: body.into(),
        }
    }

    #[test]
    fn tokens_come_as_json_or_as_a_form() {
        let form = "access_token=gho_1&scope=user%3Aemail&token_type=bearer";
        for answer in [
            answer(false, r#"{"access_token": "gho_1", "refresh_token": ""}"#),
            answer(true, form),
        ] {
            let tokens = read(&answer).unwrap();
            assert_eq!(tokens.access_token.expose_secret(), "gho_1");
            assert!(tokens.refresh_token.is_none());
        }
        for wrong in [
            answer(false, form),
            answer(false, r#"{"error": "bad_verification_code"}"#),
            answer(false, r#"{"access_token": 1}"#),
            answer(false, "[]"),
        ] {
            assert!(read(&wrong).is_err());
        }
    }
}
