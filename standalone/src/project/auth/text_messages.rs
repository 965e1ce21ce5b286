//! `[auth.sms]`: whether there are text messages, and which carrier has them.

use svc_kit::env::Vars;

use super::put;
use crate::project::config::{Auth, Carrier};

pub(super) fn put_all(vars: &mut Vars, auth: &Auth) {
    let sms = &auth.sms;
    let test: Vec<_> = sms
        .test_otp
        .iter()
        .map(|(phone, code)| format!("{phone}:{code}"))
        .collect();
    put(
        vars,
        &[
            ("EXTERNAL_PHONE_ENABLED", &sms.enabled),
            ("SMS_AUTOCONFIRM", &!sms.enable_confirmations),
            ("SMS_MAX_FREQUENCY", &sms.max_frequency),
            ("SMS_OTP_EXP", &6000),
            ("SMS_OTP_LENGTH", &6),
            ("SMS_TEMPLATE", &sms.template),
            ("SMS_TEST_OTP", &test.join(",")),
        ],
    );
    let Some((name, carrier)) = carrier(auth) else {
        return;
    };
    put(vars, &[("SMS_PROVIDER", &name)]);
    // Messages leave by the carrier, so the mailbox gets none.
    put(vars, &[("HOOK_SEND_SMS_ENABLED", &false)]);
    for (setting, value) in &carrier.settings {
        let name = format!("SMS_{}_{}", name.to_uppercase(), setting.to_uppercase());
        put(vars, &[(&name, value)]);
    }
}

fn carrier(auth: &Auth) -> Option<(&'static str, &Carrier)> {
    let sms = &auth.sms;
    [
        ("twilio", &sms.twilio),
        ("twilio_verify", &sms.twilio_verify),
        ("messagebird", &sms.messagebird),
        ("textlocal", &sms.textlocal),
        ("vonage", &sms.vonage),
    ]
    .into_iter()
    .find_map(|(name, carrier)| Some((name, carrier.as_ref().filter(|carrier| carrier.enabled)?)))
}
