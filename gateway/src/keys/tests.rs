use super::*;

fn texts(anon: &[&str], service: &[&str]) -> Texts {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Texts {
        anon: owned(anon),
        service: owned(service),
    }
}

fn keys() -> ApiKeys {
    ApiKeys::new(
        &texts(&["anon.jwt", "old.anon.jwt"], &["service.jwt"]),
        &texts(&["sb_publishable_x"], &["sb_secret_x", "sb_secret_next"]),
        &Texts::default(),
    )
    .unwrap()
}

fn authorized(present: Option<&str>, given: Option<&str>, synthesis: Synthesis) -> Option<String> {
    let mut headers = HeaderMap::new();
    for (name, value) in [("authorization", present), ("apikey", given)] {
        if let Some(value) = value {
            headers.insert(name, value.parse().unwrap());
        }
    }
    let keys = keys();
    let given = keys.given(&headers, None);
    let made = authorization(&headers, &keys, given.as_ref(), synthesis).unwrap();
    let value = made.or_else(|| headers.get(header::AUTHORIZATION).cloned());
    value.map(|value| value.to_str().unwrap().to_owned())
}

#[test]
fn a_key_becomes_the_token_it_stands_for() {
    use Synthesis::{Bare, Bearer};
    let secret = Some("sb_secret_x");
    let publishable = Some("sb_publishable_x");
    let anon = Some("anon.jwt");
    let (as_anon, as_service) = (Some("Bearer anon.jwt"), Some("Bearer service.jwt"));
    for (present, given, synthesis, expected) in [
        (None, secret, Bearer, as_service),
        (None, Some("sb_secret_next"), Bearer, as_service),
        (None, publishable, Bearer, as_anon),
        (None, anon, Bearer, as_anon),
        (
            None,
            Some("old.anon.jwt"),
            Bearer,
            Some("Bearer old.anon.jwt"),
        ),
        (None, anon, Bare, anon),
        (None, secret, Bare, as_service),
        (
            Some("Bearer sb_publishable_x"),
            publishable,
            Bearer,
            as_anon,
        ),
        (Some("Bearer sb_publishable_x"), None, Bearer, as_anon),
        (
            Some("Bearer user.jwt"),
            secret,
            Bearer,
            Some("Bearer user.jwt"),
        ),
        (
            Some("AWS4-HMAC-SHA256 x"),
            anon,
            Bearer,
            Some("AWS4-HMAC-SHA256 x"),
        ),
        (None, Some("unknown"), Bearer, Some("Bearer unknown")),
        (None, None, Bearer, None),
        (None, anon, Synthesis::None, None),
    ] {
        let found = authorized(present, given, synthesis);
        assert_eq!(
            found.as_deref(),
            expected,
            "{present:?} {given:?} {synthesis:?}"
        );
    }
}

#[test]
fn opaque_keys_are_translated_only_if_both_kinds_are_there() {
    let keys = ApiKeys::new(
        &texts(&["anon.jwt"], &["service.jwt"]),
        &texts(&["sb_publishable_x"], &[]),
        &Texts::default(),
    );
    let keys = keys.unwrap();
    assert_eq!(
        keys.find(b"sb_publishable_x").unwrap().token,
        "sb_publishable_x"
    );
}

#[test]
fn asymmetric_tokens_are_what_opaque_keys_become() {
    let keys = ApiKeys::new(
        &texts(&["anon.jwt"], &["service.jwt"]),
        &texts(&["sb_publishable_x"], &["sb_secret_x"]),
        &texts(&["anon.es256"], &["service.es256"]),
    );
    let keys = keys.unwrap();
    assert_eq!(keys.find(b"sb_publishable_x").unwrap().token, "anon.es256");
    assert_eq!(keys.find(b"sb_secret_x").unwrap().token, "service.es256");
    assert_eq!(keys.find(b"anon.jwt").unwrap().token, "anon.jwt");
}

#[test]
fn a_key_is_known_only_byte_for_byte() {
    let keys = keys();
    let consumer = |text: &str| keys.find(text.as_bytes()).map(|known| known.consumer);
    assert_eq!(consumer("sb_secret_x"), Some(Consumer::Service));
    assert_eq!(consumer("sb_secret_next"), Some(Consumer::Service));
    assert_eq!(consumer("anon.jwt"), Some(Consumer::Anon));
    assert_eq!(consumer("old.anon.jwt"), Some(Consumer::Anon));
    for wrong in ["sb_secret_", "sb_secret_xx", "SB_SECRET_X", ""] {
        assert_eq!(consumer(wrong), None, "{wrong}");
    }
}

#[test]
fn the_front_end_is_never_given_a_secret() {
    assert_eq!(keys().public(), Some("sb_publishable_x"));
    assert!(!format!("{:?}", keys()).contains("sb_"));
}
