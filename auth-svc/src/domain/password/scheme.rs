//! The forms that hashes of passwords have: those that this service makes, and those that users bring along
//! from elsewhere.

use argon2::{Algorithm, Argon2, Params, Version};
use aws_lc_rs::{
    cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey},
    iv::FixedLength,
    rand,
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};
use subtle::ConstantTimeEq as _;

use crate::config::{Argon2Cost, PasswordHash};

/// The work factor of new bcrypt hashes, which is GoTrue's.
const BCRYPT_COST: u32 = 10;
/// bcrypt looks at no more than this many bytes.
pub(super) const BCRYPT_BYTES: usize = 72;
/// A bcrypt hash that belongs to nobody.
const BCRYPT_OF_NOBODY: &str = "$2b$10$abcdefghijklmnopqrstuu5Lh9HlPsTCKFP9S5cV3rLwUpkQyWkUi";
const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;
/// The dearest bcrypt hash that is compared with.
const MAX_BCRYPT_COST: u32 = 16;
/// The most memory that checking a Firebase hash may take; bytes.
const MAX_SCRYPT_MEMORY: u64 = 1 << 30;

/// Why a hash was not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error("bcrypt: {0}")]
    Bcrypt(#[from] bcrypt::BcryptError),
    #[error("argon2: {0}")]
    Argon2(argon2::Error),
    #[error("there is no randomness")]
    Random,
}

/// The hash of a new password.
pub(super) fn make(scheme: PasswordHash, password: &str) -> Result<String, Problem> {
    match scheme {
        PasswordHash::Bcrypt => {
            let bytes = password.as_bytes();
            let seen = &bytes[..bytes.len().min(BCRYPT_BYTES)];
            Ok(bcrypt::hash(seen, BCRYPT_COST)?)
        }
        PasswordHash::Argon2id(cost) => {
            let mut salt = [0; SALT_BYTES];
            rand::fill(&mut salt).map_err(|_| Problem::Random)?;
            let new = Argon2Hash {
                algorithm: Algorithm::Argon2id,
                cost,
                salt: salt.to_vec(),
                hash: vec![0; HASH_BYTES],
            };
            let hash = new.derive(password).map_err(Problem::Argon2)?;
            Ok(Argon2Hash { hash, ..new }.written())
        }
    }
}

/// What is compared with when there is no account, so that an unknown address takes as long as a known one.
pub(super) fn of_nobody(scheme: PasswordHash) -> String {
    match scheme {
        PasswordHash::Bcrypt => BCRYPT_OF_NOBODY.to_owned(),
        PasswordHash::Argon2id(cost) => Argon2Hash {
            algorithm: Algorithm::Argon2id,
            cost,
            salt: vec![0; SALT_BYTES],
            hash: vec![0; HASH_BYTES],
        }
        .written(),
    }
}

/// True when the password belongs to the hash.
pub(super) fn verify(password: &str, hash: &str) -> bool {
    if hash.starts_with("$argon2") {
        let derived = Argon2Hash::read(hash).map(|known| (known.derive(password), known.hash));
        return matches!(derived, Some((Ok(derived), known)) if is_same(&derived, &known));
    }
    if hash.starts_with("$fbscrypt") {
        let derived = FirebaseHash::read(hash).and_then(|known| {
            let derived = known.derive(password)?;
            Some(is_same(&derived, &known.hash))
        });
        return derived.unwrap_or(false);
    }
    is_bcrypt(hash) && bcrypt::verify(password.as_bytes(), hash).unwrap_or(false)
}

/// A bcrypt hash that can be compared with within a few seconds. Each step of the cost doubles them.
fn is_bcrypt(hash: &str) -> bool {
    let is_affordable = |parts: bcrypt::HashParts| parts.get_cost() <= MAX_BCRYPT_COST;
    hash.len() == 60
        && ["$2a$", "$2b$", "$2y$"]
            .iter()
            .any(|prefix| hash.starts_with(prefix))
        && hash.parse().is_ok_and(is_affordable)
}

fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

/// True for hashes that can be checked here.
pub(super) fn is_readable(hash: &str) -> bool {
    if hash.starts_with("$argon2") {
        return Argon2Hash::read(hash).is_some();
    }
    if hash.starts_with("$fbscrypt") {
        return FirebaseHash::read(hash).is_some();
    }
    is_bcrypt(hash)
}

/// True when a hash is weaker than those that are made now. With bcrypt, as in the original, all are left as
/// they are.
pub(super) fn is_outdated(scheme: PasswordHash, hash: &str) -> bool {
    let PasswordHash::Argon2id(wanted) = scheme else {
        return false;
    };
    !hash.is_empty()
        && Argon2Hash::read(hash).is_none_or(|known| {
            known.algorithm != Algorithm::Argon2id || known.cost.work() < wanted.work()
        })
}

