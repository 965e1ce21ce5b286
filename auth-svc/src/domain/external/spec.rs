//! What is special about each provider, as data.

mod table;

use serde_json::Value;

use super::Profile;

/// A host, which an installation of the project's own may replace, and a path on it.
pub(super) type Place = (&'static str, &'static str);

/// How the token endpoint wants to know who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Credentials {
    /// In the `Authorization` header, and if that is refused, in the body.
    Either,
    /// In the body.
    Body,
}

/// What a request for the profile needs besides the access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    Nothing,
    /// A header.
    Header(&'static str, &'static str),
    /// A header with the id of the client.
    ClientId(&'static str),
    /// A parameter that proves that we know the secret.
    AppSecretProof,
}

/// Where the profile comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// From pages below a place, read together.
    Pages {
        base: Place,
        pages: &'static [&'static str],
        extra: Extra,
        read: fn(&str, &[Value]) -> Option<Profile>,
    },
    /// From the answer of the token endpoint.
    Answer {
        base: Place,
        read: fn(&str, &Value) -> Option<Profile>,
    },
    /// From the ID token that the issuer signed.
    IdToken { issuer: &'static str },
    /// The same, where every tenant is an issuer.
    Azure,
}

/// One provider.
#[derive(Clone, Copy)]
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// Where the user is sent; without a host, where the issuer's discovery document says.
    pub(super) authorize: Place,
    /// Where codes are exchanged.
    pub(super) token: Place,
    /// What is always asked for.
    pub(super) scopes: &'static [&'static str],
    /// Whether a client may ask for more.
    pub(super) more_scopes: bool,
    /// Whether the provider insists on PKCE between it and us.
    pub(super) pkce: bool,
    pub(super) credentials: Credentials,
    pub(super) source: Source,
}

/// Signs what Google says.
pub(super) const GOOGLE: &str = "https://accounts.google.com";
/// Signs what Apple says.
pub(super) const APPLE: &str = "https://appleid.apple.com";
/// Apple's other name.
pub(super) const APPLE_ALSO: &str = "https://account.apple.com";
/// Signs what LinkedIn says.
pub(super) const LINKEDIN: &str = "https://www.linkedin.com/oauth";
/// Signs what Vercel says.
pub(super) const VERCEL: &str = "https://marketplace.vercel.com";
/// Signs what Facebook's Limited Login says.
pub(super) const FACEBOOK: &str = "https://www.facebook.com";
/// Signs what Kakao says.
pub(super) const KAKAO: &str = "https://kauth.kakao.com";
/// Signs what Snapchat says.
pub(super) const SNAPCHAT: &str = "https://accounts.snapchat.com/accounts/oauth2/token";

/// The one of this name.
pub(super) fn find(name: &str) -> Option<&'static Spec> {
    table::SPECS.iter().find(|spec| spec.name == name)
}
