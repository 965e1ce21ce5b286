use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};

/// A NATS server that ends with the test.
pub(super) struct Nats {
    process: Child,
    port: u16,
    url: String,
    max_payload: Option<u32>,
    directory: tempfile::TempDir,
}

impl Nats {
    pub(super) fn new() -> Self {
        Self::with(None)
    }

    /// With the largest message that it takes, in bytes.
    pub(super) fn with(max_payload: Option<u32>) -> Self {
        let port = pg_embed::free_port().unwrap();
        let directory = tempfile::tempdir().unwrap();
        Self {
            process: start(port, max_payload, &directory),
            url: format!("nats://127.0.0.1:{port}"),
            port,
            max_payload,
            directory,
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// On the same port as before.
    pub(super) fn start_again(&mut self) {
        self.process = start(self.port, self.max_payload, &self.directory);
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        // It may be stopped already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(port: u16, max_payload: Option<u32>, directory: &tempfile::TempDir) -> Child {
    let config = directory.path().join("nats.conf");
    let mut text = format!("listen: 127.0.0.1:{port}\n");
    if let Some(bytes) = max_payload {
        writeln!(text, "max_payload: {bytes}").unwrap();
    }
    std::fs::write(&config, text).unwrap();
    // Debian puts it where users do not look.
    let mut found = [
        "nats-server",
        "/usr/sbin/nats-server",
        "/usr/local/bin/nats-server",
    ]
    .into_iter()
    .filter_map(|name| {
        let mut command = Command::new(name);
        command.arg("--config").arg(&config);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok()
    });
    let mut process = found.next().expect(
        "nats-server is missing: install the package nats-server, or run `scripts/ensure-nats.sh` as root",
    );
    // It refuses connections until it is there.
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(process.try_wait().unwrap().is_none(), "nats-server ended");
        std::thread::yield_now();
    }
    process
}
