//! Puts the platform together, serves it, and takes it apart again.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use gateway::{Service, Upstream};
use pg_embed::{Cluster, ClusterConfig};
use svc_kit::{env::Vars, http};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    cli::{Seed, StartArgs},
    database::Database,
    keys::Keys,
    mailbox::Mailbox,
    pictures,
    settings::Overrides,
    state::{self, Endpoints},
};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// `./data`, unless root starts us where the account that runs Postgres cannot go.
pub fn default_data_dir() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let open = here.ancestors().all(|folder| {
        use std::os::unix::fs::PermissionsExt as _;
        folder
            .metadata()
            .is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0)
    });
    if nix::unistd::geteuid().is_root() && !open {
        PathBuf::from("/var/lib/nilam")
    } else {
        here.join("data")
    }
}

/// `start`: serves until it is asked to stop.
pub async fn start(
    arguments: StartArgs,
    data_dir: PathBuf,
    environment: &Vars,
) -> anyhow::Result<()> {
    let overrides = Overrides::read(environment, arguments.config.as_deref())?;
    std::fs::create_dir_all(&data_dir).with_context(|| data_dir.display().to_string())?;
    let keys = Keys::for_host(arguments.host, &data_dir)?;
    // Ports first: an occupied one should be known before a database is made.
    let api = listen(arguments.host, arguments.api_port).await?;
    let mail_page = listen(LOOPBACK, arguments.mailbox_port).await?;
    let smtp = listen(LOOPBACK, 0).await?;
    let stop = http::shutdown_signal()?;

    let mut cluster = None;
    let superuser_url = if let Some(url) = &arguments.database_url {
        url.clone()
    } else {
        cluster = Some(start_cluster(&arguments, &data_dir).await?);
        format!(
            "postgres://supabase_admin:postgres@127.0.0.1:{}/postgres",
            arguments.db_port
        )
    };
    let outcome = Box::pin(serve(Parts {
        arguments: &arguments,
        overrides: &overrides,
        keys: &keys,
        data_dir: &data_dir,
        database: Database::new(&superuser_url)?,
        api,
        mail_page,
        smtp,
        stop,
        cluster: cluster.as_mut(),
    }))
    .await;
    state::remove(&data_dir);
    if let Some(cluster) = cluster {
        cluster.stop().await?;
    }
    outcome
}

async fn listen(host: IpAddr, port: u16) -> anyhow::Result<TcpListener> {
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}

