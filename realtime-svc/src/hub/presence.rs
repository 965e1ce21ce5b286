//! Who is there: what each channel of a room tells of itself, by key.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::socket::{ChannelId, json};

/// Whose an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Holder {
    /// The copy of the service that the client is connected to; nothing for this one.
    pub(crate) node: Option<u64>,
    pub(crate) channel: ChannelId,
}

/// One entry under a key.
#[derive(Clone, Debug)]
struct Meta {
    holder: Holder,
    /// `phx_ref`
    reference: String,
    /// The JSON text, `phx_ref` included.
    text: Arc<str>,
}

/// All entries of a room.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    keys: HashMap<Arc<str>, Vec<Meta>>,
}

/// An entry as copies of the service tell each other of it. The copy that tells is the one that its client is
/// connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) channel: ChannelId,
    pub(crate) key: Arc<str>,
    /// `phx_ref`
    pub(crate) reference: Box<str>,
    /// The JSON text, `phx_ref` included.
    pub(crate) text: Arc<str>,
}

/// What came and what went, by key.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    joins: Vec<(Arc<str>, Arc<str>)>,
    leaves: Vec<(Arc<str>, Arc<str>)>,
}

impl Presence {
    /// Notes what a channel tells of itself. An entry that it had before is replaced.
    pub(crate) fn track(
        &mut self,
        holder: Holder,
        key: &Arc<str>,
        payload: &Map<String, Value>,
        reference: String,
    ) -> Diff {
        let metas = self.keys.entry(key.clone()).or_default();
        let known = metas.iter().position(|meta| meta.holder == holder);
        let before = known.map(|index| metas[index].clone());
        let previous = before.as_ref().map(|meta| meta.reference.as_str());
        let text = meta_text(payload, &reference, previous);
        let meta = Meta {
            holder,
            reference,
            text: text.clone(),
        };
        let mut diff = Diff::default();
        match (known, before) {
            (Some(index), Some(before)) => {
                diff.leaves.push((key.clone(), before.text));
                metas[index] = meta;
            }
            _ => metas.push(meta),
        }
        diff.joins.push((key.clone(), text));
        diff
    }

    /// Forgets what a channel told of itself.
    pub(crate) fn untrack(&mut self, holder: Holder, key: &Arc<str>) -> Option<Diff> {
        let metas = self.keys.get_mut(key)?;
        let index = metas.iter().position(|meta| meta.holder == holder)?;
        let meta = metas.remove(index);
        if metas.is_empty() {
            self.keys.remove(key);
        }
        Some(Diff {
            joins: Vec::new(),
            leaves: vec![(key.clone(), meta.text)],
        })
    }

    /// The entries of this copy's own clients.
    pub(crate) fn own(&self) -> Vec<Entry> {
        let metas = self
            .keys
            .iter()
            .flat_map(|(key, metas)| metas.iter().map(move |meta| (key, meta)));
        metas
            .filter(|(_, meta)| meta.holder.node.is_none())
            .map(|(key, meta)| Entry {
                channel: meta.holder.channel,
                key: key.clone(),
                reference: meta.reference.as_str().into(),
                text: meta.text.clone(),
            })
            .collect()
    }

    /// Notes an entry of another copy.
    pub(crate) fn set(&mut self, node: u64, entry: Entry) -> Diff {
        let holder = Holder {
            node: Some(node),
            channel: entry.channel,
        };
        let metas = self.keys.entry(entry.key.clone()).or_default();
        let mut diff = Diff::default();
        let meta = Meta {
            holder,
            reference: entry.reference.into(),
            text: entry.text.clone(),
        };
        match metas.iter_mut().find(|meta| meta.holder == holder) {
            Some(known) if known.text == entry.text => return diff,
            Some(known) => {
                let before = std::mem::replace(known, meta);
                diff.leaves.push((entry.key.clone(), before.text));
            }
            None => metas.push(meta),
        }
        diff.joins.push((entry.key, entry.text));
        diff
    }

    /// Forgets an entry of another copy.
    pub(crate) fn unset(&mut self, node: u64, channel: ChannelId, key: &Arc<str>) -> Diff {
        let node = Some(node);
        self.untrack(Holder { node, channel }, key)
            .unwrap_or_default()
    }

    /// Notes that these are all entries of another copy.
    pub(crate) fn replace(&mut self, node: u64, entries: Vec<Entry>) -> Diff {
        let told: HashSet<_> = entries
            .iter()
            .map(|entry| (entry.key.clone(), entry.channel))
            .collect();
        let mut diff = self.remove(|key, holder| {
            holder.node == Some(node) && !told.contains(&(key.clone(), holder.channel))
        });
        for entry in entries {
            let Diff { joins, leaves } = self.set(node, entry);
            diff.joins.extend(joins);
            diff.leaves.extend(leaves);
        }
        diff
    }

    /// Forgets a copy that is gone.
    pub(crate) fn forget(&mut self, node: u64) -> Diff {
        self.remove(|_, holder| holder.node == Some(node))
    }

    fn remove(&mut self, is_gone: impl Fn(&Arc<str>, Holder) -> bool) -> Diff {
        let mut diff = Diff::default();
        self.keys.retain(|key, metas| {
            metas.retain(|meta| {
                let goes = is_gone(key, meta.holder);
                if goes {
                    diff.leaves.push((key.clone(), meta.text.clone()));
                }
                !goes
            });
            !metas.is_empty()
        });
        diff
    }

    /// The payload of `presence_state`.
    pub(crate) fn state(&self) -> String {
        let entries = self.keys.iter().map(|(key, metas)| {
            let texts = metas.iter().map(|meta| &*meta.text);
            (&**key, texts.collect::<Vec<_>>())
        });
        by_key(entries)
    }
}

