//! Which names buckets and objects may have, and the other small grammars of requests.

use crate::error::{Error, Result};

/// The last part of a key that stands for an empty folder.
pub(crate) const EMPTY_FOLDER: &str = ".emptyFolderPlaceholder";
/// Buckets of the original's Iceberg catalog end so.
const RESERVED_SUFFIX: &str = "--table-s3";
const MAX_BUCKET: usize = 100;
/// What a route takes as a parameter.
const MAX_KEY: usize = 2500;

/// Which characters a key may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeyRules {
    /// The original's: a part of ASCII.
    #[default]
    Ascii,
    /// Every character that is not a control character.
    Unicode,
}

fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_!.*'() &$=@;:+,?-".contains(c)
}

impl KeyRules {
    fn allow(self, c: char) -> bool {
        match self {
            Self::Ascii => is_safe(c) || c == '/',
            Self::Unicode => !c.is_control(),
        }
    }

    /// Refuses a key that no object may have.
    pub(crate) fn check(self, key: &str) -> Result<()> {
        // A path of a file system must stay below its root whatever the backend is.
        let climbs = key.split('/').any(|part| matches!(part, "." | ".."));
        if climbs {
            return Err(Error::invalid_key(key));
        }
        self.check_characters(key)
    }

    /// Refuses a key with characters that no key has.
    pub(crate) fn check_characters(self, key: &str) -> Result<()> {
        let is_valid =
            !key.is_empty() && key.len() <= MAX_KEY && key.chars().all(|c| self.allow(c));
        if is_valid {
            Ok(())
        } else {
            Err(Error::invalid_key(key))
        }
    }
}

/// Refuses a name that no bucket may have.
pub(crate) fn check_bucket(name: &str) -> Result<()> {
    let climbs = matches!(name, "." | "..");
    if name.is_empty() || name.len() > MAX_BUCKET || climbs || !name.chars().all(is_safe) {
        return Err(Error::invalid_bucket_name(name));
    }
    Ok(())
}

/// Refuses a name that no new bucket may have.
pub(crate) fn check_new_bucket(name: &str) -> Result<()> {
    if name.trim().len() != name.len() || name.ends_with(RESERVED_SUFFIX) {
        return Err(Error::invalid_bucket_name(name));
    }
    check_bucket(name)
}

/// True for the key that stands for an empty folder: limits do not apply to it.
pub(crate) fn is_empty_folder(key: &str) -> bool {
    key.ends_with(EMPTY_FOLDER)
}

/// Reads `20MB`: decimal units, three significant digits.
pub(crate) fn parse_size(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let value: f64 = format!("{:.2e}", digits.parse::<f64>().ok()?)
        .parse()
        .ok()?;
    let factor = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "gb" => 1e9,
        "mb" => 1e6,
        "kb" => 1e3,
        "b" => 1.0,
        _ => return None,
    };
    Some(value * factor)
}

/// True for an entry of a bucket's list of media types: `image/png`, `image/*`, `text/plain;charset=utf-8`.
pub(crate) fn is_mime_pattern(text: &str) -> bool {
    const MAX: usize = 1000;
    if text.len() > MAX {
        return false;
    }
    if text.ends_with('*') {
        return true;
    }
    let is_token = |part: &str, extra: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
        !part.is_empty() && part.chars().all(fits)
    };
    let (kind, parameter) = match text.split_once(';') {
        Some((kind, parameter)) => (kind, Some(parameter.trim_start())),
        None => (text, None),
    };
    let parameter_fits = parameter.is_none_or(|parameter| {
        parameter
            .strip_prefix("charset=")
            .is_some_and(|set| is_token(set, "-"))
    });
    let kind_fits = kind
        .split_once('/')
        .is_some_and(|(kind, sub)| is_token(kind, "-+.") && is_token(sub, "-+."));
    kind_fits && parameter_fits
}

/// Refuses a media type that a bucket does not take. The whole value is compared, parameters included.
pub(crate) fn check_mime(mime: &str, allowed: &[String]) -> Result<()> {
    if allowed.is_empty() {
        return Ok(());
    }
    let parts = |text: &str| {
        let mut parts = text.split('/');
        let kind = parts.next().unwrap_or_default().to_owned();
        (kind, parts.next().map(str::to_owned))
    };
    let (kind, sub) = parts(mime);
    let fits = sub.is_some()
        && allowed.iter().any(|entry| {
            let (allowed_kind, allowed_sub) = parts(entry);
            allowed_kind == kind && (allowed_sub.as_deref() == Some("*") || allowed_sub == sub)
        });
    if fits {
        Ok(())
    } else {
        Err(Error::invalid_mime_type(mime))
    }
}

/// JavaScript's `encodeURIComponent`.
pub(crate) fn encode_uri_component(text: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'!')
        .remove(b'~')
        .remove(b'*')
        .remove(b'\'')
        .remove(b'(')
        .remove(b')');
    utf8_percent_encode(text, KEPT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_a_part_of_ascii_unless_widened() {
        for key in ["a", "a//b", "folder/", "a b & $@=;:+,?!*'().-_", "a..b/.c"] {
            assert!(KeyRules::Ascii.check(key).is_ok(), "{key}");
        }
        for key in [
            "", "é", "漢字", "a%b", "a#b", "a[b]", "a~b", "a\\b", "../a", "a/./b", "..",
        ] {
            assert!(KeyRules::Ascii.check(key).is_err(), "{key}");
        }
        assert!(KeyRules::Unicode.check("பெயர்/漢字 é~#[%].png").is_ok());
        assert!(KeyRules::Unicode.check("a\0b").is_err());
        assert!(KeyRules::Unicode.check("a/../b").is_err());
    }

    #[test]
    fn sizes_are_decimal_with_three_digits() {
        assert_eq!(parse_size("20MB"), Some(20e6));
        assert_eq!(parse_size("1.5gb"), Some(1.5e9));
        assert_eq!(parse_size("1234b"), Some(1230.0));
        for text in ["20", "MB", "1.MB", ".5MB", "1e3kb", "-1kb", "1tb", "1 mb"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }

    #[test]
    fn mime_types_are_compared_whole() {
        let allowed = ["image/*".to_owned(), "text/plain".to_owned()];
        assert!(check_mime("image/png", &allowed).is_ok());
        assert!(check_mime("text/plain", &allowed).is_ok());
        assert!(check_mime("text/plain; charset=utf-8", &allowed).is_err());
        assert!(check_mime("image", &allowed).is_err());
        assert!(check_mime("anything", &[]).is_ok());
        assert!(is_mime_pattern("image/*") && is_mime_pattern("text/plain; charset=utf-8"));
        assert!(!is_mime_pattern("image") && !is_mime_pattern("image/png; q=1"));
    }

    #[test]
    fn text_is_encoded_as_javascript_does() {
        for (text, encoded) in [
            ("a b(é)'.txt", "a%20b(%C3%A9)'.txt"),
            ("\";x=", "%22%3Bx%3D"),
            ("a/b c!(1)*'é+&", "a%2Fb%20c!(1)*'%C3%A9%2B%26"),
        ] {
            assert_eq!(encode_uri_component(text), encoded);
        }
    }
}
