//! Text messages.

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

/// One text message with the code in it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Sms {
    #[serde(rename = "ID")]
    id: String,
    phone: String,
    text: String,
    #[serde(rename = "OTP")]
    otp: String,
    created: DateTime<Utc>,
}

impl Sms {
    pub(super) fn new(phone: String, otp: String) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            text: format!("Your code is {otp}"),
            phone,
            otp,
            created: Utc::now(),
        }
    }

    /// Whether the number is this one, however it is written.
    pub(super) fn is_to(&self, phone: &str) -> bool {
        let digits = |text: &str| {
            text.chars()
                .filter(char::is_ascii_digit)
                .collect::<String>()
        };
        digits(&self.phone) == digits(phone)
    }
}
