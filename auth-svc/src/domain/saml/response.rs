//! The rules by which a response of an identity provider is believed (profiles, 4.1.4.3).

use chrono::{DateTime, Duration, Utc};
use roxmltree::Node;

use super::{
    Problem,
    assertion::{Assertion, Attribute},
    begin, decrypt,
    key::Key,
    refuse, signature,
    signature::TrustedKey,
    xml,
    xml::{ASSERTION, PROTOCOL},
};

const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";
const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/// The oldest response or assertion.
const MAX_AGE: Duration = Duration::seconds(90);
/// How far the clocks of the two sides may be apart.
const MAX_SKEW: Duration = Duration::seconds(180);

/// What a response has to say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    /// Our own entity.
    pub(super) audience: &'a str,
    /// Where it was sent to.
    pub(super) acs_url: &'a str,
    /// Who sends it.
    pub(super) issuer: &'a str,
    /// What that provider signs with.
    pub(super) trusted: &'a [TrustedKey],
    /// Which request it answers; nothing where the provider began.
    pub(super) request_id: Option<&'a str>,
    /// What opens encrypted assertions, if they are taken.
    pub(super) decrypting: &'a [&'a Key],
    pub(super) now: DateTime<Utc>,
}

/// Who sent a response, by its own words.
pub(super) fn issuer(text: &str) -> Result<String, Problem> {
    let document = xml::parse(text)?;
    let root = document.root_element();
    if !xml::is(root, PROTOCOL, "Response") {
        return refuse("not a response");
    }
    let issuer = xml::child(root, ASSERTION, "Issuer")?;
    issuer.map_or_else(|| Ok(String::new()), xml::text)
}

/// The one assertion of a response, if all is in order.
pub(super) fn read(text: &str, expected: &Expected<'_>) -> Result<Assertion, Problem> {
    let document = xml::parse(text)?;
    let response = document.root_element();
    if !xml::is(response, PROTOCOL, "Response") {
        return refuse("not a response");
    }
    let is_signed = signature::is_signed(response);
    if is_signed {
        signature::verify(response, expected.trusted, expected.now)?;
    }
    check_response(response, is_signed, expected)?;
    let plain: Vec<_> = xml::children(response, ASSERTION, "Assertion").collect();
    let sealed: Vec<_> = xml::children(response, ASSERTION, "EncryptedAssertion").collect();
    match (plain.as_slice(), sealed.as_slice()) {
        ([assertion], []) => {
            if !is_signed {
                signature::verify(*assertion, expected.trusted, expected.now)?;
            }
            check_assertion(*assertion, expected)
        }
        ([], [sealed]) => {
            if expected.decrypting.is_empty() {
                return refuse("encrypted assertions are not accepted");
            }
            let text = decrypt::decrypt(*sealed, expected.decrypting)?;
            let document = xml::parse(&text)?;
            let assertion = document.root_element();
            if !xml::is(assertion, ASSERTION, "Assertion") {
                return refuse("something else than an assertion is encrypted");
            }
            if !is_signed {
                signature::verify(assertion, expected.trusted, expected.now)?;
            }
            check_assertion(assertion, expected)
        }
        ([], []) => refuse("there is no assertion"),
        _ => refuse("there are several assertions"),
    }
}

fn check_response(
    response: Node<'_, '_>,
    is_signed: bool,
    expected: &Expected<'_>,
) -> Result<(), Problem> {
    if xml::attribute(response, "Version") != "2.0" {
        return refuse("not SAML 2.0");
    }
    let destination = xml::attribute(response, "Destination");
    if (is_signed || !destination.is_empty()) && destination != expected.acs_url {
        return refuse("the response is meant for another place");
    }
    check_request(response, expected)?;
    check_age(response, expected.now)?;
    if let Some(issuer) = xml::child(response, ASSERTION, "Issuer")?
        && xml::text(issuer)? != expected.issuer
    {
        return refuse("the response is of another provider");
    }
    let status = xml::required(response, PROTOCOL, "Status")?;
    let code = xml::required(status, PROTOCOL, "StatusCode")?;
    match xml::attribute(code, "Value") {
        SUCCESS => Ok(()),
        other => {
            let begin: String = other.chars().take(200).collect();
            refuse(format!("the provider answers {begin:?}"))
        }
    }
}

fn check_age(node: Node<'_, '_>, now: DateTime<Utc>) -> Result<(), Problem> {
    let issued = xml::time_of(node, "IssueInstant")?;
    let issued = issued.ok_or_else(|| Problem::new("IssueInstant is missing"))?;
    if issued < now - MAX_AGE {
        return refuse("it was issued too long ago");
    }
    if issued > now + MAX_SKEW {
        return refuse("it is not issued yet");
    }
    Ok(())
}

