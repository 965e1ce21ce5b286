//! Where people keep code and designs.

use serde_json::{Value, json};

use super::{flag, id, items, text};
use crate::domain::external::Profile;

pub(in super::super) fn github(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user, emails] = pages else { return None };
    let login = text(user, "/login");
    let mut profile = Profile::of(base, &id(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/name"))
        .with("preferred_username", login)
        .with("user_name", login)
        .with("avatar_url", text(user, "/avatar_url"));
    for email in items(emails, "") {
        let (verified, primary) = (flag(email, "/verified"), flag(email, "/primary"));
        profile = profile.also_mailed(text(email, "/email"), verified, primary);
    }
    Some(profile)
}

pub(in super::super) fn gitlab(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user, emails] = pages else { return None };
    let mut profile = Profile::of(base, &id(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/name"))
        .pictured(text(user, "/avatar_url"));
    for email in items(emails, "") {
        // It does not say which of the further ones are confirmed.
        profile = profile.also_mailed(text(email, "/email"), false, false);
    }
    let confirmed = !text(user, "/confirmed_at").is_empty();
    Some(profile.mailed(text(user, "/email"), confirmed))
}

pub(in super::super) fn bitbucket(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user, emails] = pages else { return None };
    let mut profile = Profile::of(base, text(user, "/uuid"))?
        .with_provider_id()
        .named(text(user, "/display_name"))
        .pictured(text(user, "/avatar/href"));
    for email in items(emails, "/values") {
        let (verified, primary) = (flag(email, "/is_confirmed"), flag(email, "/is_primary"));
        profile = profile.also_mailed(text(email, "/email"), verified, primary);
    }
    Some(profile)
}

pub(in super::super) fn fly(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let field = |name: &str| user.get(name).cloned().unwrap_or_default();
    let profile = Profile::of(base, text(user, "/user_id"))?
        .with_provider_id()
        .with("full_name", text(user, "/user_name"))
        .with_custom(json!({
            "resource_owner_id": text(user, "/resource_owner_id"),
            "organizations": field("organizations"),
            "application": field("application"),
            "scope": field("scope"),
            "created_at": field("created_at"),
        }));
    Some(profile.mailed(text(user, "/email"), true))
}

pub(in super::super) fn figma(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let profile = Profile::of(base, &id(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/handle"))
        .with("avatar_url", text(user, "/img_url"));
    Some(profile.mailed(text(user, "/email"), true))
}
