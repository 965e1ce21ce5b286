use std::{borrow::Cow, sync::Arc};

use futures_util::StreamExt as _;
use serde::Deserialize;
use tokio::io::AsyncRead;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use uuid::Uuid;

/// Longer lines are cut.
const LONGEST: usize = 64 << 10;

/// Whose lines are logged.
pub(super) struct Output {
    function: String,
    execution: Uuid,
}

/// A message of a function's console.
#[derive(Deserialize)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    /// `debug`, `info`, `warning` or `error`.
    severity: &'a str,
    /// The id of the request that it was said for; none if it was for none.
    #[serde(borrow, default)]
    request: Option<Cow<'a, str>>,
}

impl Output {
    pub(super) fn new(function: &str, execution: Uuid) -> Self {
        Self {
            function: function.to_owned(),
            execution,
        }
    }

    /// Logs lines until the process closes the stream. What stands behind the mark is for us.
    pub(super) async fn log(
        self: Arc<Self>,
        stream: impl AsyncRead + Unpin,
        severity: &'static str,
        mark: Option<String>,
        note: impl Fn(&str),
    ) {
        let mut lines = FramedRead::new(stream, LinesCodec::new_with_max_length(LONGEST));
        loop {
            let line = match lines.next().await {
                Some(Ok(line)) => line,
                // The codec passes over the rest of the line.
                Some(Err(LinesCodecError::MaxLineLengthExceeded)) => {
                    "(a line that is too long)".to_owned()
                }
                // Bytes that are no text.
                Some(Err(LinesCodecError::Io(error)))
                    if error.kind() == std::io::ErrorKind::InvalidData =>
                {
                    continue;
                }
                Some(Err(LinesCodecError::Io(_))) | None => return,
            };
            let text = match mark
                .as_ref()
                .and_then(|mark| line.split_once(mark.as_str()))
            {
                Some((before, message)) => {
                    note(message);
                    before
                }
                None => &line,
            };
            self.line(text, severity, None);
        }
    }

    /// Logs each line of a message by itself: a text of several could look like lines of somebody else.
    pub(super) fn say(&self, said: &Said<'_>) {
        let request = said.request.as_deref().filter(|id| !id.is_empty());
        for line in said.text.lines() {
            self.line(line, said.severity, request);
        }
    }

    fn line(&self, text: &str, severity: &str, request: Option<&str>) {
        if text.is_empty() {
            return;
        }
        tracing::info!(
            target: "functions_svc::output",
            function = self.function,
            execution_id = %self.execution,
            request_id = request,
            severity,
            "{text}"
        );
    }
}
