//! Codes of authenticator apps, RFC 6238 with what all apps know: SHA-1, six digits, thirty seconds.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use qrcode::{EcLevel, QrCode, render::svg};
use totp_rs::{Algorithm, Builder, Secret};

use crate::{domain::clock::Random, error::Error};

/// What a segment of a path may hold as it is; the rest is percent-encoded.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b':')
    .remove(b'=')
    .remove(b'@');
/// The same for a value of the query.
const QUERY: &AsciiSet = &SEGMENT.add(b'&').add(b'=').add(b'+');
/// The side of a module of a QR code; pixels.
const MODULE: u32 = 3;
/// 160 bits, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

/// A new secret in base32.
pub(super) fn secret(random: &dyn Random) -> String {
    let mut bytes = [0; SECRET_BYTES];
    random.fill(&mut bytes);
    Secret::from(bytes).to_base32()
}

/// The address that an app reads from a QR code.
pub(super) fn uri(issuer: &str, account: &str, secret: &str) -> String {
    let encode = |text, set| utf8_percent_encode(text, set).to_string();
    format!(
        "otpauth://totp/{}:{}?algorithm=SHA1&digits=6&issuer={}&period=30&secret={secret}",
        encode(issuer, SEGMENT),
        encode(account, SEGMENT),
        encode(issuer, QUERY),
    )
}

/// The address as a QR code in SVG. Its colours have names, because a `#` would end the data URI that
/// clients make of it.
pub(super) fn qr_code(uri: &str) -> Result<String, Error> {
    // The highest level that still has room: long names are rather harder to scan than refused.
    let code = [EcLevel::H, EcLevel::Q, EcLevel::M, EcLevel::L]
        .into_iter()
        .find_map(|level| QrCode::with_error_correction_level(uri, level).ok())
        .ok_or_else(|| Error::invalid("Error generating QR Code"))?;
    Ok(code
        .render::<svg::Color<'_>>()
        .module_dimensions(MODULE, MODULE)
        .dark_color(svg::Color("black"))
        .light_color(svg::Color("white"))
        .build())
}

/// True for the code of this half minute and of those before and after it; Unix seconds.
pub(super) fn is_valid(code: &str, secret: &str, now: i64) -> bool {
    let code = code.trim();
    if code.len() != 6 || !code.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    // Other implementations write base32 in lower case or with padding.
    let secret = secret.trim().trim_end_matches('=').to_uppercase();
    let (Ok(secret), Ok(now)) = (Secret::try_from_base32(secret), u64::try_from(now)) else {
        return false;
    };
    Builder::new()
        .with_algorithm(Algorithm::SHA1)
        .with_digits(6)
        .with_skew(1)
        .with_step_duration(30)
        .with_secret(secret)
        .build_noncompliant()
        .check(code, now)
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    /// "12345678901234567890", the secret of RFC 6238, appendix B.
    const RFC: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    #[test]
    fn codes_are_those_of_the_rfc_and_hold_for_a_step_on_either_side() {
        for (time, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (20_000_000_000, "353130"),
        ] {
            for (shift, expected) in [
                (0, true),
                (-30, true),
                (30, true),
                (90, false),
                (-90, false),
            ] {
                assert_eq!(
                    is_valid(code, RFC, time + shift),
                    expected && time + shift >= 0,
                    "{code} {shift}"
                );
            }
        }
        assert!(is_valid("287082", &RFC.to_lowercase(), 59));
        for wrong in ["", "28708", "2870820", "94287082", "28708a", "２８７０８２"] {
            assert!(!is_valid(wrong, RFC, 59), "{wrong}");
        }
        assert!(!is_valid("287082", "not base32!", 59));
    }

    #[test]
    fn a_secret_has_160_bits() {
        let secret = secret(&SystemRandom);
        assert_eq!(secret.len(), 32);
        assert_eq!(
            Secret::try_from_base32(&secret).unwrap().as_bytes().len(),
            20
        );
    }

    #[test]
    fn names_in_the_uri_cannot_end_their_place() {
        assert_eq!(
            uri("localhost:3000", "a@b.c", "AAAA"),
            "otpauth://totp/localhost:3000:a@b.c?algorithm=SHA1&digits=6&issuer=localhost:3000&period=30&secret=AAAA"
        );
        assert_eq!(
            uri("A & B/C", "x?y#z", "AAAA"),
            "otpauth://totp/A%20&%20B%2FC:x%3Fy%23z?algorithm=SHA1&digits=6&issuer=A%20%26%20B%2FC&period=30&secret=AAAA"
        );
    }

    #[test]
    fn the_picture_can_stand_in_a_data_uri() {
        let svg = qr_code(&uri("localhost", "a@b.c", RFC)).unwrap();
        assert!(svg.contains("<svg") && !svg.contains('#'), "{svg}");
        assert!(qr_code(&"x".repeat(3000)).is_err());
    }
}
