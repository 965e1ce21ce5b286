//! Puts the platform together, serves it, and takes it apart again.

use std::{
    io::IsTerminal as _,
    net::{IpAddr, Ipv4Addr, TcpListener as StdListener},
    time::Instant,
};

use anyhow::bail;
use axum::{Router, extract, http::StatusCode, routing::get};
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
    progress::Progress,
    project::{Project, TEMPLATES_PATH, migrations},
    server,
    settings::Overrides,
    state::{self, Endpoints},
    target::Target,
};

mod listeners;
mod serve;

pub(crate) use listeners::Https;
use listeners::{Ports, listen};

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
            .route(&format!("{TEMPLATES_PATH}/{{name}}"), get(template))
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