async fn start_cluster(arguments: &StartArgs, data_dir: &Path) -> anyhow::Result<Cluster> {
    let mut config = ClusterConfig::new(data_dir, arguments.db_port);
    config.binaries.clone_from(&arguments.postgres_bin);
    config.roots = near();
    config.settings = [
        ("shared_preload_libraries", String::new()),
        ("max_connections", "200".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    Ok(Cluster::start(&config).await?)
}

/// The working folder and the folder of this binary: what npm and the front end's build left is near one.
fn near() -> Vec<PathBuf> {
    let binary = std::env::current_exe()
        .ok()
        .and_then(|path| path.parent().map(Path::to_owned));
    std::env::current_dir().into_iter().chain(binary).collect()
}

/// `frontend/dist` near here, if it is built.
fn built_frontend() -> Option<PathBuf> {
    near()
        .iter()
        .flat_map(|folder| folder.ancestors())
        .map(|folder| folder.join("frontend/dist"))
        .find(|dir| dir.join("index.html").is_file())
}

struct Parts<'a> {
    arguments: &'a StartArgs,
    overrides: &'a Overrides,
    keys: &'a Keys,
    data_dir: &'a Path,
    database: Database,
    api: TcpListener,
    mail_page: TcpListener,
    smtp: TcpListener,
    stop: CancellationToken,
    cluster: Option<&'a mut Cluster>,
}

async fn serve(parts: Parts<'_>) -> anyhow::Result<()> {
    let Parts {
        arguments,
        overrides,
        keys,
        data_dir,
        database,
        api,
        mail_page,
        smtp,
        stop,
        cluster,
    } = parts;
    let demo_is_safe = arguments.database_url.is_none() && arguments.host.is_loopback();
    let seed = arguments
        .seed
        .unwrap_or(if demo_is_safe { Seed::Demo } else { Seed::None });
    database.migrate(seed).await?;

    let reached_as = if arguments.host.is_unspecified() {
        LOOPBACK
    } else {
        arguments.host
    };
    let api_url = format!(
        "http://{}",
        SocketAddr::new(reached_as, api.local_addr()?.port())
    );
    database
        .point_to_functions(&format!("{api_url}/functions/v1"), &keys.service_role_key)
        .await
        .context("the product's triggers cannot be told where the functions are")?;
    let mailbox_url = format!("http://{}", mail_page.local_addr()?);
    let endpoints = Endpoints::new(
        api_url.clone(),
        database.url_as("postgres"),
        mailbox_url.clone(),
        format!("smtp://{}", smtp.local_addr()?),
        keys,
    )?;
    let wiring = Wiring {
        keys,
        data_dir,
        endpoints: &endpoints,
        database: &database,
        api_url: &api_url,
        mailbox_url: &mailbox_url,
        smtp_port: smtp.local_addr()?.port(),
    };

    let auth =
        auth_svc::App::connect(auth_svc::Config::from_vars(&wiring.auth(overrides))?).await?;
    let rest =
        rest_svc::App::connect(rest_svc::Config::from_vars(&wiring.rest(overrides))?).await?;
    let storage =
        storage_svc::App::connect(storage_svc::Config::from_vars(&wiring.storage(overrides))?)
            .await?;
    let realtime = realtime_svc::App::connect(realtime_svc::Config::from_vars(
        &wiring.realtime(overrides),
    )?)
    .await?;
    let functions = functions_svc::App::connect(functions_svc::Config::from_vars(
        &wiring.functions(overrides),
    )?)
    .await?;

    // Workers outlive the listener: requests that drain may still need them.
    let workers_stop = CancellationToken::new();
    let workers = [
        auth.spawn_workers(workers_stop.clone()),
        rest.spawn_workers(workers_stop.clone()),
        storage.spawn_workers(workers_stop.clone()),
        realtime.spawn_workers(workers_stop.clone()),
        functions.spawn_workers(workers_stop.clone()),
    ];

    let mut config = gateway::Config::from_vars(&wiring.gateway(overrides, arguments))?;
    for (service, router) in [
        (Service::Auth, auth.router()),
        (Service::Rest, rest.router()),
        (Service::RestAdmin, rest.admin_router()),
        (Service::Storage, storage.router()),
        (Service::Realtime, realtime.router()),
        (Service::Functions, functions.router()),
    ] {
        config.upstreams.set(service, Upstream::Mounted(router));
    }
    let gateway = gateway::App::new(config);

    let mailbox = Mailbox::new(Some(keys.sms_hook_secret.clone()));
    let servers = TaskTracker::new();
    servers.spawn({
        let (mailbox, stop) = (mailbox.clone(), stop.clone());
        async move { mailbox.serve_smtp(smtp, stop).await }
    });
    servers.spawn(report(
        "mailbox",
        http::serve(mail_page, mailbox.router(), stop.clone()),
    ));
    servers.spawn(report(
        "gateway",
        http::serve(api, gateway.router(), stop.clone()),
    ));
    servers.close();

    rest.wait_ready(Duration::from_secs(30))
        .await
        .context("rest has not read the database's catalog")?;
    if seed == Seed::Demo
        && let Err(error) = pictures::upload(&storage.router(), &keys.service_role_key).await
    {
        // A marketplace without pictures is still one.
        tracing::warn!(
            error = format!("{error:#}"),
            "the demonstration's pictures are missing"
        );
    }
    state::write(data_dir, &endpoints)?;
    println!("ready {}", serde_json::to_string(&endpoints)?);

    let outcome = wait(&stop, cluster).await;
    stop.cancel();
    servers.wait().await;
    workers_stop.cancel();
    for worker in workers {
        worker.close();
        worker.wait().await;
    }
    outcome
}

/// Until somebody asks us to stop, or the private server ends without being asked.
async fn wait(stop: &CancellationToken, cluster: Option<&mut Cluster>) -> anyhow::Result<()> {
    let Some(cluster) = cluster else {
        stop.cancelled().await;
        return Ok(());
    };
    tokio::select! {
        () = stop.cancelled() => Ok(()),
        reason = cluster.ended() => bail!("PostgreSQL ended: {reason}"),
    }
}

async fn report(name: &str, server: impl Future<Output = std::io::Result<()>>) {
    if let Err(error) = server.await {
        tracing::error!(name, %error, "server failed");
    }
}

/// What only standalone knows, as settings of the services.
struct Wiring<'a> {
    keys: &'a Keys,
    data_dir: &'a Path,
    endpoints: &'a Endpoints,
    database: &'a Database,
    api_url: &'a str,
    mailbox_url: &'a str,
    smtp_port: u16,
}

