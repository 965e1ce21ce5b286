//! Reading who carries text messages.

use std::time::Duration;

use secrecy::SecretString;
use svc_kit::env::Reader;
use url::Url;

use crate::mail::Template;

const DEFAULT_TEMPLATE: &str = "Your code is {{ .Code }}";

/// How text messages leave when no hook takes them.
#[derive(Clone, Debug)]
pub struct SmsSending {
    /// `GOTRUE_SMS_PROVIDER` with its `GOTRUE_SMS_<PROVIDER>_*`, or what is missing: without it the service
    /// starts, and sending fails.
    pub carrier: Result<Carrier, String>,
    /// `GOTRUE_SMS_TEMPLATE`: the text of a message.
    pub template: Template,
    /// `GOTRUE_MFA_PHONE_TEMPLATE`: the text of a message with the code of a second factor.
    pub factor_template: Template,
    /// `GOTRUE_INTERNAL_HTTP_TIMEOUT`, default 10 s: for one request to the carrier.
    pub timeout: Duration,
    /// Where the carrier is, in place of its public address. For tests; no variable sets it.
    pub base: Option<Url>,
}

/// An account with somebody who carries text messages.
#[derive(Clone, Debug)]
pub enum Carrier {
    /// Twilio's messages, by SMS or WhatsApp.
    Twilio {
        /// The account.
        account: TwilioAccount,
        /// `…_CONTENT_SID`: the approved template that WhatsApp asks for.
        content_sid: String,
    },
    /// Twilio makes the codes and checks them.
    TwilioVerify(TwilioAccount),
    /// Messagebird, now Bird.
    Messagebird {
        /// `…_ACCESS_KEY`.
        access_key: SecretString,
        /// `…_ORIGINATOR`.
        originator: String,
    },
    /// Textlocal.
    Textlocal {
        /// `…_API_KEY`.
        api_key: SecretString,
        /// `…_SENDER`.
        sender: String,
    },
    /// Vonage, once Nexmo.
    Vonage {
        /// `…_API_KEY`.
        api_key: String,
        /// `…_API_SECRET`.
        api_secret: SecretString,
        /// `…_FROM`.
        from: String,
    },
    /// MSG91, whose messages are templates that were registered before.
    Msg91(Msg91),
}

/// An account with Twilio.
#[derive(Clone, Debug)]
pub struct TwilioAccount {
    /// `…_ACCOUNT_SID`.
    pub sid: String,
    /// `…_AUTH_TOKEN`.
    pub auth_token: SecretString,
    /// `…_MESSAGE_SERVICE_SID`: a messaging service, the service of Verify, or a number.
    pub service_sid: String,
}

/// An account with MSG91, and what Indian operators want to know of a message.
#[derive(Clone, Debug)]
pub struct Msg91 {
    /// `…_AUTH_KEY`.
    pub auth_key: SecretString,
    /// `…_TEMPLATE_ID`: the template as MSG91 numbers it.
    pub template_id: String,
    /// `…_MFA_TEMPLATE_ID`: the one for second factors, if that is another.
    pub factor_template_id: Option<String>,
    /// `…_CODE_VARIABLE`, default `otp`: what the template calls the code.
    pub code_variable: String,
    /// `…_SENDER_ID`: the registered header; without one the template's.
    pub sender_id: Option<String>,
    /// `…_DLT_TEMPLATE_ID`: the template as the operators number it, where MSG91 was not told.
    pub dlt_template_id: Option<String>,
    /// `…_DLT_ENTITY_ID`: the company as the operators number it.
    pub dlt_entity_id: Option<String>,
}

pub(super) fn read(r: &mut Reader<'_>, provider: &str) -> SmsSending {
    let factors = ["ENROLL", "VERIFY"]
        .map(|what| r.flag(&[&format!("GOTRUE_MFA_PHONE_{what}_ENABLED")], false));
    SmsSending {
        carrier: carrier(r, provider),
        template: template(r, "GOTRUE_SMS_TEMPLATE", !provider.is_empty()),
        factor_template: template(r, "GOTRUE_MFA_PHONE_TEMPLATE", factors.contains(&true)),
        timeout: Some(r.duration(&["GOTRUE_INTERNAL_HTTP_TIMEOUT"], Duration::ZERO))
            .filter(|timeout| !timeout.is_zero())
            .unwrap_or(Duration::from_secs(10)),
        base: None,
    }
}

/// A text that is not used may be anything, as in the original.
#[expect(clippy::expect_used, reason = "a constant")]
fn template(r: &mut Reader<'_>, name: &str, used: bool) -> Template {
    used.then(|| {
        r.parse_with(&[name], |text| {
            Template::parse(text).map_err(|error| error.to_string())
        })
    })
    .flatten()
    .unwrap_or_else(|| Template::parse(DEFAULT_TEMPLATE).expect("a template"))
}

