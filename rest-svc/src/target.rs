//! Where the database is, from the connection string and libpq's variables.

use tokio_postgres::{
    Socket,
    config::{Host, SslMode},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{config::Config, tls};

/// Where the database is, and how connections to it are made private.
#[derive(Clone)]
pub(crate) struct Target {
    config: tokio_postgres::Config,
    tls: MakeRustlsConnect,
}

type Driver =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

impl Target {
    /// Where the database is: what `db-uri` leaves open is taken from libpq's variables, then from libpq's defaults.
    pub(crate) fn of(config: &Config) -> anyhow::Result<Self> {
        let variable = |name: &str| config.variable(name);
        let (uri, tls) = tls::Settings::split_from(&config.db_uri);
        let (ssl_mode, tls) = tls.or_variables(variable).connector()?;
        let mut pg: tokio_postgres::Config = uri.parse()?;
        pg.ssl_mode(ssl_mode);
        if pg.get_hosts().is_empty() && pg.get_hostaddrs().is_empty() {
            match variable("PGHOST") {
                Some(hosts) => {
                    for host in hosts.split(',') {
                        pg.host(host);
                    }
                }
                None => {
                    pg.host_path("/var/run/postgresql");
                }
            }
        }
        if pg.get_ports().is_empty()
            && let Some(ports) = variable("PGPORT")
        {
            for port in ports.split(',').filter_map(|port| port.parse().ok()) {
                pg.port(port);
            }
        }
        if pg.get_user().is_none()
            && let Some(user) = variable("PGUSER").or_else(|| variable("USER"))
        {
            pg.user(user);
        }
        if pg.get_password().is_none()
            && let Some(password) = variable("PGPASSWORD")
        {
            pg.password(password);
        }
        if pg.get_dbname().is_none()
            && let Some(name) = variable("PGDATABASE")
        {
            pg.dbname(name);
        }
        if pg.get_options().is_none()
            && let Some(options) = variable("PGOPTIONS")
        {
            pg.options(options);
        }
        if pg.get_application_name().is_none() {
            let name = format!("PostgREST {}", crate::VERSION);
            pg.application_name(variable("PGAPPNAME").unwrap_or(&name));
        }
        // As libpq: never over a socket in the file system, and by address where there is no name.
        if pg.get_hosts().is_empty() {
            let addresses: Vec<_> = pg.get_hostaddrs().iter().map(ToString::to_string).collect();
            for address in addresses {
                pg.host(address);
            }
        } else if pg
            .get_hosts()
            .iter()
            .all(|host| matches!(host, Host::Unix(_)))
        {
            pg.ssl_mode(SslMode::Disable);
        }
        Ok(Self { config: pg, tls })
    }

    /// Connects, and leaves it to the caller to drive the connection.
    pub(crate) async fn connect(
        &self,
    ) -> std::result::Result<(tokio_postgres::Client, Driver), tokio_postgres::Error> {
        // Boxed: a request's future would carry a handshake's state that it hardly ever needs.
        Box::pin(self.config.connect(self.tls.clone())).await
    }
}
