//! What a client may ask for.

use url::Url;

use crate::config::OAuthServer;

const SCOPES: [&str; 5] = ["openid", "profile", "email", "phone", "offline_access"];

/// The scopes of a list with spaces between.
pub fn scopes(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// True if a list with spaces between has the scope.
pub fn has_scope(list: &str, scope: &str) -> bool {
    scopes(list).any(|each| each == scope)
}

/// The parameters of `GET /oauth/authorize` that say what is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// `code` or the empty text.
    pub response_type: &'a str,
    /// Scopes with spaces between; the default when empty.
    pub scope: &'a str,
    /// RFC 8707.
    pub resource: &'a str,
    /// RFC 7636.
    pub code_challenge: &'a str,
    /// `S256` or `plain`, in any case.
    pub code_challenge_method: &'a str,
}

impl Request<'_> {
    /// The scopes that are asked for.
    ///
    /// # Errors
    /// What is wrong, for the client.
    pub fn check(&self, config: &OAuthServer) -> Result<String, String> {
        let scope = if self.scope.is_empty() {
            config.default_scope.as_str()
        } else {
            self.scope
        };
        if !["", "code"].contains(&self.response_type) {
            return Err("only response_type=code is supported".to_owned());
        }
        if scope.is_empty() {
            return Err("scope parameter is required".to_owned());
        }
        if scopes(scope).next().is_none() {
            return Err("scope parameter cannot be empty".to_owned());
        }
        if let Some(unknown) = scopes(scope).find(|each| !SCOPES.contains(each)) {
            return Err(format!("unsupported scope: {unknown}"));
        }
        check_resource(self.resource)?;
        self.check_challenge()?;
        Ok(scope.to_owned())
    }

    fn check_challenge(&self) -> Result<(), String> {
        if self.code_challenge.is_empty() || self.code_challenge_method.is_empty() {
            return Err(
                "PKCE flow requires both code_challenge and code_challenge_method".to_owned(),
            );
        }
        let method = self.code_challenge_method.to_ascii_lowercase();
        if !["s256", "plain"].contains(&method.as_str()) {
            return Err("code_challenge_method must be 'S256' or 'plain'".to_owned());
        }
        if !(43..=128).contains(&self.code_challenge.len()) {
            return Err("code_challenge must be between 43 and 128 characters".to_owned());
        }
        Ok(())
    }
}

fn check_resource(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    let wrong = |reason: &str| Err(format!("resource must {reason}"));
    match Url::parse(text) {
        Err(url::ParseError::RelativeUrlWithoutBase) => wrong("be an absolute URI"),
        Err(_) => wrong("be a valid URI"),
        Ok(url) if url.fragment().is_some_and(|part| !part.is_empty()) => {
            wrong("not include a fragment component")
        }
        Ok(url) if url.query().is_some_and(|part| !part.is_empty()) => {
            wrong("not include a query component")
        }
        Ok(_) => Ok(()),
    }
}

/// A registered redirect URI with parameters added to its query; empty ones are left out.
pub fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse(uri) else {
        return uri.to_owned();
    };
    // In the order of their names, and each name once, as the original writes them.
    let mut pairs: Vec<(String, String)> = url
        .query_pairs()
        .into_owned()
        .filter(|(name, _)| !parameters.iter().any(|(given, _)| given == name))
        .collect();
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    pairs.extend(given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    pairs.sort_by(|one, other| one.0.cmp(&other.0));
    url.query_pairs_mut().clear().extend_pairs(pairs);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn config() -> OAuthServer {
        OAuthServer {
            enabled: true,
            allow_dynamic_registration: false,
            authorization_path: "/consent".to_owned(),
            authorization_ttl: std::time::Duration::from_secs(600),
            default_scope: "email".to_owned(),
        }
    }

    #[test]
    fn what_is_asked_for_is_known_and_has_a_challenge() {
        let good = Request {
            response_type: "",
            scope: "",
            resource: "https://api.example/v1",
            code_challenge: CHALLENGE,
            code_challenge_method: "S256",
        };
        assert_eq!(good.check(&config()), Ok("email".to_owned()));
        for wrong in [
            Request {
                response_type: "token",
                ..good.clone()
            },
            Request {
                scope: "openid admin",
                ..good.clone()
            },
            Request {
                scope: "  ",
                ..good.clone()
            },
            Request {
                resource: "/relative",
                ..good.clone()
            },
            Request {
                resource: "https://a.example/#x",
                ..good.clone()
            },
            Request {
                resource: "https://a.example/?x",
                ..good.clone()
            },
            Request {
                code_challenge: "",
                ..good.clone()
            },
            Request {
                code_challenge_method: "s512",
                ..good.clone()
            },
            Request {
                code_challenge: "short",
                ..good.clone()
            },
        ] {
            assert!(wrong.check(&config()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn parameters_join_those_of_the_uri() {
        let uri = with_parameters(
            "https://a.example/cb?z=1&code=old",
            &[("code", "c"), ("state", "")],
        );
        assert_eq!(uri, "https://a.example/cb?code=c&z=1");
    }
}
