//! The statement around the rows: the body, the counts, and what the database wants to say in headers.

use super::builder::Sql;
use crate::schema_cache::{Handler, Table};

/// The text that Postgres makes of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it; each is an expression below")]
pub enum Body {
    None,
    Array,
    ArrayStripped,
    Object,
    ObjectStripped,
    Csv,
    GeoJson,
    Scalar,
    ScalarStripped,
    ScalarArray,
    ScalarArrayStripped,
    /// A handler of the database, over rows, or over the one value of a function.
    Handler {
        handler: Handler,
        of_scalar: bool,
    },
}

/// What is counted beside the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Totals {
    /// Nothing.
    None,
    /// All rows without the window, but no more than so many.
    Rows(Option<i64>),
    /// The page is all there is.
    Page,
}

/// What a wrapped statement gives beside the counts, the body, `response.headers` and `response.status`.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'a> {
    /// Nothing.
    Rows,
    /// One row, whatever it contains.
    Single,
    /// The keys for `Location`, and how many rows an upsert inserted.
    Write {
        /// The relation, if the keys are wanted.
        located: Option<&'a Table>,
        /// True to tell new rows from changed ones.
        upsert: bool,
    },
}

/// Writes `WITH pgrst_source AS (…) SELECT …`, which gives one row: total, page count, body, `response.headers`,
/// `response.status`; a write has the keys before the body, and the number of new rows at the end.
pub fn wrap(
    sql: &mut Sql,
    source: impl FnOnce(&mut Sql),
    rows: impl FnOnce(&mut Sql),
    count: impl FnOnce(&mut Sql),
    totals: Totals,
    body: &Body,
    kind: Kind<'_>,
) {
    sql.push("WITH pgrst_source AS (");
    source(sql);
    sql.push(")");
    if let Totals::Rows(limit) = totals {
        sql.push(", pgrst_source_count AS (");
        count(sql);
        if let Some(limit) = limit {
            sql.push(" LIMIT ").number(limit);
        }
        sql.push(")");
    }
    sql.push(" SELECT ");
    sql.push(match totals {
        Totals::None => "null::bigint",
        Totals::Rows(_) => "(SELECT pg_catalog.count(*) FROM pgrst_source_count)",
        Totals::Page => "pg_catalog.count(*)",
    });
    sql.push(match kind {
        Kind::Single => ", 1::bigint, ",
        // Not of _t: that would put a row together to count it.
        _ => ", pg_catalog.count(*), ",
    });
    if let Kind::Write { located, .. } = kind {
        keys(sql, located);
        sql.push(", ");
    }
    body_expression(sql, body);
    sql.push(
        ", nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), '')",
    );
    if let Kind::Write { upsert, .. } = kind {
        sql.push(if upsert {
            ", nullif(current_setting('pgrst.inserted', true), '')::bigint"
        } else {
            ", null::bigint"
        });
    }
    sql.push(" FROM (");
    rows(sql);
    sql.push(") AS _t");
}

/// The keys of the first row as an array of pairs, in the order of the relation's columns.
fn keys(sql: &mut Sql, located: Option<&Table>) {
    let Some(table) = located else {
        sql.push("null::json");
        return;
    };
    let columns = table
        .columns
        .iter()
        .filter(|column| table.primary_key.contains(&column.name));
    sql.push("(SELECT json_build_array(");
    sql.list(", ", columns, |sql, column| {
        sql.push("json_build_array(")
            .json_key(&column.name)
            .push(", ")
            .column("k", &column.name)
            .push("::text)");
    });
    sql.push(") FROM pgrst_source AS k LIMIT 1)");
}

fn body_expression(sql: &mut Sql, body: &Body) {
    let expression = match body {
        Body::None => "''::text",
        Body::Array => "coalesce(json_agg(_t), '[]')",
        Body::ArrayStripped => "coalesce(json_strip_nulls(json_agg(_t)), '[]')",
        Body::Object => "coalesce(json_agg(_t)->0, 'null')",
        Body::ObjectStripped => "coalesce(json_strip_nulls(json_agg(_t)->0), 'null')",
        Body::Scalar => "coalesce(json_agg(_t.pgrst_scalar)->0, 'null')",
        Body::ScalarStripped => "coalesce(json_strip_nulls(json_agg(_t.pgrst_scalar)->0), 'null')",
        Body::ScalarArray => "coalesce(json_agg(_t.pgrst_scalar), '[]')",
        Body::ScalarArrayStripped => "coalesce(json_strip_nulls(json_agg(_t.pgrst_scalar)), '[]')",
        Body::GeoJson => {
            "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_t)::json), '[]'))"
        }
        Body::Csv => {
            "(SELECT coalesce(string_agg(key, ','), '') FROM (SELECT json_object_keys(line)::text AS key FROM \
             (SELECT row_to_json(one) AS line FROM pgrst_source AS one LIMIT 1) AS h) AS keys) || E'\\n' || \
             coalesce(string_agg(substring(_t::text, 2, length(_t::text) - 2), E'\\n'), '')"
        }
        Body::Handler { handler, of_scalar } => {
            sql.qualified(&handler.function).push("(_t");
            match &handler.target {
                _ if *of_scalar => sql.push(".pgrst_scalar"),
                Some(relation) => sql.push("::").qualified(relation),
                None => sql,
            };
            ")"
        }
    };
    sql.push(expression);
}

/// EXPLAIN in front of a statement.
pub fn explain(statement: &Sql, json: bool, options: &[&'static str]) -> Sql {
    let mut sql = Sql::new();
    sql.push("EXPLAIN (");
    for option in options {
        sql.push(option).push(", ");
    }
    sql.push(if json {
        "FORMAT JSON) "
    } else {
        "FORMAT TEXT) "
    });
    sql.append(statement);
    sql
}
