//! The command line, which is that of the `gotrue` binary, and its commands about users.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde_json::json;
use uuid::Uuid;

use crate::{
    app::App,
    domain::{account::Account, address, clock, confirm, password, stored_password},
    store::users::{self, NewUser},
};

/// Signs users up and in.
#[derive(Debug, clap::Parser)]
#[command(name = "auth-svc", disable_help_subcommand = true)]
pub struct Cli {
    /// A file with settings; they go before those of the environment
    #[arg(short, long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A directory with files of settings; what changes there is taken over while the service runs
    #[arg(short = 'd', long, global = true, value_name = "DIRECTORY")]
    pub config_dir: Option<PathBuf>,
    /// Without a command: migrate, then serve
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Answer requests
    Serve,
    /// Bring the database up to date
    Migrate,
    /// Print the version
    Version,
    /// Add and remove users
    Admin {
        /// The audience of the user, if not that of the settings
        #[arg(short, long, global = true)]
        aud: Option<String>,
        /// What to do
        #[command(subcommand)]
        command: AdminCommand,
    },
}

/// What to do with a user.
#[derive(Debug, clap::Subcommand)]
pub enum AdminCommand {
    /// Add a user
    #[command(name = "createuser")]
    CreateUser(NewAccount),
    /// Remove a user for good
    #[command(name = "deleteuser")]
    DeleteUser {
        /// The mail address or the id
        user: String,
    },
}

/// A user to be.
#[derive(Clone, Debug, clap::Args)]
pub struct NewAccount {
    /// The mail address
    pub email: String,
    /// The password
    pub password: String,
    /// The role in tokens, if not that of the settings
    pub role: Option<String>,
    /// Take the mail address as confirmed
    #[arg(long)]
    pub confirm: bool,
    /// Give the role of administrators
    #[arg(long)]
    pub admin: bool,
}

/// Runs a command about users; gives what to print.
pub async fn administer(
    app: &App,
    aud: Option<&str>,
    command: &AdminCommand,
) -> anyhow::Result<String> {
    let aud = aud.unwrap_or(&app.config().jwt.aud);
    match command {
        AdminCommand::CreateUser(new) => create_user(app, aud, new).await,
        AdminCommand::DeleteUser { user } => delete_user(app, aud, user).await,
    }
}

async fn create_user(app: &App, aud: &str, new: &NewAccount) -> anyhow::Result<String> {
    let config = app.config();
    let email = address::email(&new.email)?;
    anyhow::ensure!(
        new.password.len() <= password::MAX_BYTES,
        "the password is longer than 72 bytes"
    );
    let id = clock::id(app.random());
    let hash = stored_password::make(app, id, &new.password).await?;
    let mut tx = app.begin().await?;
    let apart = config.experimental.linking_domains.apart();
    let taken = users::find_duplicate_email(&mut tx, &email, aud, None, &apart).await?;
    anyhow::ensure!(taken.is_none(), "user already exists");
    let role = match &new.role {
        Some(role) => role,
        None if new.admin => &config.jwt.admin_group_name,
        None => &config.jwt.default_group_name,
    };
    let mut row = NewUser {
        id,
        aud: aud.to_owned(),
        role: role.clone(),
        email: Some(email.clone()),
        encrypted_password: Some(hash),
        ..NewUser::default()
    };
    row.app_metadata.insert("provider".into(), "email".into());
    row.app_metadata
        .insert("providers".into(), json!(["email"]));
    let user = users::insert(&mut tx, &row, app.now())
        .await
        .map_err(confirm::taken)?;
    let account = Account::of(&mut tx, user).await?;
    let confirmed = new.confirm || config.mailer.autoconfirm;
    // Without an identity the user could neither link others nor change the address.
    let data = json!({ "email": email, "email_verified": confirmed });
    confirm::put_identity(app, &mut tx, &account, "email", data).await?;
    if confirmed {
        users::confirm_email(&mut tx, row.id, app.now()).await?;
    }
    tx.commit().await?;
    Ok(format!("Created user: {email}"))
}

async fn delete_user(app: &App, aud: &str, whom: &str) -> anyhow::Result<String> {
    let mut tx = app.begin().await?;
    let mut found = users::find_by_email(&mut tx, &whom.to_lowercase(), aud).await?;
    if found.is_none()
        && let Ok(id) = whom.parse::<Uuid>()
    {
        found = users::find(&mut tx, id).await?;
    }
    let Some(user) = found else {
        bail!("there is no user {whom}");
    };
    users::delete(&mut tx, user.id)
        .await
        .context("removing the user")?;
    tx.commit().await?;
    Ok(format!("Removed user: {whom}"))
}
