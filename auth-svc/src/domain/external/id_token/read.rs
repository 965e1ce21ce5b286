//! What the claims of each issuer mean.

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value, json};

use super::{Verified, azure_tenant, is_apple};
use crate::domain::external::{
    Email, Problem, Profile,
    profiles::joined,
    spec::{FACEBOOK, GOOGLE, KAKAO, LINKEDIN, SNAPCHAT, VERCEL},
};

/// What is kept of an issuer that nothing special is known about.
const STANDARD: [&str; 23] = [
    "aud",
    "iat",
    "exp",
    "name",
    "family_name",
    "given_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "phone",
    "phone_verified",
    "custom_claims",
    "full_name",
    "avatar_url",
    "slug",
    "user_name",
];

/// What Microsoft says for the protocol's sake, and not about the user.
const AZURE_PROTOCOL: [&str; 16] = [
    "aud",
    "iss",
    "iat",
    "nbf",
    "exp",
    "c_hash",
    "at_hash",
    "aio",
    "nonce",
    "rh",
    "uti",
    "jti",
    "ver",
    "sub",
    "name",
    "preferred_username",
];

/// The user that a token is about.
pub fn profile(token: &Verified) -> Result<Profile, Problem> {
    let issuer = token.text("iss");
    let subject = token.text("sub");
    let profile = Profile::of(issuer, subject).ok_or(Problem::IdToken("no subject"))?;
    let email = token.text("email");
    Ok(match issuer {
        GOOGLE | "accounts.google.com" => google(token, profile),
        LINKEDIN => linkedin(token, profile)?,
        FACEBOOK => profile
            .with_provider_id()
            .with("name", token.text("name"))
            .with("picture", token.text("picture"))
            .mailed(email, true),
        KAKAO => profile
            .with_provider_id()
            .with("name", token.text("nickname"))
            .with("preferred_username", token.text("nickname"))
            .with("picture", token.text("picture"))
            .mailed(email, true),
        SNAPCHAT => generic(token, profile).mailed(email, true),
        VERCEL => vercel(token)?,
        _ if azure_tenant(issuer).is_some() => azure(token, profile),
        _ if is_apple(issuer) => apple(token, profile),
        _ => {
            let verified = is_true(token, "email_verified");
            generic(token, profile).mailed(email, verified)
        }
    })
}

fn is_true(token: &Verified, claim: &str) -> bool {
    token.claims.get(claim) == Some(&Value::Bool(true))
}

fn google(token: &Verified, profile: Profile) -> Profile {
    let domain = token.text("hd");
    let custom = if domain.is_empty() {
        Value::Null
    } else {
        json!({ "hd": domain })
    };
    let verified = is_true(token, "email_verified") || is_true(token, "verified_email");
    profile
        .with_provider_id()
        .named(token.text("name"))
        .pictured(token.text("picture"))
        .with_custom(custom)
        .mailed(token.text("email"), verified)
}

fn apple(token: &Verified, profile: Profile) -> Profile {
    let mut custom = Map::new();
    match token.claims.get("is_private_email") {
        Some(Value::Bool(private)) => {
            custom.insert("is_private_email".into(), (*private).into());
        }
        Some(Value::String(text)) => {
            custom.insert("is_private_email".into(), (text == "true").into());
        }
        _ => {}
    }
    for name in ["auth_time", "transfer_sub"] {
        if let Some(value) = token.claims.get(name).filter(|value| **value != "") {
            custom.insert(name.into(), value.clone());
        }
    }
    let custom = if custom.is_empty() {
        Value::Null
    } else {
        Value::Object(custom)
    };
    let mut profile = profile.with_provider_id().with_custom(custom);
    // Apple confirms every address, also those that it makes up to hide the user's own. An app that does
    // not ask for the address gets none, and its users count as confirmed all the same.
    profile.emails.push(Email {
        address: token.text("email").to_owned(),
        verified: true,
        primary: true,
    });
    profile
}

fn linkedin(token: &Verified, profile: Profile) -> Result<Profile, Problem> {
    // A text in the tokens that it issued when this was written, a flag in its documentation.
    let verified = match token.claims.get("email_verified") {
        Some(Value::Bool(verified)) => *verified,
        Some(Value::String(text)) if text == "true" => true,
        Some(Value::String(text)) if text == "false" => false,
        _ => return Err(Problem::IdToken("email_verified is no flag")),
    };
    let (given, family) = (token.text("given_name"), token.text("family_name"));
    Ok(profile
        .with_provider_id()
        .with("name", joined(given, family))
        .with("given_name", given)
        .with("family_name", family)
        .with("locale", token.text("locale"))
        .with("picture", token.text("picture"))
        .mailed(token.text("email"), verified))
}