fn text(value: impl std::fmt::Display) -> String {
    value.to_string()
}

impl Wiring<'_> {
    fn auth(&self, overrides: &Overrides) -> Vars {
        overrides.vars(
            "auth",
            &[
                (
                    "GOTRUE_DB_DATABASE_URL",
                    self.database.url_as("supabase_auth_admin"),
                ),
                ("GOTRUE_JWT_SECRET", self.keys.jwt_secret.clone()),
            ],
            &[
                ("GOTRUE_DB_DRIVER", text("postgres")),
                ("API_EXTERNAL_URL", format!("{}/auth/v1", self.api_url)),
                ("GOTRUE_SITE_URL", text(self.api_url)),
                (
                    "GOTRUE_URI_ALLOW_LIST",
                    format!(
                        "{0}/**,http://localhost:5173/**,http://127.0.0.1:5173/**",
                        self.api_url
                    ),
                ),
                ("GOTRUE_JWT_AUD", text("authenticated")),
                ("GOTRUE_JWT_DEFAULT_GROUP_NAME", text("authenticated")),
                ("GOTRUE_JWT_ADMIN_ROLES", text("service_role")),
                ("GOTRUE_JWT_EXP", text(3600)),
                ("GOTRUE_JWT_ISSUER", format!("{}/auth/v1", self.api_url)),
                ("GOTRUE_DISABLE_SIGNUP", text(false)),
                ("GOTRUE_EXTERNAL_EMAIL_ENABLED", text(true)),
                ("GOTRUE_EXTERNAL_PHONE_ENABLED", text(true)),
                ("GOTRUE_MAILER_AUTOCONFIRM", text(false)),
                ("GOTRUE_SMS_AUTOCONFIRM", text(false)),
                ("GOTRUE_MAILER_URLPATHS_INVITE", text("/auth/v1/verify")),
                (
                    "GOTRUE_MAILER_URLPATHS_CONFIRMATION",
                    text("/auth/v1/verify"),
                ),
                ("GOTRUE_MAILER_URLPATHS_RECOVERY", text("/auth/v1/verify")),
                (
                    "GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE",
                    text("/auth/v1/verify"),
                ),
                ("GOTRUE_SMS_OTP_EXP", text(6000)),
                ("GOTRUE_RATE_LIMIT_EMAIL_SENT", text(360_000)),
                ("GOTRUE_SMTP_HOST", text(LOOPBACK)),
                ("GOTRUE_SMTP_PORT", text(self.smtp_port)),
                ("GOTRUE_SMTP_ADMIN_EMAIL", text("no-reply@nilam.example")),
                ("GOTRUE_SMTP_SENDER_NAME", text("Nilam")),
                ("GOTRUE_SMTP_MAX_FREQUENCY", text("1s")),
                ("GOTRUE_SMS_MAX_FREQUENCY", text("1s")),
                ("GOTRUE_HOOK_SEND_SMS_ENABLED", text(true)),
                (
                    "GOTRUE_HOOK_SEND_SMS_URI",
                    format!("{}/hooks/send-sms", self.mailbox_url),
                ),
                (
                    "GOTRUE_HOOK_SEND_SMS_SECRETS",
                    self.keys.sms_hook_secret.clone(),
                ),
                ("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", text(true)),
                ("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", text(10)),
                ("GOTRUE_PASSWORD_MIN_LENGTH", text(6)),
            ],
        )
    }

    fn rest(&self, overrides: &Overrides) -> Vars {
        overrides.vars(
            "rest",
            &[
                ("PGRST_DB_URI", self.database.url_as("authenticator")),
                ("PGRST_JWT_SECRET", self.keys.jwt_secret.clone()),
            ],
            &[
                ("PGRST_DB_SCHEMAS", text("public,graphql_public")),
                ("PGRST_DB_EXTRA_SEARCH_PATH", text("public,extensions")),
                ("PGRST_DB_ANON_ROLE", text("anon")),
                ("PGRST_DB_MAX_ROWS", text(1000)),
                ("PGRST_APP_SETTINGS_JWT_EXP", text(3600)),
                ("PGRST_ADMIN_SERVER_PORT", String::new()),
            ],
        )
    }

    fn storage(&self, overrides: &Overrides) -> Vars {
        overrides.vars(
            "storage",
            &[
                (
                    "DATABASE_URL",
                    self.database.url_as("supabase_storage_admin"),
                ),
                ("AUTH_JWT_SECRET", self.keys.jwt_secret.clone()),
                ("PGRST_JWT_SECRET", self.keys.jwt_secret.clone()),
                ("ANON_KEY", self.keys.anon_key.clone()),
                ("SERVICE_KEY", self.keys.service_role_key.clone()),
            ],
            &[
                ("STORAGE_BACKEND", text("file")),
                (
                    "STORAGE_FILE_BACKEND_PATH",
                    text(self.data_dir.join("storage").display()),
                ),
                ("TENANT_ID", text("stub")),
                ("REGION", text(state::S3_REGION)),
                ("UPLOAD_FILE_SIZE_LIMIT", text(50 * 1024 * 1024)),
                ("STORAGE_PUBLIC_URL", text(self.api_url)),
                ("REQUEST_ALLOW_X_FORWARDED_PATH", text(true)),
                ("IMAGE_TRANSFORMATION_ENABLED", text(true)),
                (
                    "S3_PROTOCOL_ACCESS_KEY_ID",
                    self.endpoints.s3_protocol_access_key_id.clone(),
                ),
                (
                    "S3_PROTOCOL_ACCESS_KEY_SECRET",
                    self.endpoints.s3_protocol_access_key_secret.clone(),
                ),
            ],
        )
    }

    fn realtime(&self, overrides: &Overrides) -> Vars {
        overrides.vars(
            "realtime",
            &[
                ("DATABASE_URL", self.database.url_as("supabase_admin")),
                ("API_JWT_SECRET", self.keys.jwt_secret.clone()),
            ],
            &[],
        )
    }

    fn functions(&self, overrides: &Overrides) -> Vars {
        overrides.vars(
            "functions",
            &[
                ("JWT_SECRET", self.keys.jwt_secret.clone()),
                ("SUPABASE_URL", text(self.api_url)),
                ("SUPABASE_ANON_KEY", self.keys.anon_key.clone()),
                (
                    "SUPABASE_SERVICE_ROLE_KEY",
                    self.keys.service_role_key.clone(),
                ),
                ("SUPABASE_DB_URL", self.database.url_as("postgres")),
            ],
            &[],
        )
    }

    fn gateway(&self, overrides: &Overrides, arguments: &StartArgs) -> Vars {
        let mut flags = vec![
            ("ANON_KEY", self.keys.anon_key.clone()),
            ("SERVICE_ROLE_KEY", self.keys.service_role_key.clone()),
            (
                "SUPABASE_PUBLISHABLE_KEY",
                self.keys.publishable_key.clone(),
            ),
            ("SUPABASE_SECRET_KEY", self.keys.secret_key.clone()),
        ];
        if let Some(dir) = arguments.frontend.clone().or_else(built_frontend) {
            flags.push(("GATEWAY_FRONTEND_DIR", dir.display().to_string()));
        }
        // On loopback no key is asked for, as in the CLI's stack.
        let required = !arguments.host.is_loopback();
        overrides.vars(
            "gateway",
            &flags,
            &[("GATEWAY_REQUIRE_APIKEY", text(required))],
        )
    }
}
