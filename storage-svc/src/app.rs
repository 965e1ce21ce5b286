use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use image_transform::{Cache, Limits, Pool, Renderer};
use secrecy::ExposeSecret as _;
use svc_kit::jwt::Claims;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config,
    blobs::{Blobs, Locator},
    db::Db,
    domain::{
        sweep,
        webhooks::{self, Bell},
    },
    migrations,
    routes::{self, metrics::Metrics},
    tus,
};

/// The storage service: its keys, its database and its blobs.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    db: Db,
    blobs: Blobs,
    locator: Locator,
    service_claims: Claims,
    bell: Bell,
    metrics: Metrics,
    renderer: Renderer,
    image_limits: Limits,
    locks: tus::Locks,
}

impl App {
    /// Makes the service. The database is reached with the first request that needs it; with webhooks at once, for
    /// their queue.
    ///
    /// # Errors
    /// Settings that cannot be used, a folder for blobs that cannot be made, or no queue for webhooks.
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        if config.webhook.is_some() {
            migrations::make_webhook_queue(&config).await?;
        }
        let db = Db::new(&config).context("DATABASE_URL cannot be used")?;
        let blobs = Blobs::open(&config)?;
        let image_limits = Limits {
            source_pixels: config.image_source_pixels,
            ..Limits::default()
        };
        let service_claims = config
            .keys
            .verify(config.service_key.expose_secret())
            .unwrap_or_else(|_| Claims::anonymous(&config.service_role));
        Ok(Self(Arc::new(Inner {
            db,
            blobs,
            locator: Locator::new(&config.tenant),
            service_claims,
            bell: Bell::default(),
            metrics: Metrics::default(),
            renderer: Renderer::new(
                Pool::new(config.image_workers, config.image_queue)
                    .context("no threads for images")?,
                Cache::new(config.image_cache),
                image_limits,
                config.image_timeout,
            ),
            image_limits,
            locks: tus::Locks::new(&config),
            config,
        })))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        routes::router(self)
    }

    /// Loops that outlive a request: one sends webhooks, one sweeps.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let tracker = TaskTracker::new();
        if let Some((url, key)) = self.config().webhook.clone() {
            tracker.spawn(webhooks::send_all(self.clone(), url, key, stop.clone()));
        }
        if !self.config().sweep_grace.is_zero() {
            tracker.spawn(sweep::repeat(self.clone(), stop));
        }
        tracker
    }

    pub(crate) fn bell(&self) -> &Bell {
        &self.0.bell
    }

    pub(crate) fn locks(&self) -> &tus::Locks {
        &self.0.locks
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    pub(crate) fn locator(&self) -> &Locator {
        &self.0.locator
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn renderer(&self) -> &Renderer {
        &self.0.renderer
    }

    pub(crate) fn image_limits(&self) -> Limits {
        self.0.image_limits
    }

    pub(crate) fn service_claims(&self) -> &Claims {
        &self.0.service_claims
    }

    pub(crate) fn service_token(&self) -> &str {
        self.0.config.service_key.expose_secret()
    }
}
