//! Clients: what they may be registered with, and how they prove who they are.

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use subtle::ConstantTimeEq as _;
use url::Url;

use crate::{
    app::App,
    domain::clock,
    error::{Code, Error},
    store::oauth_clients::Client,
};

const METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];
const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];
const MAX_REDIRECT_URIS: usize = 10;
const MAX_NAME: usize = 1024;
const MAX_URI: usize = 2048;
/// Schemes under which a browser would run or read something instead of handing the code to an application.
const DANGEROUS: [&str; 6] = ["javascript", "data", "file", "vbscript", "about", "blob"];

/// What a client is registered with (RFC 7591).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Registration {
    redirect_uris: Vec<String>,
    client_type: String,
    token_endpoint_auth_method: String,
    grant_types: Vec<String>,
    client_name: String,
    client_uri: String,
    logo_uri: String,
}

impl Registration {
    /// The client, and its secret if it is to keep one. `kind` is `manual` or `dynamic`.
    ///
    /// # Errors
    /// 400 for what may not be registered; the text is the original's, which has the status in front.
    pub fn client(self, app: &App, kind: &'static str) -> Result<(Client, Option<String>), Error> {
        self.check()
            .map_err(|reason| Error::invalid(format!("400: {reason}")))?;
        let method = self.token_endpoint_auth_method;
        let client_type = match (self.client_type.as_str(), method.as_str()) {
            ("", "none") => "public".to_owned(),
            ("", _) => "confidential".to_owned(),
            (given, _) => given.to_owned(),
        };
        let method = match (method.as_str(), client_type.as_str()) {
            ("", "public") => "none".to_owned(),
            ("", _) => "client_secret_basic".to_owned(),
            _ => method,
        };
        let grant_types = if self.grant_types.is_empty() {
            GRANT_TYPES.join(",")
        } else {
            self.grant_types.join(",")
        };
        let now = app.now();
        let mut client = Client {
            id: clock::id(app.random()),
            client_secret_hash: String::new(),
            registration_type: kind.to_owned(),
            client_type,
            token_endpoint_auth_method: method,
            redirect_uris: self.redirect_uris.join(","),
            grant_types,
            client_name: self.client_name,
            client_uri: self.client_uri,
            logo_uri: self.logo_uri,
            created_at: now,
            updated_at: now,
        };
        let secret = client
            .is_confidential()
            .then(|| new_secret(app, &mut client));
        Ok((client, secret))
    }

    fn check(&self) -> Result<(), String> {
        if self.redirect_uris.is_empty() {
            return Err("redirect_uris is required".to_owned());
        }
        check_redirect_uris(&self.redirect_uris)?;
        if !self.grant_types.is_empty() {
            check_grant_types(&self.grant_types)?;
        }
        check_name(&self.client_name)?;
        check_uri("client_uri", &self.client_uri)?;
        check_uri("logo_uri", &self.logo_uri)?;
        if !["", "public", "confidential"].contains(&self.client_type.as_str()) {
            return Err("client_type must be 'public' or 'confidential'".to_owned());
        }
        let method = self.token_endpoint_auth_method.as_str();
        if method.is_empty() {
            return Ok(());
        }
        if !METHODS.contains(&method) {
            return Err(format!(
                "token_endpoint_auth_method must be one of: [{}]",
                METHODS.join(" ")
            ));
        }
        let fitting = if method == "none" {
            "public"
        } else {
            "confidential"
        };
        if !self.client_type.is_empty() && self.client_type != fitting {
            return Err(format!(
                "client_type '{}' is inconsistent with token_endpoint_auth_method '{method}' (expected client_type '{fitting}')",
                self.client_type
            ));
        }
        Ok(())
    }
}

/// What changes of a client; absent fields stay.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Update {
    redirect_uris: Option<Vec<String>>,
    grant_types: Option<Vec<String>>,
    client_name: Option<String>,
    client_uri: Option<String>,
    logo_uri: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

impl Update {
    /// Changes the client.
    ///
    /// # Errors
    /// 400 when nothing is to be changed, or for what may not be registered.
    pub fn apply(self, client: &mut Client) -> Result<(), Error> {
        let is_empty = self.redirect_uris.is_none()
            && self.grant_types.is_none()
            && self.client_name.is_none()
            && self.client_uri.is_none()
            && self.logo_uri.is_none()
            && self.token_endpoint_auth_method.is_none();
        if is_empty {
            return Err(Error::invalid("No fields provided for update"));
        }
        self.put(client).map_err(Error::invalid)
    }

    fn put(self, client: &mut Client) -> Result<(), String> {
        if let Some(uris) = self.redirect_uris {
            if uris.is_empty() {
                return Err("redirect_uris cannot be empty".to_owned());
            }
            check_redirect_uris(&uris)?;
            client.redirect_uris = uris.join(",");
        }
        if let Some(types) = self.grant_types {
            check_grant_types(&types)?;
            client.grant_types = types.join(",");
        }
        if let Some(name) = self.client_name {
            check_name(&name)?;
            client.client_name = name;
        }
        if let Some(uri) = self.client_uri {
            check_uri("client_uri", &uri)?;
            client.client_uri = uri;
        }
        if let Some(uri) = self.logo_uri {
            check_uri("logo_uri", &uri)?;
            client.logo_uri = uri;
        }
        if let Some(method) = self.token_endpoint_auth_method {
            if !METHODS.contains(&method.as_str()) {
                return Err(format!(
                    "invalid token_endpoint_auth_method: must be one of [{}]",
                    METHODS.join(" ")
                ));
            }
            let valid = if client.is_confidential() {
                &METHODS[1..]
            } else {
                &METHODS[..1]
            };
            if !valid.contains(&method.as_str()) {
                return Err(format!(
                    "token_endpoint_auth_method '{method}' is not valid for client_type '{}'; valid methods: [{}]",
                    client.client_type,
                    valid.join(" ")
                ));
            }
            client.token_endpoint_auth_method = method;
        }
        Ok(())
    }
}

