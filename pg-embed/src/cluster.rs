use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use nix::{
    fcntl::{Flock, FlockArg},
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tokio::process::{Child, Command};

use crate::{Binaries, Error, account::Account, find, recover};

const READY_WITHIN: Duration = Duration::from_secs(120);
const STOPS_WITHIN: Duration = Duration::from_secs(30);

/// What a private cluster is made and started with.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// A folder of our own: the cluster is its subfolder `pgdata`, the server's log lies beside it.
    pub dir: PathBuf,
    /// The address to listen on.
    pub host: String,
    /// The port to listen on.
    pub port: u16,
    /// The bootstrap superuser.
    pub superuser: String,
    /// The password that a new cluster gives the superuser.
    pub password: String,
    /// The folder of the server binaries, if a setting names one.
    pub binaries: Option<PathBuf>,
    /// Folders at or above which a `node_modules` may hold the binaries.
    pub roots: Vec<PathBuf>,
    /// Settings beyond ours, for `-c name=value`.
    pub settings: Vec<(String, String)>,
}

impl ClusterConfig {
    /// A cluster in a folder, on a loopback port, with the platform's usual superuser.
    pub fn new(dir: impl Into<PathBuf>, port: u16) -> Self {
        Self {
            dir: dir.into(),
            host: "127.0.0.1".to_owned(),
            port,
            superuser: "supabase_admin".to_owned(),
            password: "postgres".to_owned(),
            binaries: None,
            roots: Vec::new(),
            settings: Vec::new(),
        }
    }
}

/// A running server, which stops with [`Cluster::stop`].
///
/// When the value is dropped without that, the server goes on; the next start finds and replaces it.
#[derive(Debug)]
pub struct Cluster {
    child: Child,
    log: PathBuf,
    /// True if this start made the cluster.
    pub is_new: bool,
    /// What the server runs from.
    pub binaries: Binaries,
    _lock: Flock<File>,
}

impl Cluster {
    /// Makes the cluster if there is none, clears what an earlier run left, and waits until it answers.
    pub async fn start(config: &ClusterConfig) -> Result<Self, Error> {
        let data_dir = config.dir.join("pgdata");
        let account = Account::to_switch_to(&data_dir)?;
        fs::create_dir_all(&config.dir).map_err(Error::io(&config.dir))?;
        let dir = config.dir.canonicalize().map_err(Error::io(&config.dir))?;
        let data_dir = dir.join("pgdata");
        let binaries = find(config.binaries.as_deref(), &config.roots, &data_dir)?;
        if let Some(account) = &account {
            account.check_reach(&dir)?;
            account.check_reach(&binaries.dir)?;
        }
        let lock = lock(&dir)?;
        recover::clear(&data_dir).await?;
        let is_new = find::data_major(&data_dir).is_none();
        if is_new {
            init(config, &binaries, account.as_ref(), &dir, &data_dir).await?;
        }
        let log = dir.join("postgres.log");
        let child = spawn(config, &binaries, account.as_ref(), &data_dir, &log)?;
        let mut cluster = Self {
            child,
            log,
            is_new,
            binaries,
            _lock: lock,
        };
        cluster.wait_ready(&data_dir).await?;
        Ok(cluster)
    }

    /// The server's process id.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the server ends, which it should not do by itself.
    pub async fn ended(&mut self) -> String {
        let status = self.child.wait().await;
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        format!("{status}: {}", tail(&self.log))
    }

    /// Asks the server to stop in good order and waits for it.
    pub async fn stop(mut self) -> Result<(), Error> {
        for (signal, within) in [
            (Signal::SIGINT, STOPS_WITHIN),
            (Signal::SIGQUIT, STOPS_WITHIN),
        ] {
            let Some(pid) = self.child.id().and_then(|pid| i32::try_from(pid).ok()) else {
                return Ok(());
            };
            // Fails only if it has ended already, which the wait then finds.
            let _ = kill(Pid::from_raw(pid), signal);
            if tokio::time::timeout(within, self.child.wait())
                .await
                .is_ok()
            {
                return Ok(());
            }
        }
        Err(Error::Slow(STOPS_WITHIN.as_secs(), self.log))
    }

