//! One mail, and how the API shows it.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use mail_parser::{Address, Message, MessageParser, MimeHeaders as _, PartType};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

/// How many characters of the text a list shows.
const SNIPPET: usize = 250;

/// A mail as it came, with what lists and searches need.
#[derive(Debug)]
pub(super) struct Mail {
    pub(super) id: String,
    pub(super) raw: Vec<u8>,
    /// The sender of the envelope.
    sender: String,
    created: DateTime<Utc>,
    pub(super) summary: Summary,
}

/// A name with an address.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Person {
    name: String,
    address: String,
}

/// The part of a mail that lists show.
#[derive(Debug, Default)]
pub(super) struct Summary {
    message_id: String,
    from: Person,
    to: Vec<Person>,
    cc: Vec<Person>,
    bcc: Vec<Person>,
    reply_to: Vec<Person>,
    pub(super) subject: String,
    attachments: usize,
    snippet: String,
}

impl Mail {
    pub(super) fn new(sender: String, recipients: Vec<String>, raw: Vec<u8>) -> Self {
        let mut summary = MessageParser::default()
            .parse(&raw)
            .map(|message| Summary::new(&message))
            .unwrap_or_default();
        // Who is in the envelope and not in the header got a blind copy.
        for address in recipients {
            let named = [&summary.to, &summary.cc, &summary.bcc]
                .into_iter()
                .flatten()
                .any(|person| person.address.eq_ignore_ascii_case(&address));
            if !named {
                let name = String::new();
                summary.bcc.push(Person { name, address });
            }
        }
        if summary.from.address.is_empty() {
            summary.from.address.clone_from(&sender);
        }
        Self {
            id: Uuid::new_v4().simple().to_string(),
            raw,
            sender,
            created: Utc::now(),
            summary,
        }
    }

    /// An entry of a list.
    pub(super) fn to_list_json(&self) -> Value {
        let summary = &self.summary;
        json!({
            "ID": self.id,
            "MessageID": summary.message_id,
            "Read": false,
            "From": summary.from,
            "To": summary.to,
            "Cc": summary.cc,
            "Bcc": summary.bcc,
            "ReplyTo": summary.reply_to,
            "Subject": summary.subject,
            "Created": self.created.to_rfc3339_opts(SecondsFormat::Millis, true),
            "Username": "",
            "Tags": [],
            "Size": self.raw.len(),
            "Attachments": summary.attachments,
            "Snippet": summary.snippet,
        })
    }

    /// All of it.
    pub(super) fn to_json(&self) -> Value {
        let summary = &self.summary;
        let message = self.parse();
        let date = message
            .as_ref()
            .and_then(|message| message.date().map(mail_parser::DateTime::to_rfc3339))
            .unwrap_or_else(|| self.created.to_rfc3339_opts(SecondsFormat::Secs, true));
        let attachments = message.as_ref().map(attachments).unwrap_or_default();
        json!({
            "ID": self.id,
            "MessageID": summary.message_id,
            "From": summary.from,
            "To": summary.to,
            "Cc": summary.cc,
            "Bcc": summary.bcc,
            "ReplyTo": summary.reply_to,
            "ReturnPath": self.sender,
            "Subject": summary.subject,
            "Date": date,
            "Created": self.created.to_rfc3339_opts(SecondsFormat::Millis, true),
            "Tags": [],
            "Username": "",
            "Text": message.as_ref().map(text).unwrap_or_default(),
            "HTML": message.as_ref().map(html).unwrap_or_default(),
            "Size": self.raw.len(),
            "Inline": [],
            "Attachments": attachments,
        })
    }

    pub(super) fn text(&self) -> String {
        self.parse().as_ref().map(text).unwrap_or_default()
    }

    pub(super) fn html(&self) -> String {
        self.parse().as_ref().map(html).unwrap_or_default()
    }

    /// Every header with its values, undecoded.
    pub(super) fn headers(&self) -> BTreeMap<String, Vec<String>> {
        let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if let Some(message) = self.parse() {
            for (name, value) in message.headers_raw() {
                let value = value.trim().to_owned();
                headers.entry(name.to_owned()).or_default().push(value);
            }
        }
        headers
    }

    /// Whether every term occurs: `to:`, `from:` and `subject:` look there, other terms everywhere.
    pub(super) fn matches(&self, query: &str) -> bool {
        let summary = &self.summary;
        let people = |people: &[Person], text: &str| {
            people
                .iter()
                .any(|person| contains(&person.address, text) || contains(&person.name, text))
        };
        let addressed = |text: &str| {
            people(&summary.to, text) || people(&summary.cc, text) || people(&summary.bcc, text)
        };
        let from = |text: &str| people(std::slice::from_ref(&summary.from), text);
        terms(query).iter().all(|term| match term.split_once(':') {
            Some(("to" | "addressed", text)) => addressed(text),
            Some(("from", text)) => from(text),
            Some(("subject", text)) => contains(&summary.subject, text),
            _ => {
                contains(&summary.subject, term)
                    || addressed(term)
                    || from(term)
                    || contains(&self.text(), term)
            }
        })
    }

