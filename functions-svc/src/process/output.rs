use futures_util::StreamExt as _;
use tokio::io::AsyncRead;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use uuid::Uuid;

/// Longer lines are cut.
const LONGEST: usize = 64 << 10;

/// Whose lines are logged.
pub(super) struct Source {
    function: String,
    execution: Uuid,
    stream: &'static str,
}

impl Source {
    pub(super) fn new(function: &str, execution: Uuid, stream: &'static str) -> Self {
        Self {
            function: function.to_owned(),
            execution,
            stream,
        }
    }
}

/// Logs lines until the process closes the stream. What stands behind the mark is for us.
pub(super) async fn log(
    stream: impl AsyncRead + Unpin,
    source: Source,
    mark: Option<String>,
    note: impl Fn(String),
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
                note(message.to_owned());
                before
            }
            None => &line,
        };
        if !text.is_empty() {
            tracing::info!(
                target: "functions_svc::output",
                function = source.function,
                execution_id = %source.execution,
                stream = source.stream,
                "{text}"
            );
        }
    }
}
