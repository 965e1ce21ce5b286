//! The certificate of a project whose API is served by HTTPS.

use std::{
    fs,
    io::Write as _,
    net::IpAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, bail};
use rcgen::{
    CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, PublicKeyData,
    SanType,
};
use x509_parser::{extensions::GeneralName, pem::Pem};

use super::Project;
use crate::progress::Progress;

/// PEM files.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Project {
    /// What the project wants its API to be served with, if it wants HTTPS: its own files, or those that are made for this
    /// machine at the first start and kept with the data, until they end or the address becomes another.
    pub(crate) fn certificate(
        &self,
        host: IpAddr,
        data_dir: &Path,
        progress: &Progress,
    ) -> anyhow::Result<Option<Certificate>> {
        let tls = &self.config.api.tls;
        if !tls.enabled {
            return Ok(None);
        }
        match (tls.cert_path.as_str(), tls.key_path.as_str()) {
            ("", "") => {}
            ("", _) => bail!("Missing required field in config: api.tls.cert_path"),
            (_, "") => bail!("Missing required field in config: api.tls.key_path"),
            (certificate, key) => {
                return Ok(Some(Certificate {
                    certificate: self.resolve(certificate),
                    key: self.resolve(key),
                }));
            }
        }
        let made = Certificate {
            certificate: data_dir.join("api-certificate.pem"),
            key: data_dir.join("api-key.pem"),
        };
        let names = names(host)?;
        if !made.serves(&names) {
            made.make(names)
                .context("a certificate for the API cannot be made")?;
        }
        progress.say(format!(
            "The API's certificate is in {}; clients have to be told to trust it.",
            made.certificate.display()
        ));
        Ok(Some(made))
    }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Apple's systems refuse certificates of more than 825 days, even those that somebody told them to trust.
const VALID_FOR: Duration = DAY.saturating_mul(730);
/// A certificate that ends earlier is made anew: the stack may run for a while.
const LEAST_LEFT: Duration = DAY.saturating_mul(30);

/// What clients on this machine call the API, and the address that others reach it by.
fn names(host: IpAddr) -> anyhow::Result<Vec<SanType>> {
    let mut names = CertificateParams::new(
        ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec(),
    )?
    .subject_alt_names;
    if !host.is_unspecified() && !host.is_loopback() {
        names.push(SanType::IpAddress(host));
    }
    Ok(names)
}

impl Certificate {
    /// Whether there is a pair that belongs together, names all of `names`, and is good for some time.
    fn serves(&self, names: &[SanType]) -> bool {
        let Ok(Some((certificate, key))) = self.read() else {
            return false;
        };
        let Ok(certificate) = certificate.parse_x509() else {
            return false;
        };
        let soon = (SystemTime::now() + LEAST_LEFT)
            .duration_since(UNIX_EPOCH)
            .map_or(u64::MAX, |since| since.as_secs());
        let end = certificate.validity().not_after.timestamp();
        let is_lasting = u64::try_from(end).is_ok_and(|end| end > soon);
        let is_pair = certificate.public_key().raw == key.subject_public_key_info();
        let is_for_servers = certificate
            .extended_key_usage()
            .is_ok_and(|usage| usage.is_some_and(|usage| usage.value.server_auth));
        let named = certificate.subject_alternative_name().ok().flatten();
        let has = |name: &SanType| {
            named.as_ref().is_some_and(|named| {
                named
                    .value
                    .general_names
                    .iter()
                    .any(|found| is_same(found, name))
            })
        };
        is_lasting && is_pair && is_for_servers && names.iter().all(has)
    }

    fn read(&self) -> anyhow::Result<Option<(Pem, KeyPair)>> {
        if !(self.certificate.is_file() && self.key.is_file()) {
            return Ok(None);
        }
        let (_, certificate) = x509_parser::pem::parse_x509_pem(&fs::read(&self.certificate)?)?;
        let key = KeyPair::from_pem(&fs::read_to_string(&self.key)?)?;
        Ok(Some((certificate, key)))
    }

    fn make(&self, names: Vec<SanType>) -> anyhow::Result<()> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        let now = SystemTime::now();
        // The clock of a client in the same room may be behind.
        params.not_before = (now - DAY).into();
        params.not_after = (now + VALID_FOR).into();
        params
            .distinguished_name
            .push(DnType::CommonName, "localhost");
        params.subject_alt_names = names;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.self_signed(&key)?;
        // Whatever is interrupted leaves two files that do not belong together, which the next start sees.
        write(&self.key, &key.serialize_pem(), 0o600)?;
        write(&self.certificate, &certificate.pem(), 0o644)
    }
}

