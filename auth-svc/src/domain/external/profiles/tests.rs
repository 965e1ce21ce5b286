//! Answers in the shapes that the providers document, shortened.

use serde_json::{Value, json};

use super::*;
use crate::domain::external::{Email, Profile};

const API: &str = "https://api.test";

#[expect(clippy::needless_pass_by_value, reason = "made for each call")]
fn check(profile: Option<Profile>, emails: &[(&str, bool, bool)], claims: Value) {
    let profile = profile.expect("a profile");
    let found: Vec<_> = profile
        .emails
        .iter()
        .map(
            |Email {
                 address,
                 verified,
                 primary,
             }| (address.as_str(), *verified, *primary),
        )
        .collect();
    assert_eq!(found, emails);
    for (name, value) in claims.as_object().unwrap() {
        assert_eq!(profile.claims.get(name), Some(value), "{name}");
    }
    assert_eq!(profile.claims.get("sub"), profile.claims.get("provider_id"));
}

#[test]
fn github_tells_all_addresses() {
    let user = json!({
        "login": "octocat", "id": 583_231, "avatar_url": "https://a.test/1", "name": "The Octocat",
        "email": null,
    });
    let emails = json!([
        { "email": "old@example.com", "primary": false, "verified": false, "visibility": null },
        { "email": "octo@example.com", "primary": true, "verified": true, "visibility": "private" },
    ]);
    check(
        github(API, &[user, emails]),
        &[
            ("old@example.com", false, false),
            ("octo@example.com", true, true),
        ],
        json!({
            "iss": API, "sub": "583231", "name": "The Octocat", "full_name": "The Octocat",
            "user_name": "octocat", "preferred_username": "octocat", "avatar_url": "https://a.test/1",
        }),
    );
    assert!(github(API, &[json!({ "login": "x" }), json!([])]).is_none());
    assert!(github(API, &[json!({ "id": 0 }), json!([])]).is_none());
}

#[test]
fn gitlab_vouches_only_for_the_main_address() {
    let user = json!({
        "id": 7, "name": "Ada", "avatar_url": "https://a.test/7", "email": "ada@example.com",
        "confirmed_at": "2012-05-23T09:05:22Z",
    });
    let emails = json!([{ "id": 1, "email": "other@example.com" }]);
    check(
        gitlab(API, &[user, emails]),
        &[
            ("other@example.com", false, false),
            ("ada@example.com", true, true),
        ],
        json!({ "sub": "7", "picture": "https://a.test/7" }),
    );
}

#[test]
fn bitbucket_has_pages_of_addresses() {
    let user =
        json!({ "uuid": "{u-1}", "display_name": "Ada", "avatar": { "href": "https://a.test" } });
    let emails = json!({ "values": [
        { "email": "ada@example.com", "is_primary": true, "is_confirmed": true },
    ] });
    check(
        bitbucket(API, &[user, emails]),
        &[("ada@example.com", true, true)],
        json!({ "sub": "{u-1}", "name": "Ada" }),
    );
}

#[test]
fn discord_pictures_are_made_from_a_hash_or_a_number() {
    let mut user = json!({
        "id": "80351110224678912", "username": "nelly", "discriminator": "1337", "avatar": "a_8342",
        "verified": true, "email": "nelly@example.com", "global_name": "Nelly",
    });
    let picture = "https://cdn.discordapp.com/avatars/80351110224678912/a_8342.gif";
    check(
        discord(API, std::slice::from_ref(&user)),
        &[("nelly@example.com", true, true)],
        json!({
            "name": "nelly#1337", "full_name": "nelly", "picture": picture,
            "custom_claims": { "global_name": "Nelly" },
        }),
    );
    user["avatar"] = Value::Null;
    let picture = "https://cdn.discordapp.com/embed/avatars/2.png";
    check(
        discord(API, &[user]),
        &[("nelly@example.com", true, true)],
        json!({ "picture": picture }),
    );
}

#[test]
fn facebook_and_figma_and_fly_vouch_for_addresses() {
    let user = json!({
        "id": "10", "email": "ada@example.com", "first_name": "Ada", "last_name": "L", "name": "adal",
        "picture": { "data": { "url": "https://a.test/10" } },
    });
    check(
        facebook(API, &[user]),
        &[("ada@example.com", true, true)],
        json!({ "name": "Ada L", "nickname": "adal", "slug": "adal", "picture": "https://a.test/10" }),
    );
    let user = json!({ "id": "3", "email": "f@example.com", "handle": "F", "img_url": "https://a.test/3" });
    check(
        figma(API, &[user]),
        &[("f@example.com", true, true)],
        json!({ "sub": "3", "name": "F" }),
    );
    let user = json!({
        "resource_owner_id": "o", "user_id": "u", "user_name": "Fly", "email": "y@example.com",
        "organizations": [{ "id": "1", "role": "member" }], "scope": ["read"],
        "application": { "uid": "a" }, "expires_in": 7200, "created_at": 1,
    });
    check(
        fly(API, &[user]),
        &[("y@example.com", true, true)],
        json!({ "sub": "u", "full_name": "Fly" }),
    );
}

#[test]
fn kakao_needs_an_address_that_is_valid_and_verified() {
    for (valid, verified) in [(true, true), (false, true), (true, false)] {
        let user = json!({ "id": 1_234_567_890, "kakao_account": {
            "profile": { "nickname": "Kim", "profile_image_url": "https://a.test/k" },
            "email": "kim@example.com", "is_email_valid": valid, "is_email_verified": verified,
        } });
        check(
            kakao(API, &[user]),
            &[("kim@example.com", valid && verified, true)],
            json!({ "sub": "1234567890", "name": "Kim", "avatar_url": "https://a.test/k" }),
        );
    }
}