fn carrier(r: &Reader<'_>, provider: &str) -> Result<Carrier, String> {
    let setting = |field: &str| {
        let name = format!("GOTRUE_SMS_{}_{field}", provider.to_uppercase());
        r.text(&[&name]).map(str::to_owned)
    };
    let needed = |field: &str| {
        setting(field).ok_or_else(|| {
            let name = provider.to_uppercase();
            format!("GOTRUE_SMS_{name}_{field} is missing")
        })
    };
    let secret = |field: &str| needed(field).map(SecretString::from);
    let twilio = || {
        Ok::<_, String>(TwilioAccount {
            sid: needed("ACCOUNT_SID")?,
            auth_token: secret("AUTH_TOKEN")?,
            service_sid: needed("MESSAGE_SERVICE_SID")?,
        })
    };
    Ok(match provider {
        "twilio" => Carrier::Twilio {
            account: twilio()?,
            content_sid: setting("CONTENT_SID").unwrap_or_default(),
        },
        "twilio_verify" => Carrier::TwilioVerify(twilio()?),
        "messagebird" => Carrier::Messagebird {
            access_key: secret("ACCESS_KEY")?,
            originator: needed("ORIGINATOR")?,
        },
        "textlocal" => Carrier::Textlocal {
            api_key: secret("API_KEY")?,
            sender: needed("SENDER")?,
        },
        "vonage" => Carrier::Vonage {
            api_key: needed("API_KEY")?,
            api_secret: secret("API_SECRET")?,
            from: needed("FROM")?,
        },
        "msg91" => Carrier::Msg91(Msg91 {
            auth_key: secret("AUTH_KEY")?,
            template_id: needed("TEMPLATE_ID")?,
            factor_template_id: setting("MFA_TEMPLATE_ID"),
            code_variable: setting("CODE_VARIABLE").unwrap_or_else(|| "otp".to_owned()),
            sender_id: setting("SENDER_ID"),
            dlt_template_id: setting("DLT_TEMPLATE_ID"),
            dlt_entity_id: setting("DLT_ENTITY_ID"),
        }),
        "" => return Err("GOTRUE_SMS_PROVIDER is missing".to_owned()),
        _ => return Err("GOTRUE_SMS_PROVIDER is not one that is known".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_kit::env::Vars;

    fn read_with(provider: &str, vars: &[(&str, &str)]) -> (SmsSending, bool) {
        let vars: Vars = vars.iter().copied().collect();
        let mut reader = Reader::new(&vars);
        let read = read(&mut reader, provider);
        (read, reader.finish().is_ok())
    }

    #[test]
    fn what_is_missing_is_named_and_stops_nothing() {
        for (provider, reason) in [
            ("", "GOTRUE_SMS_PROVIDER is missing"),
            ("pigeon", "GOTRUE_SMS_PROVIDER is not one that is known"),
            ("twilio", "GOTRUE_SMS_TWILIO_ACCOUNT_SID is missing"),
            (
                "twilio_verify",
                "GOTRUE_SMS_TWILIO_VERIFY_ACCOUNT_SID is missing",
            ),
            ("vonage", "GOTRUE_SMS_VONAGE_API_KEY is missing"),
            ("msg91", "GOTRUE_SMS_MSG91_AUTH_KEY is missing"),
        ] {
            let (read, starts) = read_with(provider, &[]);
            assert_eq!(read.carrier.unwrap_err(), reason);
            assert!(starts, "{provider}");
        }
    }

    #[test]
    fn a_text_that_is_used_must_be_readable() {
        let broken = [("GOTRUE_SMS_TEMPLATE", "{{ .Code")];
        assert!(read_with("", &broken).1);
        assert!(!read_with("twilio", &broken).1);
        let broken = [
            ("GOTRUE_MFA_PHONE_TEMPLATE", "{{ .Code"),
            ("GOTRUE_MFA_PHONE_VERIFY_ENABLED", "true"),
        ];
        assert!(read_with("", &broken[..1]).1);
        assert!(!read_with("", &broken).1);
    }

    #[test]
    fn a_key_is_never_printed() {
        let vars = [
            ("GOTRUE_SMS_TEXTLOCAL_API_KEY", "the-key"),
            ("GOTRUE_SMS_TEXTLOCAL_SENDER", "NILAM"),
        ];
        let printed = format!("{:?}", read_with("textlocal", &vars).0);
        assert!(printed.contains("NILAM") && !printed.contains("the-key"));
    }
}
