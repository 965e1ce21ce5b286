//! A SAML identity provider. It writes its documents in canonical form and signs them as they stand, so
//! that nothing of the service's own canonicalisation is in it.

use std::{
    io::Read as _,
    sync::{Arc, Mutex},
};

use aws_lc_rs::{
    digest,
    rand::SystemRandom,
    rsa::KeyPair,
    signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey},
};
use axum::{Router, extract::State, routing::get};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use flate2::read::DeflateDecoder;
use http::StatusCode;
use serde_json::Value;
use tokio::net::TcpListener;
use url::{Url, form_urlencoded};

pub(crate) const ENTITY: &str = "https://idp.test/metadata";
pub(crate) const SIGN_IN: &str = "https://idp.test/sso?tenant=1";
pub(crate) const ACS: &str = "http://auth.test/sso/saml/acs";
const AUDIENCE: &str = "http://auth.test/sso/saml/metadata";
const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const EMAIL: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

pub(crate) fn fixtures() -> Value {
    serde_json::from_str(include_str!("../saml/fixtures.json")).unwrap()
}

/// One of our own keys.
pub(crate) fn service_key(name: &str) -> String {
    fixtures()["keys"][name].as_str().unwrap().to_owned()
}

pub(crate) struct IdentityProvider {
    key: KeyPair,
    certificate: String,
}

/// What it says about a user.
pub(crate) struct Statement<'a> {
    pub(crate) id: &'a str,
    pub(crate) name_id: &'a str,
    pub(crate) format: &'a str,
    pub(crate) attributes: &'a [(&'a str, &'a [&'a str])],
    pub(crate) request: Option<&'a str>,
    pub(crate) now: DateTime<Utc>,
}

impl<'a> Statement<'a> {
    pub(crate) fn of(id: &'a str, name_id: &'a str, now: DateTime<Utc>) -> Self {
        Self {
            id,
            name_id,
            format: EMAIL,
            attributes: &[],
            request: None,
            now,
        }
    }

    pub(crate) fn answering(self, request: &'a str) -> Self {
        Self {
            request: Some(request),
            ..self
        }
    }
}

fn instant(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

impl IdentityProvider {
    pub(crate) fn new() -> Self {
        let fixtures = fixtures();
        let key = STANDARD.decode(fixtures["provider_key"].as_str().unwrap());
        Self {
            key: KeyPair::from_der(&key.unwrap()).unwrap(),
            certificate: fixtures["certificates"]["rsa"].as_str().unwrap().to_owned(),
        }
    }

    pub(crate) fn metadata(&self, entity: &str, more: &str) -> String {
        Self::metadata_with(&self.certificate, entity, more)
    }

    /// With a certificate that it does not sign with.
    pub(crate) fn old_metadata(entity: &str, more: &str) -> String {
        let fixtures = fixtures();
        let certificate = fixtures["certificates"]["ec"].as_str().unwrap();
        Self::metadata_with(certificate, entity, more)
    }

    fn metadata_with(certificate: &str, entity: &str, more: &str) -> String {
        format!(
            "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"{entity}\" {more}>\
             <md:IDPSSODescriptor protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\">\
             <md:KeyDescriptor use=\"encryption\"/>\
             <md:KeyDescriptor use=\"signing\"><ds:KeyInfo xmlns:ds=\"{DSIG}\"><ds:X509Data>\
             <ds:X509Certificate>\n{certificate}\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\
             <md:SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" Location=\"https://idp.test/post\"/>\
             <md:SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" Location=\"{SIGN_IN}\"/>\
             </md:IDPSSODescriptor></md:EntityDescriptor>"
        )
    }

    /// A response with a signed assertion, in base64.
    pub(crate) fn respond(&self, statement: &Statement<'_>) -> String {
        STANDARD.encode(self.response(statement))
    }

    pub(crate) fn response(&self, statement: &Statement<'_>) -> String {
        let answers = statement
            .request
            .map(|id| format!(" InResponseTo=\"{id}\""))
            .unwrap_or_default();
        let now = instant(statement.now);
        let soon = instant(statement.now + Duration::minutes(5));
        let end = instant(statement.now + Duration::hours(8));
        let Statement {
            id,
            name_id,
            format,
            ..
        } = statement;
        let mut attributes = String::new();
        for (name, values) in statement.attributes {
            attributes.push_str(&format!("<saml:Attribute Name=\"{name}\">"));
            for value in *values {
                attributes.push_str(&format!(
                    "<saml:AttributeValue>{value}</saml:AttributeValue>"
                ));
            }
            attributes.push_str("</saml:Attribute>");
        }
        let head = format!(
            "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"{id}\" IssueInstant=\"{now}\" Version=\"2.0\">\
             <saml:Issuer>{ENTITY}</saml:Issuer>"
        );
        let rest = format!(
            "<saml:Subject><saml:NameID Format=\"{format}\">{name_id}</saml:NameID>\
             <saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\">\
             <saml:SubjectConfirmationData{answers} NotOnOrAfter=\"{soon}\" Recipient=\"{ACS}\"></saml:SubjectConfirmationData>\
             </saml:SubjectConfirmation></saml:Subject>\
             <saml:Conditions NotBefore=\"{now}\" NotOnOrAfter=\"{soon}\"><saml:AudienceRestriction>\
             <saml:Audience>{AUDIENCE}</saml:Audience></saml:AudienceRestriction></saml:Conditions>\
             <saml:AuthnStatement AuthnInstant=\"{now}\" SessionNotOnOrAfter=\"{end}\"></saml:AuthnStatement>\
             <saml:AttributeStatement>{attributes}</saml:AttributeStatement></saml:Assertion>"
        );
        let signature = self.signature(id, &format!("{head}{rest}"));
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" ID=\"response-{id}\" Version=\"2.0\" \
             IssueInstant=\"{now}\" Destination=\"{ACS}\"{answers}>\
             <saml:Issuer xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{ENTITY}</saml:Issuer>\
             <samlp:Status><samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"/></samlp:Status>\
             {head}{signature}{rest}</samlp:Response>"
        )
    }

    fn signature(&self, id: &str, canonical: &str) -> String {
        let digest = digest::digest(&digest::SHA256, canonical.as_bytes());
        let digest = STANDARD.encode(digest);
        let inside = format!(
            "<ds:CanonicalizationMethod Algorithm=\"{EXCLUSIVE}\"></ds:CanonicalizationMethod>\
             <ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"></ds:SignatureMethod>\
             <ds:Reference URI=\"#{id}\"><ds:Transforms>\
             <ds:Transform Algorithm=\"{DSIG}enveloped-signature\"></ds:Transform>\
             <ds:Transform Algorithm=\"{EXCLUSIVE}\"></ds:Transform></ds:Transforms>\
             <ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"></ds:DigestMethod>\
             <ds:DigestValue>{digest}</ds:DigestValue></ds:Reference>"
        );
        let canonical = format!("<ds:SignedInfo xmlns:ds=\"{DSIG}\">{inside}</ds:SignedInfo>");
        let mut signature = vec![0; self.key.public_modulus_len()];
        self.key
            .sign(
                &RSA_PKCS1_SHA256,
                &SystemRandom::new(),
                canonical.as_bytes(),
                &mut signature,
            )
            .unwrap();
        let signature = STANDARD.encode(signature);
        format!(
            "<ds:Signature xmlns:ds=\"{DSIG}\"><ds:SignedInfo>{inside}</ds:SignedInfo>\
             <ds:SignatureValue>{signature}</ds:SignatureValue></ds:Signature>"
        )
    }
}

