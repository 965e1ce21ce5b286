//! Which part of the rows is wanted, and how many there are in all.

use http::{Method, header};

use super::Context;
use crate::{
    error::{Error, Result},
    parse::{Count, QueryParams, Range},
    plan::ReadPlan,
    sql::{self, Sql, Totals},
};

/// The window of the root: limit and offset within the header `Range`, which counts on GET only.
pub(super) fn root_range(context: &Context, params: &mut QueryParams) -> Result<()> {
    let is_get = context.parts.method == Method::GET;
    let from_header = context
        .parts
        .headers
        .get(header::RANGE)
        .filter(|_| is_get)
        .and_then(|value| Range::from_header(value.to_str().ok()?));
    let index = params.ranges.iter().position(|(path, _)| path.is_empty());
    let from_query = index.map_or_else(Range::default, |index| params.ranges[index].1);
    if from_query.limit.is_some_and(|limit| limit < 0) {
        return Err(Error::new(416, "103", "Requested range not satisfiable")
            .details("Limit should be greater than or equal to zero."));
    }
    if let Some(range) = from_header {
        if range.limit.is_some_and(|limit| limit < 1) {
            return Err(Error::new(416, "103", "Requested range not satisfiable")
                .details("The lower boundary must be lower than or equal to the upper boundary in the Range header."));
        }
        let both = from_query.intersect(range);
        match index {
            Some(index) => params.ranges[index].1 = both,
            None => params.ranges.push((Vec::new(), both)),
        }
    }
    Ok(())
}

/// What is counted, and by which number of rows at most.
pub(super) fn totals(context: &Context, range: Range) -> Totals {
    let most = context.config.max_rows;
    match context.preferences.count {
        None | Some(Count::Planned) => Totals::None,
        Some(Count::Exact) if range.is_all() => Totals::Page,
        Some(Count::Exact) => Totals::Rows(None),
        Some(Count::Estimated) => Totals::Rows(most.map(|most| most + 1)),
    }
}

/// The planner's guess, where the client prefers it.
pub(super) async fn estimated_total(
    context: &Context,
    plan: &ReadPlan,
    counted: Option<i64>,
) -> Result<Option<i64>> {
    let most = context.config.max_rows;
    let needed = match context.preferences.count {
        Some(Count::Planned) => true,
        Some(Count::Estimated) => {
            most.is_none_or(|most| counted.is_some_and(|counted| counted > most))
        }
        _ => false,
    };
    if !needed {
        return Ok(counted);
    }
    let mut count = Sql::new();
    sql::count_of(&mut count, &context.cache, plan);
    let explained = sql::explain(&count, true, &[]);
    let rows = context.run(&explained, true, &[], None).await?;
    let planned = rows
        .first()
        .and_then(|row| serde_json::from_slice::<serde_json::Value>(row.get(0)?).ok())
        .and_then(|value| value[0]["Plan"]["Plan Rows"].as_f64());
    #[expect(clippy::cast_possible_truncation, reason = "a number of rows")]
    let planned = planned.map(|rows| rows as i64);
    Ok(planned.max(counted))
}
