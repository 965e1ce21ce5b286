//! What an answer is made of: the best of what the client accepts.

use std::borrow::Cow;

use super::Context;
use crate::{
    error::{Error, Result},
    parse::MediaType,
    schema_cache::{Handler, QualifiedName},
    sql,
};

/// The media type of an answer and how its body is made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Negotiated {
    /// The accepted type, never `*/*`.
    pub(super) media: MediaType,
    /// The database's own handler, if it has one.
    pub(super) handler: Option<Handler>,
}

impl Negotiated {
    /// The value of `Content-Type`.
    pub(super) fn content_type(&self) -> Cow<'_, str> {
        match (&self.media, &self.handler) {
            (MediaType::Plan { .. }, _) | (_, None) => self.media.content_type(),
            (_, Some(handler)) => {
                let media = MediaType::parse(&handler.content_type);
                Cow::Owned(media.content_type().into_owned())
            }
        }
    }

    /// How the body of rows is made.
    pub(super) fn body(&self) -> sql::Body {
        match &self.handler {
            Some(handler) => sql::Body::Handler {
                handler: handler.clone(),
                of_scalar: false,
            },
            None => builtin(&self.media).unwrap_or(sql::Body::Array),
        }
    }
}

/// How Postgres makes the body of a media type of ours.
fn builtin(media: &MediaType) -> Option<sql::Body> {
    Some(match media {
        MediaType::Json | MediaType::Any => sql::Body::Array,
        MediaType::ArrayStripped => sql::Body::ArrayStripped,
        MediaType::Object(false) => sql::Body::Object,
        MediaType::Object(true) => sql::Body::ObjectStripped,
        MediaType::Csv => sql::Body::Csv,
        MediaType::GeoJson => sql::Body::GeoJson,
        MediaType::Plan { of, .. } => return builtin(of),
        MediaType::OpenApi | MediaType::Other(_) => return None,
    })
}

/// The best accepted type that we, or the database's handlers for `target`, can make. Handlers of one relation or
/// function serve only what selects nothing of its own.
pub(super) fn negotiate(
    context: &Context,
    target: &QualifiedName,
    default_select: bool,
) -> Result<Negotiated> {
    let handler = |media: &MediaType| -> Option<Handler> {
        if context.cache.handlers.is_empty() {
            return None;
        }
        let name = media.name().to_ascii_lowercase();
        let of_target = |name: &str| {
            context
                .cache
                .handler(Some(target), name)
                .filter(|_| default_select)
        };
        of_target("*/*")
            .or_else(|| of_target(&name))
            .or_else(|| context.cache.handler(None, &name))
            .cloned()
    };
    let make = |media: &MediaType| -> Option<Negotiated> {
        let handler = match media {
            MediaType::Object(_) | MediaType::ArrayStripped => None,
            MediaType::Plan { .. } if !context.config.plan => return None,
            MediaType::Plan { of, .. } => match of.as_ref() {
                MediaType::Object(_) | MediaType::ArrayStripped => None,
                of => handler(of),
            },
            media => handler(media),
        };
        if handler.is_none() {
            builtin(media)?;
        }
        let media = match media {
            MediaType::Any => MediaType::Json,
            media => media.clone(),
        };
        Some(Negotiated { media, handler })
    };
    context
        .accept
        .iter()
        .find_map(make)
        .ok_or_else(|| not_acceptable(context))
}

/// PGRST107, naming everything that was accepted.
pub(super) fn not_acceptable(context: &Context) -> Error {
    let names: Vec<_> = context.accept.iter().map(MediaType::name).collect();
    Error::new(
        406,
        "107",
        format!(
            "None of these media types are available: {}",
            names.join(", ")
        ),
    )
}
