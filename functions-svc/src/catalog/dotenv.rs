//! Files of variables, one per line.

/// Reads `NAME=value` lines. Values may be in single quotes (as they are) or double quotes (with `\n`, `\"` and so on,
/// over several lines); without quotes they end at ` #`. Lines that are none of this are passed over.
pub(super) fn parse(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let head = line.trim_start();
        let head = head.strip_prefix("export ").unwrap_or(head);
        let Some((name, _)) = head
            .split_once('=')
            .filter(|(name, _)| is_name(name.trim()))
        else {
            rest = after;
            continue;
        };
        let start = line.len() - head.len() + name.len() + 1;
        let value = rest[start..].trim_start_matches([' ', '\t']);
        let (value, after) = match value.chars().next() {
            Some('\'') => match value[1..].split_once('\'') {
                Some((value, after)) => (value.to_owned(), next_line(after)),
                None => (unquoted(line, start), after),
            },
            Some('"') => match double_quoted(&value[1..]) {
                Some((value, after)) => (value, next_line(after)),
                None => (unquoted(line, start), after),
            },
            _ => (unquoted(line, start), after),
        };
        pairs.push((name.trim().to_owned(), value));
        rest = after;
    }
    pairs
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

fn next_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, after)| after)
}

fn unquoted(line: &str, start: usize) -> String {
    let value = &line[start..];
    let end = value
        .char_indices()
        .find(|(at, c)| *c == '#' && (*at == 0 || value[..*at].ends_with([' ', '\t'])))
        .map_or(value.len(), |(at, _)| at);
    value[..end].trim().to_owned()
}

/// The value up to the closing quote, and what follows it.
fn double_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_forms_are_read() {
        let text = "# comment\nA=1\n export B = two words # why\nC='as #it\\n is'\nD=\"a\\nb \\\"c\\\"\nd\" # x\nno line\nE=\nF=a#b\nG=\"open\nH=last";
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "as #it\\n is"),
            ("D", "a\nb \"c\"\nd"),
            ("E", ""),
            ("F", "a#b"),
            ("G", "\"open"),
            ("H", "last"),
        ];
        let expected: Vec<_> = expected
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        assert_eq!(parse(text), expected);
    }
}
