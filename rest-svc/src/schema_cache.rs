//! What the database contains, as far as requests can name it. Loaded in one read-only transaction and
//! replaced as a whole, so a request sees one consistent state.

mod load;
mod relationships;
mod suggest;
mod views;

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

pub use load::load;
pub use relationships::{Cardinality, Relationship};

/// A name with its schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct QualifiedName {
    /// The schema.
    pub schema: String,
    /// The relation or function.
    pub name: String,
}

impl QualifiedName {
    /// A name in a schema.
    pub fn new(schema: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            schema: schema.into(),
            name: name.into(),
        }
    }
}

/// A type name as the catalog prints it, so that it can stand in SQL as it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TypeName(pub(crate) String);

/// A domain's own forms: functions of implicit casts between it and JSON or text.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Representation {
    /// From the value to what a response shows.
    pub to_json: Option<QualifiedName>,
    /// From what a body has to the value.
    pub from_json: Option<QualifiedName>,
    /// From what a filter has to the value.
    pub from_text: Option<QualifiedName>,
}

/// What makes the body of a media type.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Handler {
    /// An aggregate over rows, or the domain that a function's value passes through.
    pub function: QualifiedName,
    /// The relation or function it is for; `None` for any relation.
    pub target: Option<QualifiedName>,
    /// The media type in lower case; `*/*` answers every one.
    pub media: String,
    /// The value of `Content-Type`.
    pub content_type: String,
}

/// A column of an exposed relation.
#[derive(Clone, Debug, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The declared type with its modifier.
    pub declared: TypeName,
    /// The type below all domains, without modifier.
    pub base: String,
    /// The declared type without its modifier.
    pub nominal: TypeName,
    /// How a domain wants to be shown and read, if it does.
    pub representation: Option<Representation>,
    /// True if it takes null.
    pub nullable: bool,
    /// The expression of its default, or of its domain's.
    pub default: Option<String>,
    /// Its comment.
    pub description: Option<String>,
    /// The labels, if the type is an enumeration.
    pub labels: Vec<String>,
    /// The most characters it holds.
    pub max_length: Option<i32>,
}

impl Column {
    /// See [`Representation::to_json`].
    pub fn to_json(&self) -> Option<&QualifiedName> {
        self.representation.as_ref()?.to_json.as_ref()
    }

    /// See [`Representation::from_json`].
    pub fn from_json(&self) -> Option<&QualifiedName> {
        self.representation.as_ref()?.from_json.as_ref()
    }

    /// See [`Representation::from_text`].
    pub fn from_text(&self) -> Option<&QualifiedName> {
        self.representation.as_ref()?.from_text.as_ref()
    }
}

/// A table, view, materialized view, foreign or partitioned table.
#[derive(Clone, Debug, Deserialize)]
pub struct Table {
    /// Its object id.
    pub oid: u32,
    /// Its name.
    #[serde(flatten)]
    pub id: QualifiedName,
    /// `pg_class.relkind`.
    pub kind: String,
    /// Its comment.
    pub description: Option<String>,
    /// What can be done to it.
    pub insertable: bool,
    /// See above.
    pub updatable: bool,
    /// See above.
    pub deletable: bool,
    /// The columns of its primary key; a view inherits them.
    pub primary_key: Vec<String>,
    /// Its columns in order; empty unless the schema is exposed.
    pub columns: Vec<Column>,
}

impl Table {
    /// True if some column has a form of its own in responses.
    pub fn has_representation(&self) -> bool {
        self.columns.iter().any(|column| column.to_json().is_some())
    }

    /// One column.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// True for what has no storage of its own to reference.
    pub fn is_view(&self) -> bool {
        matches!(self.kind.as_str(), "v" | "m")
    }
}

/// An argument of a function.
#[derive(Clone, Debug, Deserialize)]
pub struct Argument {
    /// Its name; empty for an unnamed one.
    pub name: String,
    /// Its type; `character` and `bit` become their varying forms, so that nothing is cut off.
    #[serde(rename = "type")]
    pub type_name: TypeName,
    /// Its type as it was declared.
    pub declared: TypeName,
    /// True unless it has a default.
    pub required: bool,
    /// True for the last argument of a variadic function.
    pub variadic: bool,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Nothing.
    Void,
    /// A value.
    Scalar,
    /// A row.
    Composite,
}

