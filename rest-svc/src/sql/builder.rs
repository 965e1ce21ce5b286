//! Text and parameters. Identifiers, literals and values are different methods, so that none can take
//! another's place.

use std::fmt::Write as _;

use bytes::Bytes;
use svc_kit::pg::{quote_literal, write_ident};

use crate::{
    parse::CastName,
    schema_cache::{QualifiedName, TypeName},
};

/// A value or null, sent as text; the statement decides its type, as it would a literal's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param(pub Option<Bytes>);

/// A statement being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sql {
    text: String,
    params: Vec<Param>,
}

impl Default for Sql {
    fn default() -> Self {
        Self {
            // Most statements are as long as this or shorter.
            text: String::with_capacity(512),
            params: Vec::new(),
        }
    }
}

impl Sql {
    /// An empty statement.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The values, the first for `$1`.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Text of ours: nothing of a request is `'static`.
    pub fn push(&mut self, text: &'static str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// A quoted identifier.
    pub fn ident(&mut self, name: &str) -> &mut Self {
        write_ident(&mut self.text, name);
        self
    }

    /// A quoted identifier with its schema; without one, it is looked for in the search path.
    pub fn qualified(&mut self, id: &QualifiedName) -> &mut Self {
        if !id.schema.is_empty() {
            self.ident(&id.schema).push(".");
        }
        self.ident(&id.name)
    }

    /// A column of an alias.
    pub fn column(&mut self, alias: &str, name: &str) -> &mut Self {
        self.ident(alias).push(".").ident(name)
    }

    /// A value of the request.
    pub fn param(&mut self, value: impl Into<Bytes>) -> &mut Self {
        self.nullable_param(Some(value.into()))
    }

    /// A value of the request, or null.
    pub fn nullable_param(&mut self, value: Option<Bytes>) -> &mut Self {
        self.params.push(Param(value));
        self.text.push('$');
        // A String takes all that is written to it.
        let _ = write!(self.text, "{}", self.params.len());
        self
    }

    /// A key of a JSON path: a literal, so that an index on the expression can be used.
    pub fn json_key(&mut self, key: &str) -> &mut Self {
        self.text.push_str(&quote_literal(key));
        self
    }

    /// A number of ours.
    pub fn number(&mut self, number: i64) -> &mut Self {
        let _ = write!(self.text, "{number}");
        self
    }

    /// The type of a cast, which the grammar keeps to letters, digits, `_`, `$` and spaces.
    pub fn cast_type(&mut self, name: &CastName) -> &mut Self {
        self.text.push_str(name.as_str());
        self
    }

    /// A type as the catalog printed it.
    pub fn catalog_type(&mut self, name: &TypeName) -> &mut Self {
        self.text.push_str(&name.0);
        self
    }

    /// An expression of the catalog: a column's default.
    pub fn catalog_expression(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Something between each two of a list.
    pub fn list<T>(
        &mut self,
        separator: &'static str,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(separator);
            }
            each(self, item);
        }
        self
    }
}

/// A Postgres array literal of texts.
pub(super) fn array_literal(values: &[String]) -> String {
    let mut text = String::from("{");
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push('"');
        text.push_str(&value.replace('\\', "\\\\").replace('"', "\\\""));
        text.push('"');
    }
    text.push('}');
    text
}

impl Sql {
    /// Appends a statement that has no parameters before it.
    pub(super) fn append(&mut self, other: &Self) {
        debug_assert!(
            self.params.is_empty(),
            "the numbers of parameters would collide"
        );
        self.text.push_str(&other.text);
        self.params.extend(other.params.iter().cloned());
    }
}
