//! `GET /health`.

use axum::Json;
use serde_json::{Value, json};

use super::VERSION;

pub(super) async fn get() -> Json<Value> {
    Json(json!({
        "version": VERSION,
        // Clients and health checks of existing projects look for this name.
        "name": "GoTrue",
        "description": "Nilam's user registration and authentication API",
    }))
}
