//! What callers send: small documents, of bounded size and depth, without document types and entities of
//! their own.

use quick_xml::{
    Reader,
    events::{BytesRef, BytesStart, Event},
};

use crate::error::Error;
use crate::s3::{error, xml::escape};

/// Longest body that is read: ten thousand parts with checksums fit.
pub(crate) const LONGEST: usize = 4 << 20;
const DEEPEST: usize = 100;
const MOST_ATTRIBUTES: usize = 32;

/// An element with its text, and the elements in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether it has any.
    pub(crate) attributes: bool,
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// The first element of a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All elements of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text of the first element of a name.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }
}

/// Reads a document into a tree. Names lose their namespace prefix; attributes are not kept.
pub(crate) fn tree(body: &[u8]) -> Result<Element, Error> {
    if body.len() > LONGEST {
        return Err(error::too_large("body", "the maximum allowed size"));
    }
    let text = str::from_utf8(body).map_err(|_| error::malformed_xml("Invalid XML character"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.chars().all(escape::allowed) {
        return Err(error::malformed_xml("Invalid XML character"));
    }
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    // The bottom stands for the document itself and holds the one root.
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().map_err(error::malformed_xml)? {
            Event::Start(start) => {
                if open.len() > DEEPEST {
                    return Err(error::malformed_xml("Elements are nested too deeply"));
                }
                open.push(element(&start)?);
            }
            Event::Empty(start) => append(&mut open, element(&start)?)?,
            Event::End(_) => {
                let mut done = open.pop().unwrap_or_default();
                // Line breaks and indentation between elements say nothing.
                if !done.children.is_empty() && done.text.trim().is_empty() {
                    done.text.clear();
                }
                append(&mut open, done)?;
            }
            Event::Text(text) => {
                let text = text.xml10_content();
                push_text(&mut open, &text)?;
            }
            Event::CData(text) => {
                let text = text.xml10_content();
                push_text(&mut open, &text)?;
            }
            Event::GeneralRef(reference) => {
                let character = resolve(&reference)?;
                push_text(&mut open, character.encode_utf8(&mut [0; 4]))?;
            }
            Event::DocType(_) => return Err(error::malformed_xml("DOCTYPE is not supported")),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    let mut document = match open.pop() {
        Some(document) if open.is_empty() => document,
        _ => return Err(error::malformed_xml("Unclosed tag")),
    };
    match (document.children.pop(), document.children.is_empty()) {
        (Some(root), true) => Ok(root),
        _ => Err(error::malformed_xml(
            "XML payload must contain a single root element",
        )),
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, Error> {
    let mut attributes = false;
    // Each is compared with all before it.
    for (index, attribute) in start.attributes().enumerate() {
        if index >= MOST_ATTRIBUTES {
            return Err(error::malformed_xml("An element has too many attributes"));
        }
        attributes = true;
        let attribute = attribute.map_err(error::malformed_xml)?;
        attribute
            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
            .map_err(error::malformed_xml)?;
    }
    let name = start.local_name();
    Ok(Element {
        name: name.as_ref().to_owned(),
        attributes,
        ..Element::default()
    })
}

fn append(open: &mut [Element], done: Element) -> Result<(), Error> {
    let parent = open
        .last_mut()
        .ok_or_else(|| error::malformed_xml("Unexpected closing tag"))?;
    parent.children.push(done);
    Ok(())
}

fn push_text(open: &mut [Element], text: &str) -> Result<(), Error> {
    match open {
        [_, .., current] => current.text.push_str(text),
        _ if text.trim().is_empty() => {}
        _ => return Err(error::malformed_xml("Text outside of the root element")),
    }
    Ok(())
}

fn resolve(reference: &BytesRef<'_>) -> Result<char, Error> {
    let numeric = reference
        .resolve_char_ref()
        .map_err(|_| error::malformed_xml("Invalid numeric character reference"))?;
    if let Some(character) = numeric {
        return Some(character)
            .filter(|&character| escape::allowed(character))
            .ok_or_else(|| error::malformed_xml("Invalid numeric character reference"));
    }
    match &**reference {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(error::malformed_xml("Undeclared XML entity")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(xml: &str) -> String {
        tree(xml.as_bytes()).unwrap_err().message.into_owned()
    }

    #[test]
    fn elements_texts_and_references_are_read() {
        let root = tree(
            b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<Delete xmlns=\"urn:x\">\n <Object><Key> a&amp;b&#48;&#x31;</Key></Object>\
              <Object><Key><![CDATA[<x>]]></Key><VersionId/></Object><!-- x --></Delete>\n",
        )
        .unwrap();
        assert_eq!(root.name, "Delete");
        let keys: Vec<_> = root
            .all("Object")
            .filter_map(|object| object.text_of("Key"))
            .collect();
        assert_eq!(keys, [" a&b01", "<x>"]);
        assert_eq!(root.children[1].text_of("VersionId"), Some(""));
        assert_eq!(root.text, "");
    }

    #[test]
    fn blanks_count_in_a_leaf() {
        let root = tree(b"<R>\n<Key>   </Key>\n</R>").unwrap();
        assert_eq!(root.text_of("Key"), Some("   "));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for xml in [
            "",
            "text",
            "<A>",
            "</A>",
            "<A/>text",
            "<A><B></A>",
            "<A/><A/>",
            "<!DOCTYPE A><A/>",
            "<!DOCTYPE A [<!ENTITY x \"y\">]><A>&x;</A>",
            "<A>&bogus;</A>",
            "<A>&#0;</A>",
            "<A>&#xD800;</A>",
            "<A>&#xFFFF;</A>",
            "<A>&#x110000;</A>",
            "<A>& </A>",
            "<A x=\"&bare\"/>",
            "<A x=1/>",
            "<A><!-- x</A>",
            "<A><![CDATA[x</A>",
            "<A><?pi x</A>",
            "<A>\u{1}</A>",
        ] {
            let error = tree(xml.as_bytes()).unwrap_err();
            assert_eq!(error.code, "MalformedXML", "{xml}");
            assert!(error.message.starts_with("Invalid XML payload: "), "{xml}");
        }
        assert_eq!(tree(b"<A>\xff</A>").unwrap_err().code, "MalformedXML");
        assert!(message("<!DOCTYPE A><A/>").contains("DOCTYPE"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_document_or_none(
            parts in prop::collection::vec(
                prop_oneof![
                    Just("<a>".to_owned()), Just("</a>".to_owned()), Just("<a b='&lt;'/>".to_owned()),
                    Just("<!--".to_owned()), Just("-->".to_owned()), Just("<![CDATA[".to_owned()),
                    Just("]]>".to_owned()), Just("&#".to_owned()), Just("&amp;".to_owned()), ".{0,3}",
                ],
                0..12,
            ),
            bytes in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = tree(parts.concat().as_bytes());
            let _ = tree(&bytes);
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nested = |depth| format!("{}{}", "<N>".repeat(depth), "</N>".repeat(depth));
        assert!(tree(nested(DEEPEST).as_bytes()).is_ok());
        assert!(message(&nested(DEEPEST + 1)).contains("deep"));
        let wide: Vec<String> = (0..=MOST_ATTRIBUTES)
            .map(|n| format!("a{n}=\"\""))
            .collect();
        let wide = wide.join(" ");
        assert!(message(&format!("<N {wide}/>")).contains("attributes"));
        let long = vec![b' '; LONGEST + 1];
        assert_eq!(tree(&long).unwrap_err().code, "EntityTooLarge");
    }
}
