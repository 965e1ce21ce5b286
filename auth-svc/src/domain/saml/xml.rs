//! Reading XML that strangers send: bounded, without document types, and with unique ids.

use std::collections::HashSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, NaiveDateTime, Utc};
use roxmltree::{Document, Node, ParsingOptions};

use super::{Problem, refuse};

pub(super) const ASSERTION: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
pub(super) const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
pub(super) const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
pub(super) const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(super) const XENC: &str = "http://www.w3.org/2001/04/xmlenc#";

/// The longest document.
pub(super) const MAX_TEXT: usize = 1 << 20;
/// The most nodes of one.
const MAX_NODES: u32 = 20_000;
/// The most declarations of namespaces: an element inherits all that are around it.
const MAX_DECLARATIONS: usize = 4_000;
/// The most signs of equality, and so attributes: those of an element are compared with each other.
const MAX_EQUALS: usize = 8_000;
/// The most different prefixes of namespaces: elements are compared with all that are declared around them.
pub(super) const MAX_PREFIXES: usize = 64;
/// The longest reason of the parser that is told; it repeats what the document says.
const MAX_REASON: usize = 200;
/// The deepest element.
const MAX_DEPTH: usize = 64;

/// Reads a document. There are no document types in SAML, so there are no entities to expand or to fetch.
pub(super) fn parse(text: &str) -> Result<Document<'_>, Problem> {
    if text.len() > MAX_TEXT {
        return refuse("the document is too long");
    }
    if text.matches("xmlns").count() > MAX_DECLARATIONS {
        return refuse("the document declares too many namespaces");
    }
    if text.bytes().filter(|byte| *byte == b'=').count() > MAX_EQUALS {
        return refuse("the document has too many attributes");
    }
    if prefixes(text) > MAX_PREFIXES {
        return refuse("the document declares too many prefixes");
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let reason: String = error.to_string().chars().take(MAX_REASON).collect();
        Problem::new(format!("not well-formed: {reason}"))
    })?;
    check(&document)?;
    Ok(document)
}

/// How many different names of namespaces are declared, at most.
fn prefixes(text: &str) -> usize {
    let names: HashSet<&str> = text
        .match_indices("xmlns")
        .map(|(at, _)| {
            let rest = &text[at..];
            let ends = |c: char| c == '=' || c.is_ascii_whitespace();
            rest.split(ends).next().unwrap_or(rest)
        })
        .collect();
    names.len()
}

/// Two elements with one id would leave open which of them was signed, and an element with two namespaces which of
/// them it is in.
fn check(document: &Document<'_>) -> Result<(), Problem> {
    let mut ids = HashSet::new();
    let mut waiting = vec![(document.root_element(), 1)];
    while let Some((node, depth)) = waiting.pop() {
        if depth > MAX_DEPTH {
            return refuse("the document is too deep");
        }
        let unnamed = node.namespaces().filter(|one| one.name().is_none());
        if unnamed.count() > 1 {
            return refuse("a namespace is declared twice");
        }
        for attribute in node.attributes() {
            let is_id = match attribute.namespace() {
                None => attribute.name().eq_ignore_ascii_case("id"),
                Some(roxmltree::NS_XML_URI) => attribute.name() == "id",
                Some(_) => false,
            };
            if is_id && !ids.insert(attribute.value()) {
                return refuse("an id is there twice");
            }
        }
        let children = node.children().filter(Node::is_element);
        waiting.extend(children.map(|child| (child, depth + 1)));
    }
    Ok(())
}

pub(super) fn is(node: Node<'_, '_>, namespace: &str, name: &str) -> bool {
    node.has_tag_name((namespace, name))
}

pub(super) fn children<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'a str,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children()
        .filter(move |child| is(*child, namespace, name))
}

/// The child of a name; fails when there are two.
pub(super) fn child<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'a str,
    name: &'a str,
) -> Result<Option<Node<'a, 'input>>, Problem> {
    let mut found = children(node, namespace, name);
    let first = found.next();
    if found.next().is_some() {
        return refuse(format!("{name} is there twice"));
    }
    Ok(first)
}

