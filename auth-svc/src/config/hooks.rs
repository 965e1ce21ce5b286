//! Reading where the callbacks are.

use secrecy::SecretString;
use svc_kit::env::Reader;
use url::Url;

use super::{Hook, HookTarget, Hooks};

pub(super) fn read(r: &mut Reader<'_>) -> Hooks {
    Hooks {
        send_sms: hook(r, "SEND_SMS"),
        send_email: hook(r, "SEND_EMAIL"),
        custom_access_token: hook(r, "CUSTOM_ACCESS_TOKEN"),
        before_user_created: hook(r, "BEFORE_USER_CREATED"),
        after_user_created: hook(r, "AFTER_USER_CREATED"),
        password_verification_attempt: hook(r, "PASSWORD_VERIFICATION_ATTEMPT"),
        mfa_verification_attempt: hook(r, "MFA_VERIFICATION_ATTEMPT"),
    }
}

fn hook(r: &mut Reader<'_>, name: &str) -> Option<Hook> {
    let [enabled, uri, secrets] =
        ["ENABLED", "URI", "SECRETS"].map(|field| format!("GOTRUE_HOOK_{name}_{field}"));
    if !r.flag(&[&enabled], false) {
        return None;
    }
    if r.text(&[&uri]).is_none() {
        r.problem(format!("{uri} is required"));
    }
    let target = r.parse_with(&[&uri], hook_target)?;
    let secrets: Vec<_> = r
        .text(&[&secrets])
        .unwrap_or_default()
        .split('|')
        .filter(|secret| !secret.is_empty())
        .map(|secret| SecretString::from(secret.to_owned()))
        .collect();
    if matches!(target, HookTarget::Http(_)) && secrets.is_empty() {
        r.problem(format!("{name}: a hook over HTTP needs secrets"));
    }
    Some(Hook { target, secrets })
}

fn hook_target(text: &str) -> Result<HookTarget, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    match url.scheme() {
        "https" => Ok(HookTarget::Http(url)),
        "http" => {
            let local = ["localhost", "127.0.0.1", "[::1]", "host.docker.internal"];
            if url.host_str().is_some_and(|host| local.contains(&host)) {
                Ok(HookTarget::Http(url))
            } else {
                Err("http is only accepted for this machine; use https".to_owned())
            }
        }
        "pg-functions" => {
            let mut path = url.path_segments().ok_or("no function is named")?;
            match (path.next(), path.next(), path.next()) {
                (Some(schema), Some(name), None) if is_name(schema) && is_name(name) => {
                    Ok(HookTarget::Function {
                        schema: schema.to_owned(),
                        name: name.to_owned(),
                    })
                }
                _ => Err("expected pg-functions://<database>/<schema>/<function>".to_owned()),
            }
        }
        _ => Err("expected https, http or pg-functions".to_owned()),
    }
}

fn is_name(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_may_use_http_only_on_this_machine() {
        for (uri, fine) in [
            ("https://example.com/hook", true),
            ("http://127.0.0.1:9/sms", true),
            ("http://example.com/hook", false),
            ("pg-functions://postgres/public/my_hook", true),
            ("pg-functions://postgres/public/my-hook", false),
            ("ftp://example.com", false),
        ] {
            assert_eq!(hook_target(uri).is_ok(), fine, "{uri}");
        }
    }
}
