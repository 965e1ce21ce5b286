//! What the server answers: rows, or why there are none.

use std::{io, ops::Range};

use bytes::Bytes;

use super::frames;

/// A row, in the format that was asked for: binary on a [`Connection`](super::Connection).
#[derive(Debug)]
pub struct Row {
    bytes: Bytes,
    columns: Vec<Option<Range<usize>>>,
}

impl Row {
    /// Reads a `DataRow`.
    ///
    /// # Errors
    /// Columns that go beyond its end.
    pub fn parse(bytes: Bytes) -> io::Result<Self> {
        let columns = frames::columns(&bytes)?;
        Ok(Self { bytes, columns })
    }

    fn range(&self, index: usize) -> Option<Range<usize>> {
        self.columns.get(index).cloned().flatten()
    }

    /// A value; none for null, and for a column that is not there.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        self.range(index).map(|range| &self.bytes[range])
    }

    /// A value that outlives the row without a copy.
    pub fn bytes(&self, index: usize) -> Option<Bytes> {
        self.range(index).map(|range| self.bytes.slice(range))
    }

    /// A value of the type `text` or `json`.
    pub fn text(&self, index: usize) -> Option<String> {
        self.get(index)
            .map(|text| String::from_utf8_lossy(text).into_owned())
    }

    /// A value of the type `bigint`.
    pub fn bigint(&self, index: usize) -> Option<i64> {
        Some(i64::from_be_bytes(self.get(index)?.try_into().ok()?))
    }
}

/// An `ErrorResponse`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DbError {
    /// SQLSTATE
    pub code: String,
    /// What happened.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// What might help.
    pub hint: Option<String>,
}

impl DbError {
    /// Reads the fields: a letter and a text that ends with a zero, each.
    pub fn parse(body: &[u8]) -> Self {
        let mut error = Self {
            code: String::new(),
            message: String::new(),
            detail: None,
            hint: None,
        };
        for field in body.split(|byte| *byte == 0) {
            let Some((kind, text)) = field.split_first() else {
                continue;
            };
            let text = String::from_utf8_lossy(text).into_owned();
            match kind {
                b'C' => error.code = text,
                b'M' => error.message = text,
                b'D' => error.detail = Some(text),
                b'H' => error.hint = Some(text),
                _ => {}
            }
        }
        error
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The database refused.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The connection broke.
    #[error(transparent)]
    Connection(#[from] io::Error),
    /// What was to be sent cannot be: a zero in a name, or more than the protocol can say.
    #[error("{0}")]
    Unsendable(io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_read_by_its_letters() {
        let body =
            b"SERROR\0VERROR\0C23505\0Mduplicate key\0DKey (id)=(1) already exists.\0sapi\0\0";
        let error = DbError::parse(body);
        assert_eq!((&*error.code, &*error.message), ("23505", "duplicate key"));
        assert_eq!(
            error.detail.as_deref(),
            Some("Key (id)=(1) already exists.")
        );
        assert_eq!(error.hint, None);
    }
}
