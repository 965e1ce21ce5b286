//! TLS: certificates from files, looked at again when they change, or by ACME.

mod acme;
mod files;

use std::{io, sync::Arc, time::Duration};

use rustls::{ServerConfig, crypto::aws_lc_rs};
use tokio::net::TcpStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor, server::TlsStream};
use tokio_util::sync::CancellationToken;

use crate::{App, TlsSettings, TlsSource};

/// How often certificate files are looked at.
const INTERVAL: Duration = Duration::from_secs(10);

/// The gateway's side of TLS.
#[derive(Clone, Debug)]
pub(crate) struct Tls(Arc<Inner>);

#[derive(Debug)]
enum Inner {
    Files {
        certificate: Arc<files::Certificate>,
        config: Arc<ServerConfig>,
    },
    Acme(acme::Acme),
}

impl Tls {
    pub(crate) fn new(settings: &TlsSettings) -> anyhow::Result<Self> {
        Ok(Self(Arc::new(match &settings.source {
            TlsSource::Files { certificate, key } => {
                let certificate = Arc::new(files::Certificate::read(certificate, key)?);
                let config = config(Arc::clone(&certificate) as _)?;
                Inner::Files {
                    certificate,
                    config,
                }
            }
            TlsSource::Acme(settings) => Inner::Acme(acme::Acme::new(settings)?),
        })))
    }

    /// The handshake. None if all that the client wanted was a proof that the name is ours.
    pub(crate) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<Option<TlsStream<TcpStream>>> {
        match &*self.0 {
            Inner::Files { config, .. } => {
                let acceptor = TlsAcceptor::from(Arc::clone(config));
                acceptor.accept(stream).await.map(Some)
            }
            Inner::Acme(acme) => {
                let start =
                    LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await?;
                if rustls_acme::is_tls_alpn_challenge(&start.client_hello()) {
                    start.into_stream(acme.challenge_config()).await?;
                    return Ok(None);
                }
                start.into_stream(acme.config()).await.map(Some)
            }
        }
    }

    /// Keeps certificates fresh until `stop`.
    pub(crate) async fn keep(self, app: App, stop: CancellationToken) {
        let work = async {
            match &*self.0 {
                Inner::Files { certificate, .. } => loop {
                    tokio::select! {
                        () = tokio::time::sleep(INTERVAL) => {}
                        () = app.reloaded() => {}
                    }
                    certificate.refresh();
                },
                Inner::Acme(acme) => acme.run().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = work => {}
        }
    }
}

/// Settings that speak HTTP/2 and HTTP/1.1.
fn config(
    resolver: Arc<dyn rustls::server::ResolvesServerCert>,
) -> anyhow::Result<Arc<ServerConfig>> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
