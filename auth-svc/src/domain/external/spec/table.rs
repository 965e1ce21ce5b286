//! The providers, one row each.

use serde_json::Value;

use super::{APPLE, Credentials, Extra, GOOGLE, LINKEDIN, Place, Source, Spec, VERCEL};
use crate::domain::external::{Profile, profiles};

/// What most have in common.
const COMMON: Spec = Spec {
    name: "",
    authorize: ("", ""),
    token: ("", ""),
    scopes: &[],
    more_scopes: true,
    pkce: false,
    credentials: Credentials::Either,
    source: Source::Azure,
};

const fn pages(
    base: Place,
    pages: &'static [&'static str],
    read: fn(&str, &[Value]) -> Option<Profile>,
) -> Source {
    Source::Pages {
        base,
        pages,
        extra: Extra::Nothing,
        read,
    }
}

/// In the order of their names.
pub(super) static SPECS: [Spec; 24] = [
    Spec {
        name: "apple",
        scopes: &["email", "name"],
        more_scopes: false,
        credentials: Credentials::Body,
        source: Source::IdToken { issuer: APPLE },
        ..COMMON
    },
    Spec {
        name: "azure",
        authorize: ("login.microsoftonline.com/common", "/oauth2/v2.0/authorize"),
        token: ("login.microsoftonline.com/common", "/oauth2/v2.0/token"),
        scopes: &["openid"],
        source: Source::Azure,
        ..COMMON
    },
    Spec {
        name: "bitbucket",
        authorize: ("bitbucket.org", "/site/oauth2/authorize"),
        token: ("bitbucket.org", "/site/oauth2/access_token"),
        scopes: &["account", "email"],
        more_scopes: false,
        source: pages(
            ("api.bitbucket.org", "/2.0"),
            &["/user", "/user/emails"],
            profiles::bitbucket,
        ),
        ..COMMON
    },
    Spec {
        name: "discord",
        authorize: ("discord.com", "/api/oauth2/authorize"),
        token: ("discord.com", "/api/oauth2/token"),
        scopes: &["email", "identify"],
        source: pages(("discord.com", "/api"), &["/users/@me"], profiles::discord),
        ..COMMON
    },
    Spec {
        name: "facebook",
        authorize: ("www.facebook.com", "/dialog/oauth"),
        token: ("graph.facebook.com", "/oauth/access_token"),
        scopes: &["email"],
        source: Source::Pages {
            base: (
                "graph.facebook.com",
                "/me?fields=email,first_name,last_name,name,picture",
            ),
            pages: &[""],
            extra: Extra::AppSecretProof,
            read: profiles::facebook,
        },
        ..COMMON
    },
    Spec {
        name: "figma",
        authorize: ("www.figma.com", "/oauth"),
        token: ("api.figma.com", "/v1/oauth/token"),
        scopes: &["current_user:read"],
        source: pages(("api.figma.com", ""), &["/v1/me"], profiles::figma),
        ..COMMON
    },
    Spec {
        name: "fly",
        authorize: ("api.fly.io", "/oauth/authorize"),
        token: ("api.fly.io", "/oauth/token"),
        scopes: &["read"],
        source: pages(("api.fly.io", ""), &["/oauth/token/info"], profiles::fly),
        ..COMMON
    },
    Spec {
        name: "github",
        authorize: ("github.com", "/login/oauth/authorize"),
        token: ("github.com", "/login/oauth/access_token"),
        scopes: &["user:email"],
        source: pages(
            ("api.github.com", ""),
            &["/user", "/user/emails"],
            profiles::github,
        ),
        ..COMMON
    },
    Spec {
        name: "gitlab",
        authorize: ("gitlab.com", "/oauth/authorize"),
        token: ("gitlab.com", "/oauth/token"),
        scopes: &["read_user"],
        source: pages(
            ("gitlab.com", ""),
            &["/api/v4/user", "/api/v4/user/emails"],
            profiles::gitlab,
        ),
        ..COMMON
    },
    Spec {
        name: "google",
        scopes: &["email", "profile"],
        source: Source::IdToken { issuer: GOOGLE },
        ..COMMON
    },
    Spec {
        name: "kakao",
        authorize: ("kauth.kakao.com", "/oauth/authorize"),
        token: ("kauth.kakao.com", "/oauth/token"),
        scopes: &["account_email", "profile_image", "profile_nickname"],
        credentials: Credentials::Body,
        source: pages(("kapi.kakao.com", ""), &["/v2/user/me"], profiles::kakao),
        ..COMMON
    },
    Spec {
        name: "keycloak",
        // There is no public one: its address is always the project's.
        authorize: ("", "/protocol/openid-connect/auth"),
        token: ("", "/protocol/openid-connect/token"),
        scopes: &["profile", "email"],
        source: pages(
            ("", ""),
            &["/protocol/openid-connect/userinfo"],
            profiles::keycloak,
        ),
        ..COMMON
    },
    Spec {
        name: "linkedin",
        authorize: ("api.linkedin.com", "/oauth/v2/authorization"),
        token: ("api.linkedin.com", "/oauth/v2/accessToken"),
        scopes: &["r_emailaddress", "r_liteprofile"],
        source: pages(
            ("api.linkedin.com", ""),
            &[
                "/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))",
                "/v2/emailAddress?q=members&projection=(elements*(handle~))",
            ],
            profiles::linkedin,
        ),
        ..COMMON
    },
    Spec {
        name: "linkedin_oidc",
        authorize: ("api.linkedin.com", "/oauth/v2/authorization"),
        token: ("api.linkedin.com", "/oauth/v2/accessToken"),
        scopes: &["openid", "email", "profile"],
        source: Source::IdToken { issuer: LINKEDIN },
        ..COMMON
    },
    Spec {
        name: "notion",
        authorize: ("api.notion.com", "/v1/oauth/authorize"),
        token: ("api.notion.com", "/v1/oauth/token"),
        more_scopes: false,
        source: Source::Pages {
            base: ("api.notion.com", ""),
            pages: &["/v1/users/me"],
            extra: Extra::Header("notion-version", "2021-08-16"),
            read: profiles::notion,
        },
        ..COMMON
    },
    Spec {
        name: "slack",
        authorize: ("slack.com", "/oauth/authorize"),
        token: ("slack.com", "/api/oauth.access"),
        scopes: &["profile", "email", "openid"],
        source: pages(
            ("slack.com", "/api"),
            &["/openid.connect.userInfo"],
            profiles::slack,
        ),
        ..COMMON
    },
    Spec {
        name: "slack_oidc",
        authorize: ("slack.com", "/openid/connect/authorize"),
        token: ("slack.com", "/api/openid.connect.token"),
        scopes: &["profile", "email", "openid"],
        source: pages(
            ("slack.com", "/api"),
            &["/openid.connect.userInfo"],
            profiles::slack_oidc,
        ),
        ..COMMON
    },
    Spec {
        name: "snapchat",
        authorize: ("accounts.snapchat.com", "/accounts/oauth2/auth"),
        token: ("accounts.snapchat.com", "/accounts/oauth2/token"),
        scopes: &[
            "https://auth.snapchat.com/oauth2/api/user.external_id",
            "https://auth.snapchat.com/oauth2/api/user.display_name",
            "https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar",
        ],
        source: pages(
            ("kit.snapchat.com", "/v1/me"),
            &["?query=%7Bme+%7B+externalId+displayName+bitmoji+%7B+avatar+id+%7D+email+%7D+%7D"],
            profiles::snapchat,
        ),
        ..COMMON
    },
    Spec {
        name: "spotify",
        authorize: ("accounts.spotify.com", "/authorize"),
        token: ("accounts.spotify.com", "/api/token"),
        scopes: &["user-read-email"],
        source: pages(("api.spotify.com/v1", ""), &["/me"], profiles::spotify),
        ..COMMON
    },
    Spec {
        name: "twitch",
        authorize: ("id.twitch.tv", "/oauth2/authorize"),
        token: ("id.twitch.tv", "/oauth2/token"),
        scopes: &["user:read:email"],
        source: Source::Pages {
            base: ("api.twitch.tv", ""),
            pages: &["/helix/users"],
            extra: Extra::ClientId("client-id"),
            read: profiles::twitch,
        },
        ..COMMON
    },
    Spec {
        name: "vercel_marketplace",
        authorize: ("api.vercel.com", "/oauth/v2/authorization"),
        token: ("api.vercel.com", "/oauth/v2/accessToken"),
        source: Source::IdToken { issuer: VERCEL },
        ..COMMON
    },
    Spec {
        name: "workos",
        authorize: ("api.workos.com", "/sso/authorize"),
        token: ("api.workos.com", "/sso/token"),
        more_scopes: false,
        source: Source::Answer {
            base: ("api.workos.com", ""),
            read: profiles::workos,
        },
        ..COMMON
    },
    Spec {
        name: "x",
        authorize: ("x.com", "/i/oauth2/authorize"),
        token: ("api.x.com", "/2/oauth2/token"),
        scopes: &["users.email", "tweet.read", "users.read", "offline.access"],
        pkce: true,
        source: pages(
            ("api.x.com", ""),
            &[
                "/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at",
            ],
            profiles::x,
        ),
        ..COMMON
    },
    Spec {
        name: "zoom",
        authorize: ("zoom.us", "/oauth/authorize"),
        token: ("zoom.us", "/oauth/token"),
        more_scopes: false,
        source: pages(("api.zoom.us", "/v2"), &["/users/me"], profiles::zoom),
        ..COMMON
    },
];
