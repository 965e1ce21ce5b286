//! Relations: which of them, and what they allow.

use axum::response::Response;
use http::Method;

use super::{Context, read::read, respond, write::write};
use crate::{
    error::{Error, Result},
    schema_cache::Table,
};

pub(super) async fn serve(context: Context, name: &str) -> Result<Response> {
    let method = context.parts.method.clone();
    match method {
        Method::GET | Method::HEAD => read(context, name).await,
        Method::POST | Method::PATCH | Method::PUT | Method::DELETE => {
            write(context, name, &method).await
        }
        Method::OPTIONS => Ok(respond::options(allowed(table(&context, name)?))),
        method => Err(Error::new(
            405,
            "117",
            format!("Unsupported HTTP method: {method}"),
        )),
    }
}

/// The relation of this name, or PGRST205.
pub(super) fn table<'a>(context: &'a Context, name: &str) -> Result<&'a Table> {
    let id = context.id(name);
    context.cache.table(&id).ok_or_else(|| {
        let schema = &id.schema;
        Error::new(
            404,
            "205",
            format!("Could not find the table '{schema}.{name}' in the schema cache"),
        )
        .hint(
            context
                .cache
                .similar_table(&id)
                .map(|found| format!("Perhaps you meant the table '{schema}.{found}'")),
        )
    })
}

fn allowed(table: &Table) -> &'static str {
    let put = table.insertable && table.updatable && !table.primary_key.is_empty();
    match (table.insertable, put, table.updatable, table.deletable) {
        (true, true, true, true) => "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE",
        (true, false, true, true) => "OPTIONS,GET,HEAD,POST,PATCH,DELETE",
        (true, _, false, false) => "OPTIONS,GET,HEAD,POST",
        (true, true, true, false) => "OPTIONS,GET,HEAD,POST,PUT,PATCH",
        (true, false, true, false) => "OPTIONS,GET,HEAD,POST,PATCH",
        (true, _, false, true) => "OPTIONS,GET,HEAD,POST,DELETE",
        (false, _, true, true) => "OPTIONS,GET,HEAD,PATCH,DELETE",
        (false, _, true, false) => "OPTIONS,GET,HEAD,PATCH",
        (false, _, false, true) => "OPTIONS,GET,HEAD,DELETE",
        (false, _, false, false) => "OPTIONS,GET,HEAD",
    }
}
