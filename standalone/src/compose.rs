//! Puts the platform together, serves it, and takes it apart again.

use std::{
    io::IsTerminal as _,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener as StdListener},
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use axum::{Router, extract, http::StatusCode, routing::get};
use gateway::{Service, Upstream};
use pg_embed::Cluster;
use svc_kit::{env::Vars, http};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    cli::{Output, Seed, StartArgs},
    control::{self, Address, Reset},
    database::Database,
    keys::Keys,
    mailbox::Mailbox,
    meta::Meta,
    pictures,
    progress::Progress,
    project::{Certificate, Layer, Project, Surroundings, buckets, migrations},
    server,
    settings::Overrides,
    state::{self, Endpoints},
    target::Target,
    wiring::Wiring,
};

pub(crate) const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// `start`: serves until it is asked to stop.
pub async fn start(arguments: StartArgs, environment: &Vars) -> anyhow::Result<()> {
    let target = arguments.folder.target()?;
    if target.project.is_some() && state::read(&target.data_dir).is_ok() {
        eprintln!("The local stack is already running.");
        return state::print(&target.data_dir, Output::Pretty, &[]);
    }
    run(target, arguments, environment, None).await
}

/// `db reset` where nothing runs: starts with a new database, and stops.
pub(crate) async fn reset(
    arguments: StartArgs,
    environment: &Vars,
    reset: Reset,
) -> anyhow::Result<()> {
    let target = arguments.folder.target()?;
    run(target, arguments, environment, Some(reset)).await
}

/// Everything that stays when the database is made anew.
struct Stack {
    began: Instant,
    arguments: StartArgs,
    target: Target,
    overrides: Overrides,
    project: Option<Project>,
    keys: Keys,
    db_port: u16,
    api: StdListener,
    https: Option<Https>,
    smtp_port: u16,
    mailbox_url: String,
    control: Address,
    stop: CancellationToken,
    /// True for `db reset` alone, which ends when everything is ready.
    only_reset: bool,
}

async fn run(
    target: Target,
    arguments: StartArgs,
    environment: &Vars,
    mut reset: Option<Reset>,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let progress = reset
        .as_ref()
        .map_or_else(Progress::default, Reset::progress);
    let overrides = Overrides::read(environment, arguments.config.as_deref())?;
    let project = match &target.project {
        Some(root) => Some(Project::load(root.clone(), environment, &progress)?),
        None => None,
    };
    target.prepare()?;
    let mut keys = Keys::for_host(arguments.host, &target.data_dir)?;
    if let Some(project) = &project {
        keys = project.keys(keys, &progress).await?;
    }
    let ports = Ports::new(&arguments, project.as_ref());
    // Ports first: an occupied one should be known before a database is made.
    if arguments.database_url.is_none() {
        listen(LOOPBACK, ports.db)?;
    }
    let certificate = match &project {
        Some(project) => project.certificate(arguments.host, &target.data_dir, &progress)?,
        None => None,
    };
    let (api, https) = match certificate {
        Some(certificate) => {
            let port = listen(arguments.host, ports.api)?.local_addr()?.port();
            // For the functions, which would not trust the certificate.
            (listen(LOOPBACK, 0)?, Some(Https { certificate, port }))
        }
        None => (listen(arguments.host, ports.api)?, None),
    };
    let mail_page = listen(LOOPBACK, ports.mailbox)?;
    let smtp = listen(LOOPBACK, ports.smtp)?;
    let desk = listen(LOOPBACK, 0)?;
    let stop = http::shutdown_signal()?;

    let stack = Stack {
        began,
        db_port: ports.db,
        api,
        https,
        smtp_port: smtp.local_addr()?.port(),
        mailbox_url: format!("http://{}", mail_page.local_addr()?),
        control: Address::new(desk.local_addr()?.port())?,
        stop,
        only_reset: reset.is_some(),
        arguments,
        target,
        overrides,
        project,
        keys,
    };
    // The mailbox and the desk stay while the database is made anew.
    let servers = TaskTracker::new();
    let servers_stop = CancellationToken::new();
    let (wishes, mut wished) = mpsc::channel(1);
    let mailbox = Mailbox::new(Some(stack.keys.sms_hook_secret.clone()));
    servers.spawn({
        let (smtp, stop) = (TcpListener::from_std(smtp)?, servers_stop.clone());
        let mailbox = mailbox.clone();
        async move { mailbox.serve_smtp(smtp, stop).await }
    });
    for (name, listener, router) in [
        ("mailbox", mail_page, stack.mailbox(&mailbox)),
        ("desk", desk, control::router(stack.control.clone(), wishes)),
    ] {
        let listener = TcpListener::from_std(listener)?;
        servers.spawn(report(
            name,
            http::serve(listener, router, servers_stop.clone()),
        ));
    }
    servers.close();

    let outcome = loop {
        match Box::pin(stack.round(reset.as_ref(), &mut wished)).await {
            Ok(Some(next)) => reset = Some(next),
            Ok(None) => break Ok(()),
            Err(error) => {
                break match &reset {
                    // Whoever asked must hear why, and so must whoever started us.
                    Some(reset) => {
                        let text = format!("{error:#}");
                        reset.answer(Err(error)).and(Err(anyhow::anyhow!(text)))
                    }
                    None => Err(error),
                };
            }
        }
    };
    state::remove(&stack.target.data_dir);
    servers_stop.cancel();
    servers.wait().await;
    outcome
}

