//! The admin server: health, metrics, and what is known of the database.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::{StatusCode, header};
use serde_json::json;
use svc_kit::observe::{PoolState, Text, render_pools};

use crate::App;

/// What is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) pool_timeouts: AtomicU64,
    pub(crate) loads: AtomicU64,
    pub(crate) failed_loads: AtomicU64,
    pub(crate) token_lookups: AtomicU64,
    pub(crate) token_hits: AtomicU64,
    /// How long the catalog took the last time, in microseconds.
    load_micros: AtomicU64,
}

impl Metrics {
    pub(crate) fn loaded(&self, took: Duration) {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.load_micros.store(micros, Ordering::Relaxed);
    }
}

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/live", get(live))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .route("/schema_cache", get(schema_cache))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .with_state(app)
}

async fn live(State(app): State<App>) -> StatusCode {
    if app.is_reachable().await {
        StatusCode::OK
    } else {
        StatusCode::INTERNAL_SERVER_ERROR
    }
}

async fn ready(State(app): State<App>) -> StatusCode {
    if !app.is_reachable().await {
        StatusCode::INTERNAL_SERVER_ERROR
    } else if app.is_ready() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    }
}

/// Prometheus's text format: PostgREST's names, then those of every service.
async fn metrics(State(app): State<App>) -> Response {
    let inner = app.inner();
    let pool = inner.pool.status();
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let float = |number: u64| number as f64;
    let size = |number: usize| float(number as u64);
    let count = |counter: &AtomicU64| float(counter.load(Ordering::Relaxed));
    let load_seconds = count(&inner.metrics.load_micros) / 1e6;
    let mut text = String::new();
    let mut write = |name: &str, help: &str, kind: &str, samples: &[(&str, f64)]| {
        // Writing to a text does not fail. Whole numbers have a fraction too, as in PostgREST.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(text, "{name}{labels} {value:?}");
        }
    };
    write(
        "pgrst_db_pool_timeouts_total",
        "The total number of pool connection timeouts",
        "counter",
        &[("", count(&inner.metrics.pool_timeouts))],
    );
    write(
        "pgrst_db_pool_available",
        "Available connections in the pool",
        "gauge",
        &[("", size(pool.available))],
    );
    write(
        "pgrst_db_pool_waiting",
        "Requests waiting to acquire a pool connection",
        "gauge",
        &[("", size(pool.waiting))],
    );
    write(
        "pgrst_db_pool_max",
        "Max pool connections",
        "gauge",
        &[("", size(pool.max_size))],
    );
    write(
        "pgrst_schema_cache_loads_total",
        "The total number of times the schema cache was loaded",
        "counter",
        &[
            ("{status=\"SUCCESS\"}", count(&inner.metrics.loads)),
            ("{status=\"FAIL\"}", count(&inner.metrics.failed_loads)),
        ],
    );
    write(
        "pgrst_schema_cache_query_time_seconds",
        "The query time in seconds of the last schema cache load",
        "gauge",
        &[("", load_seconds)],
    );
    for (name, value) in [
        ("requests", count(&inner.metrics.token_lookups)),
        ("hits", count(&inner.metrics.token_hits)),
        ("evictions", float(app.config().tokens.evictions())),
    ] {
        write(
            &format!("pgrst_jwt_cache_{name}_total"),
            &format!("The total number of JWT cache {name}"),
            "counter",
            &[("", value)],
        );
    }
    let mut common = Text::default();
    inner.traffic.requests().render(&mut common);
    render_pools(&mut common, &[PoolState::of_wire("rest", &inner.pool)]);
    text.push_str(&common.into_string());
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

async fn schema_cache(State(app): State<App>) -> Response {
    let Some(cache) = app.inner().cache.load_full() else {
        return StatusCode::OK.into_response();
    };
    let kind = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    (kind, cache.describe().to_string()).into_response()
}

/// The catalog for people who look for a mistake; its form may change.
impl crate::schema_cache::SchemaCache {
    pub(crate) fn describe(&self) -> serde_json::Value {
        let name = |id: &crate::schema_cache::QualifiedName| json!({ "qiSchema": id.schema, "qiName": id.name });
        let tables: Vec<_> = self
            .tables
            .values()
            .map(|table| {
                let columns: Vec<_> = table
                    .columns
                    .iter()
                    .map(|column| {
                        json!({
                            "colName": column.name, "colType": column.base, "colNominalType": column.nominal.0,
                            "colNullable": column.nullable, "colDefault": column.default, "colEnum": column.labels,
                            "colMaxLen": column.max_length, "colDescription": column.description,
                        })
                    })
                    .collect();
                json!([name(&table.id), {
                    "tableSchema": table.id.schema, "tableName": table.id.name, "tableDescription": table.description,
                    "tableIsView": table.is_view(), "tableInsertable": table.insertable, "tableUpdatable": table.updatable,
                    "tableDeletable": table.deletable, "tablePKCols": table.primary_key, "tableColumns": columns,
                }])
            })
            .collect();
        let relationships: Vec<_> = self
            .relationships
            .iter()
            .map(|(origin, found)| {
                let found: Vec<_> = found
                    .iter()
                    .map(|relationship| {
                        json!({
                            "relTable": name(&relationship.origin), "relForeignTable": name(&relationship.target),
                            "relCardinality": format!("{:?}", relationship.cardinality),
                            "relTableIsView": relationship.origin_is_view, "relFTableIsView": relationship.target_is_view,
                        })
                    })
                    .collect();
                json!([name(origin), found])
            })
            .collect();
        let routines: Vec<_> = self
            .routines
            .iter()
            .map(|(id, overloads)| {
                let overloads: Vec<_> = overloads
                    .iter()
                    .map(|routine| {
                        let arguments: Vec<_> = routine
                            .arguments
                            .iter()
                            .map(|argument| {
                                json!({
                                    "ppName": argument.name, "ppType": argument.declared.0,
                                    "ppTypeMaxLength": argument.type_name.0, "ppReq": argument.required,
                                    "ppVar": argument.variadic,
                                })
                            })
                            .collect();
                        json!({
                            "pdSchema": routine.id.schema, "pdName": routine.id.name, "pdDescription": routine.description,
                            "pdParams": arguments, "pdReturnType": format!("{:?}", routine.shape),
                            "pdReturnsSet": routine.returns_set, "pdVolatility": routine.volatility,
                            "pdFuncSettings": routine.settings,
                        })
                    })
                    .collect();
                json!([name(id), overloads])
            })
            .collect();
        let handlers: Vec<_> = self
            .handlers
            .values()
            .flatten()
            .map(|handler| {
                json!({
                    "function": name(&handler.function), "target": handler.target.as_ref().map(name),
                    "mediaType": handler.media,
                })
            })
            .collect();
        let representations: Vec<_> = self
            .tables
            .values()
            .flat_map(|table| &table.columns)
            .filter_map(|column| Some((&column.nominal.0, column.representation.as_ref()?)))
            .map(|(domain, forms)| {
                json!({
                    "drType": domain, "drToJson": forms.to_json.as_ref().map(name),
                    "drFromJson": forms.from_json.as_ref().map(name), "drFromText": forms.from_text.as_ref().map(name),
                })
            })
            .collect();
        json!({
            "dbTables": tables, "dbRelationships": relationships, "dbRoutines": routines,
            "dbRepresentations": representations, "dbMediaHandlers": handlers, "dbTimezones": self.timezones,
        })
    }
}
