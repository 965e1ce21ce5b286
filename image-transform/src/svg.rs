//! SVG is passed through rather than painted, as the renderer does; but it is written anew from what is
//! known to be harmless, because a script in it would run under the service's own origin.

use std::fmt::Write as _;

use roxmltree::{Document, Node, ParsingOptions};

use super::{ImageError, Output};

const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// How far into a file its root element is looked for.
const PROLOG: usize = 32 << 10;
const MAX_BYTES: usize = 5 << 20;
const MAX_NODES: u32 = 200_000;
const MAX_DEPTH: usize = 200;

/// Elements that run, load or embed.
const FORBIDDEN: [&str; 9] = [
    "audio",
    "canvas",
    "embed",
    "foreignobject",
    "handler",
    "iframe",
    "listener",
    "script",
    "video",
];

/// Whether the root element is that of an SVG.
pub(super) fn is_svg(bytes: &[u8]) -> bool {
    let prolog = &bytes[..bytes.len().min(PROLOG)];
    let text = String::from_utf8_lossy(prolog);
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let after = if let Some(inner) = rest.strip_prefix("<?") {
            inner.split_once("?>")
        } else if let Some(inner) = rest.strip_prefix("<!--") {
            inner.split_once("-->")
        } else if let Some(inner) = rest.strip_prefix("<!") {
            // An internal subset has brackets of its own.
            let plain = inner
                .find('>')
                .is_some_and(|end| !inner[..end].contains('['));
            inner.split_once(if plain { ">" } else { "]>" })
        } else {
            break;
        };
        match after {
            Some((_, after)) => rest = after.trim_start(),
            None => return false,
        }
    }
    let Some(name) = rest.strip_prefix('<') else {
        return false;
    };
    let end = name.find(|c: char| c.is_whitespace() || c == '>' || c == '/');
    let name = end.map_or(name, |end| &name[..end]);
    name == "svg" || name.ends_with(":svg")
}

/// Writes the drawing anew, without scripts, handlers, foreign content and outside references.
pub(super) fn sanitise(bytes: &[u8]) -> Result<Output, ImageError> {
    if bytes.len() > MAX_BYTES {
        return Err(ImageError::FileTooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| ImageError::Unsupported)?;
    // Entities multiply: a small file can stand for a huge one.
    if text.contains("<!ENTITY") || deepest(text) > MAX_DEPTH {
        return Err(ImageError::Unsupported);
    }
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let document =
        Document::parse_with_options(text, options).map_err(|_| ImageError::Unsupported)?;
    let root = document.root_element();
    if root.tag_name().namespace() != Some(SVG) || root.tag_name().name() != "svg" {
        return Err(ImageError::Unsupported);
    }
    let mut written = String::with_capacity(text.len());
    write_element(&mut written, root, true);
    Ok(Output {
        bytes: written.into_bytes(),
        content_type: "image/svg+xml",
    })
}

/// A bound of the depth, seen before a parser goes down there: opening tags less closing ones.
fn deepest(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match (byte, bytes.get(at + 1)) {
            (b'<', Some(b'/')) | (b'/', Some(b'>')) => depth = depth.saturating_sub(1),
            (b'<', Some(b'!' | b'?')) => {}
            (b'<', _) => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            _ => {}
        }
    }
    deepest
}

fn write_element(to: &mut String, element: Node<'_, '_>, is_root: bool) {
    let name = element.tag_name().name();
    let _ = write!(to, "<{name}");
    if is_root {
        let _ = write!(to, " xmlns=\"{SVG}\" xmlns:xlink=\"{XLINK}\"");
    }
    for attribute in element.attributes() {
        let prefix = match attribute.namespace() {
            None => "",
            Some(XLINK) => "xlink:",
            Some(XML) => "xml:",
            Some(_) => continue,
        };
        if is_harmless(attribute.name(), attribute.value()) {
            let _ = write!(to, " {prefix}{}=\"", attribute.name());
            escape(to, attribute.value());
            to.push('"');
        }
    }
    to.push('>');
    for child in element.children() {
        if child.is_text() {
            escape(to, child.text().unwrap_or_default());
        } else if child.is_element() && is_kept(child) {
            write_element(to, child, false);
        }
    }
    let _ = write!(to, "</{name}>");
}

fn is_kept(element: Node<'_, '_>) -> bool {
    let name = element.tag_name().name().to_ascii_lowercase();
    if element.tag_name().namespace() != Some(SVG) || FORBIDDEN.contains(&name.as_str()) {
        return false;
    }
    // An animation can set what may not be written.
    let animated = element.attribute("attributeName").unwrap_or_default();
    let animated = animated.trim().to_ascii_lowercase();
    if animated.contains("href") || animated.starts_with("on") {
        return false;
    }
    name != "style"
        || element
            .descendants()
            .all(|node| is_own(node.text().unwrap_or_default()))
}