/// How the API is served to others if a project wants HTTPS.
#[derive(Debug)]
pub(crate) struct Https {
    pub(crate) certificate: Certificate,
    pub(crate) port: u16,
}

/// Which ports are wanted, flags before the project.
struct Ports {
    api: u16,
    db: u16,
    mailbox: u16,
    smtp: u16,
}

impl Ports {
    fn new(arguments: &StartArgs, project: Option<&Project>) -> Self {
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

fn listen(host: IpAddr, port: u16) -> anyhow::Result<StdListener> {
    let address = SocketAddr::new(host, port);
    let listen = || {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok::<_, std::io::Error>(listener)
    };
    listen().with_context(|| format!("cannot listen on {address}"))
}

/// `frontend/dist` near here, if it is built.
fn built_frontend() -> Option<PathBuf> {
    server::find_near("frontend/dist", |dir| dir.join("index.html").is_file())
}

impl Stack {
    /// The mailbox's page, and beside it the project's mail templates, which auth-svc fetches.
    fn mailbox(&self, mailbox: &Mailbox) -> Router {
        let Some(project) = self.project.clone() else {
            return mailbox.router();
        };
        let template = move |extract::Path(name): extract::Path<String>| async move {
            project.mail_template(&name).ok_or(StatusCode::NOT_FOUND)
        };
        mailbox
            .router()
            .route("/project/templates/{name}", get(template))
    }

    /// One life of the database: until the end, or until a new one is wished for.
    async fn round(
        &self,
        reset: Option<&Reset>,
        wished: &mut mpsc::Receiver<Reset>,
    ) -> anyhow::Result<Option<Reset>> {
        let progress = reset.map_or_else(Progress::default, Reset::progress);
        let mut cluster = None;
        let url = if let Some(url) = &self.arguments.database_url {
            if reset.is_some() {
                bail!("a database of somebody else's is not made anew");
            }
            url.clone()
        } else {
            if reset.is_some() {
                progress.say("Recreating database...");
                server::remove_data(&self.target.data_dir)?;
            }
            let started = server::start(
                &self.arguments,
                &self.target.data_dir,
                self.db_port,
                self.project.as_ref(),
                &progress,
            );
            cluster = Some(started.await?);
            format!(
                "postgresql://supabase_admin:postgres@127.0.0.1:{}/postgres",
                self.db_port
            )
        };
        let database = Database::new(&url)?;
        let outcome =
            Box::pin(self.serve(&database, reset, wished, cluster.as_mut(), &progress)).await;
        if let Some(cluster) = cluster {
            cluster.stop().await?;
        }
        outcome
    }

    /// Brings the database to where it should be. Gives back what the project's own files did wrong.
    async fn migrate(
        &self,
        database: &Database,
        reset: Option<&Reset>,
        progress: &Progress,
    ) -> anyhow::Result<anyhow::Result<()>> {
        let Some(project) = &self.project else {
            database.migrate(self.seed()).await?;
            return Ok(Ok(()));
        };
        database.migrate_platform().await?;
        if project.config.api.auto_expose_new_tables == Some(false) {
            database.hide_new_tables().await?;
        }
        let extent = reset.map(|reset| reset.extent.clone()).unwrap_or_default();
        Ok(migrations::apply(project, &database.url_as("postgres"), &extent, progress).await)
    }

    fn seed(&self) -> Seed {
        let arguments = &self.arguments;
        let demo_is_safe = arguments.database_url.is_none() && arguments.host.is_loopback();
        let default = if demo_is_safe { Seed::Demo } else { Seed::None };
        match self.project {
            Some(_) => Seed::None,
            None => arguments.seed.unwrap_or(default),
        }
    }

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

    async fn serve(
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

    /// Tells people where everything is, or programs by one line.
    fn announce(&self, endpoints: &Endpoints) -> anyhow::Result<()> {
        if self.project.is_some() {
            eprintln!("Started in {:.1} s.", self.began.elapsed().as_secs_f64());
        }
        if self.project.is_some() && std::io::stdout().is_terminal() {
            println!("\n{}\n\nCtrl-C stops it.", endpoints.pretty());
        } else {
            println!("ready {}", serde_json::to_string(endpoints)?);
        }
        Ok(())
    }

    /// Until somebody asks us to stop or wants a new database, or the private server ends without being asked.
    async fn wait(
        &self,
        cluster: Option<&mut Cluster>,
        wished: &mut mpsc::Receiver<Reset>,
    ) -> anyhow::Result<Option<Reset>> {
        let ended = async {
            match cluster {
                Some(cluster) => cluster.ended().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.stop.cancelled() => Ok(None),
            Some(reset) = wished.recv() => Ok(Some(reset)),
            reason = ended => bail!("PostgreSQL ended: {reason}"),
        }
    }
}

async fn report(name: &str, server: impl Future<Output = std::io::Result<()>>) {
    if let Err(error) = server.await {
        tracing::error!(name, %error, "server failed");
    }
}
