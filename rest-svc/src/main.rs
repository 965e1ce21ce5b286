//! rest-svc as a process of its own.

use std::{os::unix::fs::PermissionsExt as _, process::ExitCode};

use anyhow::Context as _;
use axum::ServiceExt as _;
use clap::Parser as _;
use rest_svc::{Address, App, Config, Lines, LogLevel, cli};
use svc_kit::{env::Vars, http, telemetry};
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    if arguments.version {
        println!("{}", cli::version());
        return ExitCode::SUCCESS;
    }
    if arguments.example {
        print!("{}", cli::EXAMPLE);
        return ExitCode::SUCCESS;
    }
    let vars = Vars::from_process();
    let config = match Config::load(&vars, arguments.filename.as_deref()) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("Error in config {error}");
            return ExitCode::FAILURE;
        }
    };
    let usual = if config.log_level == LogLevel::Debug {
        "info,rest_svc=debug,svc_kit=debug"
    } else {
        "info"
    };
    telemetry::init_as(&vars, Lines, usual);
    if arguments.ready {
        return cli::ready(&config);
    }
    let outcome = if arguments.dump_config {
        dump_config(config).await
    } else if arguments.dump_schema {
        dump_schema(config).await
    } else {
        run(config).await
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn dump_config(config: Config) -> anyhow::Result<()> {
    let config = if config.db_config {
        rest_svc::with_database_settings(config).await
    } else {
        config
    };
    print!("{}", config.dump());
    Ok(())
}

async fn dump_schema(config: Config) -> anyhow::Result<()> {
    println!("{}", rest_svc::describe_schema(config).await?);
    Ok(())
}

async fn run(config: Config) -> anyhow::Result<()> {
    tracing::info!("Starting PostgREST {}...", rest_svc::VERSION);
    let stop = http::shutdown_signal()?;
    let admin = match config.admin_port {
        Some(port) => {
            let address = (config.admin_listen_host(), port);
            let listener = TcpListener::bind(address).await.context("admin server")?;
            tracing::info!("Admin server listening on {}", listener.local_addr()?);
            Some(listener)
        }
        None => None,
    };
    let app = App::connect(config).await?;
    let workers = app.spawn_workers(stop.clone());
    if let Some(admin) = admin {
        tokio::spawn(http::serve(admin, app.admin_router(), stop.clone()));
    }
    tokio::select! {
        served = serve(&app, stop) => served?,
        () = app.failed() => anyhow::bail!("the database cannot be used, and automatic recovery is disabled"),
    }
    workers.close();
    workers.wait().await;
    Ok(())
}

async fn serve(app: &App, stop: CancellationToken) -> anyhow::Result<()> {
    let config = app.config();
    let service = app.logged_service();
    let Some(path) = &config.unix_socket else {
        let listener = TcpListener::bind((config.listen_host(), config.port)).await?;
        let address = listener.local_addr()?;
        tracing::info!("API server listening on {address}");
        app.serves_at(Address::Tcp(address));
        return Ok(http::serve(listener, service, stop).await?);
    };
    // A socket that a dead process left behind would be in the way.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    let mode = std::fs::Permissions::from_mode(config.unix_socket_mode);
    std::fs::set_permissions(path, mode)?;
    tracing::info!("API server listening on {path:?}");
    app.serves_at(Address::Unix(path.into()));
    let served = axum::serve(listener, service.into_make_service())
        .with_graceful_shutdown(async move { stop.cancelled().await })
        .await;
    let _ = std::fs::remove_file(path);
    Ok(served?)
}
