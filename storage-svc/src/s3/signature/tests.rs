//! The examples of Amazon's documentation, and what must not pass for them.

use chrono::{DateTime, Utc};
use http::HeaderValue;
use secrecy::SecretString;

use super::*;

const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";
const SCOPE: &str = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn secret() -> SecretString {
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned().into()
}

fn at(time: &str) -> DateTime<Utc> {
    time.parse().unwrap()
}

struct Sent {
    method: Method,
    path: String,
    query: Query,
    headers: HeaderMap,
}

impl Sent {
    fn new(method: &str, target: &str, headers: &[(&'static str, &str)]) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut all: HeaderMap = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        all.entry("host")
            .or_insert(HeaderValue::from_static("examplebucket.s3.amazonaws.com"));
        all.insert("x-amz-date", HeaderValue::from_static("20130524T000000Z"));
        Self {
            method: method.parse().unwrap(),
            path: path.to_owned(),
            query: Query::parse(query),
            headers: all,
        }
    }

    fn signed(mut self, headers: &str, signature: &str) -> Self {
        // The documentation writes it without blanks, and most clients with them.
        let value = format!(
            "AWS4-HMAC-SHA256 Credential={SCOPE},SignedHeaders={headers}, Signature={signature}"
        );
        self.headers.insert("authorization", value.parse().unwrap());
        self
    }

    fn verify(&self, rules: &Rules, now: &str) -> Result<Signer, Error> {
        let secret = secret();
        let keys = KeyPair {
            access_key: ACCESS_KEY,
            secret: &secret,
        };
        let signed = Signed {
            method: &self.method,
            path: &self.path,
            query: &self.query,
            headers: &self.headers,
            authority: None,
        };
        ClientSignature::find(&self.headers, &self.query, at(now))?
            .ok_or_else(|| Error::access_denied("Missing signature"))?
            .verify(&signed, &keys, rules)
    }

    fn code(&self, rules: &Rules) -> String {
        self.verify(rules, "2013-05-24T00:00:00Z")
            .unwrap_err()
            .code
            .to_owned()
    }
}

fn get_object() -> Sent {
    Sent::new(
        "GET",
        "/test.txt",
        &[("range", "bytes=0-9"), ("x-amz-content-sha256", EMPTY)],
    )
    .signed(
        "host;range;x-amz-content-sha256;x-amz-date",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    )
}

fn presigned() -> Sent {
    let scope = SCOPE.replace('/', "%2F");
    let target = format!(
        "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={scope}&X-Amz-Date=20130524T000000Z\
         &X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
         &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    );
    Sent::new("GET", &target, &[])
}

#[test]
fn documented_requests_verify() {
    let rules = Rules::default();
    let put = Sent::new(
        "PUT",
        "/test%24file.text",
        &[
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            (
                "x-amz-content-sha256",
                "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            ),
        ],
    )
    .signed(
        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    );
    let lifecycle = Sent::new("GET", "/?lifecycle", &[("x-amz-content-sha256", EMPTY)]).signed(
        "host;x-amz-content-sha256;x-amz-date",
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    );
    let list = Sent::new(
        "GET",
        "/?max-keys=2&prefix=J",
        &[("x-amz-content-sha256", EMPTY)],
    )
    .signed(
        "host;x-amz-content-sha256;x-amz-date",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    );
    for sent in [get_object(), put, lifecycle, list, presigned()] {
        sent.verify(&rules, "2013-05-24T12:00:00Z").unwrap();
    }
}

type Change = Box<dyn Fn(&mut Sent)>;

#[test]
fn what_was_not_signed_does_not_verify() {
    let rules = Rules::default();
    let mut changed = Vec::new();
    let set = |name: &'static str, value: &'static str| {
        move |sent: &mut Sent| {
            sent.headers.insert(name, HeaderValue::from_static(value));
        }
    };
    let changes: [Change; 9] = [
        Box::new(|sent| sent.method = Method::HEAD),
        Box::new(|sent| sent.path = "/test%2Etxt".into()),
        Box::new(|sent| sent.path = "/./test.txt".into()),
        Box::new(|sent| sent.query = Query::parse("versionId=1")),
        Box::new(|sent| {
            sent.headers.remove("range");
        }),
        Box::new(set("range", "bytes=0-8")),
        Box::new(set("host", "other")),
        Box::new(set("x-amz-date", "20130525T000000Z")),
        Box::new(set("x-amz-content-sha256", "UNSIGNED-PAYLOAD")),
    ];
    for change in changes {
        let mut sent = get_object();
        change(&mut sent);
        changed.push(sent);
    }
    for signature in ["abc", "", "zz", &"0".repeat(64)] {
        changed.push(get_object().signed("host;range;x-amz-content-sha256;x-amz-date", signature));
    }
    for (number, sent) in changed.iter().enumerate() {
        assert_eq!(
            sent.code(&rules),
            "SignatureDoesNotMatch",
            "change {number}"
        );
    }
}

#[test]
fn a_session_token_changes_the_text_of_a_mismatch() {
    let mut sent = get_object();
    sent.path = "/other".into();
    let plain = sent
        .verify(&Rules::default(), "2013-05-24T00:00:00Z")
        .unwrap_err();
    assert!(
        plain
            .message
            .ends_with("Check your key and signing method.")
    );
    sent.headers
        .insert("x-amz-security-token", HeaderValue::from_static("t"));
    let session = sent
        .verify(&Rules::default(), "2013-05-24T00:00:00Z")
        .unwrap_err();
    assert!(
        session
            .message
            .ends_with("The session token should be a valid JWT token")
    );
}

#[test]
fn a_presigned_url_expires() {
    let rules = Rules::default();
    let sent = presigned();
    assert!(sent.verify(&rules, "2013-05-25T00:00:00Z").is_ok());
    let late = sent.verify(&rules, "2013-05-25T00:00:01Z").unwrap_err();
    assert_eq!((late.code, late.status), ("ExpiredToken", 400));
}

#[test]
fn other_kinds_of_authorization_do_not_hide_a_presigned_url() {
    let mut sent = presigned();
    sent.headers
        .insert("authorization", HeaderValue::from_static("Bearer x"));
    assert!(
        sent.verify(&Rules::default(), "2013-05-24T00:00:00Z")
            .is_ok()
    );
    let mut sent = get_object();
    sent.headers.insert(
        "authorization",
        HeaderValue::from_static("AWS4-HMAC-SHA256"),
    );
    assert_eq!(sent.code(&Rules::default()), "AccessDenied");
}

#[test]
fn the_region_may_be_one_of_amazons() {
    let own = |region: &str, enforce_region| Rules {
        region: Some(region.into()),
        enforce_region,
        ..Rules::default()
    };
    let now = "2013-05-24T00:00:00Z";
    assert!(get_object().verify(&own("eu-1", false), now).is_ok());
    assert!(get_object().verify(&own("us-east-1", true), now).is_ok());
    let refused = get_object().verify(&own("eu-1", true), now).unwrap_err();
    assert_eq!((&*refused.message, refused.status), ("Invalid Region", 403));
    let mut foreign = get_object();
    let header = foreign.headers["authorization"]
        .to_str()
        .unwrap()
        .replace("us-east-1", "ap-9");
    foreign
        .headers
        .insert("authorization", header.parse().unwrap());
    assert_eq!(foreign.code(&own("eu-1", false)), "SignatureDoesNotMatch");
}

#[test]
fn keys_and_services_are_checked_first() {
    let other = |from: &str, to: &str| {
        let mut sent = get_object();
        let header = sent.headers["authorization"]
            .to_str()
            .unwrap()
            .replace(from, to);
        sent.headers
            .insert("authorization", header.parse().unwrap());
        sent.verify(&Rules::default(), "2013-05-24T00:00:00Z")
            .unwrap_err()
    };
    assert_eq!(other("AKIA", "BKIA").message, "Invalid Access Key");
    assert_eq!(other("/s3/", "/s3vectors/").message, "Invalid Service");
    assert_eq!(other("/s3/", "/").message, "Invalid credentials");
    assert_eq!(
        other("Signature=", "Sign=").message,
        "Invalid signature format"
    );
}

#[test]
fn a_form_is_found_by_its_fields() {
    let fields = |names: &[&str]| {
        names
            .iter()
            .map(|&name| (name.to_owned(), "a/b/c/s3/e".to_owned()))
            .collect()
    };
    let all = [
        "key",
        "X-Amz-Credential",
        "X-Amz-Signature",
        "Policy",
        "X-Amz-Date",
    ];
    let form = ClientSignature::from_form(fields(&all)).unwrap();
    assert_eq!(form.field("key"), Some("a/b/c/s3/e"));
    assert_eq!(form.credential.region, "c");
    let twice = ClientSignature::from_form(fields(&[&all[..], &["KEY"]].concat())).unwrap_err();
    assert_eq!(twice.message, "Duplicate form field in POST policy request");
    let unsigned = ClientSignature::from_form(fields(&all[..4])).unwrap_err();
    assert_eq!(unsigned.message, "Invalid signature format");
}

#[test]
fn a_form_is_as_good_as_its_policy() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let policy = STANDARD.encode(
        serde_json::json!({ "expiration": "2013-05-25T00:00:00Z", "conditions": [{ "bucket": "b" }, ["eq", "$key", "k"]] })
            .to_string(),
    );
    let secret = secret();
    let keys = KeyPair {
        access_key: ACCESS_KEY,
        secret: &secret,
    };
    let signature = Signer::new(&keys, "20130524", "us-east-1", "").sign(policy.as_bytes());
    let verdict = |signature: &str, bucket: &str, now: &str| {
        let fields = [
            ("key", "k"),
            ("x-amz-credential", SCOPE),
            ("x-amz-signature", signature),
            ("policy", &policy),
            ("x-amz-date", "20130524T000000Z"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        ClientSignature::from_form(fields.to_vec())
            .unwrap()
            .verify_form(bucket, &keys, &Rules::default(), at(now))
            .map_err(|error| error.code.to_owned())
    };
    let now = "2013-05-24T12:00:00Z";
    assert!(verdict(&signature, "b", now).is_ok());
    assert_eq!(
        verdict(&signature, "other", now).unwrap_err(),
        "AccessDenied"
    );
    assert_eq!(
        verdict("abc", "b", now).unwrap_err(),
        "SignatureDoesNotMatch"
    );
    assert_eq!(
        verdict(&signature, "b", "2013-05-26T00:00:00Z").unwrap_err(),
        "ExpiredToken"
    );
}

#[test]
fn the_hash_of_the_body_is_known_unless_it_was_not_signed() {
    let hash = |sent: &Sent| {
        let signed = Signed {
            method: &sent.method,
            path: &sent.path,
            query: &sent.query,
            headers: &sent.headers,
            authority: None,
        };
        ClientSignature::find(&sent.headers, &sent.query, at("2013-05-24T00:00:00Z"))
            .unwrap()
            .unwrap()
            .body_hash(&signed)
    };
    assert_eq!(hash(&get_object()).map(hex::encode).as_deref(), Some(EMPTY));
    assert_eq!(hash(&presigned()), None);
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_signature_or_none(
        authorization in "(AWS4-HMAC-SHA256 )?[ -~]{0,80}",
        query in "(X-Amz-(Credential|Date|Expires|SignedHeaders|Signature)=[ -~]{0,20}&){0,6}",
        path in "/[ -~]{0,20}",
        host in "[ -~]{0,20}",
    ) {
        let mut sent = Sent::new("GET", "/", &[]);
        sent.path = path;
        sent.query = Query::parse(&query);
        for name in ["authorization", "host", "forwarded", "x-forwarded-host", "x-forwarded-port"] {
            let value = if name == "authorization" { &authorization } else { &host };
            sent.headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        let rules = Rules { allow_forwarded: true, ..Rules::default() };
        proptest::prop_assert!(sent.verify(&rules, "2013-05-24T00:00:00Z").is_err());
    }
}
