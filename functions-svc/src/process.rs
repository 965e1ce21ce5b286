//! One Deno process: starting it, telling it what to run, and noticing that it ended.

use std::{
    fs, io,
    os::unix::{fs::DirBuilderExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use serde::Deserialize;
use serde_json::json;
use tokio::{
    io::AsyncWriteExt as _,
    process::{Child, ChildStdin},
    sync::{mpsc, watch},
};
use uuid::Uuid;

use crate::{
    catalog::Definition,
    config::Limits,
    deno::{Deno, list_item, module_arguments},
    inspector::{ANNOUNCEMENT, Inspector},
    prepare::{Prepared, file_url},
    worker::{changed, remove},
};

mod output;
mod spawner;

use output::{Output, Said};
pub(crate) use spawner::Spawner;

/// Why a process was ended, or ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Too much CPU time.
    Cpu,
    /// Too much memory.
    Memory,
    /// Too many or too large files in its `/tmp`.
    Storage,
    /// It lived too long.
    WallClock,
    /// It did not start to serve in time.
    Boot,
    /// Nobody needs it any more.
    Stopped,
    /// It failed.
    Failed,
}

impl Cause {
    /// The name of the cause in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Storage => "storage",
            Self::WallClock => "wall_clock",
            Self::Boot => "boot",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// A Deno process. It waits for its [`Process::run`], and ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    /// Also what a function sees as `SB_EXECUTION_ID`.
    pub(crate) id: Uuid,
    pub(crate) pid: u32,
    pub(crate) socket: PathBuf,
    /// What the function knows as `/tmp`; it goes with the process.
    pub(crate) tmp: PathBuf,
    /// When it was made.
    pub(crate) tmp_made: Option<SystemTime>,
    mark: String,
    input: mpsc::Sender<Vec<u8>>,
    kill: mpsc::Sender<()>,
    cause: Arc<OnceLock<Cause>>,
    state: Arc<Reported>,
    ended: watch::Receiver<Option<Cause>>,
}

/// Ends a process without keeping it.
#[derive(Debug)]
pub(crate) struct End {
    cause: Arc<OnceLock<Cause>>,
    kill: mpsc::WeakSender<()>,
}

impl End {
    pub(crate) fn kill(&self, cause: Cause) {
        let _ = self.cause.set(cause);
        if let Some(kill) = self.kill.upgrade() {
            let _ = kill.try_send(());
        }
    }
}

/// What the process said about itself.
#[derive(Debug)]
struct Reported {
    ready: watch::Sender<bool>,
    background: AtomicUsize,
    stopping: AtomicBool,
}

/// A line of the process to us, behind its mark.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Message<'a> {
    Ready(bool),
    /// How many background tasks run.
    Background(usize),
    /// Something that the function said on its console.
    #[serde(borrow)]
    Log(Said<'a>),
}

/// What processes have in common.
pub(crate) struct Host<'a> {
    pub(crate) spawner: &'a Spawner,
    pub(crate) deno: &'a Deno,
    pub(crate) binary: &'a Path,
    pub(crate) limits: &'a Limits,
    pub(crate) run_dir: &'a Path,
    pub(crate) inspector: Option<&'a Arc<Inspector>>,
}

