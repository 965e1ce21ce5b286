//! The protocol's documents: [`Document`] writes answers, [`read`] takes in what callers send.

mod escape;
pub(crate) mod read;

use std::fmt::Display;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};

const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// A document that is being written. Elements appear in the order they are added; one without text is
/// written as `<Name/>`.
#[derive(Debug)]
pub(crate) struct Document {
    text: String,
    /// Open elements, and whether anything was written into each.
    open: Vec<(&'static str, bool)>,
}

impl Document {
    /// Starts a document with its one outer element.
    pub(crate) fn new(root: &'static str) -> Self {
        Self {
            text: format!("{DECLARATION}<{root} xmlns=\"{NAMESPACE}\""),
            open: vec![(root, false)],
        }
    }

    /// The same, with elements that are in no namespace.
    pub(crate) fn without_namespace(root: &'static str) -> Self {
        Self {
            text: format!("{DECLARATION}<{root}"),
            open: vec![(root, false)],
        }
    }

    /// Closes the start tag of the element that is being filled, once.
    fn fill(&mut self) {
        if let Some((_, filled @ false)) = self.open.last_mut() {
            *filled = true;
            self.text.push('>');
        }
    }

    /// An element that holds text.
    pub(crate) fn text(mut self, name: &'static str, text: &str) -> Self {
        self.put(name, text);
        self
    }

    /// An element that holds a number or a truth value.
    pub(crate) fn value(self, name: &'static str, value: impl Display) -> Self {
        self.text(name, &value.to_string())
    }

    /// An element that is only there when its text is.
    pub(crate) fn optional(self, name: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    /// An element with what `inside` writes into it.
    pub(crate) fn element(mut self, name: &'static str, inside: impl FnOnce(Self) -> Self) -> Self {
        self.fill();
        self.text.push('<');
        self.text.push_str(name);
        self.open.push((name, false));
        let mut document = inside(self);
        document.close();
        document
    }

    /// One element for each item. No items, no element.
    pub(crate) fn each<T>(
        self,
        name: &'static str,
        items: impl IntoIterator<Item = T>,
        mut inside: impl FnMut(Self, T) -> Self,
    ) -> Self {
        items.into_iter().fold(self, |document, item| {
            document.element(name, |document| inside(document, item))
        })
    }

    /// Text right inside the element that is being filled.
    pub(crate) fn content(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.fill();
            escape::push(&mut self.text, text);
        }
        self
    }

    fn put(&mut self, name: &'static str, text: &str) {
        self.fill();
        self.text.push('<');
        self.text.push_str(name);
        self.open.push((name, false));
        if !text.is_empty() {
            self.fill();
            escape::push(&mut self.text, text);
        }
        self.close();
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some((name, true)) => {
                self.text.push_str("</");
                self.text.push_str(name);
                self.text.push('>');
            }
            Some((_, false)) => self.text.push_str("/>"),
            None => {}
        }
    }

    /// The whole text.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let mut response = self.finish().into_response();
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/xml; charset=utf-8"),
        );
        response
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(document: Document) -> String {
        let text = document.finish();
        let start = format!("{DECLARATION}<R xmlns=\"{NAMESPACE}\"");
        text.strip_prefix(&start).unwrap().to_owned()
    }

    #[test]
    fn elements_keep_their_order_and_empty_ones_are_short() {
        let document = Document::new("R")
            .text("Name", "b")
            .text("Prefix", "")
            .optional("Marker", None)
            .value("IsTruncated", false)
            .each("Contents", ["one"], |document, key| {
                document.text("Key", key).value("Size", 0)
            })
            .each("CommonPrefixes", [] as [&str; 0], |document, _| document)
            .element("TagSet", |document| document);
        assert_eq!(
            body(document),
            "><Name>b</Name><Prefix/><IsTruncated>false</IsTruncated>\
             <Contents><Key>one</Key><Size>0</Size></Contents><TagSet/></R>"
        );
    }

    #[test]
    fn the_root_may_be_empty_or_hold_text() {
        assert_eq!(body(Document::new("R")), "/>");
        assert_eq!(body(Document::new("R").content("")), "/>");
        assert_eq!(
            body(Document::new("R").content("eu<1>")),
            ">eu&lt;1&gt;</R>"
        );
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in "[\\PC\r\n\t<>&'\"]{0,40}") {
            let xml = Document::new("R").text("Key", &text).finish();
            let parsed = read::tree(xml.as_bytes()).unwrap();
            prop_assert_eq!(parsed.child("Key").map(|key| key.text.clone()), Some(text));
        }
    }
}
