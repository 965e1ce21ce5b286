//! Where people work.

use serde_json::{Map, Value, json};

use super::{flag, id, joined, text};
use crate::domain::external::Profile;

pub(in super::super) fn slack(base: &str, pages: &[Value]) -> Option<Profile> {
    // The old way in does not say whether an address is confirmed; the original takes it as confirmed.
    slack_user(base, pages, |_| true)
}

pub(in super::super) fn slack_oidc(base: &str, pages: &[Value]) -> Option<Profile> {
    slack_user(base, pages, |user| flag(user, "/email_verified"))
}

fn slack_user(base: &str, pages: &[Value], verified: fn(&Value) -> bool) -> Option<Profile> {
    let [user] = pages else { return None };
    // The names of these fields are URLs, whose slashes a pointer would have to escape.
    let named = |name: &str| user.get(name).and_then(Value::as_str).unwrap_or_default();
    let profile = Profile::of(base, named("https://slack.com/user_id"))?
        .with_provider_id()
        .named(text(user, "/name"))
        .pictured(text(user, "/picture"))
        .with_custom(json!({
            "https://slack.com/team_id": named("https://slack.com/team_id"),
        }));
    Some(profile.mailed(text(user, "/email"), verified(user)))
}

pub(in super::super) fn notion(base: &str, pages: &[Value]) -> Option<Profile> {
    let [answer] = pages else { return None };
    let user = answer.pointer("/bot/owner/user")?;
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/name"))
        .pictured(text(user, "/avatar_url"));
    // It does not say whether an address is confirmed; the original takes it as confirmed.
    Some(profile.mailed(text(user, "/person/email"), true))
}

pub(in super::super) fn linkedin(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user, addresses] = pages else {
        return None;
    };
    let name = |of: &str| {
        let name = user.get(of)?;
        let locale = format!(
            "{}_{}",
            text(name, "/preferredLocale/language"),
            text(name, "/preferredLocale/country")
        );
        name.get("localized")?.get(&locale)?.as_str()
    };
    let picture = "/profilePicture/displayImage~0/elements/0/identifiers/0/identifier";
    let full = joined(
        name("firstName").unwrap_or_default(),
        name("lastName").unwrap_or_default(),
    );
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(&full)
        .pictured(text(user, picture));
    let email = text(addresses, "/elements/0/handle~0/emailAddress");
    // It tells only the main address, which is confirmed.
    Some(profile.mailed(email, true))
}

pub(in super::super) fn workos(base: &str, answer: &Value) -> Option<Profile> {
    let user = answer.get("profile")?;
    let name = joined(text(user, "/first_name"), text(user, "/last_name"));
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(&name)
        .with_custom(json!({
            "connection_id": text(user, "/connection_id"),
            "organization_id": text(user, "/organization_id"),
        }));
    Some(profile.mailed(text(user, "/email"), true))
}

pub(in super::super) fn zoom(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    // Logins of type 100 are those by mail and password, whose address counts only once it was
    // confirmed; all others come from a service that confirmed it.
    let by_password = id(user, "/login_type") == "100";
    let confirmed = user.get("verified").and_then(Value::as_i64).unwrap_or(0) != 0;
    let name = joined(text(user, "/first_name"), text(user, "/last_name"));
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(&name)
        .pictured(text(user, "/pic_url"));
    Some(profile.mailed(text(user, "/email"), !by_password || confirmed))
}

pub(in super::super) fn keycloak(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let standard = ["name", "sub", "email", "email_verified"];
    let custom: Map<String, Value> = user
        .as_object()?
        .iter()
        .filter(|(name, _)| !standard.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let profile = Profile::of(base, text(user, "/sub"))?
        .with_provider_id()
        .named(text(user, "/name"))
        .with_custom(Value::Object(custom));
    Some(profile.mailed(text(user, "/email"), flag(user, "/email_verified")))
}
