//! The verifier against documents that other implementations signed, and against attacks on them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde_json::Value;
use url::Url;

use super::{
    c14n::Method,
    key::Key,
    response::{self, Expected},
    signature::TrustedKey,
    xml,
};

const ACS: &str = "http://auth.test/sso/saml/acs";
const ENTITY: &str = "http://auth.test/sso/saml/metadata";
const IDP: &str = "https://idp.test/metadata";

fn fixtures() -> Value {
    serde_json::from_str(include_str!("../../../tests/saml/fixtures.json")).unwrap()
}

fn now() -> DateTime<Utc> {
    "2026-01-01T00:00:30Z".parse().unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    let items = value.as_array().unwrap();
    items.iter().map(|one| one.as_str().unwrap()).collect()
}

fn trusted(fixtures: &Value, names: &Value) -> Vec<TrustedKey> {
    let read = |name: &str| {
        let der = STANDARD.decode(fixtures["certificates"][name].as_str().unwrap());
        TrustedKey::of_certificate(&der.unwrap()).unwrap()
    };
    texts(names).into_iter().map(read).collect()
}

fn keys(fixtures: &Value, names: &Value) -> Vec<Key> {
    let url = Url::parse("http://auth.test").unwrap();
    let read = |name: &str| Key::read(fixtures["keys"][name].as_str().unwrap(), &url, true);
    texts(names)
        .into_iter()
        .map(|name| read(name).unwrap())
        .collect()
}

#[test]
fn responses_are_believed_or_not() {
    let fixtures = fixtures();
    let mut wrong = Vec::new();
    let cases = fixtures["cases"].as_array().unwrap();
    assert!(cases.len() > 90, "{}", cases.len());
    for case in cases {
        let trusted = trusted(&fixtures, &case["trusted"]);
        let keys = keys(&fixtures, &case["decrypting"]);
        let expected = Expected {
            audience: ENTITY,
            acs_url: ACS,
            issuer: IDP,
            trusted: &trusted,
            request_id: case["request"].as_str(),
            decrypting: &keys.iter().collect::<Vec<_>>(),
            now: now(),
        };
        let read = response::read(case["xml"].as_str().unwrap(), &expected);
        let name = &case["name"];
        if case["valid"] != read.is_ok() {
            wrong.push(format!("{name}: {read:?}"));
        }
        if let Ok(assertion) = read {
            let subject = case["name_id"].as_str().unwrap_or("ada@example.com");
            assert_eq!(assertion.name_id, subject, "{name}");
            let groups: Vec<_> = assertion.values("GROUPS").collect();
            assert_eq!(groups, ["a & b <c>", "zweiä \"quoted\" 'too'"], "{name}");
            let ends = assertion.session_not_on_or_after.unwrap();
            assert_eq!(ends.to_rfc3339(), "2026-01-01T08:00:00+00:00", "{name}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A change of any octet of a signed assertion is noticed, or is none.
#[test]
fn no_octet_of_a_signed_response_can_be_changed() {
    let fixtures = fixtures();
    let cases = fixtures["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["name"] == "signed response");
    let text = case.unwrap()["xml"].as_str().unwrap();
    let trusted = trusted(&fixtures, &serde_json::json!(["rsa"]));
    let expected = Expected {
        audience: ENTITY,
        acs_url: ACS,
        issuer: IDP,
        trusted: &trusted,
        request_id: Some("id-1"),
        decrypting: &[],
        now: now(),
    };
    let original = response::read(text, &expected).unwrap();
    let mut seed = 7_u64;
    for _ in 0..2000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut bytes = text.as_bytes().to_vec();
        let at = usize::try_from(seed >> 33).unwrap() % bytes.len();
        match seed % 3 {
            0 => bytes[at] = b" <>\"'&/:x\n"[usize::try_from((seed >> 20) % 10).unwrap()],
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, bytes[(at * 7) % text.len()]),
        }
        let Ok(changed) = String::from_utf8(bytes) else {
            continue;
        };
        if let Ok(read) = response::read(&changed, &expected) {
            assert_eq!(read, original, "{changed}");
        }
    }
}

#[test]
fn canonical_forms_are_those_of_others() {
    let fixtures = fixtures();
    for case in fixtures["canonical"].as_array().unwrap() {
        let algorithm = match (case["exclusive"] == true, case["comments"] == true) {
            (true, false) => "http://www.w3.org/2001/10/xml-exc-c14n#",
            (true, true) => "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
            (false, false) => "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
            (false, true) => "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
        };
        let prefixes = texts(&case["prefixes"]).join(" ");
        let method = format!(
            "<m Algorithm='{algorithm}'><i:InclusiveNamespaces \
             xmlns:i='http://www.w3.org/2001/10/xml-exc-c14n#' PrefixList='{prefixes}'/></m>"
        );
        let method = xml::parse(&method).unwrap();
        let method = Method::of(method.root_element()).unwrap().unwrap();
        let document = xml::parse(case["document"].as_str().unwrap()).unwrap();
        let mut node = document.root_element();
        if case["child"] == true {
            node = node.first_element_child().unwrap();
        }
        let canonical = method.apply(node, None).unwrap();
        assert_eq!(canonical, case["canonical"].as_str().unwrap(), "{case:#}");
    }
}

#[test]
fn a_canonical_form_does_not_outgrow_its_document() {
    let address = "u:".repeat(100_000);
    let children = "<p:c/>".repeat(4_000);
    let text = format!("<r xmlns:p='{address}'>{children}</r>");
    let document = xml::parse(&text).unwrap();
    let method = xml::parse("<m Algorithm='http://www.w3.org/2001/10/xml-exc-c14n#'/>").unwrap();
    let method = Method::of(method.root_element()).unwrap().unwrap();
    assert!(method.apply(document.root_element(), None).is_err());
}

#[test]
fn a_certificate_is_always_the_same() {
    let fixtures = fixtures();
    let key = fixtures["keys"]["sp"].as_str().unwrap();
    let url = Url::parse("https://project.example.com:8443/auth/v1").unwrap();
    let certificate = |may_encrypt| {
        let key = Key::read(key, &url, may_encrypt).unwrap();
        TrustedKey::of_certificate(key.certificate()).unwrap();
        key.certificate().to_vec()
    };
    assert_eq!(certificate(true), certificate(true));
    assert_ne!(certificate(true), certificate(false));
}

/// Providers that know a project by its certificate go on knowing it.
#[test]
fn a_certificate_is_the_one_that_gotrue_makes() {
    let made: Value =
        serde_json::from_str(include_str!("../../../tests/saml/certificate.json")).unwrap();
    let url = Url::parse(made["url"].as_str().unwrap()).unwrap();
    let key = Key::read(made["key"].as_str().unwrap(), &url, true).unwrap();
    let certificate = STANDARD.encode(key.certificate());
    assert_eq!(certificate, made["with_encryption"].as_str().unwrap());
}

#[test]
fn a_key_has_a_form_and_a_length() {
    let url = Url::parse("https://auth.test").unwrap();
    for (text, reason) in [
        ("%", "the key is not in standard Base64 format"),
        ("AAAA", "the key is not in PKCS#1 format"),
    ] {
        assert_eq!(Key::read(text, &url, false).unwrap_err(), reason);
    }
}
