//! `GET /settings`: what a sign-in page needs to know.

use axum::{Json, extract::State};
use serde_json::{Map, Value, json};

use crate::app::App;

pub(super) async fn get(State(app): State<App>) -> Json<Value> {
    let config = app.config();
    let external = &config.external;
    let mut providers = Map::new();
    providers.insert("anonymous_users".into(), external.anonymous_enabled.into());
    for (name, enabled) in external.providers.listed() {
        providers.insert(name.to_owned(), enabled.into());
    }
    providers.insert("email".into(), external.email_enabled.into());
    providers.insert("phone".into(), external.phone_enabled.into());
    let next_key = config
        .saml
        .as_ref()
        .is_some_and(|saml| saml.next_key.is_some());
    Json(json!({
        "external": providers,
        "disable_signup": config.disable_signup,
        "mailer_autoconfirm": config.mailer.autoconfirm,
        "phone_autoconfirm": config.sms.autoconfirm,
        "sms_provider": config.sms.provider,
        "saml_enabled": config.saml.is_some(),
        "saml_private_key_next_configured": next_key,
        "passkeys_enabled": config.passkeys_enabled,
    }))
}