impl Process {
    /// Starts Deno with what this function may do. Nothing of the function is loaded before [`Process::run`].
    pub(crate) async fn spawn(
        host: &Host<'_>,
        definition: &Definition,
        prepared: &Prepared,
    ) -> io::Result<Self> {
        let Host { deno, limits, .. } = host;
        let id = Uuid::new_v4();
        // Short, because the whole path of a socket has a hundred bytes.
        let folder = host.run_dir.join(&id.simple().to_string()[..12]);
        fs::create_dir_all(&folder)?;
        let (socket, tmp) = (folder.join("s"), folder.join("t"));
        fs::DirBuilder::new().mode(0o700).create(&tmp)?;
        let mut arguments = module_arguments(&prepared.config);
        if let Some(inspector) = host.inspector {
            // It has to say where it listens.
            arguments.retain(|argument| argument != "--quiet");
            arguments.push(inspector.argument().into());
        }
        let mut command = deno.guarded_command(host.binary);
        command
            .arg("run")
            .args(["--no-prompt", "--cached-only"])
            .args(arguments)
            .arg(format!(
                "--v8-flags=--max-old-space-size={}",
                limits.memory_mb
            ))
            .args(["--allow-net", "--allow-env"])
            .arg("--allow-sys=osRelease,osUptime,cpus,loadavg,systemMemoryInfo")
            .arg(format!(
                "--allow-read={}",
                readable(deno, definition, prepared, &[&socket, &tmp])
            ))
            .arg(format!(
                "--allow-write={},{}",
                list_item(&socket),
                list_item(&tmp)
            ))
            .arg(deno.boot_module())
            .current_dir(&definition.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let child = host.spawner.spawn(command).await.inspect_err(|_| {
            let _ = fs::remove_dir_all(&folder);
        })?;
        Ok(Self::supervise(
            child,
            id,
            definition,
            &folder,
            host.inspector,
        ))
    }

    fn supervise(
        mut child: Child,
        id: Uuid,
        definition: &Definition,
        folder: &Path,
        inspector: Option<&Arc<Inspector>>,
    ) -> Self {
        let pid = child.id().unwrap_or_default();
        let mark = format!("{}:", Uuid::new_v4().simple());
        let (input, lines) = mpsc::channel(8);
        let (kill, kills) = mpsc::channel(1);
        let (ended_tx, ended) = watch::channel(None);
        let state = Arc::new(Reported {
            ready: watch::Sender::new(false),
            background: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
        });
        let cause = Arc::new(OnceLock::new());
        if let Some(stdin) = child.stdin.take() {
            tokio::spawn(write_lines(stdin, lines));
        }
        let output = Arc::new(Output::new(&definition.name, id));
        if let Some(stdout) = child.stdout.take() {
            let (state, said) = (state.clone(), output.clone());
            let note = move |message: &str| state.note(message, &said);
            tokio::spawn(output.clone().log(stdout, "info", Some(mark.clone()), note));
        }
        if let Some(stderr) = child.stderr.take() {
            let announcement = inspector.map(|_| ANNOUNCEMENT.to_owned());
            let (inspector, name) = (inspector.cloned(), definition.name.clone());
            let module = file_url(&definition.entrypoint);
            let note = move |address: &str| {
                if let Some(inspector) = &inspector {
                    inspector.add(id, &name, module.clone(), address);
                }
            };
            tokio::spawn(output.log(stderr, "error", announcement, note));
        }
        let (killed_for, folder_gone) = (cause.clone(), folder.to_owned());
        let listed = inspector.cloned();
        tokio::spawn(async move {
            let cause = wait(child, kills, &killed_for).await;
            if let Some(inspector) = listed {
                inspector.remove(id);
            }
            ended_tx.send_replace(Some(cause));
            // The function may have left many files, for which nobody should wait.
            tokio::task::spawn_blocking(move || remove(&folder_gone));
        });
        Self {
            id,
            pid,
            socket: folder.join("s"),
            tmp_made: changed(&folder.join("t")),
            tmp: folder.join("t"),
            mark,
            input,
            kill,
            cause,
            state,
            ended,
        }
    }

    /// Lets the process load the function, whose entry or bundle is `module`.
    pub(crate) fn run(
        &self,
        deno: &Deno,
        definition: &Definition,
        module: &Path,
        inspector: Option<&Inspector>,
    ) {
        let mut env = definition.env.clone();
        // Deno looks at these when the function first connects to somebody.
        env.extend(deno.trust_env().iter().cloned());
        // For servers of `node:http`, which know no other way to the socket.
        env.insert(
            "DENO_SERVE_ADDRESS".to_owned(),
            format!("unix:{}", self.socket.display()),
        );
        env.insert("TMPDIR".to_owned(), self.tmp.display().to_string());
        env.insert("SB_EXECUTION_ID".to_owned(), self.id.to_string());
        env.insert("SUPABASE_FUNCTION_SLUG".to_owned(), definition.name.clone());
        self.tell(&json!({
            "mark": self.mark,
            "module": file_url(module),
            "socket": self.socket,
            "tmp": self.tmp,
            "places": places(deno, definition),
            "env": env,
            "inspected": inspector.is_some(),
            "breaks": inspector.is_some_and(Inspector::breaks),
        }));
    }

    /// Dispatches `beforeunload` in the function.
    pub(crate) fn announce(&self, reason: &str) {
        self.tell(&json!({ "unload": reason }));
    }

    /// Dispatches `beforeunload`, and lets the process end when its background tasks did.
    pub(crate) fn stop(&self, reason: &str) {
        let _ = self.cause.set(Cause::Stopped);
        self.state.stopping.store(true, Ordering::Relaxed);
        self.tell(&json!({ "unload": reason, "exit": true }));
    }

    /// Ends the process at once. The first cause is the one that counts.
    pub(crate) fn kill(&self, cause: Cause) {
        let _ = self.cause.set(cause);
        let _ = self.kill.try_send(());
    }

    /// For those who watch over it.
    pub(crate) fn end(&self) -> End {
        End {
            cause: self.cause.clone(),
            kill: self.kill.downgrade(),
        }
    }

    /// Background tasks that the function still runs.
    pub(crate) fn background(&self) -> usize {
        self.state.background.load(Ordering::Relaxed)
    }

    /// True if it was asked to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.stopping.load(Ordering::Relaxed)
    }

