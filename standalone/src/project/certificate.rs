//! The certificate of a project whose API is served by HTTPS.

use std::{
    fs,
    io::Write as _,
    net::IpAddr,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

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
    /// machine at the first start and kept with the data.
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
        if !(made.certificate.is_file() && made.key.is_file()) {
            made.make(host)
                .context("a certificate for the API cannot be made")?;
        }
        progress.say(format!(
            "The API's certificate is in {}; clients have to be told to trust it.",
            made.certificate.display()
        ));
        Ok(Some(made))
    }
}

impl Certificate {
    fn make(&self, host: IpAddr) -> anyhow::Result<()> {
        let mut names = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        if !host.is_unspecified() && !host.is_loopback() {
            names.push(host.to_string());
        }
        let made = rcgen::generate_simple_self_signed(names)?;
        let _ = fs::remove_file(&self.key);
        let mut key = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.key)?;
        key.write_all(made.signing_key.serialize_pem().as_bytes())?;
        fs::write(&self.certificate, made.cert.pem())?;
        Ok(())
    }
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
