//! The syntax tree of a query string.

use super::Range;

/// One step of a JSON path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonStep {
    /// True for `->>`, which gives text.
    pub as_text: bool,
    /// The key or index.
    pub operand: JsonOperand,
}

/// What a JSON step looks up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonOperand {
    /// An object's key.
    Key(String),
    /// An array's index, possibly negative.
    Index(i32),
}

/// A column, or what lies inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The column's name.
    pub name: String,
    /// The path into its JSON.
    pub path: Vec<JsonStep>,
}

/// The type name of a cast: letters, digits, `_`, `$` and spaces, so it can stand in SQL as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastName(pub(super) String);

impl CastName {
    /// The checked text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// `sum`
    Sum,
    /// `avg`
    Avg,
    /// `max`
    Max,
    /// `min`
    Min,
    /// `count`
    Count,
}

impl Aggregate {
    /// The SQL name, which is also the default label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Max => "max",
            Self::Min => "min",
            Self::Count => "count",
        }
    }
}

/// How an embed joins its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinType {
    /// Parents without a match stay.
    Left,
    /// They do not.
    Inner,
}

/// One item of `select`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectItem {
    /// A column, `*`, or an aggregate.
    Field(SelectField),
    /// An embedded relation.
    Embed(Embed),
}

/// A column of `select`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectField {
    /// What is selected; `*` is a name here.
    pub field: Field,
    /// True if `*` was written without quotes.
    pub star: bool,
    /// The label.
    pub alias: Option<String>,
    /// The cast of the value.
    pub cast: Option<CastName>,
    /// The aggregate over the value; over rows if `field` has an empty name.
    pub aggregate: Option<Aggregate>,
    /// The cast of the aggregate.
    pub aggregate_cast: Option<CastName>,
}

/// An embedded relation of `select`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// A relation, a constraint or a column.
    pub target: String,
    /// The label.
    pub alias: Option<String>,
    /// What tells relationships apart.
    pub hint: Option<String>,
    /// `!inner` or `!left`.
    pub join: Option<JoinType>,
    /// True for `...target(…)`.
    pub spread: bool,
    /// What is selected of it.
    pub items: Vec<SelectItem>,
}

/// An operator that takes one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "each is the operator of its name in the URL grammar"
)]
pub enum Operator {
    Eq,
    Neq,
    Gt,
    Gte,
    Lt,
    Lte,
    Like,
    Ilike,
    Match,
    Imatch,
    Cs,
    Cd,
    Ov,
    Sl,
    Sr,
    Nxr,
    Nxl,
    Adj,
}

/// `op(any)` or `op(all)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the quantifier of its name")]
pub enum Quantifier {
    Any,
    All,
}

/// What `is` compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum IsValue {
    Null,
    NotNull,
    True,
    False,
    Unknown,
}

/// Which function makes the text search query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "each is the operator of its name in the URL grammar"
)]
pub enum FullText {
    Fts,
    Plfts,
    Phfts,
    Wfts,
}

/// The right side of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A comparison with one value.
    Compare(Operator, Option<Quantifier>, String),
    /// `in.(…)`
    In(Vec<String>),
    /// `is.…`
    Is(IsValue),
    /// `isdistinct.…`
    IsDistinct(String),
    /// Full text search, with an optional configuration.
    FullText(FullText, Option<String>, String),
}

/// An operation, possibly negated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpExpr {
    /// `not.`
    pub negated: bool,
    /// The operation.
    pub operation: Operation,
}

/// A condition on one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The left side.
    pub field: Field,
    /// The rest.
    pub op: OpExpr,
}

/// A tree of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogicTree {
    /// `and(…)` or `or(…)`.
    Branch {
        /// `not.`
        negated: bool,
        /// True for `or`.
        any: bool,
        /// At least one.
        children: Vec<LogicTree>,
    },
    /// One condition.
    Leaf(Filter),
}

/// One term of `order`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTerm {
    /// The embedded relation that orders its parent.
    pub relation: Option<String>,
    /// The column.
    pub field: Field,
    /// `desc` is true, `asc` is false.
    pub descending: Option<bool>,
    /// `nullsfirst` is true, `nullslast` is false.
    pub nulls_first: Option<bool>,
}

/// The names of embeds from the root to the one that something belongs to.
pub type EmbedPath = Vec<String>;

/// What belongs to some embed.
pub type At<T> = (EmbedPath, T);

/// `limit` and `offset` of one level.
pub type Ranges = Vec<At<Range>>;
