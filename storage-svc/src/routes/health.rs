use axum::{Json, extract::State};
use serde_json::{Value, json};
use svc_kit::{jwt::Claims, pg};

use crate::{App, auth::Caller, error::Error, store};

/// Whether the buckets can be read; any valid token may ask.
pub(crate) async fn health(State(app): State<App>, _caller: Caller) -> Json<Value> {
    let healthy = check(&app).await;
    if let Err(error) = &healthy {
        tracing::warn!(%error, "unhealthy");
    }
    Json(json!({ "healthy": healthy.is_ok() }))
}

async fn check(app: &App) -> Result<(), Error> {
    let service = pg::Caller::new("service_role", &Claims::anonymous("service_role"));
    let mut tx = pg::begin_as(app.db(), &service).await?;
    store::buckets::touch(&mut tx).await?;
    tx.commit().await?;
    Ok(())
}