    /// The server writes its state as the eighth line of its pid file; `pg_ctl` waits for the same.
    async fn wait_ready(&mut self, data_dir: &Path) -> Result<(), Error> {
        let pid_file = data_dir.join("postmaster.pid");
        let pid = self.child.id().unwrap_or_default().to_string();
        let started = Instant::now();
        loop {
            if let Ok(text) = fs::read_to_string(&pid_file) {
                let mut lines = text.lines();
                let ours = lines.next().is_some_and(|line| line.trim() == pid);
                if ours && lines.nth(6).is_some_and(|state| state.trim() == "ready") {
                    return Ok(());
                }
            }
            if let Ok(Some(_)) = self.child.try_wait() {
                return Err(Error::Failed {
                    program: "postgres",
                    output: tail(&self.log),
                });
            }
            if started.elapsed() > READY_WITHIN {
                return Err(Error::Slow(READY_WITHIN.as_secs(), self.log.clone()));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Two starts on one folder must not both believe that they clear up after a dead one.
fn lock(dir: &Path) -> Result<Flock<File>, Error> {
    let path = dir.join("postgres.lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .map_err(Error::io(&path))?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| Error::InUse {
        pid: 0,
        data_dir: dir.to_owned(),
    })
}

/// Makes the cluster under another name first, so that a crash half-way leaves nothing that looks whole.
async fn init(
    config: &ClusterConfig,
    binaries: &Binaries,
    account: Option<&Account>,
    dir: &Path,
    data_dir: &Path,
) -> Result<(), Error> {
    let unfinished = dir.join("pgdata.unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(Error::io(&unfinished))?;
    }
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&unfinished)
        .map_err(Error::io(&unfinished))?;
    let password_file = unfinished.with_extension("password");
    fs::write(&password_file, "").map_err(Error::io(&password_file))?;
    fs::set_permissions(
        &password_file,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .map_err(Error::io(&password_file))?;
    fs::write(&password_file, &config.password).map_err(Error::io(&password_file))?;
    if let Some(account) = account {
        account.own(&unfinished)?;
        account.own(&password_file)?;
    }
    let mut last = String::new();
    // Not every system has the locale C.UTF-8; byte order with UTF-8 text is the next best thing.
    for locale in ["--locale=C.UTF-8", "--no-locale"] {
        let mut command = program(binaries, "initdb", account, dir);
        let output = command
            .arg("--pgdata")
            .arg(&unfinished)
            .args([
                "--encoding=UTF8",
                "--auth=scram-sha-256",
                locale,
                "--username",
                &config.superuser,
            ])
            .arg("--pwfile")
            .arg(&password_file)
            .output()
            .await
            .map_err(Error::io(binaries.program("initdb")))?;
        if output.status.success() {
            let _ = fs::remove_file(&password_file);
            return fs::rename(&unfinished, data_dir).map_err(Error::io(data_dir));
        }
        last = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if !last.contains("locale") {
            break;
        }
    }
    let _ = fs::remove_file(&password_file);
    Err(Error::Failed {
        program: "initdb",
        output: last,
    })
}

fn spawn(
    config: &ClusterConfig,
    binaries: &Binaries,
    account: Option<&Account>,
    data_dir: &Path,
    log: &Path,
) -> Result<Child, Error> {
    let log_file = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(log)
        .map_err(Error::io(log))?;
    let mut command = program(binaries, "postgres", account, data_dir);
    command.arg("-D").arg(data_dir);
    let ours = [
        ("listen_addresses", config.host.clone()),
        ("port", config.port.to_string()),
        ("unix_socket_directories", String::new()),
        ("wal_level", "logical".to_owned()),
        ("max_replication_slots", "10".to_owned()),
        ("max_wal_senders", "10".to_owned()),
        // Costs of policies and catalogues look high and their rows are few: compiling takes longer than running.
        ("jit", "off".to_owned()),
    ];
    let theirs = config
        .settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in ours
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .chain(theirs)
    {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    let for_errors = log_file.try_clone().map_err(Error::io(log))?;
    command
        .stdin(Stdio::null())
        .stdout(log_file)
        .stderr(for_errors);
    // A group of its own: Ctrl-C in the terminal reaches us, and we stop the server after the services.
    command.process_group(0);
    command
        .spawn()
        .map_err(Error::io(binaries.program("postgres")))
}

fn program(binaries: &Binaries, name: &str, account: Option<&Account>, cwd: &Path) -> Command {
    let mut command = Command::new(binaries.program(name));
    command.current_dir(cwd).env("LC_MESSAGES", "C");
    if let Some(account) = account {
        command.uid(account.uid.as_raw()).gid(account.gid.as_raw());
    }
    command
}

/// The end of the server's log, for an error message.
fn tail(log: &Path) -> String {
    let mut text = String::new();
    if let Ok(mut file) = File::open(log) {
        let length = file.metadata().map_or(0, |meta| meta.len());
        let _ = file.seek(SeekFrom::Start(length.saturating_sub(1500)));
        let mut bytes = Vec::new();
        let _ = file.read_to_end(&mut bytes);
        text = String::from_utf8_lossy(&bytes).trim().to_owned();
    }
    text
}
