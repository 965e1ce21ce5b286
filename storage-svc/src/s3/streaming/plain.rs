//! Bodies that are their own content.

use std::collections::VecDeque;

use aws_lc_rs::{constant_time, digest};
use bytes::Bytes;

use crate::error::Error;
use crate::s3::{error, streaming::Unpack};

/// Passes content on and compares its hash, where one was signed for.
pub(crate) struct Plain {
    expected: Option<[u8; 32]>,
    hash: digest::Context,
}

impl Plain {
    pub(crate) fn new(expected: Option<[u8; 32]>) -> Self {
        Self {
            expected,
            hash: digest::Context::new(&digest::SHA256),
        }
    }
}

impl Unpack for Plain {
    fn feed(&mut self, input: Bytes, output: &mut VecDeque<Bytes>) -> Result<(), Error> {
        if self.expected.is_some() {
            self.hash.update(&input);
        }
        if !input.is_empty() {
            output.push_back(input);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        let Some(expected) = self.expected else {
            return Ok(());
        };
        let hash = self.hash.clone().finish();
        constant_time::verify_slices_are_equal(hash.as_ref(), &expected)
            .map_err(|_| error::content_mismatch())
    }
}