/// An Argon2 hash in the PHC string format.
struct Argon2Hash {
    algorithm: Algorithm,
    cost: Argon2Cost,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl Argon2Hash {
    /// Nothing for what the original does not read: other variants, version 16, keys, data, or costs that
    /// would be too much for a sign-in.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('$')?.split('$');
        let algorithm = match parts.next()? {
            "argon2i" => Algorithm::Argon2i,
            "argon2id" => Algorithm::Argon2id,
            _ => return None,
        };
        if parts.next()? != "v=19" {
            return None;
        }
        let cost = parts.next()?.parse().ok()?;
        let salt = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
        let hash = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
        let read = Self {
            algorithm,
            cost,
            salt,
            hash,
        };
        let complete = parts.next().is_none()
            && read.salt.len() >= argon2::MIN_SALT_LEN
            && read.params().is_ok();
        complete.then_some(read)
    }

    fn params(&self) -> Result<Params, argon2::Error> {
        let Argon2Cost {
            memory,
            time,
            lanes,
        } = self.cost;
        Params::new(memory, time, lanes, Some(self.hash.len()))
    }

    fn derive(&self, password: &str) -> Result<Vec<u8>, argon2::Error> {
        let argon2 = Argon2::new(self.algorithm, Version::V0x13, self.params()?);
        let mut derived = vec![0; self.hash.len()];
        argon2.hash_password_into(password.as_bytes(), &self.salt, &mut derived)?;
        Ok(derived)
    }

    fn written(&self) -> String {
        format!(
            "${}$v=19${}${}${}",
            self.algorithm.as_str(),
            self.cost,
            STANDARD_NO_PAD.encode(&self.salt),
            STANDARD_NO_PAD.encode(&self.hash)
        )
    }
}

/// A hash of Firebase's own scrypt: the key that scrypt gives encrypts the key of the project.
struct FirebaseHash {
    params: scrypt::Params,
    salt: Vec<u8>,
    signer_key: Vec<u8>,
    hash: Vec<u8>,
}

