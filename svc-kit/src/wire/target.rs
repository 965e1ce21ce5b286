//! Where the database is, and how to get there: the connection string, libpq's variables, several hosts.
//!
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS>

mod keywords;

use std::{fmt, io, net::IpAddr, path::PathBuf, pin::pin, sync::Arc, time::Duration};

use anyhow::bail;
use rand::seq::SliceRandom as _;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio_postgres::{
    Client, SimpleQueryMessage,
    config::{Host, LoadBalanceHosts, SslMode},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{BoxStream, Lent, Session, Tls, connection::Connection, handover::Handover, tls};

/// What a session is, before it is given to anybody.
const LOOK: &str = "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only'), \
     pg_catalog.current_setting('default_transaction_isolation')";
const PORT: u16 = 5432;
/// A replication connection may be silent for long, and a slot is held as long as it seems alive.
const REPLICATION_IDLE: Duration = Duration::from_secs(20);
const REPLICATION_PROBE: Duration = Duration::from_secs(10);

/// Where the database is, and how connections to it are made private.
#[derive(Clone)]
pub struct Target {
    config: tokio_postgres::Config,
    hosts: Arc<[Endpoint]>,
    wanted: Wanted,
    tls: MakeRustlsConnect,
    /// More for the start-up message than tokio-postgres knows: names and values, each with a zero behind it.
    parameters: &'static [u8],
}

/// tokio-postgres's half of a connection, which has to be driven.
pub type Driver = tokio_postgres::Connection<Lent<BoxStream>, Lent<Tls>>;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody there.
    #[error("connection to server at {0} failed: {1}")]
    Network(String, io::Error),
    /// Nobody knows the server's name.
    #[error("could not translate host name \"{0}\" to address: {1}")]
    Name(String, io::Error),
    /// Start-up failed. The database's own words, if it has any.
    #[error("{}", words(.0))]
    Startup(#[from] tokio_postgres::Error),
    /// A session, but not of the wanted kind.
    #[error("{0}")]
    Unsuitable(&'static str),
}

impl ConnectError {
    /// SQLSTATE, if it is the database that refused.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Startup(error) => error.code().map(tokio_postgres::error::SqlState::code),
            _ => None,
        }
    }
}

fn words(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{}:  {}", db.severity(), db.message()),
        None => error.to_string(),
    }
}

/// One server of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Endpoint {
    place: Place,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// The name that a certificate must have, and the address if it is given.
    Tcp(String, Option<IpAddr>),
    /// A directory.
    Unix(PathBuf),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Tcp(name, _) => write!(formatter, "\"{name}\", port {}", self.port),
            Place::Unix(directory) => {
                let socket = directory.join(format!(".s.PGSQL.{}", self.port));
                write!(formatter, "\"{}\"", socket.display())
            }
        }
    }
}

/// `target_session_attrs`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

impl Wanted {
    fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(match text {
            "any" => Self::Any,
            "read-write" => Self::ReadWrite,
            "read-only" => Self::ReadOnly,
            "primary" => Self::Primary,
            "standby" => Self::Standby,
            "prefer-standby" => Self::PreferStandby,
            other => bail!("target_session_attrs: {other:?} is none of libpq's"),
        })
    }

    /// What is looked for, one after the other.
    fn passes(self) -> &'static [Self] {
        match self {
            Self::Any => &[Self::Any],
            Self::ReadWrite => &[Self::ReadWrite],
            Self::ReadOnly => &[Self::ReadOnly],
            Self::Primary => &[Self::Primary],
            Self::Standby => &[Self::Standby],
            Self::PreferStandby => &[Self::Standby, Self::Any],
        }
    }

    /// Why a session will not do, in libpq's words.
    fn objection(self, session: Session) -> Option<&'static str> {
        let read_only = session.read_only || session.in_recovery;
        match self {
            Self::ReadWrite if read_only => Some("session is read-only"),
            Self::ReadOnly if !read_only => Some("session is not read-only"),
            Self::Primary if session.in_recovery => Some("server is in hot standby mode"),
            Self::Standby if !session.in_recovery => Some("server is not in hot standby mode"),
            _ => None,
        }
    }
}

