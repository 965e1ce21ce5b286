//! Where people meet, listen and watch.

use serde_json::{Value, json};

use super::{flag, id, items, joined, text};
use crate::domain::external::{Profile, spec::SNAPCHAT};

pub(in super::super) fn facebook(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let alias = text(user, "/name");
    let name = joined(text(user, "/first_name"), text(user, "/last_name"));
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(&name)
        .with("nickname", alias)
        .with("slug", alias)
        .pictured(text(user, "/picture/data/url"));
    // It tells only addresses that were confirmed.
    Some(profile.mailed(text(user, "/email"), true))
}

pub(in super::super) fn discord(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let (subject, name) = (text(user, "/id"), text(user, "/username"));
    let discriminator = text(user, "/discriminator");
    let picture = match text(user, "/avatar") {
        "" => {
            let number: u64 = discriminator.parse().ok()?;
            let image = number % 5;
            format!("https://cdn.discordapp.com/embed/avatars/{image}.png")
        }
        hash => {
            let kind = if hash.starts_with("a_") { "gif" } else { "png" };
            format!("https://cdn.discordapp.com/avatars/{subject}/{hash}.{kind}")
        }
    };
    let profile = Profile::of(base, subject)?
        .with_provider_id()
        .with("name", format!("{name}#{discriminator}"))
        .with("full_name", name)
        .pictured(&picture)
        .with_custom(json!({ "global_name": text(user, "/global_name") }));
    Some(profile.mailed(text(user, "/email"), flag(user, "/verified")))
}

pub(in super::super) fn kakao(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let name = text(user, "/kakao_account/profile/nickname");
    let verified = flag(user, "/kakao_account/is_email_valid")
        && flag(user, "/kakao_account/is_email_verified");
    let picture = text(user, "/kakao_account/profile/profile_image_url");
    let profile = Profile::of(base, &id(user, "/id"))?
        .with_provider_id()
        .named(name)
        .with("preferred_username", name)
        .with("user_name", name)
        .with("avatar_url", picture);
    Some(profile.mailed(text(user, "/kakao_account/email"), verified))
}

pub(in super::super) fn snapchat(_base: &str, pages: &[Value]) -> Option<Profile> {
    let [answer] = pages else { return None };
    let user = answer.pointer("/data/me")?;
    let name = text(user, "/displayName");
    let profile = Profile::of(SNAPCHAT, text(user, "/externalId"))?
        .with_provider_id()
        .named(name)
        .with("slug", name)
        .pictured(text(user, "/bitmoji/avatar"));
    Some(profile.mailed(text(user, "/email"), true))
}

pub(in super::super) fn spotify(base: &str, pages: &[Value]) -> Option<Profile> {
    let [user] = pages else { return None };
    let size = |image: &&Value| {
        let side = |name: &str| image.get(name).and_then(Value::as_u64).unwrap_or(0);
        side("height").saturating_mul(side("width"))
    };
    // Among the largest, the first.
    let picture = items(user, "/images")
        .reduce(|best, image| {
            if size(&image) > size(&best) {
                image
            } else {
                best
            }
        })
        .map_or("", |image| text(image, "/url"));
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/display_name"))
        .pictured(picture);
    // It does not say whether an address is confirmed.
    Some(profile.mailed(text(user, "/email"), false))
}

pub(in super::super) fn twitch(base: &str, pages: &[Value]) -> Option<Profile> {
    let [answer] = pages else { return None };
    let user = answer.pointer("/data/0")?;
    let shown = text(user, "/display_name");
    let views = user.get("view_count").and_then(Value::as_i64).unwrap_or(0);
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/login"))
        .with("nickname", shown)
        .with("slug", shown)
        .pictured(text(user, "/profile_image_url"))
        .with_custom(json!({
            "broadcaster_type": text(user, "/broadcaster_type"),
            "description": text(user, "/description"),
            "type": text(user, "/type"),
            "offline_image_url": text(user, "/offline_image_url"),
            "view_count": views,
        }));
    Some(profile.mailed(text(user, "/email"), true))
}

pub(in super::super) fn x(base: &str, pages: &[Value]) -> Option<Profile> {
    let [answer] = pages else { return None };
    let user = answer.pointer("/data")?;
    let name = text(user, "/username");
    let profile = Profile::of(base, text(user, "/id"))?
        .with_provider_id()
        .named(text(user, "/name"))
        .with("preferred_username", name)
        .with("user_name", name)
        .pictured(text(user, "/profile_image_url"))
        .with("profile", format!("https://x.com/{name}"))
        .with("website", text(user, "/url"))
        .with_custom(json!({ "created_at": text(user, "/created_at") }));
    Some(profile.mailed(text(user, "/confirmed_email"), true))
}
