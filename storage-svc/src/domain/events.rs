//! What happened to objects, in the words of the original's webhooks.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::webhooks::Entry;
use crate::{
    App,
    auth::Caller,
    db::Sql,
    store::objects::{Notice, Object},
};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    CreatedPost,
    CreatedPut,
    CreatedCopy,
    CreatedMove,
    RemovedDelete,
    RemovedMove,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::CreatedPost => "ObjectCreated:Post",
            Self::CreatedPut => "ObjectCreated:Put",
            Self::CreatedCopy => "ObjectCreated:Copy",
            Self::CreatedMove => "ObjectCreated:Move",
            Self::RemovedDelete => "ObjectRemoved:Delete",
            Self::RemovedMove => "ObjectRemoved:Move",
        }
    }
}

/// Where an object that was moved had been.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldObject<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: Option<&'a str>,
}

/// Something that happens to an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) kind: Kind,
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: Option<&'a str>,
    /// JSON text.
    pub(crate) metadata: Option<&'a str>,
    pub(crate) upload_type: Option<&'static str>,
    pub(crate) old: Option<OldObject<'a>>,
}

impl<'a> Event<'a> {
    /// An object's removal.
    pub(crate) fn removed(object: &'a Object) -> Self {
        Self {
            kind: Kind::RemovedDelete,
            bucket: &object.bucket,
            name: &object.name,
            version: object.version.as_deref(),
            metadata: object.metadata.as_deref(),
            upload_type: None,
            old: None,
        }
    }
}

impl App {
    /// What a change has to write along with itself: nothing, if nobody is to be told.
    pub(crate) fn noticing<'a, T>(
        &self,
        notice: &'a (dyn Fn(&T) -> Option<Sql<'static>> + Send + Sync),
    ) -> Notice<'a, T> {
        self.config().webhook.is_some().then_some(notice)
    }

    /// The statement that keeps these events until they are told, in the transaction of what they tell of.
    pub(crate) fn notice<'a>(
        &self,
        caller: &Caller,
        events: impl IntoIterator<Item = Event<'a>>,
    ) -> Option<Sql<'static>> {
        let entries: Vec<Entry<'_>> = events
            .into_iter()
            .map(|event| Entry {
                bucket: event.bucket,
                name: event.name,
                event: self.described(caller, &event),
            })
            .collect();
        super::webhooks::keep(&entries)
    }

    /// Whom the webhooks are about.
    pub(crate) fn tenant_json(&self) -> Value {
        json!({ "ref": self.config().tenant, "host": "" })
    }

    fn described(&self, caller: &Caller, event: &Event<'_>) -> Value {
        let metadata: Option<Value> = event
            .metadata
            .and_then(|text| serde_json::from_str(text).ok());
        let mut payload = json!({
            "tenant": self.tenant_json(),
            "name": event.name,
            "version": event.version,
            "bucketId": event.bucket,
            "metadata": metadata,
        });
        if let Some(kind) = event.upload_type {
            payload["uploadType"] = kind.into();
        }
        if let Some(old) = event.old {
            payload["oldObject"] =
                json!({ "name": old.name, "bucketId": old.bucket, "version": old.version });
        }
        if let Some(id) = caller.request_id() {
            payload["reqId"] = id.into();
            payload["sbReqId"] = id.into();
        }
        let millis = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis();
        json!({
            "type": event.kind.text(),
            "region": self.config().region,
            "$version": "v1",
            "applyTime": u64::try_from(millis).unwrap_or(u64::MAX),
            "payload": payload,
        })
    }
}
