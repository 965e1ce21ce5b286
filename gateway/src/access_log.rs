//! One line for each answer, written by a thread of its own, so that a slow disk or pipe holds up nobody.
//!
//! A line has the path without the query: in queries are keys, tokens and what people search for.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::Ordering,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chrono::DateTime;
use http::{HeaderValue, Method, StatusCode, Uri, Version};
use serde_json::json;

use crate::{AccessLogTarget, metrics::Metrics};

/// Lines are handed over in pieces of this size, or after this time.
const PIECE: usize = 32 * 1024;
const INTERVAL: Duration = Duration::from_millis(250);
/// Pieces that may wait for the disk; what comes then is lost and counted.
const WAITING: usize = 64;

/// What a line tells.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) client: Option<IpAddr>,
    pub(crate) method: Method,
    /// Only its path is written.
    pub(crate) uri: Uri,
    pub(crate) version: Version,
    pub(crate) status: StatusCode,
    pub(crate) bytes: u64,
    pub(crate) duration: Duration,
    pub(crate) request_id: HeaderValue,
    pub(crate) service: Option<&'static str>,
    pub(crate) user_agent: Option<HeaderValue>,
}

/// The log; one shelf of lines for each thread that serves.
#[derive(Debug)]
pub(crate) struct AccessLog {
    shelves: Vec<Mutex<Shelf>>,
    pieces: SyncSender<Piece>,
    metrics: Arc<Metrics>,
    is_json: bool,
}

#[derive(Debug, Default)]
struct Shelf {
    lines: Vec<u8>,
    /// The text of a second, which many lines share.
    second: u64,
    time: String,
}

#[derive(Debug)]
enum Piece {
    Lines(Vec<u8>),
    /// The file was moved away.
    Reopen,
    End,
}

impl AccessLog {
    /// Opens the log and starts its thread. None if there is to be no log.
    pub(crate) fn open(
        target: &AccessLogTarget,
        is_json: bool,
        threads: usize,
        metrics: &Arc<Metrics>,
    ) -> io::Result<Option<Arc<Self>>> {
        let Some(output) = output(target)? else {
            return Ok(None);
        };
        let (pieces, received) = sync_channel(WAITING);
        let log = Arc::new(Self {
            shelves: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
            pieces,
            metrics: Arc::clone(metrics),
            is_json,
        });
        let (weak, target) = (Arc::downgrade(&log), target.clone());
        let write = move || {
            let collect = || {
                let log = weak.upgrade()?;
                let shelves = log
                    .shelves
                    .iter()
                    .map(|shelf| std::mem::take(&mut lock(shelf).lines));
                Some(shelves.collect::<Vec<_>>().concat())
            };
            write_all(&received, output, &target, collect);
        };
        std::thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(write)?;
        Ok(Some(log))
    }

    /// Adds a line.
    pub(crate) fn write(&self, thread: usize, entry: &Entry) {
        let mut shelf = lock(&self.shelves[thread % self.shelves.len()]);
        shelf.keep_time(self.is_json);
        if self.is_json {
            write_json(&mut shelf, entry);
        } else {
            write_text(&mut shelf, entry);
        }
        if shelf.lines.len() >= PIECE {
            let lines = std::mem::replace(&mut shelf.lines, Vec::with_capacity(PIECE + 1024));
            drop(shelf);
            self.hand_over(lines);
        }
    }

