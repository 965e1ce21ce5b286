//! A certificate and its key in PEM files.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use anyhow::Context as _;
use arc_swap::ArcSwap;
use rustls::{
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

/// What the files hold, as long as it can be used.
#[derive(Debug)]
pub(super) struct Certificate {
    paths: [PathBuf; 2],
    read: Mutex<[Option<SystemTime>; 2]>,
    key: ArcSwap<CertifiedKey>,
}

impl Certificate {
    pub(super) fn read(certificate: &Path, key: &Path) -> anyhow::Result<Self> {
        let paths = [certificate.to_owned(), key.to_owned()];
        Ok(Self {
            read: Mutex::new(changed(&paths)),
            key: ArcSwap::from_pointee(load(&paths)?),
            paths,
        })
    }

    /// Reads the files again if they changed. Files that do not fit together yet are read at the next time.
    pub(super) fn refresh(&self) {
        let found = changed(&self.paths);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if *read == found {
            return;
        }
        match load(&self.paths) {
            Ok(key) => {
                self.key.store(Arc::new(key));
                *read = found;
                tracing::info!("the certificate was read again");
            }
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "the former certificate stays");
            }
        }
    }
}

fn changed(paths: &[PathBuf; 2]) -> [Option<SystemTime>; 2] {
    let changed = |path: &PathBuf| path.metadata().and_then(|found| found.modified()).ok();
    [changed(&paths[0]), changed(&paths[1])]
}

fn load([certificate, key]: &[PathBuf; 2]) -> anyhow::Result<CertifiedKey> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("GATEWAY_TLS_CERT: {}", certificate.display()))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("GATEWAY_TLS_KEY: {}", key.display()))?;
    // The key must be the certificate's, or every handshake fails.
    CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider())
        .context("GATEWAY_TLS_CERT and GATEWAY_TLS_KEY do not fit together")
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.key.load_full())
    }
}
