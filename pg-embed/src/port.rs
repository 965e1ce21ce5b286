use std::{
    hash::{BuildHasher as _, RandomState},
    io,
    net::TcpListener,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// Below the ports that systems give to outgoing connections, one of which could take it meanwhile, and above those that
/// the end-to-end tests keep for themselves.
const FIRST: u16 = 22_000;
const COUNT: u64 = 10_000;
const ATTEMPTS: usize = 1_000;

/// A port of loopback that nobody listens on right now, and that this process was not given before: who asks for two has
/// not begun to listen on the first when it asks for the second. Each process counts from somewhere else.
///
/// # Errors
/// Of the last attempt, if every port that was tried is taken.
pub fn free_port() -> io::Result<u16> {
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(0) % COUNT));
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..ATTEMPTS {
        let next = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
        let port = FIRST + u16::try_from(next).unwrap_or(0);
        match TcpListener::bind(("127.0.0.1", port)) {
            Ok(_) => return Ok(port),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let mut ports: Vec<_> = (0..500).map(|_| free_port().unwrap()).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 500);
    }
}