/// A request as a provider reads it.
pub(crate) struct Asked {
    pub(crate) xml: String,
    pub(crate) id: String,
    pub(crate) relay_state: String,
}

/// Reads a request as strictly as a provider that checks signatures.
pub(crate) fn read_request(url: &str, certificate: &[u8]) -> Asked {
    assert!(url.starts_with(&format!("{SIGN_IN}&SAMLRequest=")), "{url}");
    let query = Url::parse(url).unwrap().query().unwrap().to_owned();
    let from = query.find("SAMLRequest=").unwrap();
    let (signed, signature) = query[from..].split_once("&Signature=").unwrap();
    let signature = format!("s={signature}");
    let (_, signature) = form_urlencoded::parse(signature.as_bytes()).next().unwrap();
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, certificate.public_key().raw)
        .verify(signed.as_bytes(), &STANDARD.decode(&*signature).unwrap())
        .unwrap();
    let fields: std::collections::HashMap<_, _> = form_urlencoded::parse(signed.as_bytes())
        .into_owned()
        .collect();
    assert_eq!(
        fields["SigAlg"],
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    );
    let deflated = STANDARD.decode(&fields["SAMLRequest"]).unwrap();
    let mut xml = String::new();
    DeflateDecoder::new(deflated.as_slice())
        .read_to_string(&mut xml)
        .unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let request = document.root_element();
    assert_eq!(request.attribute("AssertionConsumerServiceURL"), Some(ACS));
    assert_eq!(request.attribute("Destination"), Some(SIGN_IN));
    assert_eq!(
        request.first_element_child().unwrap().text(),
        Some(AUDIENCE)
    );
    Asked {
        id: request.attribute("ID").unwrap().to_owned(),
        relay_state: fields["RelayState"].clone(),
        xml: xml.clone(),
    }
}

/// Where a provider has its metadata.
#[derive(Clone)]
pub(crate) struct MetadataServer(Arc<Mutex<(u16, String, usize)>>);

impl MetadataServer {
    /// The server, and its address.
    pub(crate) async fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/metadata", listener.local_addr().unwrap());
        let server = Self(Arc::new(Mutex::new((500, String::new(), 0))));
        let router = Router::new()
            .route("/metadata", get(serve))
            .with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (server, url)
    }

    pub(crate) fn answer(&self, status: u16, text: String) {
        let mut inner = self.0.lock().unwrap();
        (inner.0, inner.1) = (status, text);
    }

    pub(crate) fn requests(&self) -> usize {
        self.0.lock().unwrap().2
    }
}

async fn serve(State(server): State<MetadataServer>) -> (StatusCode, String) {
    let mut inner = server.0.lock().unwrap();
    inner.2 += 1;
    (StatusCode::from_u16(inner.0).unwrap(), inner.1.clone())
}