    fn parse(&self) -> Option<Message<'_>> {
        MessageParser::default().parse(&self.raw)
    }
}

impl Summary {
    fn new(message: &Message<'_>) -> Self {
        let words = text(message);
        let snippet: String = words
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(SNIPPET)
            .collect();
        Self {
            message_id: message.message_id().unwrap_or_default().to_owned(),
            from: persons(message.from())
                .into_iter()
                .next()
                .unwrap_or_default(),
            to: persons(message.to()),
            cc: persons(message.cc()),
            bcc: persons(message.bcc()),
            reply_to: persons(message.reply_to()),
            subject: message.subject().unwrap_or_default().to_owned(),
            attachments: message.attachment_count(),
            snippet,
        }
    }
}

fn persons(address: Option<&Address<'_>>) -> Vec<Person> {
    let people = address.into_iter().flat_map(Address::iter);
    people
        .map(|person| Person {
            name: person.name().unwrap_or_default().to_owned(),
            address: person.address().unwrap_or_default().to_owned(),
        })
        .collect()
}

/// The text, made from the HTML when there is nothing else.
fn text(message: &Message<'_>) -> String {
    message.body_text(0).unwrap_or_default().into_owned()
}

/// The HTML, if the mail has any.
fn html(message: &Message<'_>) -> String {
    match message.html_part(0).map(|part| &part.body) {
        Some(PartType::Html(html)) => html.clone().into_owned(),
        _ => String::new(),
    }
}

fn attachments(message: &Message<'_>) -> Vec<Value> {
    let part = |(index, part): (usize, &mail_parser::MessagePart<'_>)| {
        let kind = part.content_type().map_or_else(String::new, |kind| {
            format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default())
        });
        json!({
            "PartID": index.to_string(),
            "FileName": part.attachment_name().unwrap_or_default(),
            "ContentType": kind,
            "Size": part.len(),
        })
    };
    message.attachments().enumerate().map(part).collect()
}

fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Splits at blanks outside of double quotes, and drops the quotes.
fn terms(query: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut quoted = false;
    for character in query.chars() {
        match character {
            '"' => quoted = !quoted,
            blank if blank.is_whitespace() && !quoted => terms.push(String::new()),
            other => {
                if let Some(term) = terms.last_mut() {
                    term.push(other);
                }
            }
        }
    }
    terms.retain(|term| !term.is_empty());
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "From: Nilam <no-reply@nilam.example>\r\nTo: \"Ada L.\" <Ada@example.org>\r\n\
        Subject: =?utf-8?q?Caf=C3=A9_code?=\r\nMessage-ID: <1@nilam.example>\r\n\
        Content-Type: text/html; charset=utf-8\r\n\r\n<p>Your code: <b>123456</b></p>\r\n";

    fn mail() -> Mail {
        let recipients = vec!["ada@example.org".to_owned(), "eve@example.org".to_owned()];
        Mail::new("bounce@nilam.example".to_owned(), recipients, MAIL.into())
    }

    #[test]
    fn a_mail_is_shown_decoded() {
        let shown = mail().to_json();
        assert_eq!(shown["Subject"], "Café code");
        assert_eq!(shown["From"]["Address"], "no-reply@nilam.example");
        assert_eq!(
            shown["To"],
            json!([{ "Name": "Ada L.", "Address": "Ada@example.org" }])
        );
        assert_eq!(shown["Bcc"][0]["Address"], "eve@example.org");
        assert_eq!(shown["MessageID"], "1@nilam.example");
        assert!(shown["HTML"].as_str().unwrap().contains("<b>123456</b>"));
        assert!(shown["Text"].as_str().unwrap().contains("123456"));
        assert_eq!(mail().headers()["Message-ID"], ["<1@nilam.example>"]);
    }

    #[test]
    fn searches_look_where_they_are_told() {
        let mail = mail();
        for (query, found) in [
            ("to:ada@example.org", true),
            ("to:\"ada@example.org\" subject:café", true),
            ("to:no-reply@nilam.example", false),
            ("from:nilam", true),
            ("to:eve@example.org", true),
            ("\"your code\"", true),
            ("elephant", false),
        ] {
            assert_eq!(mail.matches(query), found, "{query}");
        }
    }

    #[test]
    fn anything_can_be_a_mail() {
        for raw in ["", "\r\n", "no header at all", "To: \r\n\r\n"] {
            let _ = Mail::new(String::new(), Vec::new(), raw.into()).to_json();
        }
    }
}
