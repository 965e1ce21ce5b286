//! The rows of `realtime.subscription`: their trigger says whether a subscription makes sense, and tools look at them.

use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use svc_kit::wire::{DbError, Row};
use uuid::Uuid;

use super::{Engine, SubscribeError, Subscriber};
use crate::changes::{
    filter::Filter,
    index::{Channel, Entry, Subscription},
    sql::{Statement, array, plain_array},
    wanted::{Condition, Operator, Wanted},
};

const INSERT: &str = "insert into realtime.subscription as s
    (subscription_id, entity, filters, claims, action_filter, selected_columns)
select $1::uuid, format('%I.%I', p.schemaname, p.tablename)::regclass,
    array(
        select row(f.name, f.operator::realtime.equality_op, f.value, f.negate)::realtime.user_defined_filter
        from unnest($6::text[], $7::text[], $8::text[], $9::boolean[]) as f (name, operator, value, negate)
    ),
    $5::jsonb, $10::text, $11::text[]
from pg_catalog.pg_publication_tables p
where p.pubname = $2
and p.schemaname like case $3 when '*' then '%' else $3 end escape ''
and p.tablename like case $4 when '*' then '%' else $4 end escape ''
on conflict (subscription_id, entity, filters, action_filter, coalesce(selected_columns, '{}'))
do update set claims = excluded.claims, created_at = now()
returning s.entity::oid::int8";

/// The tables of subscriptions and, for each filter, what its value is in the type of its column.
const FILTERS: &str = "select s.subscription_id::text, s.entity::oid::int8, f.column_name, f.op::text, f.value,
    coalesce(f.negate, false), a.atttypid::oid::int8, t.typtype = 'e',
    case
        when f.op = 'in' then realtime.cast(f.value, (a.atttypid::regtype || '[]')::regtype)
        when f.op in ('eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'isdistinct') then realtime.cast(f.value, a.atttypid)
    end::text
from realtime.subscription s
left join lateral unnest(s.filters) f on true
left join pg_catalog.pg_attribute a on a.attrelid = s.entity and a.attname = f.column_name
left join pg_catalog.pg_type t on t.oid = a.atttypid
where s.subscription_id = any ($1::uuid[])";

const POSITION: &str = "select (pg_catalog.pg_current_wal_insert_lsn() - '0/0')::int8";

/// What the database made of subscriptions.
pub(super) struct Registered {
    /// Where the log was afterwards.
    pub(super) position: u64,
    tables: HashMap<(Uuid, u32), Vec<Filter>>,
}

impl Registered {
    /// The entries of the channel's subscriptions.
    pub(super) fn entries(self, channel: &Arc<Channel>) -> Vec<(u32, Entry)> {
        let entry = |((uuid, table), filters)| {
            let subscription = channel.subscriptions.iter().find(|it| it.uuid == uuid)?;
            Some((table, Entry::new(channel, subscription, filters)))
        };
        self.tables.into_iter().filter_map(entry).collect()
    }
}

/// The parameters of an insert, as text.
struct Parameters {
    uuid: String,
    select: Option<String>,
    columns: String,
    operators: String,
    values: String,
    negations: String,
}

impl Parameters {
    fn new(subscription: &Subscription) -> Self {
        let wanted = &subscription.wanted;
        let texts = |of: &dyn Fn(&'_ Condition) -> String| {
            let texts: Vec<_> = wanted.conditions.iter().map(of).collect();
            array(texts.iter().map(|text| Some(text.as_str())))
        };
        let select = wanted.select.as_ref();
        Self {
            uuid: subscription.uuid.to_string(),
            select: select.map(|names| array(names.iter().map(|name| Some(name.as_str())))),
            columns: texts(&|it| it.column.clone()),
            operators: texts(&|it| it.operator.name().to_owned()),
            values: texts(&|it| it.value.clone()),
            negations: plain_array(wanted.conditions.iter().map(|it| it.is_negated)),
        }
    }

    fn statement<'a>(
        &'a self,
        publication: &'a str,
        caller: &'a Subscriber,
        wanted: &'a Wanted,
    ) -> Statement<'a> {
        let mut statement = Statement::new(
            INSERT,
            [
                &*self.uuid,
                publication,
                &wanted.schema,
                &wanted.table,
                &caller.caller.claims_json,
                &self.columns,
                &self.operators,
                &self.values,
                &self.negations,
                wanted.event,
            ],
        );
        statement
            .values
            .push(self.select.as_deref().map(str::as_bytes));
        statement
    }
}

