use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    net::TcpListener,
};

/// Below the ports that systems give to outgoing connections, one of which could take it meanwhile.
const FIRST: u16 = 10_000;
const COUNT: u64 = 22_000;
const ATTEMPTS: usize = 1_000;

/// A port of loopback that nobody listens on right now.
///
/// # Errors
/// Of the last attempt, if every port that was tried is taken.
pub fn free_port() -> io::Result<u16> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..ATTEMPTS {
        let random = RandomState::new().build_hasher().finish();
        let port = FIRST + u16::try_from(random % COUNT).unwrap_or(0);
        match TcpListener::bind(("127.0.0.1", port)) {
            Ok(_) => return Ok(port),
            Err(error) => last = error,
        }
    }
    Err(last)
}
