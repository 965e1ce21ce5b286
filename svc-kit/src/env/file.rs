//! A value that stands in a file.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// More than any key or address needs; a wrong path must not fill the memory.
const MAX_BYTES: u64 = 64 * 1024;

/// Read once, when it is first asked for.
#[derive(Clone, Debug)]
pub(super) struct FileValue {
    path: PathBuf,
    content: OnceLock<Option<String>>,
}

impl FileValue {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            content: OnceLock::new(),
        }
    }

    /// The text without the line end that editors add; none when the file cannot be read.
    pub(super) fn get(&self) -> Option<&str> {
        self.content
            .get_or_init(|| read(&self.path).ok())
            .as_deref()
    }

    /// Was it asked for, and could not be read?
    pub(super) fn failed(&self) -> bool {
        matches!(self.content.get(), Some(None))
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    if read as u64 > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(text)
}