#[test]
fn keycloak_keeps_what_the_realm_adds() {
    let user = json!({
        "sub": "k-1", "name": "Ada", "email": "ada@example.com", "email_verified": true,
        "groups": ["staff"],
    });
    check(
        keycloak(API, &[user]),
        &[("ada@example.com", true, true)],
        json!({ "sub": "k-1", "custom_claims": { "groups": ["staff"] } }),
    );
}

#[test]
fn linkedin_names_are_localised() {
    let name = |text: &str| {
        json!({
            "localized": { "en_US": text }, "preferredLocale": { "country": "US", "language": "en" },
        })
    };
    let user = json!({
        "id": "l-1", "firstName": name("Bob"), "lastName": name("Smith"),
        "profilePicture": { "displayImage~": { "elements": [
            { "identifiers": [{ "identifier": "https://a.test/l" }] },
        ] } },
    });
    let emails = json!({ "elements": [{ "handle": "urn:1", "handle~": { "emailAddress": "bob@example.com" } }] });
    check(
        linkedin(API, &[user, emails]),
        &[("bob@example.com", true, true)],
        json!({ "name": "Bob Smith", "picture": "https://a.test/l" }),
    );
}

#[test]
fn notion_puts_the_owner_inside_a_bot() {
    let user = json!({ "object": "user", "bot": { "owner": { "type": "user", "user": {
        "id": "n-1", "name": "Ada", "avatar_url": "https://a.test/n", "person": { "email": "n@example.com" },
    } } } });
    check(
        notion(API, &[user]),
        &[("n@example.com", true, true)],
        json!({ "sub": "n-1", "name": "Ada" }),
    );
}

#[test]
fn slack_vouches_only_in_its_new_way() {
    let user = json!({
        "ok": true, "https://slack.com/user_id": "U0R7JM", "https://slack.com/team_id": "T0R7GR",
        "email": "krane@example.com", "email_verified": false, "name": "krane", "picture": "https://a.test/s",
    });
    let custom = json!({ "https://slack.com/team_id": "T0R7GR" });
    check(
        slack_oidc(API, std::slice::from_ref(&user)),
        &[("krane@example.com", false, true)],
        json!({ "sub": "U0R7JM", "custom_claims": custom }),
    );
    check(
        slack(API, &[user]),
        &[("krane@example.com", true, true)],
        json!({ "sub": "U0R7JM" }),
    );
}

#[test]
fn snapchat_answers_a_query() {
    let answer = json!({ "data": { "me": {
        "externalId": "s-1", "displayName": "Sam", "bitmoji": { "avatar": "https://a.test/b" },
    } } });
    check(
        snapchat(API, &[answer]),
        &[],
        json!({ "sub": "s-1", "name": "Sam", "picture": "https://a.test/b" }),
    );
}

#[test]
fn spotify_pictures_are_the_largest_and_addresses_unverified() {
    let user = json!({
        "id": "sp", "display_name": "Ada", "email": "ada@example.com",
        "images": [
            { "url": "small", "height": 64, "width": 64 },
            { "url": "large", "height": 300, "width": 300 },
            { "url": "unknown", "height": null, "width": null },
        ],
    });
    check(
        spotify(API, &[user]),
        &[("ada@example.com", false, true)],
        json!({ "picture": "large" }),
    );
}

#[test]
fn twitch_and_x_wrap_the_user() {
    let answer = json!({ "data": [{
        "id": "141981764", "login": "twitchdev", "display_name": "TwitchDev", "type": "",
        "broadcaster_type": "partner", "description": "d", "profile_image_url": "https://a.test/t",
        "offline_image_url": "https://a.test/o", "view_count": 5, "email": "t@example.com",
        "created_at": "2016-12-14T20:32:28Z",
    }] });
    check(
        twitch(API, &[answer]),
        &[("t@example.com", true, true)],
        json!({ "name": "twitchdev", "nickname": "TwitchDev", "slug": "TwitchDev" }),
    );
    assert!(twitch(API, &[json!({ "data": [] })]).is_none());
    let answer = json!({ "data": {
        "id": "2244994945", "name": "X Dev", "username": "XDevelopers", "confirmed_email": "x@example.com",
        "profile_image_url": "https://a.test/x", "url": "https://t.co/1", "created_at": "2013-12-14T04:35:55Z",
    } });
    check(
        x(API, &[answer]),
        &[("x@example.com", true, true)],
        json!({ "profile": "https://x.com/XDevelopers", "website": "https://t.co/1" }),
    );
}

#[test]
fn workos_comes_with_the_tokens() {
    let answer = json!({ "access_token": "t", "profile": {
        "id": "prof_1", "connection_id": "conn_1", "organization_id": "org_1", "email": "w@example.com",
        "first_name": "Todd", "last_name": "R",
    } });
    check(
        workos(API, &answer),
        &[("w@example.com", true, true)],
        json!({
            "name": "Todd R",
            "custom_claims": { "connection_id": "conn_1", "organization_id": "org_1" },
        }),
    );
}

#[test]
fn zoom_addresses_of_password_logins_must_be_confirmed() {
    for (login, confirmed, verified) in [
        (json!("100"), 0, false),
        (json!(100), 0, false),
        (json!("100"), 1, true),
        (json!("1"), 0, true),
    ] {
        let user = json!({
            "id": "z", "first_name": "Zoe", "last_name": "", "email": "z@example.com",
            "verified": confirmed, "login_type": login, "pic_url": "https://a.test/z",
        });
        check(
            zoom(API, &[user]),
            &[("z@example.com", verified, true)],
            json!({ "name": "Zoe" }),
        );
    }
}
