//! What every Nilam service shares, and nothing else.
//!
//! Configuration from the environment ([`env`]), token verification and claims ([`jwt`]), the pool and
//! "run as this caller" ([`pg`]), the same over few round trips ([`wire`]), migrations ([`migrate`]), serving HTTP ([`http`]), what operators
//! see of requests ([`observe`]) and logs ([`telemetry`]). With the feature `testing`, a Postgres database for each test.

/// Of every service. glibc's makes threads wait for one another when one frees what another allocated, which is a tenth
/// of a small request.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod env;
pub mod http;
pub mod jwt;
pub mod migrate;
pub mod observe;
pub mod pg;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
pub mod wire;
