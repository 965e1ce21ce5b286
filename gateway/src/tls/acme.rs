//! Certificates from an authority that speaks ACME (RFC 8555), which checks by TLS-ALPN-01 (RFC 8737) that names are ours.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use futures_util::StreamExt as _;
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use rustls_acme::{AcmeConfig, AcmeState, caches::DirCache};
use std::path::PathBuf;

use crate::AcmeSettings;

type State = AcmeState<std::io::Error, std::io::Error>;

/// An account, its orders and the certificate.
pub(super) struct Acme {
    config: Arc<ServerConfig>,
    challenge: Arc<ServerConfig>,
    state: Mutex<Option<State>>,
}

impl std::fmt::Debug for Acme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Acme")
    }
}

impl Acme {
    pub(super) fn new(settings: &AcmeSettings) -> anyhow::Result<Self> {
        let contacts = settings.email.iter().map(|email| format!("mailto:{email}"));
        let state = AcmeConfig::new_with_client_config(&settings.domains, client(settings)?)
            .contact(contacts)
            .directory(&settings.directory)
            .cache(DirCache::<PathBuf>::new(settings.cache.clone()))
            .state();
        let challenge =
            state.challenge_rustls_config_with_provider(Arc::new(aws_lc_rs::default_provider()));
        Ok(Self {
            config: super::config(state.resolver())?,
            challenge,
            state: Mutex::new(Some(state)),
        })
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    pub(super) fn challenge_config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.challenge)
    }

    /// Orders certificates, and new ones before they end. Only the first call does something.
    pub(super) async fn run(&self) {
        let state = self
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(mut state) = state else {
            return;
        };
        while let Some(event) = state.next().await {
            match event {
                Ok(event) => tracing::info!(?event, "certificate"),
                Err(error) => tracing::error!(%error, "no certificate yet"),
            }
        }
    }
}

/// How the authority itself is known.
fn client(settings: &AcmeSettings) -> anyhow::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = &settings.roots {
        let found =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let found = found.with_context(|| format!("GATEWAY_ACME_CA: {}", path.display()))?;
        roots.add_parsable_certificates(found);
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
