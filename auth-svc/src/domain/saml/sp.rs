//! What we say: the metadata of this service provider, and its requests.

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Months, SecondsFormat, Utc};
use flate2::{Compression, write::DeflateEncoder};
use url::{Url, form_urlencoded};

use super::{key::Key, xml};
use crate::config::Saml;

/// The format of name identifiers that is asked for where the provider's settings name none.
const PERSISTENT: &str = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const EMAIL: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const POST: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
/// What we can decrypt, in the order of our liking.
const ENCRYPTION: [&str; 7] = [
    "http://www.w3.org/2009/xmlenc11#aes256-gcm",
    "http://www.w3.org/2009/xmlenc11#aes192-gcm",
    "http://www.w3.org/2009/xmlenc11#aes128-gcm",
    "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
    "http://www.w3.org/2001/04/xmlenc#aes192-cbc",
    "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
    "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
];

/// The addresses of this service provider.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// Its name, which is where its metadata are.
    pub entity_id: String,
    /// Where responses are posted to.
    pub acs: String,
}

impl Addresses {
    /// Below the address that the outside knows.
    pub fn of(saml: &Saml) -> Self {
        let base = saml.external_url.as_str();
        let base = base.split(['?', '#']).next().unwrap_or(base);
        let base = base.trim_end_matches('/');
        Self {
            entity_id: format!("{base}/sso/saml/metadata"),
            acs: format!("{base}/sso/saml/acs"),
        }
    }
}

fn instant(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn key_descriptor(key: &Key, purpose: &str) -> String {
    let certificate = STANDARD.encode(key.certificate());
    let mut methods = String::new();
    for name in ENCRYPTION.iter().filter(|_| purpose == "encryption") {
        methods.push_str("<EncryptionMethod Algorithm=\"");
        methods.push_str(name);
        methods.push_str("\"></EncryptionMethod>");
    }
    format!(
        "<KeyDescriptor use=\"{purpose}\">\
         <KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><X509Data>\
         <X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo>\
         {methods}</KeyDescriptor>"
    )
}

/// The metadata. Those to be kept as a file are valid for years, the others for two days.
pub fn metadata(saml: &Saml, to_keep: bool, now: DateTime<Utc>) -> String {
    let addresses = Addresses::of(saml);
    let two_days = now + chrono::Duration::days(2);
    let until = if to_keep {
        now.checked_add_months(Months::new(60)).unwrap_or(two_days)
    } else {
        two_days
    };
    let mut keys = String::new();
    for key in [Some(&saml.key), saml.next_key.as_ref()]
        .into_iter()
        .flatten()
    {
        keys.push_str(&key_descriptor(key, "signing"));
        if saml.allow_encrypted_assertions {
            keys.push_str(&key_descriptor(key, "encryption"));
        }
    }
    // While keys are exchanged, providers shall look again soon.
    let cache = saml
        .next_key
        .as_ref()
        .map_or("", |_| " cacheDuration=\"PT1H\"");
    let entity_id = xml::escaped(&addresses.entity_id);
    let acs = xml::escaped(&addresses.acs);
    format!(
        "<EntityDescriptor xmlns=\"{METADATA}\" validUntil=\"{until}\"{cache} entityID=\"{entity_id}\">\
         <SPSSODescriptor xmlns=\"{METADATA}\" validUntil=\"{two_days}\" \
         protocolSupportEnumeration=\"{PROTOCOL}\" WantAssertionsSigned=\"true\">{keys}\
         <NameIDFormat>{EMAIL}</NameIDFormat><NameIDFormat>{PERSISTENT}</NameIDFormat>\
         <AssertionConsumerService Binding=\"{POST}\" Location=\"{acs}\" index=\"1\">\
         </AssertionConsumerService></SPSSODescriptor></EntityDescriptor>",
        METADATA = xml::METADATA,
        PROTOCOL = xml::PROTOCOL,
        until = instant(until),
        two_days = instant(two_days),
    )
}

/// A request for a sign-in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// Unguessable, and begins with a letter.
    pub(super) id: &'a str,
    /// Where at the provider it goes.
    pub(super) destination: &'a Url,
    /// The wished format of name identifiers.
    pub(super) name_id_format: Option<&'a str>,
    /// What comes back with the response.
    pub(super) relay_state: &'a str,
}

impl Request<'_> {
    fn xml(&self, addresses: &Addresses, now: DateTime<Utc>) -> String {
        format!(
            "<samlp:AuthnRequest xmlns:saml=\"{ASSERTION}\" xmlns:samlp=\"{PROTOCOL}\" ID=\"{id}\" \
             Version=\"2.0\" IssueInstant=\"{now}\" Destination=\"{destination}\" \
             AssertionConsumerServiceURL=\"{acs}\" ProtocolBinding=\"{POST}\">\
             <saml:Issuer Format=\"urn:oasis:names:tc:SAML:2.0:nameid-format:entity\">{issuer}</saml:Issuer>\
             <samlp:NameIDPolicy Format=\"{format}\" AllowCreate=\"true\"/></samlp:AuthnRequest>",
            ASSERTION = xml::ASSERTION,
            PROTOCOL = xml::PROTOCOL,
            id = xml::escaped(self.id),
            now = instant(now),
            destination = xml::escaped(self.destination.as_str()),
            acs = xml::escaped(&addresses.acs),
            issuer = xml::escaped(&addresses.entity_id),
            format = xml::escaped(self.name_id_format.unwrap_or(PERSISTENT)),
        )
    }

    /// The address that carries the request, signed (bindings, 3.4.4).
    pub(super) fn url(&self, saml: &Saml, now: DateTime<Utc>) -> anyhow::Result<Url> {
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
        deflated.write_all(self.xml(&Addresses::of(saml), now).as_bytes())?;
        let deflated = STANDARD.encode(deflated.finish()?);
        // What is signed is the text of these three, in this order.
        let signed = form_urlencoded::Serializer::new(String::new())
            .append_pair("SAMLRequest", &deflated)
            .append_pair("RelayState", self.relay_state)
            .append_pair("SigAlg", RSA_SHA256)
            .finish();
        let signature = saml
            .key
            .sign(signed.as_bytes())
            .map_err(|_| anyhow::anyhow!("the request cannot be signed"))?;
        let signature: String =
            form_urlencoded::byte_serialize(STANDARD.encode(signature).as_bytes()).collect();
        let before = match self.destination.query() {
            Some(query) if !query.is_empty() => format!("{query}&"),
            _ => String::new(),
        };
        let mut url = self.destination.clone();
        url.set_query(Some(&format!("{before}{signed}&Signature={signature}")));
        Ok(url)
    }
}