fn is_harmless(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    if name == "href" {
        let target = value.trim().to_ascii_lowercase();
        let pictures = [
            "data:image/png",
            "data:image/jpeg",
            "data:image/gif",
            "data:image/webp",
        ];
        return target.starts_with('#') || pictures.iter().any(|kind| target.starts_with(kind));
    }
    !name.starts_with("on") && name != "base" && is_own(value)
}

/// Whether a style or an attribute refers to nothing outside the file. Escapes could hide a reference.
fn is_own(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    let hidden = style.contains('\\') || style.contains("@import") || style.contains("javascript:");
    let inside = |target: &str| {
        let target =
            target.trim_start_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        ["#", "data:image/", "data:font/"]
            .iter()
            .any(|start| target.starts_with(start))
    };
    !hidden && style.split("url(").skip(1).all(inside)
}

fn escape(to: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '"' => to.push_str("&quot;"),
            '\r' => to.push_str("&#13;"),
            _ => to.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(body: &str) -> String {
        let svg = format!(
            "<svg xmlns=\"{SVG}\" xmlns:x=\"{XLINK}\" xmlns:h=\"http://www.w3.org/1999/xhtml\">{body}</svg>"
        );
        let output = sanitise(svg.as_bytes()).unwrap();
        assert_eq!(output.content_type, "image/svg+xml");
        let text = String::from_utf8(output.bytes).unwrap();
        let start = format!("<svg xmlns=\"{SVG}\" xmlns:xlink=\"{XLINK}\">");
        let body = text.strip_prefix(&start).unwrap();
        body.strip_suffix("</svg>").unwrap().to_owned()
    }

    #[test]
    fn drawings_survive() {
        let drawing = "<g fill=\"url(#a)\"><path d=\"M0 0 L1 1\"></path>a &lt; b</g>";
        assert_eq!(clean(drawing), drawing);
        assert_eq!(
            clean("<use x:href='#a'/><image href='data:image/png;base64,AA'/>"),
            "<use xlink:href=\"#a\"></use><image href=\"data:image/png;base64,AA\"></image>"
        );
        assert_eq!(
            clean("<style>a{fill:red}</style>"),
            "<style>a{fill:red}</style>"
        );
    }

    #[test]
    fn nothing_that_runs_or_loads_survives() {
        for hostile in [
            "<script>alert(1)</script>",
            "<x:script/>",
            "<h:script>alert(1)</h:script>",
            "<h:iframe src='https://example.com'/>",
            "<foreignObject><h:body onload='x'/></foreignObject>",
            "<!-- <script/> --><?xml-stylesheet href='a'?>",
            "<animate attributeName='href' values='javascript:alert(1)'/>",
            "<set attributeName='onclick' to='alert(1)'/>",
            "<style>@import 'https://example.com'</style>",
            "<style>a{fill:url(https://example.com/a)}</style>",
            "<style>a{fill:\\75rl(https://example.com/a)}</style>",
        ] {
            assert_eq!(clean(hostile), "", "{hostile}");
        }
        for hostile in [
            "onload='alert(1)'",
            "ONCLICK='alert(1)'",
            "href='javascript:alert(1)'",
            "x:href=' JavaScript:alert(1)'",
            "href='data:image/svg+xml,a'",
            "href='https://example.com'",
            "style='fill:url(//example.com)'",
            "h:onclick='a'",
        ] {
            assert_eq!(clean(&format!("<a {hostile}/>")), "<a></a>", "{hostile}");
        }
    }

    #[test]
    fn entities_depth_and_broken_files_are_refused() {
        let laughs = "<!DOCTYPE svg [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>";
        let deep = format!(
            "<svg xmlns='{SVG}'>{}{}</svg>",
            "<g>".repeat(100_000),
            "</g>".repeat(100_000)
        );
        for hostile in [
            format!("{laughs}<svg xmlns='{SVG}'>&b;</svg>"),
            deep,
            format!("<svg xmlns='{SVG}'>"),
            "<svg/>".to_owned(),
            format!("<svg xmlns='{SVG}'>&undefined;</svg>"),
        ] {
            assert_eq!(sanitise(hostile.as_bytes()), Err(ImageError::Unsupported));
        }
        let many = format!("<svg xmlns='{SVG}'>{}</svg>", "<g/>".repeat(300_000));
        assert_eq!(sanitise(many.as_bytes()), Err(ImageError::Unsupported));
    }

    #[test]
    fn is_known_by_its_root_element() {
        for svg in [
            "<svg>",
            "\u{feff} <?xml version='1.0'?>\n<!-- <html> --><!DOCTYPE svg PUBLIC 'a' 'b'>\n<svg\n>",
            "<!DOCTYPE svg [<!ENTITY a '>'>]><s:svg/>",
        ] {
            assert!(is_svg(svg.as_bytes()), "{svg}");
        }
        for other in [
            "",
            "<",
            "<html><svg>",
            "<!-- <svg>",
            "svg",
            "<svgx>",
            "<?xml",
        ] {
            assert!(!is_svg(other.as_bytes()), "{other}");
        }
    }
}