fn check_redirect_uris(uris: &[String]) -> Result<(), String> {
    if uris.len() > MAX_REDIRECT_URIS {
        return Err(format!(
            "redirect_uris cannot exceed {MAX_REDIRECT_URIS} items"
        ));
    }
    for uri in uris {
        check_redirect_uri(uri)
            .map_err(|reason| format!("invalid redirect_uri '{uri}': {reason}"))?;
    }
    Ok(())
}

fn check_redirect_uri(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("redirect URI cannot be empty".to_owned());
    }
    if text.len() > MAX_URI {
        return Err(format!("cannot exceed {MAX_URI} characters"));
    }
    let absent = || "must have scheme and host".to_owned();
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase | url::ParseError::EmptyHost) => {
            return Err(absent());
        }
        Err(_) => return Err("invalid URL format".to_owned()),
    };
    let host = url.host_str().filter(|host| !host.is_empty());
    // The parser reads a host out of `https:host`, which browsers do and clients must not rely on.
    let Some(host) = host.filter(|_| text.contains("://")) else {
        return Err(absent());
    };
    let scheme = url.scheme();
    if DANGEROUS.contains(&scheme) {
        return Err(format!(
            "scheme '{scheme}' is not allowed for security reasons"
        ));
    }
    if scheme == "http" && !["localhost", "127.0.0.1", "[::1]"].contains(&host) {
        return Err("HTTP scheme only allowed for localhost".to_owned());
    }
    if url.fragment().is_some_and(|fragment| !fragment.is_empty()) {
        return Err("fragment not allowed in redirect URI".to_owned());
    }
    Ok(())
}

fn check_grant_types(types: &[String]) -> Result<(), String> {
    if types.is_empty() {
        return Err("grant_types cannot be empty".to_owned());
    }
    if types
        .iter()
        .any(|each| !GRANT_TYPES.contains(&each.as_str()))
    {
        return Err(
            "grant_types must only contain 'authorization_code' and/or 'refresh_token'".to_owned(),
        );
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), String> {
    if name.len() > MAX_NAME {
        return Err(format!("client_name cannot exceed {MAX_NAME} characters"));
    }
    Ok(())
}

fn check_uri(field: &str, text: &str) -> Result<(), String> {
    if text.len() > MAX_URI {
        return Err(format!("{field} cannot exceed {MAX_URI} characters"));
    }
    // A path alone counts as a URL for the original.
    if text.is_empty() || text.starts_with('/') || Url::parse(text).is_ok() {
        return Ok(());
    }
    Err(format!("{field} must be a valid URL"))
}

fn hash(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, secret.as_bytes()))
}

/// Gives a client a new secret: 32 random bytes, of which only the hash is kept.
pub fn new_secret(app: &App, client: &mut Client) -> String {
    let mut bytes = [0; 32];
    app.random().fill(&mut bytes);
    let secret = URL_SAFE_NO_PAD.encode(bytes);
    client.client_secret_hash = hash(&secret);
    secret
}

/// What a client says to prove who it is.
#[derive(Debug, Default)]
pub struct Credentials {
    /// Its id.
    pub client_id: String,
    /// Its secret, or the empty text.
    pub secret: String,
    /// True if both came in the header `Authorization`.
    pub in_header: bool,
}

impl Credentials {
    fn method(&self) -> &'static str {
        match (self.in_header, self.secret.is_empty()) {
            (true, _) => "client_secret_basic",
            (false, false) => "client_secret_post",
            (false, true) => "none",
        }
    }
}

/// Fails unless the client is who it says, in the way that it is registered with.
pub fn authenticate(client: &Client, credentials: &Credentials) -> Result<(), Error> {
    let refused = |reason: String| Err(Error::bad_request(Code::InvalidCredentials, reason));
    let (registered, used) = (
        client.token_endpoint_auth_method.as_str(),
        credentials.method(),
    );
    if registered != used {
        return refused(format!(
            "invalid authentication method: client is registered for '{registered}' but '{used}' was used"
        ));
    }
    if !client.is_confidential() {
        return Ok(());
    }
    if credentials.secret.is_empty() {
        return refused("confidential clients must provide client_secret".to_owned());
    }
    let given = hash(&credentials.secret);
    if !bool::from(given.as_bytes().ct_eq(client.client_secret_hash.as_bytes())) {
        return refused("invalid client credentials".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_leads_to_an_application_and_nowhere_else() {
        for good in [
            "https://app.example/callback?x=1",
            "http://localhost:3000/cb",
            "http://127.0.0.1/cb",
            "http://[::1]:8080/cb",
            "myapp://callback",
        ] {
            assert_eq!(check_redirect_uri(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "callback",
            "https:app.example",
            "javascript://x/%0aalert(1)",
            "DATA://text/html",
            "http://app.example/cb",
            "https://app.example/cb#fragment",
            "https://",
        ] {
            assert!(check_redirect_uri(bad).is_err(), "{bad}");
        }
    }
}