fn is_same(found: &GeneralName, wanted: &SanType) -> bool {
    match (found, wanted) {
        (GeneralName::DNSName(found), SanType::DnsName(wanted)) => *found == wanted.as_str(),
        (GeneralName::IPAddress(found), SanType::IpAddress(IpAddr::V4(wanted))) => {
            *found == wanted.octets()
        }
        (GeneralName::IPAddress(found), SanType::IpAddress(IpAddr::V6(wanted))) => {
            *found == wanted.octets()
        }
        _ => false,
    }
}

/// Puts the whole text in the file's place.
fn write(path: &Path, text: &str, mode: u32) -> anyhow::Result<()> {
    let folder = path.parent().context("a file is in a folder")?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use svc_kit::env::Vars;

    use super::*;
    use crate::project::Config;

    const HOST: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn certificate(text: &str, data_dir: &Path) -> anyhow::Result<Option<Certificate>> {
        let (config, unknown) = Config::parse(text, &Vars::default()).unwrap();
        assert_eq!(unknown, Vec::<String>::new());
        let root = PathBuf::from("/project");
        Project { root, config }.certificate(HOST, data_dir, &Progress::default())
    }

    #[test]
    fn a_made_certificate_is_for_servers_and_ends_and_is_made_anew_when_it_does_not_serve() {
        let data = tempfile::tempdir().unwrap();
        let made = Certificate {
            certificate: data.path().join("cert.pem"),
            key: data.path().join("key.pem"),
        };
        let here = names(HOST).unwrap();
        assert!(!made.serves(&here));
        made.make(here.clone()).unwrap();
        assert!(made.serves(&here));
        let text = fs::read(&made.certificate).unwrap();
        let (_, text) = x509_parser::pem::parse_x509_pem(&text).unwrap();
        let read = text.parse_x509().unwrap();
        let days = (read.validity().not_after - read.validity().not_before).unwrap();
        assert!(days.whole_days() < 825, "{days}");
        assert!(!read.is_ca());

        // Another address is not in it, and what is made for that is good here too.
        let lan = names("192.0.2.7".parse().unwrap()).unwrap();
        assert!(!made.serves(&lan));
        made.make(lan.clone()).unwrap();
        assert!(made.serves(&lan) && made.serves(&here));
        let six = names("2001:db8::7".parse().unwrap()).unwrap();
        made.make(six.clone()).unwrap();
        assert!(made.serves(&six) && !made.serves(&lan));

        // A key of another certificate, half a file, and a certificate without an end to speak of.
        let key = fs::read(&made.key).unwrap();
        fs::write(&made.key, KeyPair::generate().unwrap().serialize_pem()).unwrap();
        assert!(!made.serves(&here));
        fs::write(&made.key, &key[..20]).unwrap();
        assert!(!made.serves(&here));
        let old = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(&made.certificate, old.cert.pem()).unwrap();
        fs::write(&made.key, old.signing_key.serialize_pem()).unwrap();
        assert!(!made.serves(&here));
    }

    #[test]
    fn a_project_has_its_own_certificate_or_one_that_is_made_once() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        assert!(certificate("", data).unwrap().is_none());
        let own = "[api.tls]\nenabled = true\ncert_path = './a/cert.pem'\nkey_path = 'key.pem'";
        let own = certificate(own, data).unwrap().unwrap();
        assert_eq!(own.certificate, Path::new("/project/supabase/a/cert.pem"));
        assert_eq!(own.key, Path::new("/project/supabase/key.pem"));
        assert_eq!(fs::read_dir(data).unwrap().count(), 0);

        let read = || {
            let made = certificate("[api.tls]\nenabled = true", data).unwrap();
            let made = made.unwrap();
            (made.certificate, made.key)
        };
        let first = read();
        let texts = || [&first.0, &first.1].map(|path| fs::read_to_string(path).unwrap());
        let before = texts();
        assert_eq!(read(), first);
        assert_eq!(texts(), before);
    }

    #[test]
    fn half_a_pair_is_refused() {
        for (given, missing) in [("cert_path", "key_path"), ("key_path", "cert_path")] {
            let text = format!("[api.tls]\nenabled = true\n{given} = 'x.pem'");
            let error = certificate(&text, Path::new("/nowhere")).unwrap_err();
            assert!(error.to_string().ends_with(missing), "{error}");
        }
    }
}