    /// Waits until the function says that it serves.
    pub(crate) async fn ready(&self) {
        let mut ready = self.state.ready.subscribe();
        // Fails only if nobody can say it any more; the process is gone then.
        let _ = ready.wait_for(|ready| *ready).await;
    }

    /// Why the process ended, if it did.
    pub(crate) fn ended(&self) -> Option<Cause> {
        *self.ended.borrow()
    }

    /// Waits for the end.
    pub(crate) fn ended_signal(&self) -> impl Future<Output = Cause> + Send + use<> {
        let mut ended = self.ended.clone();
        async move {
            ended
                .wait_for(Option::is_some)
                .await
                .ok()
                .and_then(|cause| *cause)
                .unwrap_or(Cause::Failed)
        }
    }

    fn tell(&self, order: &serde_json::Value) {
        let mut line = order.to_string().into_bytes();
        line.push(b'\n');
        // Full only if the process does not read, and then it is not going to.
        let _ = self.input.try_send(line);
    }
}

impl Reported {
    fn note(&self, message: &str, output: &Output) {
        match serde_json::from_str(message) {
            Ok(Message::Ready(ready)) => {
                self.ready.send_replace(ready);
            }
            Ok(Message::Background(count)) => self.background.store(count, Ordering::Relaxed),
            Ok(Message::Log(said)) => output.say(&said),
            Err(error) => tracing::warn!(%error, "a process said what it should not"),
        }
    }
}

/// Folders that a function may read under their own names, wherever they are.
fn places(deno: &Deno, definition: &Definition) -> Vec<PathBuf> {
    std::iter::once(definition.folder.clone())
        .chain(definition.readable.iter().cloned())
        .chain([deno.modules_dir(), deno.packages_dir(), deno.prepared_dir()])
        .collect()
}

fn readable(deno: &Deno, definition: &Definition, prepared: &Prepared, own: &[&Path]) -> String {
    let common = deno.prepared_dir();
    let paths: Vec<String> = places(deno, definition)
        .iter()
        .map(PathBuf::as_path)
        // Of what is made for functions, what is made for this one.
        .filter(|path| *path != common)
        .chain(prepared.config.parent())
        .chain(own.iter().copied())
        .map(list_item)
        .collect();
    paths.join(",")
}

async fn write_lines(mut stdin: ChildStdin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// Waits for the end of the process, which dropping its handle brings about.
async fn wait(mut child: Child, mut kills: mpsc::Receiver<()>, cause: &OnceLock<Cause>) -> Cause {
    let status = tokio::select! {
        status = child.wait() => status,
        _ = kills.recv() => {
            // Fails only if it has ended by itself.
            let _ = child.start_kill();
            child.wait().await
        }
    };
    cause
        .get()
        .copied()
        .unwrap_or_else(|| status.map_or(Cause::Failed, cause_of))
}

/// V8 traps when its heap is full.
fn cause_of(status: ExitStatus) -> Cause {
    const TRAP: i32 = 5;
    match (status.signal(), status.code()) {
        (Some(TRAP), _) | (_, Some(133)) => Cause::Memory,
        _ => Cause::Failed,
    }
}
