//! Signatures inside of the element that they sign (XML Signature, enveloped).
//!
//! Only what SAML allows (core, 5.4): one signature as a child of the element, one reference to that
//! element's id, and as transforms the enveloped signature and one canonicalisation. The keys are those of
//! the provider's metadata; keys that a message brings along prove nothing and are not looked at.

use aws_lc_rs::{
    digest,
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ECDSA_P521_SHA512_FIXED,
        RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
        RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
        UnparsedPublicKey, VerificationAlgorithm,
    },
};
use chrono::{DateTime, Utc};
use roxmltree::Node;
use subtle::ConstantTimeEq as _;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::{Problem, c14n::Method, refuse, xml, xml::DSIG};

const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/// A key that a provider signs with.
#[derive(Clone, Debug)]
pub(super) struct TrustedKey {
    /// Its `SubjectPublicKeyInfo`.
    spki: Vec<u8>,
    from: i64,
    until: i64,
}

impl TrustedKey {
    pub(super) fn of_certificate(der: &[u8]) -> Result<Self, Problem> {
        let (_, certificate) = X509Certificate::from_der(der)
            .map_err(|_| Problem::new("a certificate cannot be read"))?;
        let validity = certificate.validity();
        Ok(Self {
            spki: certificate.public_key().raw.to_vec(),
            from: validity.not_before.timestamp(),
            until: validity.not_after.timestamp(),
        })
    }

    fn is_valid_at(&self, now: DateTime<Utc>) -> bool {
        (self.from..=self.until).contains(&now.timestamp())
    }
}

/// True when an element claims to be signed.
pub(super) fn is_signed(element: Node<'_, '_>) -> bool {
    xml::children(element, DSIG, "Signature").next().is_some()
}

/// The most nodes of what a signature says of itself; there are about a dozen.
const MAX_SIGNED_INFO: usize = 200;

/// Fails unless one of the keys signed this element as it is.
pub(super) fn verify(
    element: Node<'_, '_>,
    keys: &[TrustedKey],
    now: DateTime<Utc>,
) -> Result<(), Problem> {
    let signature = xml::required(element, DSIG, "Signature")?;
    let signed_info = xml::required(signature, DSIG, "SignedInfo")?;
    let value = xml::octets(xml::required(signature, DSIG, "SignatureValue")?)?;
    let method = xml::required(signed_info, DSIG, "CanonicalizationMethod")?;
    let method = Method::of(method)?
        .ok_or_else(|| Problem::new("an unknown canonicalisation of the signature"))?;
    let algorithm = xml::required(signed_info, DSIG, "SignatureMethod")?;
    let algorithm = signature_algorithm(xml::attribute(algorithm, "Algorithm"))?;
    // Nobody is known to have said this yet, so it must not be work.
    if signed_info.descendants().count() > MAX_SIGNED_INFO {
        return refuse("the signature has too many parts");
    }
    let text = method.apply(signed_info, None)?;
    let proves = |key: &TrustedKey| {
        UnparsedPublicKey::new(algorithm, &key.spki)
            .verify(text.as_bytes(), &value)
            .is_ok()
    };
    if !keys.iter().any(|key| key.is_valid_at(now) && proves(key)) {
        return refuse("the signature is of none of the provider's keys");
    }
    // From here on everything in SignedInfo is the provider's own words.
    let reference = xml::required(signed_info, DSIG, "Reference")?;
    check_target(element, reference)?;
    let transform = transform(reference)?;
    let digested = transform.apply(element, Some(signature))?;
    let algorithm = xml::required(reference, DSIG, "DigestMethod")?;
    let algorithm = digest_algorithm(xml::attribute(algorithm, "Algorithm"))?;
    let expected = xml::octets(xml::required(reference, DSIG, "DigestValue")?)?;
    let digest = digest::digest(algorithm, digested.as_bytes());
    if !bool::from(digest.as_ref().ct_eq(&expected)) {
        return refuse("the signed element was changed");
    }
    Ok(())
}

fn check_target(element: Node<'_, '_>, reference: Node<'_, '_>) -> Result<(), Problem> {
    let id = xml::attribute(element, "ID");
    let matches = match xml::optional(reference, "URI") {
        Some("") => element == element.document().root_element(),
        Some(uri) => uri
            .strip_prefix('#')
            .is_some_and(|target| !id.is_empty() && target == id),
        None => false,
    };
    if matches {
        return Ok(());
    }
    refuse("the signature is of another element")
}

/// What the digest was made of. The signature itself is always left out.
fn transform(reference: Node<'_, '_>) -> Result<Method, Problem> {
    let transforms = xml::required(reference, DSIG, "Transforms")?;
    let mut enveloped = false;
    let mut method = None;
    for transform in transforms.children().filter(Node::is_element) {
        if !xml::is(transform, DSIG, "Transform") {
            return refuse("an unknown transform");
        }
        if xml::attribute(transform, "Algorithm") == ENVELOPED && !enveloped && method.is_none() {
            enveloped = true;
        } else if let (Some(found), None) = (Method::of(transform)?, &method) {
            method = Some(found);
        } else {
            return refuse("an unknown transform");
        }
    }
    if !enveloped {
        return refuse("the signature is not an enveloped one");
    }
    Ok(method.unwrap_or_else(Method::inclusive))
}

/// SHA-1 is not among them: collisions can be bought.
fn signature_algorithm(name: &str) -> Result<&'static dyn VerificationAlgorithm, Problem> {
    Ok(match name {
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" => &RSA_PKCS1_2048_8192_SHA256,
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384" => &RSA_PKCS1_2048_8192_SHA384,
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" => &RSA_PKCS1_2048_8192_SHA512,
        "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1" => &RSA_PSS_2048_8192_SHA256,
        "http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1" => &RSA_PSS_2048_8192_SHA384,
        "http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1" => &RSA_PSS_2048_8192_SHA512,
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256" => &ECDSA_P256_SHA256_FIXED,
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384" => &ECDSA_P384_SHA384_FIXED,
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512" => &ECDSA_P521_SHA512_FIXED,
        _ => return refuse("the signature algorithm is not accepted"),
    })
}

fn digest_algorithm(name: &str) -> Result<&'static digest::Algorithm, Problem> {
    Ok(match name {
        "http://www.w3.org/2001/04/xmlenc#sha256" => &digest::SHA256,
        "http://www.w3.org/2001/04/xmldsig-more#sha384" => &digest::SHA384,
        "http://www.w3.org/2001/04/xmlenc#sha512" => &digest::SHA512,
        _ => return refuse("the digest algorithm is not accepted"),
    })
}
