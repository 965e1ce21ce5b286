//! Canonical XML: the one text of an element that is digested and signed.
//!
//! Exclusive canonicalisation (with its list of prefixes) and the inclusive one of Canonical XML 1.0, each
//! with and without comments. The inclusive one of an element that inherits attributes such as `xml:lang` is
//! refused: no identity provider needs it, and the two versions of the standard disagree about it.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Node, NodeType};

use super::{Problem, refuse, xml};

const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const EXCLUSIVE_WITH_COMMENTS: &str = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments";
const INCLUSIVE: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const INCLUSIVE_WITH_COMMENTS: &str =
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments";
const INCLUSIVE_11: &str = "http://www.w3.org/2006/12/xml-c14n11";
const INCLUSIVE_11_WITH_COMMENTS: &str = "http://www.w3.org/2006/12/xml-c14n11#WithComments";

/// The longest result. Namespaces that are written again and again could make it many times as long as the
/// document.
const MAX_RESULT: usize = 4 * xml::MAX_TEXT;

/// One of the algorithms.
#[derive(Clone, Debug, Default)]
pub(super) struct Method {
    inclusive: bool,
    comments: bool,
    /// Prefixes that the exclusive algorithm treats as the inclusive one does; the empty one is the default
    /// namespace.
    prefixes: BTreeSet<String>,
}

impl Method {
    /// What applies where no algorithm is named.
    pub(super) fn inclusive() -> Self {
        Self {
            inclusive: true,
            ..Self::default()
        }
    }

    /// Reads the element that names one; nothing if it names something else.
    pub(super) fn of(node: Node<'_, '_>) -> Result<Option<Self>, Problem> {
        let (inclusive, comments) = match xml::attribute(node, "Algorithm") {
            EXCLUSIVE => (false, false),
            EXCLUSIVE_WITH_COMMENTS => (false, true),
            INCLUSIVE | INCLUSIVE_11 => (true, false),
            INCLUSIVE_WITH_COMMENTS | INCLUSIVE_11_WITH_COMMENTS => (true, true),
            _ => return Ok(None),
        };
        let list = xml::child(node, EXCLUSIVE, "InclusiveNamespaces")?;
        let prefixes: BTreeSet<String> = list
            .map(|list| xml::attribute(list, "PrefixList"))
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(|prefix| if prefix == "#default" { "" } else { prefix })
            .map(str::to_owned)
            .collect();
        if prefixes.len() > xml::MAX_PREFIXES {
            return refuse("too many prefixes are listed");
        }
        Ok(Some(Self {
            inclusive,
            comments,
            prefixes,
        }))
    }

    /// The canonical form of an element, without one of its children.
    pub(super) fn apply(
        &self,
        node: Node<'_, '_>,
        without: Option<Node<'_, '_>>,
    ) -> Result<String, Problem> {
        let inherits = |above: Node<'_, '_>| {
            let mut attributes = above.attributes();
            attributes.any(|attribute| attribute.namespace() == Some(roxmltree::NS_XML_URI))
        };
        if self.inclusive && node.ancestors().skip(1).any(inherits) {
            return refuse("the signed element inherits attributes");
        }
        let mut writer = Writer {
            out: String::new(),
            method: self,
            without: without.map(|node| node.id()),
            source: node.document().input_text(),
        };
        writer.element(node, &mut Vec::new())?;
        Ok(writer.out)
    }
}

struct Writer<'a> {
    out: String,
    method: &'a Method,
    without: Option<roxmltree::NodeId>,
    source: &'a str,
}

/// The namespaces written so far on the way to an element: prefix and address.
type Written<'a> = Vec<(&'a str, &'a str)>;

