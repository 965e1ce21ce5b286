//! What is going on, for whoever waits for it: on standard error, and to a command that asked for the work.

use std::fmt::Display;

use tokio::sync::mpsc::UnboundedSender;

/// Says what is being done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    quiet: bool,
    listener: Option<UnboundedSender<String>>,
}

impl Progress {
    /// Says nothing.
    #[cfg(test)]
    pub(crate) fn quiet() -> Self {
        Self {
            quiet: true,
            listener: None,
        }
    }

    /// Tells somebody else, too.
    pub(crate) fn also_to(listener: UnboundedSender<String>) -> Self {
        Self {
            quiet: false,
            listener: Some(listener),
        }
    }

    /// One line.
    pub(crate) fn say(&self, line: impl Display) {
        if self.quiet {
            return;
        }
        let line = line.to_string();
        eprintln!("{line}");
        if let Some(listener) = &self.listener {
            // Whoever asked may have gone.
            let _ = listener.send(line);
        }
    }

    /// One line that should be read.
    pub(crate) fn warn(&self, line: impl Display) {
        self.say(format!("WARN: {line}"));
    }
}
