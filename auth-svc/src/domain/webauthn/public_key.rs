//! The public key of a credential, and what was signed with it.

use aws_lc_rs::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use coset::iana::EnumI64 as _;
use coset::{Algorithm, CborSerializable as _, CoseKey, Label, cbor::value::Value as Cbor, iana};

use super::Failure;

/// The COSE algorithms that are accepted, most wanted first; go-webauthn's list.
pub(super) const ALGORITHMS: [i64; 10] = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8];

/// A key whose numbers are there and have the right length.
#[derive(Debug)]
pub(super) struct PublicKey {
    pub(super) algorithm: i64,
    numbers: Numbers,
}

#[derive(Debug)]
enum Numbers {
    /// An uncompressed point, or the one number of Ed25519.
    Curve(Vec<u8>),
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
}

const MALFORMED: Failure = Failure::Malformed("the public key cannot be read");

/// The field of a key under a number of the COSE registry.
fn field(key: &CoseKey, label: i64) -> Option<&Cbor> {
    let (_, value) = key
        .params
        .iter()
        .find(|(name, _)| *name == Label::Int(label))?;
    Some(value)
}

fn bytes(key: &CoseKey, label: i64) -> Result<&[u8], Failure> {
    field(key, label)
        .and_then(Cbor::as_bytes)
        .map(Vec::as_slice)
        .ok_or(MALFORMED)
}

fn check_curve(
    key: &CoseKey,
    kind: iana::KeyType,
    curve: iana::EllipticCurve,
) -> Result<(), Failure> {
    let found = field(key, iana::Ec2KeyParameter::Crv.to_i64())
        .and_then(Cbor::as_integer)
        .and_then(|number| i64::try_from(number).ok());
    if found == Some(curve.to_i64()) && key.kty == coset::KeyType::Assigned(kind) {
        Ok(())
    } else {
        Err(MALFORMED)
    }
}

/// The point in the form that aws-lc reads.
fn point(key: &CoseKey, curve: iana::EllipticCurve, length: usize) -> Result<Numbers, Failure> {
    check_curve(key, iana::KeyType::EC2, curve)?;
    let x = bytes(key, iana::Ec2KeyParameter::X.to_i64())?;
    let y = bytes(key, iana::Ec2KeyParameter::Y.to_i64())?;
    if x.len() != length || y.len() != length {
        return Err(MALFORMED);
    }
    Ok(Numbers::Curve([&[4], x, y].concat()))
}

fn rsa(key: &CoseKey) -> Result<Numbers, Failure> {
    if key.kty != coset::KeyType::Assigned(iana::KeyType::RSA) {
        return Err(MALFORMED);
    }
    let number = |label: iana::RsaKeyParameter| -> Result<Vec<u8>, Failure> {
        let bytes = bytes(key, label.to_i64())?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        Ok(bytes[zeros..].to_vec())
    };
    Ok(Numbers::Rsa {
        n: number(iana::RsaKeyParameter::N)?,
        e: number(iana::RsaKeyParameter::E)?,
    })
}

impl PublicKey {
    /// Reads a COSE key.
    pub(super) fn read(cose: &[u8]) -> Result<Self, Failure> {
        let key = CoseKey::from_slice(cose).map_err(|_| MALFORMED)?;
        let Some(Algorithm::Assigned(algorithm)) = key.alg else {
            return Err(MALFORMED);
        };
        let numbers = match algorithm.to_i64() {
            -7 => point(&key, iana::EllipticCurve::P_256, 32)?,
            -35 => point(&key, iana::EllipticCurve::P_384, 48)?,
            -36 => point(&key, iana::EllipticCurve::P_521, 66)?,
            -8 => {
                check_curve(&key, iana::KeyType::OKP, iana::EllipticCurve::Ed25519)?;
                let x = bytes(&key, iana::OkpKeyParameter::X.to_i64())?;
                if x.len() != 32 {
                    return Err(MALFORMED);
                }
                Numbers::Curve(x.to_vec())
            }
            other if ALGORITHMS.contains(&other) => rsa(&key)?,
            _ => return Err(Failure::Refused("an algorithm that was not offered")),
        };
        Ok(Self {
            algorithm: algorithm.to_i64(),
            numbers,
        })
    }

    /// Fails unless the message was signed with the other half of this key.
    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let valid = match &self.numbers {
            Numbers::Curve(point) => self.curve().is_some_and(|curve| {
                UnparsedPublicKey::new(curve, point)
                    .verify(message, signature)
                    .is_ok()
            }),
            Numbers::Rsa { n, e } => self.rsa().is_some_and(|parameters| {
                RsaPublicKeyComponents { n, e }
                    .verify(parameters, message, signature)
                    .is_ok()
            }),
        };
        if valid {
            Ok(())
        } else {
            Err(Failure::Refused("the signature is wrong"))
        }
    }

    fn curve(&self) -> Option<&'static dyn signature::VerificationAlgorithm> {
        Some(match self.algorithm {
            -7 => &signature::ECDSA_P256_SHA256_ASN1,
            -35 => &signature::ECDSA_P384_SHA384_ASN1,
            -36 => &signature::ECDSA_P521_SHA512_ASN1,
            -8 => &signature::ED25519,
            _ => return None,
        })
    }

    fn rsa(&self) -> Option<&'static RsaParameters> {
        Some(match self.algorithm {
            -257 => &signature::RSA_PKCS1_2048_8192_SHA256,
            -258 => &signature::RSA_PKCS1_2048_8192_SHA384,
            -259 => &signature::RSA_PKCS1_2048_8192_SHA512,
            -37 => &signature::RSA_PSS_2048_8192_SHA256,
            -38 => &signature::RSA_PSS_2048_8192_SHA384,
            -39 => &signature::RSA_PSS_2048_8192_SHA512,
            _ => return None,
        })
    }
}