impl Diff {
    /// True if nothing is to be told.
    pub(crate) fn is_empty(&self) -> bool {
        self.joins.is_empty() && self.leaves.is_empty()
    }

    /// The text of the entry that came last.
    pub(super) fn joined(&self) -> Option<&Arc<str>> {
        self.joins.last().map(|(_, text)| text)
    }

    /// The payload of `presence_diff`.
    pub(crate) fn payload(&self) -> String {
        let side = |entries: &[(Arc<str>, Arc<str>)]| {
            let mut grouped: Vec<(&str, Vec<&str>)> = Vec::new();
            for (key, text) in entries {
                match grouped.iter_mut().find(|(known, _)| *known == &**key) {
                    Some((_, texts)) => texts.push(text),
                    None => grouped.push((key, vec![text])),
                }
            }
            by_key(grouped.into_iter())
        };
        format!(
            r#"{{"joins":{},"leaves":{}}}"#,
            side(&self.joins),
            side(&self.leaves)
        )
    }
}

/// `{key: {"metas": […]}, …}`
fn by_key<'a>(entries: impl Iterator<Item = (&'a str, Vec<&'a str>)>) -> String {
    let mut text = String::from("{");
    for (index, (key, metas)) in entries.enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{separator}{}:{{"metas":[{}]}}"#,
            json(key),
            metas.join(",")
        );
    }
    text.push('}');
    text
}

/// The client's own members stay as they are, but for those that the protocol has a meaning for.
fn meta_text(payload: &Map<String, Value>, reference: &str, previous: Option<&str>) -> Arc<str> {
    let mut meta = Map::with_capacity(payload.len() + 2);
    meta.insert("phx_ref".to_owned(), reference.into());
    if let Some(previous) = previous {
        meta.insert("phx_ref_prev".to_owned(), previous.into());
    }
    for (name, value) in payload {
        if !matches!(name.as_str(), "phx_ref" | "phx_ref_prev") {
            meta.insert(name.clone(), value.clone());
        }
    }
    json(&meta).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holder(number: u64) -> Holder {
        Holder {
            node: None,
            channel: ChannelId(number),
        }
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn parsed(diff: &Diff) -> Value {
        serde_json::from_str(&diff.payload()).unwrap()
    }

    #[test]
    fn an_update_leaves_and_joins_with_a_new_reference() {
        let mut presence = Presence::default();
        let key: Arc<str> = "ann".into();
        let first = presence.track(holder(1), &key, &object(&json!({"at": "home"})), "a".into());
        assert_eq!(
            parsed(&first),
            json!({"joins": {"ann": {"metas": [{"phx_ref": "a", "at": "home"}]}}, "leaves": {}})
        );
        let update = object(&json!({"at": "work", "phx_ref": "forged"}));
        let second = presence.track(holder(1), &key, &update, "b".into());
        assert_eq!(
            parsed(&second),
            json!({
                "joins": {"ann": {"metas": [{"phx_ref": "b", "phx_ref_prev": "a", "at": "work"}]}},
                "leaves": {"ann": {"metas": [{"phx_ref": "a", "at": "home"}]}},
            })
        );
    }

    #[test]
    fn entries_of_other_copies_come_change_and_go_with_them() {
        let entry = |channel, text: &str| Entry {
            channel: ChannelId(channel),
            key: "ann".into(),
            reference: "r".into(),
            text: text.into(),
        };
        let mut presence = Presence::default();
        let key: Arc<str> = "ann".into();
        presence.track(holder(1), &key, &Map::new(), "own".into());
        // The same number of a channel on another copy is another channel.
        assert!(!presence.set(7, entry(1, r#"{"n":1}"#)).is_empty());
        assert!(presence.set(7, entry(1, r#"{"n":1}"#)).is_empty());
        presence.set(8, entry(1, r#"{"n":8}"#));
        let state = vec![entry(1, r#"{"n":2}"#), entry(2, r#"{"n":3}"#)];
        assert_eq!(
            parsed(&presence.replace(7, state)),
            json!({
                "joins": {"ann": {"metas": [{"n": 2}, {"n": 3}]}},
                "leaves": {"ann": {"metas": [{"n": 1}]}},
            })
        );
        let left = presence.replace(7, vec![entry(2, r#"{"n":3}"#)]);
        assert_eq!(
            parsed(&left),
            json!({"joins": {}, "leaves": {"ann": {"metas": [{"n": 2}]}}})
        );
        assert_eq!(
            parsed(&presence.forget(7)),
            json!({"joins": {}, "leaves": {"ann": {"metas": [{"n": 3}]}}})
        );
        assert!(presence.forget(7).is_empty());
        assert_eq!(presence.own().len(), 1);
    }

    #[test]
    fn channels_under_one_key_come_and_go_by_themselves() {
        let mut presence = Presence::default();
        let key: Arc<str> = "ann".into();
        presence.track(holder(1), &key, &Map::new(), "a".into());
        presence.track(holder(2), &key, &Map::new(), "b".into());
        let state: Value = serde_json::from_str(&presence.state()).unwrap();
        assert_eq!(
            state,
            json!({"ann": {"metas": [{"phx_ref": "a"}, {"phx_ref": "b"}]}})
        );
        let left = presence.untrack(holder(1), &key).unwrap();
        assert_eq!(
            parsed(&left),
            json!({"joins": {}, "leaves": {"ann": {"metas": [{"phx_ref": "a"}]}}})
        );
        assert!(presence.untrack(holder(1), &key).is_none());
        assert!(presence.untrack(holder(2), &key).is_some() && presence.keys.is_empty());
    }
}