pub(super) fn required<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'a str,
    name: &'a str,
) -> Result<Node<'a, 'input>, Problem> {
    child(node, namespace, name)?.ok_or_else(|| Problem::new(format!("{name} is missing")))
}

/// All the text of an element. A comment does not end it: what was signed has no comments, and its text
/// goes on behind them.
pub(super) fn text(node: Node<'_, '_>) -> Result<String, Problem> {
    if node.children().any(|child| child.is_element()) {
        return refuse("an element is where only text may be");
    }
    Ok(node
        .children()
        .filter(Node::is_text)
        .filter_map(|child| child.text())
        .collect())
}

/// Octets in base64, broken into lines at will.
pub(super) fn octets(node: Node<'_, '_>) -> Result<Vec<u8>, Problem> {
    let text: String = text(node)?.split_ascii_whitespace().collect();
    STANDARD
        .decode(text)
        .map_err(|_| Problem::new("not base64"))
}

/// An attribute without a namespace. (The parser's own look-up takes the first of any.)
pub(super) fn optional<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let mut all = node.attributes();
    all.find(|one| one.namespace().is_none() && one.name() == name)
        .map(|one| one.value())
}

/// An attribute without a namespace, or the empty text.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    optional(node, name).unwrap_or_default()
}

/// A time; those that name no zone are in UTC.
pub(super) fn time(text: &str) -> Result<DateTime<Utc>, Problem> {
    let text = text.trim();
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.to_utc())
        .or_else(|_| {
            NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").map(|time| time.and_utc())
        })
        .map_err(|_| Problem::new("not a time"))
}

pub(super) fn time_of(node: Node<'_, '_>, name: &str) -> Result<Option<DateTime<Utc>>, Problem> {
    optional(node, name).map(time).transpose()
}

/// Text as an attribute or as content.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push_str("&#x9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bombs_and_twins_are_refused() {
        let deep = format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000));
        let wide = format!("<a>{}</a>", "<b/>".repeat(30_000));
        let declared = format!("<a>{}</a>", "<b xmlns:x='x'/>".repeat(5000));
        let many = format!("<a>{}</a>", "<b c='' d=''/>".repeat(4_500));
        let long = format!("<a>{}</a>", " ".repeat(MAX_TEXT));
        let prefixes: Vec<_> = (0..100).map(|n| format!("xmlns:p{n}='u'")).collect();
        let prefixes = prefixes.join(" ");
        let scattered = format!("<a {prefixes}>{}</a>", "<b xmlns:z='y'/>".repeat(1000));
        for text in [
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
            "<a>&undeclared;</a>",
            "<a><b ID='x'/><c ID='x'/></a>",
            "<a ID='x'><b Id='x'/></a>",
            "<a xml:id='x'><b id='x'/></a>",
            "<a xmlns='u:d' xmlns='u:e'/>",
            "<a><b xmlns='u:d' xmlns='u:e'/></a>",
            "<a/><b/>",
            "<a",
            "",
            &deep,
            &wide,
            &declared,
            &many,
            &long,
            &scattered,
        ] {
            assert!(parse(text).is_err(), "{text:.60}");
        }
        assert!(parse("<a ID='x'><b ID='y'/></a>").is_ok());
    }

    #[test]
    fn an_attribute_of_another_namespace_is_another_attribute() {
        let text = "<a xmlns:x='u' x:ID='wrong' ID='right'/>";
        let document = parse(text).unwrap();
        assert_eq!(attribute(document.root_element(), "ID"), "right");
        assert_eq!(optional(document.root_element(), "URI"), None);
    }

    #[test]
    fn a_comment_does_not_shorten_a_text() {
        let document = parse("<a>root@good.test<!-- x -->.evil.test</a>").unwrap();
        let text = text(document.root_element()).unwrap();
        assert_eq!(text, "root@good.test.evil.test");
    }

    #[test]
    fn times_come_with_and_without_a_zone() {
        for text in [
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:05",
            "2026-01-02T04:04:05.000+01:00",
        ] {
            assert_eq!(time(text).unwrap().timestamp(), 1_767_323_045, "{text}");
        }
        assert!(time("tomorrow").is_err());
    }
}
