//! Assertions that were sealed for us (XML Encryption): AES in CBC or GCM, its key under RSA-OAEP.
//!
//! RSA with the padding of PKCS#1 1.5 is left out, because it lets whoever can ask often enough read what
//! was sealed.

use aws_lc_rs::{
    aead::{AES_128_GCM, AES_192_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    cipher::{AES_128, AES_192, AES_256, DecryptingKey, DecryptionContext, UnboundCipherKey},
    error::Unspecified,
    iv::FixedLength,
    rsa::{
        OAEP_SHA1_MGF1SHA1, OAEP_SHA256_MGF1SHA256, OAEP_SHA384_MGF1SHA384, OAEP_SHA512_MGF1SHA512,
        OaepAlgorithm,
    },
};
use roxmltree::Node;

use super::{
    Problem,
    key::Key,
    refuse, xml,
    xml::{DSIG, XENC},
};

const BLOCK: usize = 16;
const NONCE: usize = 12;
/// So many recipients' keys are looked at.
const MAX_KEYS: usize = 8;

/// What was wrong inside is never told apart: it would answer questions about the secret.
fn sealed(_: Unspecified) -> Problem {
    Problem::new("the assertion cannot be decrypted")
}

/// The text inside of an `EncryptedAssertion`.
pub(super) fn decrypt(encrypted: Node<'_, '_>, keys: &[&Key]) -> Result<String, Problem> {
    let data = xml::required(encrypted, XENC, "EncryptedData")?;
    let algorithm = method(data)?;
    let ciphertext = ciphertext(data)?;
    let inside = xml::child(data, DSIG, "KeyInfo")?
        .map(|info| xml::children(info, XENC, "EncryptedKey").collect::<Vec<_>>());
    let wrapped: Vec<_> = inside
        .unwrap_or_default()
        .into_iter()
        .chain(xml::children(encrypted, XENC, "EncryptedKey"))
        .take(MAX_KEYS)
        .collect();
    if wrapped.is_empty() {
        return refuse("the assertion is encrypted without a key");
    }
    for (wrapped, key) in wrapped
        .iter()
        .flat_map(|wrapped| keys.iter().map(move |key| (*wrapped, *key)))
    {
        let Ok(content_key) = unwrap(wrapped, key) else {
            continue;
        };
        let plain = open(algorithm, &content_key, &ciphertext)?;
        return String::from_utf8(plain).map_err(|_| sealed(Unspecified));
    }
    Err(sealed(Unspecified))
}

fn method<'a>(node: Node<'a, '_>) -> Result<&'a str, Problem> {
    let method = xml::required(node, XENC, "EncryptionMethod")?;
    Ok(xml::attribute(method, "Algorithm"))
}

fn ciphertext(node: Node<'_, '_>) -> Result<Vec<u8>, Problem> {
    let data = xml::required(node, XENC, "CipherData")?;
    xml::octets(xml::required(data, XENC, "CipherValue")?)
}

fn unwrap(wrapped: Node<'_, '_>, key: &Key) -> Result<Vec<u8>, Problem> {
    let method = xml::required(wrapped, XENC, "EncryptionMethod")?;
    match xml::attribute(method, "Algorithm") {
        "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
        | "http://www.w3.org/2009/xmlenc11#rsa-oaep" => {}
        _ => return refuse("the key's encryption is not accepted"),
    }
    let digest = xml::child(method, DSIG, "DigestMethod")?;
    let algorithm = oaep(digest.map(|node| xml::attribute(node, "Algorithm")))?;
    key.decrypt(algorithm, &ciphertext(wrapped)?)
        .map_err(sealed)
}

/// One hash for both of the parts, as identity providers use it.
fn oaep(digest: Option<&str>) -> Result<&'static OaepAlgorithm, Problem> {
    Ok(match digest {
        None | Some("http://www.w3.org/2000/09/xmldsig#sha1") => &OAEP_SHA1_MGF1SHA1,
        Some("http://www.w3.org/2001/04/xmlenc#sha256") => &OAEP_SHA256_MGF1SHA256,
        Some("http://www.w3.org/2001/04/xmldsig-more#sha384") => &OAEP_SHA384_MGF1SHA384,
        Some("http://www.w3.org/2001/04/xmlenc#sha512") => &OAEP_SHA512_MGF1SHA512,
        Some(_) => return refuse("the key's digest is not accepted"),
    })
}

fn open(algorithm: &str, key: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>, Problem> {
    let cipher = match algorithm {
        "http://www.w3.org/2001/04/xmlenc#aes128-cbc" => &AES_128,
        "http://www.w3.org/2001/04/xmlenc#aes192-cbc" => &AES_192,
        "http://www.w3.org/2001/04/xmlenc#aes256-cbc" => &AES_256,
        "http://www.w3.org/2009/xmlenc11#aes128-gcm" => return gcm(&AES_128_GCM, key, ciphertext),
        "http://www.w3.org/2009/xmlenc11#aes192-gcm" => return gcm(&AES_192_GCM, key, ciphertext),
        "http://www.w3.org/2009/xmlenc11#aes256-gcm" => return gcm(&AES_256_GCM, key, ciphertext),
        _ => return refuse("the encryption is not accepted"),
    };
    let (iv, data) = ciphertext
        .split_first_chunk::<BLOCK>()
        .ok_or_else(|| sealed(Unspecified))?;
    let key = UnboundCipherKey::new(cipher, key).map_err(sealed)?;
    let key = DecryptingKey::cbc(key).map_err(sealed)?;
    let mut data = data.to_vec();
    let context = DecryptionContext::Iv128(FixedLength::from(*iv));
    key.decrypt(&mut data, context).map_err(sealed)?;
    // The last octet says how many are padding; the others may be anything.
    let padding = data.last().map_or(0, |last| usize::from(*last));
    if !(1..=BLOCK).contains(&padding) || padding > data.len() {
        return Err(sealed(Unspecified));
    }
    data.truncate(data.len() - padding);
    Ok(data)
}

fn gcm(
    algorithm: &'static aws_lc_rs::aead::Algorithm,
    key: &[u8],
    ciphertext: &[u8],
) -> Result<Vec<u8>, Problem> {
    let (nonce, data) = ciphertext
        .split_first_chunk::<NONCE>()
        .ok_or_else(|| sealed(Unspecified))?;
    let key = LessSafeKey::new(UnboundKey::new(algorithm, key).map_err(sealed)?);
    let mut data = data.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let plain = key
        .open_in_place(nonce, Aad::empty(), &mut data)
        .map_err(sealed)?;
    Ok(plain.to_vec())
}