    fn hand_over(&self, lines: Vec<u8>) {
        let count = lines.split(|byte| *byte == b'\n').count().saturating_sub(1) as u64;
        if self.pieces.try_send(Piece::Lines(lines)).is_err() {
            self.metrics
                .lost_log_lines
                .fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Opens the file anew, for whoever moves it away each night.
    pub(crate) fn reopen(&self) {
        let _ = self.pieces.try_send(Piece::Reopen);
    }

    /// Writes what there is. Waits for the disk.
    pub(crate) fn finish(&self) {
        for shelf in &self.shelves {
            let lines = std::mem::take(&mut lock(shelf).lines);
            let _ = self.pieces.send(Piece::Lines(lines));
        }
        let _ = self.pieces.send(Piece::End);
    }
}

fn lock(shelf: &Mutex<Shelf>) -> std::sync::MutexGuard<'_, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

fn output(target: &AccessLogTarget) -> io::Result<Option<Box<dyn Write + Send>>> {
    Ok(match target {
        AccessLogTarget::Off => None,
        AccessLogTarget::Stdout => Some(Box::new(io::stdout())),
        AccessLogTarget::Stderr => Some(Box::new(io::stderr())),
        AccessLogTarget::File(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            Some(Box::new(file))
        }
    })
}

fn write_all(
    pieces: &Receiver<Piece>,
    mut output: Box<dyn Write + Send>,
    target: &AccessLogTarget,
    collect: impl Fn() -> Option<Vec<u8>>,
) {
    loop {
        let lines = match pieces.recv_timeout(INTERVAL) {
            Ok(Piece::Lines(lines)) => lines,
            Ok(Piece::Reopen) => {
                if let Ok(Some(opened)) = self::output(target) {
                    output = opened;
                }
                continue;
            }
            Err(RecvTimeoutError::Timeout) => match collect() {
                Some(lines) => lines,
                None => return,
            },
            Ok(Piece::End) | Err(RecvTimeoutError::Disconnected) => return,
        };
        // A log that cannot be written has nobody else to tell it to.
        let _ = output.write_all(&lines).and_then(|()| output.flush());
    }
}

impl Shelf {
    fn keep_time(&mut self, is_json: bool) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        if self.second != now.as_secs() || self.time.is_empty() {
            self.second = now.as_secs();
            let format = if is_json {
                "%Y-%m-%dT%H:%M:%SZ"
            } else {
                "%d/%b/%Y:%H:%M:%S +0000"
            };
            let time = i64::try_from(self.second)
                .ok()
                .and_then(|second| DateTime::from_timestamp(second, 0));
            self.time = time
                .map(|time| time.format(format).to_string())
                .unwrap_or_default();
        }
    }
}

/// Kong's and nginx's format, with the time in milliseconds, the service and the request's id behind it.
fn write_text(shelf: &mut Shelf, entry: &Entry) {
    let Shelf { lines, time, .. } = shelf;
    // Writing into memory does not fail.
    let _ = match entry.client {
        Some(client) => write!(lines, "{client} - - [{time}] \"{} ", entry.method),
        None => write!(lines, "- - - [{time}] \"{} ", entry.method),
    };
    escape(lines, entry.uri.path().as_bytes());
    let micros = entry.duration.as_micros();
    let _ = write!(
        lines,
        " {:?}\" {} {} \"",
        entry.version,
        entry.status.as_u16(),
        entry.bytes,
    );
    escape(
        lines,
        entry
            .user_agent
            .as_ref()
            .map_or(b"-", HeaderValue::as_bytes),
    );
    let service = entry.service.unwrap_or("-");
    let _ = write!(
        lines,
        "\" {}.{:03} {service} ",
        micros / 1000,
        micros % 1000
    );
    escape(lines, entry.request_id.as_bytes());
    lines.push(b'\n');
}

/// Nothing that a client sends ends a field or a line.
fn escape(lines: &mut Vec<u8>, text: &[u8]) {
    let is_plain = |byte: &u8| matches!(byte, 0x20..0x7F) && !matches!(byte, b'"' | b'\\');
    if text.iter().all(is_plain) {
        lines.extend_from_slice(text);
        return;
    }
    for byte in text {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7F..=0xFF => {
                let _ = write!(lines, "\\x{byte:02X}");
            }
            plain => lines.push(*plain),
        }
    }
}

fn write_json(shelf: &mut Shelf, entry: &Entry) {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let line = json!({
        "time": shelf.time,
        "client": entry.client.map(|client| client.to_string()),
        "method": entry.method.as_str(),
        "path": entry.uri.path(),
        "status": entry.status.as_u16(),
        "bytes": entry.bytes,
        "duration_ms": entry.duration.as_secs_f64() * 1000.0,
        "service": entry.service,
        "request_id": text(&entry.request_id),
        "user_agent": entry.user_agent.as_ref().map(text),
    });
    let _ = writeln!(shelf.lines, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            client: Some("203.0.113.7".parse().unwrap()),
            method: Method::GET,
            uri: Uri::from_static("/rest/v1/t?apikey=x"),
            version: Version::HTTP_11,
            status: StatusCode::OK,
            bytes: 12,
            duration: Duration::from_micros(1_234),
            request_id: HeaderValue::from_static("id"),
            service: Some("rest"),
            user_agent: Some(HeaderValue::from_static("a \"b\"")),
        }
    }

    #[test]
    fn a_line_stays_a_line() {
        let mut shelf = Shelf {
            time: "now".to_owned(),
            ..Shelf::default()
        };
        write_text(&mut shelf, &entry());
        let line = String::from_utf8(shelf.lines).unwrap();
        assert_eq!(
            line,
            "203.0.113.7 - - [now] \"GET /rest/v1/t HTTP/1.1\" 200 12 \"a \\x22b\\x22\" 1.234 rest id\n"
        );
    }

    #[test]
    fn everything_is_written_before_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("access.log");
        let target = AccessLogTarget::File(path.clone());
        let log = AccessLog::open(&target, true, 2, &Arc::default())
            .unwrap()
            .unwrap();
        for thread in 0..500 {
            log.write(thread, &entry());
        }
        log.finish();
        // The thread ends after its last line, and the channel with it.
        while log.pieces.send(Piece::Reopen).is_ok() {
            std::thread::yield_now();
        }
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().count(), 500);
        let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(line["status"], 200);
    }
}
