//! What the protocol refuses, in the words of the original's library.

use crate::error::Error;

fn refusal(status: u16, message: &'static str) -> Error {
    Error::new("TusError", status, message)
}

pub(super) fn version_required() -> Error {
    refusal(412, "Tus-Resumable Required\n")
}

pub(super) fn invalid_headers(names: &[&str]) -> Error {
    Error::new("TusError", 400, format!("Invalid {}\n", names.join(" ")))
}

pub(super) fn no_method() -> Error {
    refusal(404, "Not found\n")
}

pub(super) fn offset_required() -> Error {
    refusal(403, "Upload-Offset header required\n")
}

pub(super) fn content_type_required() -> Error {
    refusal(403, "Content-Type header required\n")
}

pub(super) fn metadata_required() -> Error {
    Error::invalid_request("Metadata header is required")
}

pub(super) fn no_concatenation() -> Error {
    refusal(
        501,
        "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n",
    )
}

pub(super) fn invalid_length() -> Error {
    refusal(
        400,
        "Upload-Length or Upload-Defer-Length header required\n",
    )
}

pub(super) fn invalid_termination() -> Error {
    refusal(400, "Cannot terminate an already completed upload")
}

pub(super) fn file_not_found() -> Error {
    refusal(404, "The file for this url was not found\n")
}

pub(super) fn expired() -> Error {
    refusal(410, "The file for this url no longer exists\n")
}

pub(super) fn offset_conflict() -> Error {
    refusal(409, "Upload-Offset conflict\n")
}

pub(super) fn size_exceeded() -> Error {
    refusal(413, "upload's size exceeded\n")
}

pub(super) fn max_size_exceeded() -> Error {
    refusal(413, "Maximum size exceeded\n")
}
