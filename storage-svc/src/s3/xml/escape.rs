//! Text inside an element.

/// Appends text so that it reads back as it was. A carriage return would be taken for a line end, and what
/// XML cannot hold becomes the replacement character.
pub(super) fn push(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xD;"),
            _ if allowed(character) => out.push(character),
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
}

/// Whether XML 1.0 can hold the character.
pub(super) fn allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        let mut out = String::new();
        super::push(&mut out, "a\0\u{ffff}\r\n\t'\"&<>");
        assert_eq!(out, "a\u{fffd}\u{fffd}&#xD;\n\t'\"&amp;&lt;&gt;");
    }
}
