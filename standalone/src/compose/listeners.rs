//! Where the platform listens.

use std::net::{IpAddr, SocketAddr, TcpListener};

use anyhow::Context as _;

use crate::{
    cli::StartArgs,
    project::{Certificate, Project},
};

/// How the API is served to others if a project wants HTTPS.
#[derive(Debug)]
pub(crate) struct Https {
    pub(crate) certificate: Certificate,
    pub(crate) port: u16,
}

/// Which ports are wanted, flags before the project.
pub(super) struct Ports {
    pub(super) api: u16,
    pub(super) db: u16,
    pub(super) mailbox: u16,
    pub(super) smtp: u16,
}

impl Ports {
    pub(super) fn new(arguments: &StartArgs, project: Option<&Project>) -> Self {
        let config = project.map(|project| &project.config);
        let mail = config.map(|config| &config.local_smtp);
        let mailbox = match mail {
            Some(mail) if !mail.enabled => 0,
            Some(mail) => mail.port,
            None => 54324,
        };
        Self {
            api: arguments
                .api_port
                .unwrap_or(config.map_or(54321, |config| config.api.port)),
            db: arguments
                .db_port
                .unwrap_or(config.map_or(54322, |config| config.db.port)),
            mailbox: arguments.mailbox_port.unwrap_or(mailbox),
            smtp: mail.map_or(0, |mail| mail.smtp_port),
        }
    }
}

pub(super) fn listen(host: IpAddr, port: u16) -> anyhow::Result<TcpListener> {
    let address = SocketAddr::new(host, port);
    let listen = || {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok::<_, std::io::Error>(listener)
    };
    listen().with_context(|| format!("cannot listen on {address}"))
}
