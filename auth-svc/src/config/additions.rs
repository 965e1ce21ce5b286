//! Reading what GoTrue has no settings for.

use std::{fmt, str::FromStr};

use svc_kit::env::Reader;

/// What this service can do and GoTrue cannot; all of it is off by default.
#[derive(Clone, Copy, Debug)]
pub struct Additions {
    /// `NILAM_AUTH_VERIFY_INTERSTITIAL`: a link in a mail opens a page with a button, and only the button
    /// uses the link up. Programs that open the links of all mails do not press it.
    pub verify_interstitial: bool,
    /// `NILAM_AUTH_PASSWORD_HASH`: how new passwords are hashed, `bcrypt` (default) or `argon2id`.
    pub password_hash: PasswordHash,
    /// `NILAM_AUTH_HOOKS_PUBLIC_ONLY`: hooks over HTTP are called at public addresses only, so that whoever may set them
    /// does not reach what only this machine or its network can reach.
    pub hooks_public_only: bool,
}

/// How new passwords are hashed. All forms are read whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PasswordHash {
    /// With cost 10, as GoTrue does.
    #[default]
    Bcrypt,
    /// `NILAM_AUTH_ARGON2ID`, default `m=19456,t=2,p=1`. GoTrue reads such hashes, too.
    Argon2id(Argon2Cost),
}

/// What one Argon2 hash costs, within what GoTrue reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Cost {
    /// Kibibytes, no more than 1 GiB.
    pub memory: u32,
    /// Passes, no more than 20.
    pub time: u32,
    /// Lanes, no more than 16.
    pub lanes: u32,
}

impl Argon2Cost {
    /// How much there is to do; more of either is slower for whoever guesses.
    pub fn work(self) -> u64 {
        u64::from(self.memory) * u64::from(self.time)
    }
}

/// The least that OWASP recommends.
impl Default for Argon2Cost {
    fn default() -> Self {
        Self {
            memory: 19_456,
            time: 2,
            lanes: 1,
        }
    }
}

impl fmt::Display for Argon2Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m={},t={},p={}", self.memory, self.time, self.lanes)
    }
}

impl FromStr for Argon2Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let mut fields = text.split(',');
            let mut field = |name: &str| {
                let digits = fields.next()?.strip_prefix(name)?;
                let plain = digits.bytes().all(|b| b.is_ascii_digit());
                plain.then(|| digits.parse().ok()).flatten()
            };
            let cost = Self {
                memory: field("m=")?,
                time: field("t=")?,
                lanes: field("p=")?,
            };
            fields.next().is_none().then_some(cost)
        };
        let cost = read().ok_or("expected m=<KiB>,t=<passes>,p=<lanes>")?;
        let bearable = cost.memory <= 1 << 20
            && (1..=20).contains(&cost.time)
            && (1..=16).contains(&cost.lanes)
            && cost.memory >= 8 * cost.lanes;
        if !bearable {
            return Err("m is at most 1048576 and at least 8 per lane, t 20, p 16".to_owned());
        }
        Ok(cost)
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Additions {
    let cost = r.parse_with(&["NILAM_AUTH_ARGON2ID"], Argon2Cost::from_str);
    let scheme = r.parse_with(&["NILAM_AUTH_PASSWORD_HASH"], |text| match text {
        "bcrypt" => Ok(PasswordHash::Bcrypt),
        "argon2id" => Ok(PasswordHash::Argon2id(cost.unwrap_or_default())),
        _ => Err("expected bcrypt or argon2id".to_owned()),
    });
    Additions {
        verify_interstitial: r.flag(&["NILAM_AUTH_VERIFY_INTERSTITIAL"], false),
        password_hash: scheme.unwrap_or_default(),
        hooks_public_only: r.flag(&["NILAM_AUTH_HOOKS_PUBLIC_ONLY"], false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_kit::env::Vars;

    fn scheme(vars: &[(&str, &str)]) -> Option<PasswordHash> {
        let vars: Vars = vars.iter().copied().collect();
        let mut reader = Reader::new(&vars);
        let additions = read(&mut reader);
        reader.finish().is_ok().then_some(additions.password_hash)
    }

    #[test]
    fn argon2id_has_to_be_chosen_and_its_cost_to_be_bearable() {
        const NAME: &str = "NILAM_AUTH_PASSWORD_HASH";
        assert_eq!(scheme(&[]), Some(PasswordHash::Bcrypt));
        let usual = Argon2Cost::default();
        assert_eq!(usual.to_string(), "m=19456,t=2,p=1");
        let chosen = Some(PasswordHash::Argon2id(usual));
        assert_eq!(scheme(&[(NAME, "argon2id")]), chosen);
        assert_eq!(scheme(&[(NAME, "scrypt")]), None);
        for (cost, fine) in [
            ("m=1048576,t=20,p=16", true),
            ("m=1048577,t=1,p=1", false),
            ("m=64,t=21,p=1", false),
            ("m=64,t=0,p=1", false),
            ("m=64,t=1,p=9", false),
            ("m=200,t=1,p=17", false),
            ("64,1,1", false),
        ] {
            let read = scheme(&[(NAME, "argon2id"), ("NILAM_AUTH_ARGON2ID", cost)]);
            assert_eq!(read.is_some(), fine, "{cost}");
        }
    }
}
