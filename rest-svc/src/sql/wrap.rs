//! The statement around the rows: the body, the counts, and what the database wants to say in headers.

use super::builder::Sql;

/// The text that Postgres makes of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    ScalarArray,
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

/// Writes `WITH pgrst_source AS (…) SELECT …`, which gives one row: total, page count, body,
/// `response.headers`, `response.status`, how many rows were inserted, and the keys for `Location`.
pub fn wrap(
    sql: &mut Sql,
    source: impl FnOnce(&mut Sql),
    rows: impl FnOnce(&mut Sql),
    count: impl FnOnce(&mut Sql),
    totals: Totals,
    body: Body,
    location: Option<&[String]>,
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
        Totals::None => "null::text",
        Totals::Rows(_) => "(SELECT pg_catalog.count(*) FROM pgrst_source_count)::text",
        Totals::Page => "pg_catalog.count(_t)::text",
    });
    sql.push(", pg_catalog.count(_t)::text, ");
    sql.push(body_expression(body));
    sql.push(
        ", nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), ''), \
         nullif(current_setting('pgrst.inserted', true), ''), ",
    );
    match location {
        None => {
            sql.push("null::text");
        }
        Some(keys) => {
            sql.push("(SELECT json_build_array(");
            sql.list(", ", keys, |sql, key| {
                sql.push("json_build_array(")
                    .json_key(key)
                    .push(", ")
                    .column("k", key)
                    .push("::text)");
            });
            sql.push(")::text FROM pgrst_source AS k LIMIT 1)");
        }
    }
    sql.push(" FROM (");
    rows(sql);
    sql.push(") AS _t");
}

fn body_expression(body: Body) -> &'static str {
    match body {
        Body::None => "''",
        Body::Array => "coalesce(json_agg(_t), '[]')::text",
        Body::ArrayStripped => "coalesce(json_strip_nulls(json_agg(_t)), '[]')::text",
        Body::Object => "coalesce(json_agg(_t)->0, 'null')::text",
        Body::ObjectStripped => "coalesce(json_strip_nulls(json_agg(_t)->0), 'null')::text",
        Body::Scalar => "coalesce(json_agg(_t.pgrst_scalar)->0, 'null')::text",
        Body::ScalarArray => "coalesce(json_agg(_t.pgrst_scalar), '[]')::text",
        Body::GeoJson => {
            "json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_t)::json), '[]'))::text"
        }
        Body::Csv => {
            "coalesce((SELECT string_agg(key, ',') FROM (SELECT json_object_keys(line) AS key FROM \
             (SELECT row_to_json(one) AS line FROM pgrst_source AS one LIMIT 1) AS h) AS keys), '') || E'\\n' || \
             coalesce(string_agg(substring(_t::text, 2, length(_t::text) - 2), E'\\n'), '')"
        }
    }
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