fn azure(token: &Verified, profile: Profile) -> Profile {
    let email = token.text("email");
    // The claim says whether the owner of the address's domain is known. Tenants that did not ask for
    // it are those whose addresses the administrator gives out. It comes in several forms.
    let verified = match token.claims.get("xms_edov") {
        None | Some(Value::Null) => true,
        Some(Value::Bool(owner_known)) => *owner_known,
        Some(Value::String(text)) => text == "1" || text == "true",
        Some(_) => false,
    };
    let custom: Map<String, Value> = token
        .claims
        .iter()
        .filter(|(name, _)| !AZURE_PROTOCOL.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    profile
        .with_provider_id()
        .with("preferred_username", token.text("preferred_username"))
        .with("full_name", token.text("name"))
        .with_custom(Value::Object(custom))
        .mailed(email, verified)
}

fn vercel(token: &Verified) -> Result<Profile, Problem> {
    let subject = match token.text("global_user_id") {
        "" => token.text("sub").to_owned(),
        global => format!("global_user_id:{global}"),
    };
    let profile = Profile::of(token.text("iss"), &subject).ok_or(Problem::IdToken("no subject"))?;
    Ok(profile
        .with_provider_id()
        .with("name", token.text("user_name"))
        .with("picture", token.text("user_avatar_url"))
        .mailed(token.text("user_email"), true))
}

fn generic(token: &Verified, mut profile: Profile) -> Profile {
    for name in STANDARD {
        if let Some(value) = token.claims.get(name) {
            profile = profile.with(name, value.clone());
        }
    }
    let updated = match token.claims.get("updated_at") {
        Some(Value::Number(seconds)) => seconds
            .as_i64()
            .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
            .map(|time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    profile.with("updated_at", updated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::Algorithm;

    fn read(claims: Value) -> Profile {
        let Value::Object(claims) = claims else {
            panic!("claims are an object")
        };
        profile(&Verified {
            claims,
            algorithm: Algorithm::RS256,
        })
        .unwrap()
    }

    #[track_caller]
    fn mail(claims: Value) -> Option<bool> {
        read(claims).emails.first().map(|email| email.verified)
    }

    #[test]
    fn google_names_the_domain_of_a_workspace() {
        let profile = read(json!({
            "iss": GOOGLE, "sub": "1", "email": "a@example.com", "email_verified": true,
            "name": "Ada", "picture": "https://p.test", "hd": "example.com",
        }));
        assert_eq!(
            profile.claims["custom_claims"],
            json!({ "hd": "example.com" })
        );
        assert_eq!(profile.claims["avatar_url"], "https://p.test");
        assert!(profile.emails[0].verified);
    }

    #[test]
    fn microsoft_says_in_many_forms_whether_a_domain_is_known() {
        let issuer = "https://login.microsoftonline.com/t-1/v2.0";
        let token = |edov: Value| json!({ "iss": issuer, "sub": "1", "email": "a@example.com", "xms_edov": edov, "tid": "t-1" });
        for (edov, verified) in [
            (Value::Null, true),
            (json!(true), true),
            (json!("1"), true),
            (json!("0"), false),
            (json!(false), false),
            (json!(1), false),
        ] {
            assert_eq!(mail(token(edov.clone())), Some(verified), "{edov}");
        }
        let custom = &read(token(json!(true))).claims["custom_claims"];
        assert_eq!(custom["tid"], "t-1");
        assert!(custom.get("iss").is_none());
    }

    #[test]
    fn apple_facebook_kakao_and_vercel_vouch_for_addresses() {
        let apple = json!({
            "iss": "https://account.apple.com", "sub": "1", "email": "x@privaterelay.appleid.com",
            "is_private_email": "true", "auth_time": 5,
        });
        let profile = read(apple);
        assert!(profile.emails[0].verified);
        let custom = json!({ "is_private_email": true, "auth_time": 5 });
        assert_eq!(profile.claims["custom_claims"], custom);
        for issuer in [FACEBOOK, KAKAO, SNAPCHAT] {
            let token = json!({ "iss": issuer, "sub": "1", "email": "a@example.com" });
            assert_eq!(mail(token), Some(true), "{issuer}");
        }
        let token = json!({
            "iss": VERCEL, "sub": "1", "global_user_id": "g", "user_email": "a@example.com",
        });
        assert_eq!(read(token).subject(), "global_user_id:g");
    }

    #[test]
    fn an_unknown_issuer_vouches_only_with_a_plain_true() {
        for (verified, expected) in [
            (json!(true), true),
            (json!("true"), false),
            (json!(null), false),
        ] {
            let token = json!({
                "iss": "https://id.test", "sub": "1", "email": "a@example.com",
                "email_verified": verified, "updated_at": 1_700_000_000, "secret_role": "admin",
            });
            assert_eq!(mail(token.clone()), Some(expected));
            let profile = read(token);
            assert_eq!(profile.claims["updated_at"], "2023-11-14T22:13:20Z");
            assert!(profile.claims.get("secret_role").is_none());
        }
    }

    #[test]
    fn linkedin_writes_flags_as_texts() {
        let token = |verified: Value| {
            json!({ "iss": LINKEDIN, "sub": "1", "email": "a@example.com", "given_name": "Ada",
                    "family_name": "L", "email_verified": verified })
        };
        assert_eq!(mail(token(json!("true"))), Some(true));
        assert_eq!(mail(token(json!("false"))), Some(false));
        assert_eq!(read(token(json!(true))).claims["name"], "Ada L");
    }
}
