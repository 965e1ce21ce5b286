//! Addresses that users are sent to, with what they take along.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, header};
use url::{Url, form_urlencoded};

use crate::error::Error;

/// Parameters in the order of their names, as the original writes them.
pub(super) fn encoded(mut pairs: Vec<(&str, String)>) -> String {
    pairs.sort_by(|a, b| a.0.cmp(b.0));
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

/// The target with another fragment; what it had is replaced.
pub(super) fn with_fragment(target: &str, fragment: &str) -> String {
    let bare = target.split('#').next().unwrap_or(target);
    format!("{bare}#{fragment}")
}

/// The target with these parameters; those of the same names are replaced.
pub(super) fn with_query(target: &str, pairs: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse(target) else {
        return target.to_owned();
    };
    let mut all: Vec<(String, String)> = url
        .query_pairs()
        .into_owned()
        .filter(|(key, _)| !pairs.iter().any(|(name, _)| name == key))
        .chain(
            pairs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
        )
        .collect();
    // In the order of their names, as the original writes them.
    all.sort_by(|a, b| a.0.cmp(&b.0));
    url.query_pairs_mut().clear().extend_pairs(all);
    url.into()
}

/// 302, as `/authorize` and `/callback` answer.
pub(super) fn found(location: String) -> Result<Response, Error> {
    redirect(StatusCode::FOUND, location)
}

/// 303, as everything else that redirects answers.
pub(super) fn see_other(location: String) -> Result<Response, Error> {
    redirect(StatusCode::SEE_OTHER, location)
}

fn redirect(status: StatusCode, location: String) -> Result<Response, Error> {
    let location = HeaderValue::try_from(location)
        .map_err(|error| Error::internal("the redirect cannot be written", error))?;
    Ok((status, [(header::LOCATION, location)]).into_response())
}