impl Target {
    /// Where the database is: what the connection string leaves open is taken from libpq's variables, then from
    /// libpq's defaults. `application_name` is shown in `pg_stat_activity` unless either names another.
    ///
    /// # Errors
    /// A connection string or certificates that cannot be read.
    pub fn new<'a>(
        uri: &str,
        application_name: &str,
        variable: impl Fn(&str) -> Option<&'a str>,
    ) -> anyhow::Result<Self> {
        let mut tls = tls::Settings::default();
        let mut wanted = variable("PGTARGETSESSIONATTRS").map(str::to_owned);
        let uri = keywords::split(uri, |name, value| {
            if name == "target_session_attrs" {
                wanted = Some(value.to_owned());
                return true;
            }
            tls.take(name, value)
        });
        let (ssl_mode, tls) = tls.or_variables(&variable).connector()?;
        let mut pg: tokio_postgres::Config = uri.parse()?;
        pg.ssl_mode(ssl_mode);
        keywords::complete(&mut pg, &variable);
        if pg.get_application_name().is_none() {
            pg.application_name(variable("PGAPPNAME").unwrap_or(application_name));
        }
        Ok(Self {
            hosts: endpoints(&pg)?.into(),
            config: pg,
            wanted: wanted.map_or(Ok(Wanted::Any), |text| Wanted::parse(&text))?,
            tls,
            parameters: b"",
        })
    }

    /// The same for whom only a session that may write will do, as LISTEN does.
    #[must_use]
    pub fn read_write(&self) -> Self {
        Self {
            wanted: Wanted::ReadWrite,
            ..self.clone()
        }
    }

    /// A connection of the request path.
    ///
    /// # Errors
    /// Of the server tried last, if none of them will do.
    pub async fn open(&self) -> Result<Connection, ConnectError> {
        let (session, handover, made) = self.establish().await?;
        drop(made);
        let stream = handover.take_back();
        let stream = stream.ok_or(ConnectError::Unsuitable("the connection is gone already"))?;
        Ok(Connection::new(stream, session))
    }

    /// A connection on which nothing has been done yet, for whoever speaks the protocol over it.
    ///
    /// # Errors
    /// Of the server tried last, if none of them will do.
    pub async fn stream(&self) -> Result<BoxStream, ConnectError> {
        let (_, handover, made) = self.establish().await?;
        drop(made);
        let stream = handover.take_back();
        stream.ok_or(ConnectError::Unsuitable("the connection is gone already"))
    }

    /// A connection on which the primary sends its log: simple queries and replication commands are understood, and
    /// nothing of the extended protocol. A peer that has gone is noticed within a minute or so.
    ///
    /// <https://www.postgresql.org/docs/current/protocol-replication.html>
    ///
    /// # Errors
    /// Of the server tried last, if none of them will do.
    pub async fn replication(&self) -> Result<BoxStream, ConnectError> {
        let mut target = Self {
            wanted: Wanted::Primary,
            parameters: b"replication\0database\0",
            ..self.clone()
        };
        target.config.keepalives_idle(REPLICATION_IDLE);
        target.config.keepalives_interval(REPLICATION_PROBE);
        target.config.keepalives_retries(3);
        let (_, handover, made) = target.establish().await?;
        drop(made);
        let stream = handover.take_back();
        stream.ok_or(ConnectError::Unsuitable("the connection is gone already"))
    }

    /// A connection of tokio-postgres, driven in the background.
    ///
    /// # Errors
    /// Of the server tried last, if none of them will do.
    pub async fn client(&self) -> Result<Client, ConnectError> {
        let (client, driver) = self.client_and_driver().await?;
        tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "database connection ended");
            }
        });
        Ok(client)
    }

    /// A connection of tokio-postgres that the caller drives.
    ///
    /// # Errors
    /// Of the server tried last, if none of them will do.
    pub async fn client_and_driver(&self) -> Result<(Client, Driver), ConnectError> {
        let (_, _, made) = self.establish().await?;
        Ok(made)
    }

    /// The servers that connections are made to, as `host:port` or `/directory:port`, with a comma between two.
    pub fn servers(&self) -> String {
        let server = |host: &Endpoint| match &host.place {
            Place::Tcp(name, _) => format!("{name}:{}", host.port),
            Place::Unix(directory) => format!("{}:{}", directory.display(), host.port),
        };
        let servers: Vec<String> = self.hosts.iter().map(server).collect();
        servers.join(",")
    }

    async fn establish(&self) -> Result<(Session, Handover, (Client, Driver)), ConnectError> {
        let mut hosts = self.hosts.to_vec();
        let shuffles = self.config.get_load_balance_hosts() == LoadBalanceHosts::Random;
        if shuffles {
            hosts.shuffle(&mut rand::rng());
        }
        let mut last = ConnectError::Unsuitable("no server is named");
        for wanted in self.wanted.passes() {
            for host in &hosts {
                let mut addresses = match host.addresses().await {
                    Ok(addresses) => addresses,
                    Err(error) => {
                        last = match &host.place {
                            Place::Tcp(name, _) => ConnectError::Name(name.clone(), error),
                            Place::Unix(_) => ConnectError::Network(host.to_string(), error),
                        };
                        continue;
                    }
                };
                if shuffles {
                    addresses.shuffle(&mut rand::rng());
                }
                for address in addresses {
                    match self.attempt(host, address).await {
                        Ok(made) => match wanted.objection(made.0) {
                            None => return Ok(made),
                            Some(objection) => last = ConnectError::Unsuitable(objection),
                        },
                        Err(error) => last = error,
                    }
                }
            }
        }
        Err(last)
    }

    async fn attempt(
        &self,
        host: &Endpoint,
        address: Option<IpAddr>,
    ) -> Result<(Session, Handover, (Client, Driver)), ConnectError> {
        let connecting = self.socket(host, address);
        let connected = match self.config.get_connect_timeout() {
            Some(limit) => tokio::time::timeout(*limit, connecting)
                .await
                .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())),
            None => connecting.await,
        };
        let network = |error| ConnectError::Network(host.to_string(), error);
        let stream = connected.map_err(network)?;
        let name = match &host.place {
            Place::Tcp(name, _) => name,
            Place::Unix(_) => "",
        };
        let connector = MakeTlsConnect::<BoxStream>::make_tls_connect(&mut self.tls.clone(), name);
        let connector = connector.map_err(|error| network(io::Error::other(error)))?;
        let (handover, stream, borrower) = Handover::lend(stream, connector, self.parameters);
        let mut config = self.config.clone();
        if matches!(host.place, Place::Unix(_)) {
            // As libpq: never over a socket in the file system.
            config.ssl_mode(SslMode::Disable);
        }
        let (client, mut driver) = config.connect_raw(stream, borrower).await?;
        let session = {
            let asked = pin!(client.simple_query(LOOK));
            tokio::select! {
                biased;
                ended = &mut driver => {
                    ended?;
                    return Err(ConnectError::Unsuitable("the connection was closed"));
                }
                rows = asked => session(&rows?),
            }
        };
        Ok((session, handover, (client, driver)))
    }

    async fn socket(&self, host: &Endpoint, address: Option<IpAddr>) -> io::Result<BoxStream> {
        let address = match (&host.place, address) {
            (Place::Unix(directory), _) => {
                let path = directory.join(format!(".s.PGSQL.{}", host.port));
                return Ok(BoxStream::new(UnixStream::connect(path).await?));
            }
            (Place::Tcp(..), Some(address)) => address,
            (Place::Tcp(..), None) => return Err(io::ErrorKind::NotFound.into()),
        };
        let stream = TcpStream::connect((address, host.port)).await?;
        stream.set_nodelay(true)?;
        let socket = SockRef::from(&stream);
        #[cfg(target_os = "linux")]
        if let Some(limit) = self.config.get_tcp_user_timeout() {
            socket.set_tcp_user_timeout(Some(*limit))?;
        }
        if self.config.get_keepalives() {
            let mut keepalive = TcpKeepalive::new().with_time(self.config.get_keepalives_idle());
            if let Some(interval) = self.config.get_keepalives_interval() {
                keepalive = keepalive.with_interval(interval);
            }
            if let Some(retries) = self.config.get_keepalives_retries() {
                keepalive = keepalive.with_retries(retries);
            }
            socket.set_tcp_keepalive(&keepalive)?;
        }
        Ok(BoxStream::new(stream))
    }
}

