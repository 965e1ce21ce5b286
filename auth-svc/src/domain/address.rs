//! E-mail addresses and phone numbers, as they are accepted and stored.

use std::sync::LazyLock;

use regex::Regex;

use crate::error::Error;

/// What a mail address may look like; whether it exists is for the mail server to say.
#[expect(clippy::expect_used, reason = "a constant pattern")]
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
    )
    .expect("a valid pattern")
});

/// No mail server takes more before the @ (RFC 5321), and a mail that cannot be sent would be our failure.
const MAX_LOCAL: usize = 64;

/// The address in lower case, or why it is none.
pub fn email(text: &str) -> Result<String, Error> {
    if text.is_empty() {
        return Err(Error::invalid("An email address is required"));
    }
    if text.len() > 255 {
        return Err(Error::invalid("An email address is too long"));
    }
    let local = text.split_once('@').map_or(text, |(local, _)| local);
    if !EMAIL.is_match(text) || local.len() > MAX_LOCAL {
        return Err(Error::invalid(
            "Unable to validate email address: invalid format",
        ));
    }
    Ok(text.to_lowercase())
}

/// The number without its plus sign and spaces.
pub fn normalise_phone(text: &str) -> String {
    text.strip_prefix('+').unwrap_or(text).replace(' ', "")
}

/// The number as it is stored, or why it is none.
pub fn phone(text: &str) -> Result<String, Error> {
    let number = normalise_phone(text);
    let valid = (2..=15).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_digit())
        && !number.starts_with('0');
    if valid {
        Ok(number)
    } else {
        Err(Error::invalid(
            "Invalid phone number format (E.164 required)",
        ))
    }
}

/// True when mail may go to this address; a label after a plus sign is not looked at.
pub fn is_authorized(address: &str, allowed: &[String]) -> bool {
    if allowed.is_empty() {
        return true;
    }
    let unlabelled = match address.split_once('@') {
        Some((local, domain)) => {
            let local = local.split('+').next().unwrap_or(local);
            format!("{local}@{domain}")
        }
        None => address.to_owned(),
    };
    allowed
        .iter()
        .any(|allowed| allowed.eq_ignore_ascii_case(&unlabelled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_lowered() {
        assert_eq!(email("Ada@Example.COM").unwrap(), "ada@example.com");
        for wrong in [
            "",
            "a",
            "a@",
            "@b.c",
            "a b@c.de",
            "a@b..c",
            "a@b.c\r\nBcc: x@y.z",
        ] {
            assert!(email(wrong).is_err(), "{wrong:?}");
        }
        assert!(email(&format!("{}@example.com", "a".repeat(250))).is_err());
        assert!(email(&format!("{}@example.com", "a".repeat(65))).is_err());
        assert!(email(&format!("{}@example.com", "a".repeat(64))).is_ok());
    }

    #[test]
    fn numbers_follow_e164() {
        assert_eq!(phone("+91 98765 43210").unwrap(), "919876543210");
        for wrong in ["", "+", "0123", "12a", "1", "1234567890123456"] {
            assert!(phone(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn labels_do_not_matter_for_authorization() {
        let allowed = vec!["ada@example.com".to_owned()];
        assert!(is_authorized("ada+1@example.com", &allowed));
        assert!(!is_authorized("eve@example.com", &allowed));
        assert!(is_authorized("eve@example.com", &[]));
    }
}
