//! Signing in with a wallet: `GOTRUE_EXTERNAL_WEB3_<CHAIN>_*`.

use std::time::Duration;

use svc_kit::env::Reader;

/// The chains whose wallets may sign in.
#[derive(Clone, Debug)]
pub struct Web3 {
    /// `GOTRUE_EXTERNAL_WEB3_SOLANA_*`.
    pub solana: Chain,
    /// `GOTRUE_EXTERNAL_WEB3_ETHEREUM_*`.
    pub ethereum: Chain,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Chain {
    /// `…_ENABLED`, default false.
    pub enabled: bool,
    /// `…_MAXIMUM_VALIDITY_DURATION`, default 10 min: how far from our time a message may have been issued.
    pub maximum_validity: Duration,
}

pub(super) fn read(r: &mut Reader<'_>) -> Web3 {
    let mut chain = |name: &str| {
        let named = |field: &str| format!("GOTRUE_EXTERNAL_WEB3_{name}_{field}");
        Chain {
            enabled: r.flag(&[&named("ENABLED")], false),
            maximum_validity: r.duration(
                &[&named("MAXIMUM_VALIDITY_DURATION")],
                Duration::from_secs(600),
            ),
        }
    };
    Web3 {
        solana: chain("SOLANA"),
        ethereum: chain("ETHEREUM"),
    }
}
