//! How many requests an address or a key may send.
//!
//! Requests are counted in windows; what the former window had counts for as much of it as the present one has not
//! passed. Each copy of the gateway decides by itself and at once. Copies that share a database tell each other what
//! they counted, a few times a second, so what all of them let through together may be a little more for that long.

mod shared;
mod window;

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use quick_cache::sync::Cache;
use svc_kit::env::{Reader, parse_duration};
use uuid::Uuid;

use crate::error::Error;

pub(crate) use shared::share;
use window::Window;

/// The settings of the limits; without any nothing is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateSettings {
    /// `GATEWAY_RATE_LIMIT_PER_IP`, such as `600/1m`.
    pub per_ip: Option<Rate>,
    /// `GATEWAY_RATE_LIMIT_PER_KEY`, likewise.
    pub per_key: Option<Rate>,
    /// `GATEWAY_RATE_LIMIT_ENTRIES`: addresses and keys that are remembered at a time, default 100,000.
    pub entries: usize,
    /// `GATEWAY_RATE_LIMIT_DATABASE_URL`: the Postgres over which copies of the gateway count together.
    pub database_url: Option<String>,
    /// `GATEWAY_RATE_LIMIT_INTERVAL`: how often they tell each other, default 250 ms.
    pub interval: Duration,
}

/// So many requests in so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// At least one.
    pub requests: u32,
    /// At least a millisecond.
    pub window: Duration,
}

impl RateSettings {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            per_ip: reader.parse_with(&["GATEWAY_RATE_LIMIT_PER_IP"], parse_rate),
            per_key: reader.parse_with(&["GATEWAY_RATE_LIMIT_PER_KEY"], parse_rate),
            entries: reader.parse_or(&["GATEWAY_RATE_LIMIT_ENTRIES"], 100_000),
            database_url: reader
                .text(&["GATEWAY_RATE_LIMIT_DATABASE_URL"])
                .map(str::to_owned),
            interval: reader.duration(&["GATEWAY_RATE_LIMIT_INTERVAL"], Duration::from_millis(250)),
        }
    }
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    let reason = || "expected requests and a time, such as 600/1m".to_owned();
    let (requests, window) = text.split_once('/').ok_or_else(reason)?;
    let window = window.trim();
    let starts_with_unit = window.starts_with(|c: char| c.is_ascii_alphabetic());
    let window = if starts_with_unit {
        format!("1{window}")
    } else {
        window.to_owned()
    };
    let rate = Rate {
        requests: requests.trim().parse().map_err(|_| reason())?,
        window: parse_duration(&window).map_err(|_| reason())?,
    };
    let is_some = rate.requests > 0 && rate.window >= Duration::from_millis(1);
    is_some.then_some(rate).ok_or_else(reason)
}

/// What is counted: an address or a key, under a rate.
type Id = Uuid;
type Counter = Mutex<Window>;

/// The counters of this process.
#[derive(Debug)]
pub(crate) struct Rates {
    pub(crate) settings: RateSettings,
    counters: Cache<Id, Arc<Counter>>,
    /// Counters with requests that other copies do not know of yet.
    untold: Mutex<Vec<(Id, Arc<Counter>)>>,
}

impl Rates {
    pub(crate) fn new(settings: &RateSettings) -> Self {
        let is_needed = settings.per_ip.is_some() || settings.per_key.is_some();
        Self {
            settings: settings.clone(),
            counters: Cache::new(if is_needed { settings.entries } else { 1 }),
            untold: Mutex::default(),
        }
    }

    /// Counts a request of this address, or refuses it.
    pub(crate) fn count_ip(&self, address: IpAddr) -> Result<(), Error> {
        let Some(rate) = self.settings.per_ip else {
            return Ok(());
        };
        let bits = match address.to_canonical() {
            IpAddr::V4(address) => u128::from(address.to_bits()),
            // Whoever has one address of IPv6 has 2^64.
            IpAddr::V6(address) => address.to_bits() >> 64 | 1 << 127,
        };
        self.count(b"ip", bits, rate)
    }

    /// Counts a request with this key, or refuses it.
    pub(crate) fn count_key(&self, fingerprint: u64) -> Result<(), Error> {
        let rate = self.settings.per_key;
        rate.map_or(Ok(()), |rate| self.count(b"key", fingerprint.into(), rate))
    }

    fn count(&self, kind: &[u8], bits: u128, rate: Rate) -> Result<(), Error> {
        let name = [
            kind,
            &bits.to_be_bytes(),
            &rate.window.as_millis().to_be_bytes(),
        ]
        .concat();
        let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, &name);
        let made = self
            .counters
            .get_or_insert_with(&id, || Ok::<_, ()>(Arc::default()));
        let Ok(counter) = made else {
            return Ok(());
        };
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut window = counter.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(wait) = window.count(now, rate) {
            return Err(Error::RateLimited {
                limit: rate.requests,
                retry_after: wait.as_secs() + 1,
            });
        }
        let is_news = window.untold() == 1 && self.settings.database_url.is_some();
        drop(window);
        if is_news {
            let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
            untold.push((id, counter));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_as_people_write_them() {
        let rate = |requests, seconds| Rate {
            requests,
            window: Duration::from_secs(seconds),
        };
        assert_eq!(parse_rate("600/1m"), Ok(rate(600, 60)));
        assert_eq!(parse_rate("10/s"), Ok(rate(10, 1)));
        assert_eq!(parse_rate("5 / 10s"), Ok(rate(5, 10)));
        for wrong in ["600", "0/s", "x/1m", "1/0s", "1/"] {
            assert!(parse_rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_address_has_its_own_count_and_a_network_of_ipv6_one() {
        let settings = RateSettings {
            per_ip: Some(parse_rate("2/1h").unwrap()),
            per_key: None,
            entries: 100,
            database_url: None,
            interval: Duration::ZERO,
        };
        let rates = Rates::new(&settings);
        let count = |address: &str| rates.count_ip(address.parse().unwrap()).is_ok();
        assert!(count("192.0.2.1") && count("::ffff:192.0.2.1"));
        assert!(!count("192.0.2.1"));
        assert!(count("192.0.2.2"));
        assert!(count("2001:db8::1") && count("2001:db8::2"));
        assert!(!count("2001:db8::3"));
        assert!(count("2001:db8:0:1::1"));
        assert_eq!(rates.count_key(1), Ok(()));
    }
}
