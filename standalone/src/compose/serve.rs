//! One life of the database: the services in front of it, from its migrations to the end of its last worker.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::Context as _;
use axum::Router;
use gateway::{Service, Upstream};
use pg_embed::Cluster;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::sync::CancellationToken;

use super::{LOOPBACK, Stack, report};
use crate::{
    cli::Seed,
    control::Reset,
    database::Database,
    meta::Meta,
    pictures,
    progress::Progress,
    project::{Layer, Surroundings, buckets},
    server,
    state::{self, Endpoints},
    wiring::Wiring,
};

/// `frontend/dist` near here, if it is built.
fn built_frontend() -> Option<PathBuf> {
    server::find_near("frontend/dist", |dir| dir.join("index.html").is_file())
}

impl Stack {
    fn endpoints(&self, database: &Database) -> anyhow::Result<Endpoints> {
        let host = self.arguments.host;
        let reached_as = if host.is_unspecified() {
            LOOPBACK
        } else {
            host
        };
        let api = |port| SocketAddr::new(reached_as, port);
        Endpoints::new(
            match &self.https {
                Some(https) => format!("https://{}", api(https.port)),
                None => format!("http://{}", api(self.api.local_addr()?.port())),
            },
            database.url_as("postgres"),
            self.mailbox_url.clone(),
            format!("smtp://127.0.0.1:{}", self.smtp_port),
            &self.keys,
        )
    }

    pub(super) async fn serve(
        &self,
        database: &Database,
        reset: Option<&Reset>,
        wished: &mut mpsc::Receiver<Reset>,
        cluster: Option<&mut Cluster>,
        progress: &Progress,
    ) -> anyhow::Result<Option<Reset>> {
        let applied = self.migrate(database, reset, progress).await?;
        if self.only_reset || reset.is_none() {
            applied
                .as_ref()
                .map_err(|error| anyhow::anyhow!("{error:#}"))?;
        }
        let endpoints = self.endpoints(database)?;
        if self.project.is_none() {
            let functions = format!("{}/functions/v1", endpoints.api_url);
            database
                .point_to_functions(&functions, &self.keys.service_role_key)
                .await
                .context("the product's triggers cannot be told where the functions are")?;
        }
        let layer = match &self.project {
            Some(project) => project.layer(&Surroundings {
                api_url: &endpoints.api_url,
                mailbox_url: &endpoints.mailpit_url,
                keys: &self.keys,
            })?,
            None => Layer::default(),
        };
        let wiring = Wiring {
            keys: &self.keys,
            data_dir: &self.target.data_dir,
            endpoints: &endpoints,
            host: self.arguments.host,
            https: self.https.as_ref(),
            inner_url: match &self.https {
                Some(_) => format!("http://{}", self.api.local_addr()?),
                None => endpoints.api_url.clone(),
            },
            database,
            overrides: &self.overrides,
            layer: &layer,
            smtp_port: self.smtp_port,
        };
        let auth = auth_svc::Config::from_vars(&wiring.auth())?;
        let auth_metrics = auth_svc::metrics::Listener::bind(&auth.metrics).await;
        let auth_metrics = auth_metrics.context("auth's port for metrics")?;
        let auth = auth_svc::App::connect(auth).await?;
        let rest = rest_svc::App::connect(rest_svc::Config::from_vars(&wiring.rest())?).await?;
        let storage =
            storage_svc::App::connect(storage_svc::Config::from_vars(&wiring.storage())?).await?;
        let realtime =
            realtime_svc::App::connect(realtime_svc::Config::from_vars(&wiring.realtime())?)
                .await?;
        let functions =
            functions_svc::App::connect(functions_svc::Config::from_vars(&wiring.functions())?)
                .await?;
        let meta = Meta::new(database.url_as("supabase_admin"), self.project.as_ref());

        // Workers outlive the listener: requests that drain may still need them.
        let workers_stop = CancellationToken::new();
        let mut workers = vec![
            auth.spawn_workers(workers_stop.clone()),
            rest.spawn_workers(workers_stop.clone()),
            storage.spawn_workers(workers_stop.clone()),
            realtime.spawn_workers(workers_stop.clone()),
            functions.spawn_workers(workers_stop.clone()),
            meta.spawn_workers(workers_stop.clone()),
        ];

        let mut config = gateway::Config::from_vars(&wiring.gateway(
            self.frontend().as_deref(),
            !self.arguments.host.is_loopback(),
        ))?;
        for (service, router) in [
            (Service::Auth, auth.router()),
            (Service::Rest, rest.router()),
            (Service::RestAdmin, rest.admin_router()),
            (Service::Storage, storage.router()),
            (Service::Realtime, realtime.router()),
            (Service::Functions, functions.router()),
            (Service::Meta, meta.router()),
        ] {
            if self.is_served(service) {
                config.upstreams.set(service, Upstream::Mounted(router));
            }
        }
        let gateway = gateway::App::new(config);
        workers.push(gateway.spawn_workers(workers_stop.clone()));
        let round_stop = self.stop.child_token();
        let auth_metrics = auth_metrics.map(|metrics| {
            let auth = auth.clone();
            tokio::spawn(metrics.serve(move || auth.clone(), round_stop.clone()))
        });
        let listener = TcpListener::from_std(self.api.try_clone()?)?;
        let server = gateway::Server::with_listener(&gateway, listener).await?;
        let server = tokio::spawn(report(
            "gateway",
            server.serve_here(gateway.clone(), round_stop.clone()),
        ));

        rest.wait_ready(Duration::from_secs(30))
            .await
            .context("rest has not read the database's catalog")?;
        self.fill_storage(&storage.router(), progress).await;
        state::write(&self.target.data_dir, &endpoints, &self.control)?;
        if let Some(reset) = reset {
            // A platform that runs goes on with what could be applied.
            reset.answer(applied)?;
        }
        let next = if self.only_reset {
            Ok(None)
        } else {
            if reset.is_none() {
                self.announce(&endpoints)?;
            }
            self.wait(cluster, wished).await
        };
        round_stop.cancel();
        let _ = server.await;
        if let Some(metrics) = auth_metrics {
            // The next round wants the same port.
            let _ = metrics.await;
        }
        workers_stop.cancel();
        for worker in workers {
            worker.close();
            worker.wait().await;
        }
        next
    }

    /// What storage should hold from the beginning. A platform without it is still one.
    async fn fill_storage(&self, storage: &Router, progress: &Progress) {
        let key = &self.keys.service_role_key;
        let filled = match &self.project {
            Some(project) => buckets::seed(project, storage, key, progress).await,
            None if self.seed() == Seed::Demo => pictures::upload(storage, key).await,
            None => Ok(()),
        };
        if let Err(error) = filled {
            progress.warn(format!("storage is not filled: {error:#}"));
        }
    }

    /// The front end, which a project has only if it is told to.
    fn frontend(&self) -> Option<PathBuf> {
        let given = self.arguments.frontend.clone();
        match self.project {
            Some(_) => given,
            None => given.or_else(built_frontend),
        }
    }

    /// False for what the project switches off.
    fn is_served(&self, service: Service) -> bool {
        let Some(config) = self.project.as_ref().map(|project| &project.config) else {
            return true;
        };
        match service {
            Service::Auth => config.auth.enabled,
            Service::Rest | Service::RestAdmin => config.api.enabled,
            Service::Storage => config.storage.enabled,
            Service::Realtime => config.realtime.enabled,
            Service::Functions => config.edge_runtime.enabled,
            Service::Meta => true,
        }
    }
}