impl FirebaseHash {
    /// Reads `$fbscrypt$v=1,n=14,r=8,p=1,ss=<separator>,sk=<signer key>$<salt>$<hash>`.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("$fbscrypt$")?.split('$');
        let mut fields = parts.next()?.split(',');
        let mut field = |name: &str| fields.next()?.strip_prefix(name);
        if field("v=")? != "1" {
            return None;
        }
        let n: u8 = field("n=")?.parse().ok()?;
        let r: u32 = field("r=")?.parse().ok()?;
        let p: u32 = field("p=")?.parse().ok()?;
        let (mut separator, mut signer_key) = (Vec::new(), Vec::new());
        for rest in fields {
            let (name, value) = rest.split_once('=')?;
            let value = STANDARD.decode(value).ok()?;
            match name {
                "ss" => separator = value,
                "sk" => signer_key = value,
                _ => return None,
            }
        }
        let mut salt = STANDARD.decode(parts.next()?).ok()?;
        let hash = STANDARD.decode(parts.next()?).ok()?;
        salt.extend(separator);
        let memory = 1_u64
            .checked_shl(n.into())?
            .checked_mul(u64::from(r))?
            .checked_mul(128)?;
        // Each lane has blocks of its own beside the table, and each pass over it takes as long again.
        let blocks = u64::from(r)
            .checked_mul(128)?
            .checked_mul(u64::from(p) + 1)?;
        let needed = memory.checked_add(blocks)?;
        let bearable = needed <= MAX_SCRYPT_MEMORY && (1..=16).contains(&p);
        if parts.next().is_some() || n == 0 || hash.is_empty() || !bearable {
            return None;
        }
        Some(Self {
            params: scrypt::Params::new(n, r, p, HASH_BYTES).ok()?,
            salt,
            signer_key,
            hash,
        })
    }

    fn derive(&self, password: &str) -> Option<Vec<u8>> {
        let mut key = [0; HASH_BYTES];
        scrypt::scrypt(password.as_bytes(), &self.salt, &self.params, &mut key).ok()?;
        let key = UnboundCipherKey::new(&AES_256, &key).ok()?;
        let mut derived = self.signer_key.clone();
        // Every key is used once, so the original's counter can begin at nought.
        let counter = EncryptionContext::Iv128(FixedLength::from([0; 16]));
        EncryptingKey::ctr(key)
            .ok()?
            .less_safe_encrypt(&mut derived, counter)
            .ok()?;
        Some(derived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNER: &str =
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==";

    fn firebase(fields: &str, salt: &str, hash: &str) -> String {
        format!("$fbscrypt${fields},sk={SIGNER}${salt}${hash}")
    }

    #[test]
    fn hashes_of_other_programs_are_read() {
        // Argon2 by argon2-cffi 25 (the reference implementation in C).
        let i = "$argon2i$v=19$m=256,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$BrUsllZA4ImdTPqwHI7P3WZCwiVVBBXuuTIuEbrDn+4";
        let id = "$argon2id$v=19$m=256,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$USEex5GkBPi8iVdvcybwmsgcBlH/R42wvXzlHd+3IB0";
        let short = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$ZIWbtmki3IPrMRAvEaXyVA";
        // Firebase's published example, and one by Python's hashlib and cryptography.
        let published = firebase(
            "v=1,n=14,r=8,p=1,ss=Bw==",
            "42xEC+ixf3L2lw==",
            "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        );
        let small = firebase(
            "v=1,n=4,r=1,p=2",
            "42xEC+ixf3L2lw==",
            "ec9KdGoSytBZbOcnuPNeH1oZSWfuplHXSjvcXiSsoFUE4MrLgOVWrMHzdll00Oxs6TXF6JIvkUikf9ZGC4CoHw==",
        );
        for (password, hash) in [
            ("correct horse", i),
            ("correct horse", id),
            ("पासवर्ड", short),
            ("user1password", &published),
            ("user1password", &small),
        ] {
            assert!(is_readable(hash), "{hash}");
            assert!(verify(password, hash), "{hash}");
            for wrong in ["", "correct horsf", "User1password"] {
                assert!(!verify(wrong, hash), "{hash}");
            }
        }
    }

    #[test]
    fn what_the_original_does_not_read_is_refused() {
        let end = "MDEyMzQ1Njc4OWFiY2RlZg$USEex5GkBPi8iVdvcybwmsgcBlH/R42wvXzlHd+3IB0";
        let argon2 = |rest: &str| format!("$argon2{rest}${end}");
        let salt = "42xEC+ixf3L2lw==";
        let mut refused: Vec<String> = [
            "d$v=19$m=256,t=3,p=4",
            "id$v=16$m=256,t=3,p=4",
            "id$m=256,t=3,p=4",
            "id$v=19$m=1048577,t=1,p=1",
            "id$v=19$m=256,t=21,p=4",
            "id$v=19$m=256,t=0,p=4",
            "id$v=19$m=256,t=3,p=17",
            "id$v=19$m=256,t=3,p=0",
            "id$v=19$m=256,t=3,p=4,keyid=Zm9v",
            "id$v=19$m=256,t=3",
            "id$v=19$t=3,m=256,p=4",
            "id$v=19$m=+256,t=3,p=4",
        ]
        .into_iter()
        .map(argon2)
        .collect();
        refused.extend(
            [
                "v=2,n=14,r=8,p=1",
                "v=1,n=0,r=8,p=1",
                "v=1,n=14,r=0,p=1",
                "v=1,n=14,r=8,p=0",
                "v=1,n=24,r=8,p=1",
                "v=1,n=64,r=8,p=1",
                "v=1,n=14,r=8,p=17",
                "v=1,n=14,r=8",
            ]
            .map(|fields| firebase(fields, salt, "lSrfV15cpx8=")),
        );
        refused.push("$argon2id$v=19$m=256,t=3,p=4$$AAAA".to_owned());
        refused.push("$fbscrypt$v=1,n=14,r=8,p=1$not base64$AAAA".to_owned());
        refused.push("plain".to_owned());
        for hash in refused {
            assert!(!is_readable(&hash), "{hash}");
            assert!(!verify("correct horse", &hash), "{hash}");
        }
    }

    #[test]
    fn the_hash_of_nobody_takes_as_long_as_others_and_belongs_to_nobody() {
        let cost: Argon2Cost = "m=64,t=1,p=1".parse().unwrap();
        for scheme in [PasswordHash::Bcrypt, PasswordHash::Argon2id(cost)] {
            let nobody = of_nobody(scheme);
            assert!(is_readable(&nobody), "{nobody}");
            let made = make(scheme, "x").unwrap();
            // Algorithm and cost, which the time depends on.
            let cost = |hash: &str| hash.split('$').nth(3).map(str::to_owned);
            assert_eq!(nobody.len(), made.len());
            if scheme != PasswordHash::Bcrypt {
                assert_eq!(cost(&nobody), cost(&made));
            }
            assert!(!verify("", &nobody));
        }
        assert!(bcrypt::verify("x", BCRYPT_OF_NOBODY).is_ok());
    }

    #[test]
    fn new_hashes_are_argon2id_where_that_was_chosen() {
        let cost: Argon2Cost = "m=64,t=2,p=1".parse().unwrap();
        let scheme = PasswordHash::Argon2id(cost);
        let (one, other) = (make(scheme, "secret12"), make(scheme, "secret12"));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!(one.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{one}");
        assert_ne!(one, other);
        assert!(verify("secret12", &one) && !verify("secret13", &one));
        assert!(!is_outdated(scheme, &one));
        let end = "$MDEyMzQ1Njc4OWFiY2RlZg$USEex5GkBPi8iVdvcybwmsgcBlH/R42wvXzlHd+3IB0";
        for (hash, outdated) in [
            (BCRYPT_OF_NOBODY.to_owned(), true),
            (format!("$argon2i$v=19$m=4096,t=3,p=1{end}"), true),
            (format!("$argon2id$v=19$m=64,t=1,p=1{end}"), true),
            (format!("$argon2id$v=19$m=32,t=4,p=1{end}"), false),
            (format!("$argon2id$v=19$m=4096,t=3,p=1{end}"), false),
        ] {
            assert_eq!(is_outdated(scheme, &hash), outdated, "{hash}");
            assert!(!is_outdated(PasswordHash::Bcrypt, &hash), "{hash}");
        }
    }
}
