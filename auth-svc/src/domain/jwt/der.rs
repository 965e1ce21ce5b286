//! The few ASN.1 structures in which the cryptography library takes a private JWK.

const INTEGER: u8 = 0x02;
pub(in crate::domain) const BIT_STRING: u8 = 0x03;
pub(in crate::domain) const OCTET_STRING: u8 = 0x04;
pub(in crate::domain) const SEQUENCE: u8 = 0x30;

/// id-ecPublicKey with the curve prime256v1.
const P256: [u8; 21] = [
    0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
    0xce, 0x3d, 0x03, 0x01, 0x07,
];
/// id-Ed25519.
const ED25519: [u8; 7] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70];

/// One element with its tag and length.
pub(in crate::domain) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = content.len();
    if length < 128 {
        out.push(u8::try_from(length).unwrap_or(0));
    } else {
        let bytes = length.to_be_bytes();
        let start = bytes.iter().position(|b| *b != 0).unwrap_or(0);
        out.push(0x80 | u8::try_from(bytes.len() - start).unwrap_or(0));
        out.extend_from_slice(&bytes[start..]);
    }
    out.extend_from_slice(content);
    out
}

/// An unsigned number; a leading zero keeps it from being read as a negative one.
pub(in crate::domain) fn integer(magnitude: &[u8]) -> Vec<u8> {
    let start = magnitude
        .iter()
        .position(|b| *b != 0)
        .unwrap_or(magnitude.len());
    let mut content = Vec::with_capacity(magnitude.len() + 1);
    if magnitude.get(start).is_none_or(|b| b & 0x80 != 0) {
        content.push(0);
    }
    content.extend_from_slice(&magnitude[start..]);
    element(INTEGER, &content)
}

/// PKCS#1: version, modulus, exponents, primes and coefficients.
pub(super) fn rsa_private_key(numbers: &[Vec<u8>]) -> Vec<u8> {
    let content: Vec<u8> = numbers.iter().flat_map(|number| integer(number)).collect();
    element(SEQUENCE, &content)
}

/// PKCS#8 around the key's octets.
pub(in crate::domain) fn pkcs8(algorithm: &[u8], key: &[u8]) -> Vec<u8> {
    let content = [integer(&[]), algorithm.to_vec(), element(OCTET_STRING, key)].concat();
    element(SEQUENCE, &content)
}

pub(super) fn p256_private_key(d: &[u8], x: &[u8], y: &[u8]) -> Vec<u8> {
    let mut scalar = vec![0; 32_usize.saturating_sub(d.len())];
    scalar.extend_from_slice(d);
    let point = [&[0x00, 0x04], x, y].concat();
    let content = [
        integer(&[1]),
        element(OCTET_STRING, &scalar),
        element(0xa1, &element(BIT_STRING, &point)),
    ]
    .concat();
    pkcs8(&P256, &element(SEQUENCE, &content))
}

pub(super) fn ed25519_private_key(seed: &[u8]) -> Vec<u8> {
    pkcs8(&ED25519, &element(OCTET_STRING, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positive_and_short() {
        assert_eq!(integer(&[]), [2, 1, 0]);
        assert_eq!(integer(&[0, 0, 5]), [2, 1, 5]);
        assert_eq!(integer(&[0x80]), [2, 2, 0, 0x80]);
    }

    #[test]
    fn long_lengths_take_more_bytes() {
        assert_eq!(element(4, &[0; 200])[..3], [4, 0x81, 200]);
        assert_eq!(element(4, &[0; 300])[..4], [4, 0x82, 1, 44]);
    }
}