impl<'a> Writer<'a> {
    fn element<'input: 'a>(
        &mut self,
        node: Node<'a, 'input>,
        written: &mut Written<'a>,
    ) -> Result<(), Problem> {
        let name = self.name(node)?;
        let before = written.len();
        self.out.push('<');
        self.out.push_str(name);
        for (prefix, address) in self.namespaces(node, name) {
            let known = written.iter().rev().find(|(known, _)| *known == prefix);
            let same = match known {
                Some((_, known)) => *known == address,
                None => prefix.is_empty() && address.is_empty(),
            };
            if same {
                continue;
            }
            written.push((prefix, address));
            self.out.push_str(" xmlns");
            if !prefix.is_empty() {
                self.out.push(':');
                self.out.push_str(prefix);
            }
            self.value(address);
        }
        let mut attributes: Vec<_> = node.attributes().collect();
        attributes.sort_by_key(|one| (one.namespace().unwrap_or_default(), one.name()));
        for attribute in attributes {
            let name = self
                .source
                .get(attribute.range_qname())
                .ok_or_else(|| Problem::new("an attribute cannot be found"))?;
            self.out.push(' ');
            self.out.push_str(name);
            self.value(attribute.value());
        }
        self.out.push('>');
        for child in node.children() {
            self.child(child, written)?;
        }
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        written.truncate(before);
        if self.out.len() > MAX_RESULT {
            return refuse("the canonical form is too long");
        }
        Ok(())
    }

    fn child<'input: 'a>(
        &mut self,
        child: Node<'a, 'input>,
        written: &mut Written<'a>,
    ) -> Result<(), Problem> {
        match child.node_type() {
            NodeType::Element if Some(child.id()) == self.without => {}
            NodeType::Element => self.element(child, written)?,
            NodeType::Text => self.text(child.text().unwrap_or_default()),
            NodeType::Comment if self.method.comments => {
                self.out.push_str("<!--");
                self.out.push_str(child.text().unwrap_or_default());
                self.out.push_str("-->");
            }
            NodeType::PI => {
                if let Some(instruction) = child.pi() {
                    self.out.push_str("<?");
                    self.out.push_str(instruction.target);
                    if let Some(value) = instruction.value {
                        self.out.push(' ');
                        self.out.push_str(value);
                    }
                    self.out.push_str("?>");
                }
            }
            NodeType::Comment | NodeType::Root => {}
        }
        Ok(())
    }

    /// The name as it was written; the parser keeps no prefixes.
    fn name(&self, node: Node<'_, '_>) -> Result<&'a str, Problem> {
        let rest = self
            .source
            .get(node.range())
            .and_then(|text| text.strip_prefix('<'))
            .unwrap_or_default();
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
        let name = end.map(|end| &rest[..end]).unwrap_or_default();
        let local = name.rsplit(':').next().unwrap_or_default();
        if name.is_empty() || local != node.tag_name().name() {
            return refuse("an element cannot be found");
        }
        Ok(name)
    }

    /// The namespaces that belong to an element in canonical form, by prefix.
    fn namespaces<'input: 'a>(
        &self,
        node: Node<'a, 'input>,
        name: &'a str,
    ) -> BTreeMap<&'a str, &'a str> {
        let mut wanted = BTreeMap::new();
        let in_scope = |prefix: &str| {
            node.namespaces()
                .find(|one| one.name().unwrap_or_default() == prefix)
        };
        if self.method.inclusive {
            for namespace in node.namespaces() {
                // The first is the one that names are read by.
                wanted
                    .entry(namespace.name().unwrap_or_default())
                    .or_insert(namespace.uri());
            }
            wanted.entry("").or_default();
        } else {
            let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
            wanted.insert(prefix, node.tag_name().namespace().unwrap_or_default());
            for attribute in node.attributes() {
                let written = self.source.get(attribute.range_qname()).unwrap_or_default();
                if let (Some((prefix, _)), Some(address)) =
                    (written.split_once(':'), attribute.namespace())
                {
                    wanted.insert(prefix, address);
                }
            }
            for prefix in &self.method.prefixes {
                match in_scope(prefix) {
                    Some(one) => {
                        wanted.insert(one.name().unwrap_or_default(), one.uri());
                    }
                    None if prefix.is_empty() => {
                        wanted.insert("", "");
                    }
                    None => {}
                }
            }
        }
        wanted.remove("xml");
        wanted
    }

    fn value(&mut self, value: &str) {
        self.out.push_str("=\"");
        for c in value.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '"' => self.out.push_str("&quot;"),
                '\t' => self.out.push_str("&#x9;"),
                '\n' => self.out.push_str("&#xA;"),
                '\r' => self.out.push_str("&#xD;"),
                other => self.out.push(other),
            }
        }
        self.out.push('"');
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '\r' => self.out.push_str("&#xD;"),
                other => self.out.push(other),
            }
        }
    }
}