impl Engine {
    /// Writes the rows of subscriptions, or gives those that are there the caller's claims.
    pub(super) async fn register(
        &self,
        caller: &Subscriber,
        subscriptions: &[Subscription],
    ) -> Result<Registered, SubscribeError> {
        match self.attempt(caller, subscriptions).await {
            Err(SubscribeError::Database(error))
                if subscriptions.len() > 1 && error.refusal().is_some() =>
            {
                // One of them was refused, but which?
                for subscription in subscriptions.iter().rev() {
                    let alone = std::slice::from_ref(subscription);
                    let outcome = self.attempt(caller, alone).await;
                    outcome.map_err(|error| refused(error, &subscription.wanted))?;
                }
                Err(error.into())
            }
            Err(error) => match subscriptions.first() {
                Some(subscription) => Err(refused(error, &subscription.wanted)),
                None => Err(error),
            },
            Ok(registered) => Ok(registered),
        }
    }

    async fn attempt(
        &self,
        caller: &Subscriber,
        subscriptions: &[Subscription],
    ) -> Result<Registered, SubscribeError> {
        let parameters: Vec<_> = subscriptions.iter().map(Parameters::new).collect();
        let publication = self.0.settings.publication.as_str();
        let uuids = plain_array(subscriptions.iter().map(|it| it.uuid));
        let inserts = parameters.iter().zip(subscriptions);
        let mut statements: Vec<_> = inserts
            .map(|(it, subscription)| it.statement(publication, caller, &subscription.wanted))
            .collect();
        statements.push(Statement::new(FILTERS, [&*uuids]));
        statements.push(Statement::new(POSITION, []));
        let rows = self.0.database.run(&statements).await?;
        // The original looks at the last one first.
        for (subscription, rows) in subscriptions.iter().zip(&rows).rev() {
            if rows.is_empty() {
                return Err(SubscribeError::Refused(format!(
                    "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: {}",
                    subscription.wanted.described()
                )));
            }
        }
        let mut tables: HashMap<_, Vec<Filter>> = HashMap::new();
        for row in rows.get(subscriptions.len()).into_iter().flatten() {
            let Some((key, filter)) = read(row) else {
                continue;
            };
            tables.entry(key).or_default().extend(filter);
        }
        let position = rows.last().and_then(|rows| rows.first()?.bigint(0));
        Ok(Registered {
            position: position
                .and_then(|it| u64::try_from(it).ok())
                .unwrap_or_default(),
            tables,
        })
    }
}

/// A row of [`FILTERS`].
fn read(row: &Row) -> Option<((Uuid, u32), Option<Filter>)> {
    let table = u32::try_from(row.bigint(1)?).ok()?;
    let key = (row.text(0)?.parse().ok()?, table);
    let Some(column) = row.text(2) else {
        return Some((key, None));
    };
    let condition = Condition {
        column,
        operator: Operator::named(&row.text(3)?)?,
        value: row.text(4)?,
        is_negated: row.get(5) == Some(&[1]),
    };
    let type_oid = u32::try_from(row.bigint(6)?).ok()?;
    let is_enum = row.get(7) == Some(&[1]);
    let filter = Filter::new(condition, type_oid, is_enum, row.text(8).as_deref());
    Some((key, Some(filter)))
}

/// The text for the client, if it is the parameters that the database does not like.
fn refused(error: SubscribeError, wanted: &Wanted) -> SubscribeError {
    let SubscribeError::Database(database) = &error else {
        return error;
    };
    let Some(words) = database.refusal() else {
        return error;
    };
    SubscribeError::Refused(format!(
        "Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: {}. Exception: {}",
        wanted.described(),
        exception(words)
    ))
}

/// As the original's driver prints an error.
fn exception(error: &DbError) -> String {
    let name = condition_name(&error.code);
    let mut text = format!("ERROR {} ({name}) {}", error.code, error.message);
    if let Some(detail) = &error.detail {
        let _ = write!(text, "\n\n{detail}");
    }
    text
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>, as far as values of filters can come to it.
fn condition_name(code: &str) -> &'static str {
    match code {
        "0A000" => "feature_not_supported",
        "21000" => "cardinality_violation",
        "22000" => "data_exception",
        "22001" => "string_data_right_truncation",
        "22003" => "numeric_value_out_of_range",
        "22007" => "invalid_datetime_format",
        "22008" => "datetime_field_overflow",
        "22009" => "invalid_time_zone_displacement_value",
        "2200B" => "escape_character_conflict",
        "22021" => "character_not_in_repertoire",
        "22023" => "invalid_parameter_value",
        "22025" => "invalid_escape_sequence",
        "2201B" => "invalid_regular_expression",
        "2202E" => "array_subscript_error",
        "22P02" => "invalid_text_representation",
        "22P03" => "invalid_binary_representation",
        "22P05" => "untranslatable_character",
        "23502" => "not_null_violation",
        "23514" => "check_violation",
        "42501" => "insufficient_privilege",
        "42601" => "syntax_error",
        "42703" => "undefined_column",
        "42704" => "undefined_object",
        "42725" => "ambiguous_function",
        "42804" => "datatype_mismatch",
        "42846" => "cannot_coerce",
        "42883" => "undefined_function",
        "42P01" => "undefined_table",
        "54000" => "program_limit_exceeded",
        "P0001" => "raise_exception",
        _ => "internal_error",
    }
}