fn check_assertion(assertion: Node<'_, '_>, expected: &Expected<'_>) -> Result<Assertion, Problem> {
    if xml::attribute(assertion, "Version") != "2.0" {
        return refuse("not SAML 2.0");
    }
    check_age(assertion, expected.now)?;
    if xml::text(xml::required(assertion, ASSERTION, "Issuer")?)? != expected.issuer {
        return refuse("the assertion is of another provider");
    }
    let id = xml::attribute(assertion, "ID");
    if id.is_empty() {
        return refuse("the assertion has no id");
    }
    let subject = xml::required(assertion, ASSERTION, "Subject")?;
    check_subject(subject, expected)?;
    check_conditions(xml::required(assertion, ASSERTION, "Conditions")?, expected)?;
    let mut read = Assertion {
        id: id.to_owned(),
        ..Assertion::default()
    };
    if let Some(name_id) = xml::child(subject, ASSERTION, "NameID")? {
        read.name_id = xml::text(name_id)?;
        xml::attribute(name_id, "Format").clone_into(&mut read.name_id_format);
    }
    for statement in xml::children(assertion, ASSERTION, "AuthnStatement") {
        let ends = xml::time_of(statement, "SessionNotOnOrAfter")?;
        read.session_not_on_or_after = read.session_not_on_or_after.or(ends);
    }
    for statement in xml::children(assertion, ASSERTION, "AttributeStatement") {
        for attribute in xml::children(statement, ASSERTION, "Attribute") {
            let values = xml::children(attribute, ASSERTION, "AttributeValue").map(value);
            read.attributes.push(Attribute {
                name: xml::attribute(attribute, "Name").to_owned(),
                friendly_name: xml::attribute(attribute, "FriendlyName").to_owned(),
                values: values.collect::<Result<_, _>>()?,
            });
        }
    }
    Ok(read)
}

/// The text of a value; a value that is a structure, such as a name identifier, counts as empty.
fn value(node: Node<'_, '_>) -> Result<String, Problem> {
    if node.children().any(|child| child.is_element()) {
        return Ok(String::new());
    }
    xml::text(node)
}

/// Whoever brings the assertion has to be allowed to, here and now and for this request.
fn check_subject(subject: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Problem> {
    let mut reason = Problem::new("there is no bearer confirmation of the subject");
    for confirmation in xml::children(subject, ASSERTION, "SubjectConfirmation") {
        if xml::attribute(confirmation, "Method") != BEARER {
            continue;
        }
        match check_bearer(confirmation, expected) {
            Ok(()) => return Ok(()),
            Err(problem) => reason = problem,
        }
    }
    Err(reason)
}

fn check_bearer(confirmation: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Problem> {
    let data = xml::required(confirmation, ASSERTION, "SubjectConfirmationData")?;
    if xml::attribute(data, "Recipient") != expected.acs_url {
        return refuse("the assertion is meant for another place");
    }
    check_request(data, expected)?;
    check_times(data, expected.now)
}

/// Fails for an answer to another request. Where the provider began it may say that it answers something, as some
/// do, but not that it answers one of ours: that answer belongs to whoever asked.
fn check_request(node: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Problem> {
    let answered = xml::attribute(node, "InResponseTo");
    let is_wrong = match expected.request_id {
        Some(request) => answered != request,
        None => begin::is_request_id(answered),
    };
    if is_wrong {
        return refuse("it answers another request");
    }
    Ok(())
}

fn check_times(node: Node<'_, '_>, now: DateTime<Utc>) -> Result<(), Problem> {
    let until = xml::time_of(node, "NotOnOrAfter")?;
    let until = until.ok_or_else(|| Problem::new("NotOnOrAfter is missing"))?;
    if until < now - MAX_SKEW {
        return refuse("the assertion is over");
    }
    if xml::time_of(node, "NotBefore")?.is_some_and(|from| from > now + MAX_SKEW) {
        return refuse("the assertion is not valid yet");
    }
    Ok(())
}

fn check_conditions(conditions: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Problem> {
    check_times(conditions, expected.now)?;
    let mut restricted = false;
    for restriction in xml::children(conditions, ASSERTION, "AudienceRestriction") {
        let mut named = false;
        for audience in xml::children(restriction, ASSERTION, "Audience") {
            named |= xml::text(audience)?.trim() == expected.audience;
        }
        if !named {
            return refuse("the assertion is meant for another audience");
        }
        restricted = true;
    }
    if restricted {
        return Ok(());
    }
    refuse("the assertion names no audience")
}
