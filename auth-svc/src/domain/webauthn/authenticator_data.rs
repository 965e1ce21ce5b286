//! What the authenticator itself says, which its signature covers.

use aws_lc_rs::digest;
use coset::cbor::{de::from_reader, value::Value as Cbor};
use uuid::Uuid;

use super::{Failure, credential::Flags};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const BACKUP_ELIGIBLE: u8 = 0x08;
const BACKUP_STATE: u8 = 0x10;
const ATTESTED: u8 = 0x40;
const EXTENSIONS: u8 = 0x80;
/// The specification's limit.
const MAX_CREDENTIAL_ID: usize = 1023;

/// The structure of section 6.1.
#[derive(Debug)]
pub(super) struct AuthenticatorData {
    rp_id_hash: [u8; 32],
    flags: u8,
    pub(super) sign_count: u32,
    pub(super) attested: Option<Attested>,
}

/// The credential that was made.
#[derive(Debug)]
pub(super) struct Attested {
    pub(super) aaguid: Uuid,
    pub(super) credential_id: Vec<u8>,
    /// A COSE key, as it came.
    pub(super) public_key: Vec<u8>,
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Failure> {
    let (head, tail) = rest
        .split_first_chunk::<N>()
        .ok_or(Failure::Malformed("authenticator data is too short"))?;
    *rest = tail;
    Ok(*head)
}

/// One CBOR item, as the bytes that it is made of.
fn item<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Failure> {
    let before = *rest;
    from_reader::<Cbor, _>(&mut *rest)
        .map_err(|_| Failure::Malformed("authenticator data holds no CBOR"))?;
    Ok(&before[..before.len() - rest.len()])
}

impl AuthenticatorData {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let mut rest = bytes;
        let rp_id_hash = take(&mut rest)?;
        let [flags] = take(&mut rest)?;
        let sign_count = u32::from_be_bytes(take(&mut rest)?);
        let attested = if flags & ATTESTED == 0 {
            None
        } else {
            Some(Attested::read(&mut rest)?)
        };
        if flags & EXTENSIONS != 0 {
            item(&mut rest)?;
        }
        if !rest.is_empty() {
            return Err(Failure::Malformed("authenticator data is too long"));
        }
        Ok(Self {
            rp_id_hash,
            flags,
            sign_count,
            attested,
        })
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn flags(&self) -> Flags {
        Flags {
            user_present: self.has(USER_PRESENT),
            user_verified: self.has(USER_VERIFIED),
            backup_eligible: self.has(BACKUP_ELIGIBLE),
            backup_state: self.has(BACKUP_STATE),
        }
    }

    /// Fails unless this is about the relying party and somebody was there.
    pub(super) fn check(&self, rp_id: &str, verified: bool) -> Result<(), Failure> {
        let expected = digest::digest(&digest::SHA256, rp_id.as_bytes());
        if self.rp_id_hash != *expected.as_ref() {
            return Err(Failure::Refused("another relying party"));
        }
        if !self.has(USER_PRESENT) {
            return Err(Failure::Refused("nobody was present"));
        }
        if verified && !self.has(USER_VERIFIED) {
            return Err(Failure::Refused("nobody was verified"));
        }
        if self.has(BACKUP_STATE) && !self.has(BACKUP_ELIGIBLE) {
            return Err(Failure::Refused("a backup of what cannot be backed up"));
        }
        Ok(())
    }
}

impl Attested {
    fn read(rest: &mut &[u8]) -> Result<Self, Failure> {
        let aaguid = Uuid::from_bytes(take(rest)?);
        let length = usize::from(u16::from_be_bytes(take(rest)?));
        if length == 0 || length > MAX_CREDENTIAL_ID || length > rest.len() {
            return Err(Failure::Malformed("the credential id has a wrong length"));
        }
        let (credential_id, tail) = rest.split_at(length);
        *rest = tail;
        Ok(Self {
            aaguid,
            credential_id: credential_id.to_vec(),
            public_key: item(rest)?.to_vec(),
        })
    }
}