/// A function of an exposed schema.
#[derive(Clone, Debug, Deserialize)]
pub struct Routine {
    /// Its object id.
    pub oid: u32,
    /// Its name.
    #[serde(flatten)]
    pub id: QualifiedName,
    /// Its comment.
    pub description: Option<String>,
    /// Its input arguments.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub shape: Shape,
    /// True if it returns a set.
    pub returns_set: bool,
    /// The relation whose rows it returns.
    pub returns: Option<QualifiedName>,
    /// `v`, `s` or `i`.
    pub volatility: String,
    /// Its `SET` clauses as name and value.
    pub settings: Vec<(String, String)>,
}

impl Routine {
    /// True if its only argument has no name, so the body itself is the argument.
    pub fn takes_raw(&self) -> bool {
        matches!(self.arguments.as_slice(), [one] if one.name.is_empty())
    }

    /// True if it may write.
    pub fn is_volatile(&self) -> bool {
        self.volatility == "v"
    }
}

/// The catalog.
#[derive(Debug, Default)]
pub struct SchemaCache {
    /// Exposed relations.
    pub tables: HashMap<QualifiedName, Table>,
    /// Relationships by the relation they start from.
    pub relationships: HashMap<QualifiedName, Vec<Relationship>>,
    /// Functions by name; overloads in the order of their argument count.
    pub routines: HashMap<QualifiedName, Vec<Routine>>,
    /// What makes bodies of other media types, by the media type.
    pub handlers: HashMap<String, Vec<Handler>>,
    /// Time zone names that `Prefer: timezone=` may give.
    pub timezones: Vec<String>,
    /// Comments of schemas.
    pub schema_descriptions: BTreeMap<String, String>,
}

impl SchemaCache {
    /// How much is in it, for the log.
    pub fn summary(&self) -> String {
        format!(
            "{} Relations, {} Relationships, {} RPCs, {} Media Type Handlers, {} Timezones",
            self.tables.len(),
            self.relationships.len(),
            self.routines.len(),
            self.handlers.len(),
            self.timezones.len()
        )
    }

    /// What makes bodies of a media type for a relation or function (`None` for any relation).
    pub fn handler(&self, target: Option<&QualifiedName>, media: &str) -> Option<&Handler> {
        self.handlers
            .get(media)?
            .iter()
            .find(|handler| handler.target.as_ref() == target)
    }

    /// A relation by name.
    pub fn table(&self, id: &QualifiedName) -> Option<&Table> {
        self.tables.get(id)
    }

    /// The relation that a client may have meant.
    pub fn similar_table(&self, id: &QualifiedName) -> Option<String> {
        let names = self
            .tables
            .keys()
            .filter(|known| known.schema == id.schema)
            .map(|known| known.name.as_str());
        suggest::closest(&id.name, names, 0.75)
    }

    /// The function that a client may have meant.
    pub fn similar_routine(&self, id: &QualifiedName) -> Option<String> {
        let names = self
            .routines
            .keys()
            .filter(|known| known.schema == id.schema)
            .map(|known| known.name.as_str());
        suggest::closest(&id.name, names, 0.75)
    }

    /// The related relation that a client may have meant.
    pub fn similar_target(&self, from: &QualifiedName, target: &str) -> Option<String> {
        let known = self.relationships.get(from)?;
        let names = known
            .iter()
            .map(|relationship| relationship.target.name.as_str());
        suggest::closest(target, names, 0.33)
    }

    /// The relation that a client may have meant to start from.
    pub fn similar_origin(&self, from: &QualifiedName) -> Option<String> {
        let names = self
            .relationships
            .keys()
            .filter(|known| known.schema == from.schema)
            .map(|known| known.name.as_str());
        suggest::closest(&from.name, names, 0.33)
    }

    /// The argument list that a client may have meant.
    pub fn similar_arguments(given: &str, known: &[String]) -> Option<String> {
        suggest::closest(given, known.iter().map(String::as_str), 0.33)
    }
}
