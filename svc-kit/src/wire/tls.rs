//! TLS to the database, as libpq's `sslmode` has it.
//!
//! <https://www.postgresql.org/docs/current/libpq-ssl.html>

use std::sync::Arc;

use anyhow::{Context as _, bail};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What a connection string says about TLS, which the driver does not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `sslmode`
    pub(super) mode: Option<String>,
    /// `sslrootcert`: a file of certificates, or `system`.
    pub(super) root_cert: Option<String>,
    /// `sslcert`: a file with the client's certificate.
    pub(super) cert: Option<String>,
    /// `sslkey`: a file with its key.
    pub(super) key: Option<String>,
}

impl Settings {
    /// Takes a setting of the connection string, if it is one of these.
    pub(super) fn take(&mut self, name: &str, value: &str) -> bool {
        let slot = match name {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.root_cert,
            "sslcert" => &mut self.cert,
            "sslkey" => &mut self.key,
            _ => return false,
        };
        *slot = Some(value.to_owned());
        true
    }

    /// What is not set is taken from libpq's variables.
    pub(super) fn or_variables<'a>(mut self, variable: impl Fn(&str) -> Option<&'a str>) -> Self {
        for (slot, name) in [
            (&mut self.mode, "PGSSLMODE"),
            (&mut self.root_cert, "PGSSLROOTCERT"),
            (&mut self.cert, "PGSSLCERT"),
            (&mut self.key, "PGSSLKEY"),
        ] {
            if slot.is_none() {
                *slot = variable(name).map(str::to_owned);
            }
        }
        self
    }

    /// What the driver needs: whether it tries TLS, and how.
    ///
    /// # Errors
    /// An unknown mode, files that cannot be read, or a mode that verifies without certificates to verify by.
    pub(super) fn connector(&self) -> anyhow::Result<(SslMode, MakeRustlsConnect)> {
        // A root certificate that is named makes `require` look at it.
        let (mode, verify) = match self.mode.as_deref().unwrap_or("prefer") {
            "disable" => (SslMode::Disable, Verify::Nothing),
            "allow" | "prefer" => (SslMode::Prefer, Verify::Nothing),
            "require" if self.root_cert.is_none() => (SslMode::Require, Verify::Nothing),
            "require" | "verify-ca" => (SslMode::Require, Verify::Chain),
            "verify-full" => (SslMode::Require, Verify::ChainAndName),
            other => bail!("sslmode: {other:?} is none of libpq's"),
        };
        let provider = Arc::new(aws_lc_rs::default_provider());
        let trusted = match verify {
            Verify::Nothing => None,
            _ => Some(
                WebPkiServerVerifier::builder_with_provider(
                    Arc::new(self.roots()?),
                    Arc::clone(&provider),
                )
                .build()?,
            ),
        };
        let verifier = Arc::new(Verifier {
            trusted,
            checks_name: verify == Verify::ChainAndName,
            provider: Arc::clone(&provider),
        });
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => {
                let chain = certificates(cert)?;
                let key = PrivateKeyDer::from_pem_file(key)
                    .map_err(|error| anyhow::anyhow!("sslkey {key:?}: {error}"))?;
                builder.with_client_auth_cert(chain, key)?
            }
            (None, None) => builder.with_no_client_auth(),
            _ => bail!("sslcert and sslkey come together"),
        };
        Ok((mode, MakeRustlsConnect::new(config)))
    }

    fn roots(&self) -> anyhow::Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        match self.root_cert.as_deref() {
            None => bail!("sslmode needs sslrootcert: a file of certificates, or \"system\""),
            Some("system") => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            Some(file) => {
                for certificate in certificates(file)? {
                    roots.add(certificate).context("sslrootcert")?;
                }
            }
        }
        Ok(roots)
    }
}

fn certificates(file: &str) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    read.map_err(|error| anyhow::anyhow!("certificates of {file:?}: {error}"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verify {
    Nothing,
    Chain,
    ChainAndName,
}

/// libpq's steps between encryption alone and a proven name.
#[derive(Debug)]
struct Verifier {
    /// What knows the roots; nothing for encryption alone.
    trusted: Option<Arc<WebPkiServerVerifier>>,
    checks_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(trusted) = &self.trusted else {
            return Ok(ServerCertVerified::assertion());
        };
        let verified =
            trusted.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_verifies_needs_something_to_verify_by() {
        let refused = |mode: &str| {
            let settings = Settings {
                mode: Some(mode.to_owned()),
                ..Settings::default()
            };
            settings.connector().is_err()
        };
        assert!(refused("verify-full") && refused("verify-ca") && refused("sometimes"));
        assert!(!refused("require") && !refused("prefer") && !refused("disable"));
    }
}