impl Endpoint {
    /// Every address of a name; a socket in the file system has none.
    async fn addresses(&self) -> io::Result<Vec<Option<IpAddr>>> {
        match &self.place {
            Place::Unix(_) => Ok(vec![None]),
            Place::Tcp(_, Some(address)) => Ok(vec![Some(*address)]),
            Place::Tcp(name, None) => {
                let found = lookup_host((name.as_str(), self.port)).await?;
                Ok(found.map(|address| Some(address.ip())).collect())
            }
        }
    }
}

fn session(rows: &[SimpleQueryMessage]) -> Session {
    let row = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let is = |index, value| row.and_then(|row| row.get(index)) == Some(value);
    Session {
        in_recovery: is(0, "t"),
        read_only: is(1, "on"),
        read_committed: is(2, "read committed"),
    }
}

/// The servers that a connection string lists.
fn endpoints(config: &tokio_postgres::Config) -> anyhow::Result<Vec<Endpoint>> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let count = hosts.len().max(addresses.len());
    if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
        bail!(
            "could not match {} host names to {} hostaddr values",
            hosts.len(),
            addresses.len()
        );
    }
    let ports = config.get_ports();
    if ports.len() > 1 && ports.len() != count {
        bail!(
            "could not match {} port numbers to {count} hosts",
            ports.len()
        );
    }
    let endpoint = |index: usize| {
        let address = addresses.get(index).copied();
        let place = match (hosts.get(index), address) {
            (Some(Host::Unix(directory)), _) => Place::Unix(directory.clone()),
            (Some(Host::Tcp(name)), _) => Place::Tcp(name.clone(), address),
            (None, Some(ip)) => Place::Tcp(ip.to_string(), address),
            (None, None) => return None,
        };
        let port = ports.get(index).or(ports.first()).copied();
        Some(Endpoint {
            place,
            port: port.unwrap_or(PORT),
        })
    };
    Ok((0..count).filter_map(endpoint).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        let config = text.parse().unwrap();
        let endpoints = endpoints(&config).unwrap();
        endpoints.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn several_servers_are_listed_with_their_ports() {
        assert_eq!(
            listed("postgres://me@one:5433,two,three:5435/d"),
            [
                "\"one\", port 5433",
                "\"two\", port 5432",
                "\"three\", port 5435"
            ]
        );
        assert_eq!(
            listed("host=one,/run/pg port=6000"),
            ["\"one\", port 6000", "\"/run/pg/.s.PGSQL.6000\""]
        );
        assert_eq!(listed("hostaddr=127.0.0.1"), ["\"127.0.0.1\", port 5432"]);
    }

    #[test]
    fn a_session_is_taken_or_not() {
        let primary = Session {
            in_recovery: false,
            read_only: false,
            read_committed: true,
        };
        let standby = Session {
            in_recovery: true,
            read_only: true,
            ..primary
        };
        for (wanted, takes_primary, takes_standby) in [
            ("any", true, true),
            ("read-write", true, false),
            ("read-only", false, true),
            ("primary", true, false),
            ("standby", false, true),
        ] {
            let wanted = Wanted::parse(wanted).unwrap();
            assert_eq!(wanted.objection(primary).is_none(), takes_primary);
            assert_eq!(wanted.objection(standby).is_none(), takes_standby);
        }
        let preferred = Wanted::PreferStandby.passes();
        assert_eq!(preferred, [Wanted::Standby, Wanted::Any]);
        assert!(Wanted::parse("secondary").is_err());
    }
}
