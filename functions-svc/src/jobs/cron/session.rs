//! The session of a job: statements as one simple query, whose rows nobody wants.

use std::{io, time::Duration};

use bytes::{Buf as _, BytesMut};
use postgres_protocol::message::frontend;
use svc_kit::wire::BoxStream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// What is kept of a message; an error may be as long as whoever raises it likes.
const KEPT: usize = 16 * 1024;
/// Libpq says it so.
const NO_COPY: &str = "COPY not supported";
const CLOSE_WITHIN: Duration = Duration::from_secs(1);

/// A session that is not shared with anybody.
pub(super) struct Session {
    stream: BoxStream,
}

/// What the last statement came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) succeeded: bool,
    /// The tag of a command, the number of rows, or the error.
    pub(super) words: String,
    /// The first value of the last row, as text.
    pub(super) value: Option<String>,
}

impl Session {
    pub(super) fn new(stream: BoxStream) -> Self {
        Self { stream }
    }

    /// Runs statements to their end.
    pub(super) async fn run(&mut self, sql: &str) -> io::Result<Ended> {
        let mut output = BytesMut::new();
        frontend::query(sql, &mut output)?;
        self.stream.write_all(&output).await?;
        self.stream.flush().await?;
        let mut ended = Ended {
            succeeded: true,
            words: String::new(),
            value: None,
        };
        let mut rows: Option<u64> = None;
        let mut failed = false;
        loop {
            let (tag, body) = self.frame().await?;
            match tag {
                b'T' => rows = Some(0),
                b'D' => {
                    rows = rows.map(|rows| rows + 1);
                    ended.value = first_value(&body);
                }
                b'C' if !failed => ended.words = words_of(rows.take(), &body),
                b'I' if !failed => ended.words = words_of(Some(0), &body),
                b'E' if !failed => {
                    failed = true;
                    ended.words = error(&body);
                }
                b'G' | b'H' | b'W' => {
                    failed = true;
                    NO_COPY.clone_into(&mut ended.words);
                    if tag != b'H' {
                        self.refuse_copy().await?;
                    }
                }
                b'Z' => {
                    ended.succeeded = !failed;
                    return Ok(ended);
                }
                _ => {}
            }
        }
    }

    async fn refuse_copy(&mut self) -> io::Result<()> {
        let mut output = BytesMut::new();
        frontend::copy_fail(NO_COPY, &mut output)?;
        self.stream.write_all(&output).await?;
        self.stream.flush().await
    }

    /// The next message; what is longer than a message has to be is read and thrown away.
    async fn frame(&mut self) -> io::Result<(u8, BytesMut)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head).await?;
        let [tag, length @ ..] = head;
        let length = u64::from(u32::from_be_bytes(length))
            .checked_sub(4)
            .ok_or(io::ErrorKind::InvalidData)?;
        let kept = length.min(KEPT as u64);
        let mut body = BytesMut::zeroed(KEPT.min(usize::try_from(kept).unwrap_or(KEPT)));
        self.stream.read_exact(&mut body).await?;
        let mut rest = (&mut self.stream).take(length - kept);
        let passed = tokio::io::copy(&mut rest, &mut tokio::io::sink()).await?;
        if passed < length - kept {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok((tag, body))
    }

    /// Says goodbye.
    pub(super) async fn close(mut self) {
        let mut output = BytesMut::new();
        frontend::terminate(&mut output);
        let farewell = async {
            self.stream.write_all(&output).await?;
            self.stream.shutdown().await
        };
        // The server finds out by itself otherwise.
        let _ = tokio::time::timeout(CLOSE_WITHIN, farewell).await;
    }
}

fn words_of(rows: Option<u64>, tag: &[u8]) -> String {
    match rows {
        Some(1) => "1 row".to_owned(),
        Some(rows) => format!("{rows} rows"),
        None => text(tag),
    }
}

/// Up to the zero byte.
fn text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn first_value(mut row: &[u8]) -> Option<String> {
    if row.remaining() < 6 || row.get_u16() == 0 {
        return None;
    }
    let length = usize::try_from(row.get_i32()).ok()?;
    Some(String::from_utf8_lossy(row.get(..length)?).into_owned())
}

/// As libpq words it: the severity and the message, then what else there is to say.
fn error(mut fields: &[u8]) -> String {
    let (mut severity, mut message, mut more) = (String::new(), String::new(), String::new());
    while let Some((&kind, rest)) = fields.split_first() {
        if kind == 0 {
            break;
        }
        let value = text(rest);
        let end = rest.iter().position(|byte| *byte == 0);
        fields = end.map_or(&[][..], |end| &rest[end + 1..]);
        let mut add = |name: &str, value: &str| more.extend([name, ":  ", value, "\n"]);
        match kind {
            b'S' => severity = value,
            b'M' => message = value,
            b'D' => add("DETAIL", &value),
            b'H' => add("HINT", &value),
            b'W' => add("CONTEXT", &value),
            _ => {}
        }
    }
    format!("{severity}:  {message}\n{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_worded_as_libpq_does() {
        let fields = b"SERROR\0VERROR\0C22012\0Mdivision by zero\0Hthink\0Wnowhere\0\0";
        assert_eq!(
            error(fields),
            "ERROR:  division by zero\nHINT:  think\nCONTEXT:  nowhere\n"
        );
        assert_eq!(error(b"SERROR\0Mcut"), "ERROR:  cut\n");
    }
}
