//! Pages of lists, and the cursors between them.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};

use crate::{
    App,
    error::{Error, Result},
    store::{
        listing::{self, Column, Entry},
        values::iso,
    },
};

/// The most entries of a page.
pub(crate) const MOST: i64 = 1000;
/// As Node.js reads base64: padding or not, and stray bits are nobody's concern.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What of a bucket is listed.
#[derive(Debug, Default)]
pub(crate) struct Query<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) delimiter: Option<&'a str>,
    pub(crate) limit: Option<i64>,
    pub(crate) cursor: Option<&'a str>,
    pub(crate) start_after: Option<&'a str>,
    pub(crate) column: Option<&'a str>,
    pub(crate) order: Option<&'a str>,
}

/// A page, in order: folders are entries without an id, their names end in the delimiter.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) has_next: bool,
    pub(crate) next_cursor: Option<String>,
    pub(crate) next_key: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Cursor {
    last: String,
    order: Option<String>,
    column: Option<String>,
    after: Option<String>,
}

impl Cursor {
    fn encode(&self) -> String {
        let lines = [
            ("l", Some(&self.last)),
            ("o", self.order.as_ref()),
            ("c", self.column.as_ref()),
            ("a", self.after.as_ref()),
        ];
        let lines = lines
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
        let lines: Vec<_> = lines
            .map(|(name, value)| format!("{name}:{value}"))
            .collect();
        STANDARD.encode(lines.join("\n"))
    }

    fn decode(text: &str) -> Result<Self> {
        let wrong = || Error::invalid_parameter("continuation token");
        let bytes = LENIENT.decode(text.trim()).map_err(|_| wrong())?;
        let lines = String::from_utf8(bytes).map_err(|_| wrong())?;
        let mut cursor = Self {
            order: Some("asc".to_owned()),
            ..Self::default()
        };
        for line in lines.split('\n') {
            let (name, value) = line.split_once(':').ok_or_else(wrong)?;
            let value = value.to_owned();
            match name {
                "l" => cursor.last = value,
                "o" => cursor.order = Some(value),
                "c" => cursor.column = Some(value),
                "a" => cursor.after = Some(value),
                _ => return Err(wrong()),
            }
        }
        Ok(cursor)
    }
}

impl App {
    /// A page of a list as the caller sees it.
    pub(crate) async fn list(
        &self,
        caller: &svc_kit::pg::Caller,
        bucket: &str,
        query: &Query<'_>,
    ) -> Result<Listing> {
        let limit = query
            .limit
            .filter(|limit| *limit > 0)
            .unwrap_or(MOST)
            .min(MOST);
        let cursor = query
            .cursor
            .filter(|cursor| !cursor.is_empty())
            .map(Cursor::decode)
            .transpose()?;
        let said = |own: fn(&Cursor) -> Option<&str>, asked: Option<&str>| {
            let of_cursor = cursor.as_ref().and_then(own);
            of_cursor.or(asked).map(str::to_owned)
        };
        let order = said(|cursor| cursor.order.as_deref(), query.order);
        let column = said(|cursor| cursor.column.as_deref(), query.column);
        let last = cursor.as_ref().map(|cursor| cursor.last.as_str());
        let page = listing::Page {
            prefix: query.prefix,
            delimiter: query.delimiter,
            limit: limit + 1,
            cursor: last.filter(|last| !last.is_empty()),
            start_after: query.start_after,
            column: Column::parse(column.as_deref().unwrap_or_default()),
            descending: order.as_deref() == Some("desc"),
            after: cursor.as_ref().and_then(|cursor| cursor.after.as_deref()),
        };
        let found = listing::page(self.db(), caller, bucket, &page).await?;
        let mut entries = match query.delimiter {
            Some(delimiter) => folded(found, query.prefix, delimiter),
            None => found,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_next = entries.len() > limit;
        entries.truncate(limit);
        let last = entries.last().filter(|_| has_next);
        let next_cursor = last.map(|last| {
            let time = match page.column {
                Column::Name => None,
                Column::CreatedAt => last.created_at,
                Column::UpdatedAt => last.updated_at,
            };
            let cursor = Cursor {
                last: last.name.clone(),
                order,
                column,
                after: time.map(iso),
            };
            cursor.encode()
        });
        let next_key = last.map(|last| last.name.clone());
        for entry in &mut entries {
            if entry.id.is_none() && !entry.name.ends_with('/') {
                entry.name.push('/');
            }
        }
        Ok(Listing {
            entries,
            has_next,
            next_cursor,
            next_key,
        })
    }
}

/// Names that go on behind a delimiter become one entry for all of them.
fn folded(found: Vec<Entry>, prefix: &str, delimiter: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::with_capacity(found.len());
    let mut folder: Option<String> = None;
    for entry in found {
        let rest = entry.name.strip_prefix(prefix).unwrap_or(&entry.name);
        let Some(at) = rest.find(delimiter) else {
            entries.push(entry);
            continue;
        };
        let end = entry.name.len() - rest.len() + at + delimiter.len();
        let name = entry.name[..end].to_owned();
        if folder.as_deref() == Some(name.as_str()) {
            continue;
        }
        folder = Some(name.clone());
        entries.push(Entry {
            key: None,
            name,
            id: None,
            updated_at: None,
            created_at: None,
            last_accessed_at: None,
            metadata: None,
        });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_goes_there_and_back() {
        let cursor = Cursor {
            last: "a:b/c".to_owned(),
            order: Some("desc".to_owned()),
            column: Some("created_at".to_owned()),
            after: Some("2026-11-21T00:07:57.635Z".to_owned()),
        };
        assert_eq!(Cursor::decode(&cursor.encode()).unwrap(), cursor);
        let short = Cursor {
            last: "k".to_owned(),
            ..Cursor::default()
        };
        assert_eq!(short.encode(), "bDpr");
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in ["not base64 ~", "eDpr", "a2V5"] {
            assert_eq!(Cursor::decode(text).unwrap_err().code, "InvalidParameter");
        }
    }
}
