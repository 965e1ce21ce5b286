//! One line of a conversation as a command.

/// What a client may ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Ehlo,
    Helo,
    /// The sender, and the size that it announces.
    Mail(String, Option<usize>),
    Rcpt(String),
    Data,
    Reset,
    Noop,
    Quit,
    /// `AUTH PLAIN`, with true when the credentials are on the same line.
    AuthPlain(bool),
    /// `AUTH LOGIN`, likewise for the user name.
    AuthLogin(bool),
    /// A known command whose parameters make no sense.
    BadParameters,
    Unknown,
}

impl Command {
    /// Reads a line without its end.
    pub(super) fn parse(line: &str) -> Self {
        let line = line.trim();
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match verb.to_ascii_uppercase().as_str() {
            "EHLO" => Self::Ehlo,
            "HELO" => Self::Helo,
            "MAIL" => path(rest, "FROM:").map_or(Self::BadParameters, |(sender, parameters)| {
                let size = parameters
                    .split_ascii_whitespace()
                    .filter_map(|parameter| parameter.split_once('='))
                    .find(|(name, _)| name.eq_ignore_ascii_case("SIZE"))
                    .and_then(|(_, value)| value.parse().ok());
                Self::Mail(sender.to_owned(), size)
            }),
            "RCPT" => match path(rest, "TO:") {
                Some((recipient, _)) if !recipient.is_empty() => Self::Rcpt(recipient.to_owned()),
                _ => Self::BadParameters,
            },
            "DATA" => Self::Data,
            "RSET" => Self::Reset,
            "NOOP" => Self::Noop,
            "QUIT" => Self::Quit,
            "AUTH" => {
                let (mechanism, initial) = rest.split_once(' ').unwrap_or((rest, ""));
                let given = !initial.trim().is_empty();
                match mechanism.to_ascii_uppercase().as_str() {
                    "PLAIN" => Self::AuthPlain(given),
                    "LOGIN" => Self::AuthLogin(given),
                    _ => Self::BadParameters,
                }
            }
            _ => Self::Unknown,
        }
    }
}

/// The address after `FROM:` or `TO:`, in angle brackets or bare, and what follows it.
fn path<'a>(text: &'a str, keyword: &str) -> Option<(&'a str, &'a str)> {
    let (start, rest) = text.split_at_checked(keyword.len())?;
    if !start.eq_ignore_ascii_case(keyword) {
        return None;
    }
    let rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('<') {
        return inner.split_once('>');
    }
    Some(rest.split_once(' ').unwrap_or((rest, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_in_any_case() {
        for (line, expected) in [
            ("ehlo client.example", Command::Ehlo),
            (
                "MAIL FROM:<a@b.example> SIZE=120 BODY=8BITMIME",
                Command::Mail("a@b.example".to_owned(), Some(120)),
            ),
            ("mail from: <>", Command::Mail(String::new(), None)),
            (
                "RCPT TO:<c@d.example>",
                Command::Rcpt("c@d.example".to_owned()),
            ),
            ("RCPT TO:<>", Command::BadParameters),
            ("RCPT é", Command::BadParameters),
            ("MAIL FROM:<a@b.example", Command::BadParameters),
            ("AUTH PLAIN AGEAYg==", Command::AuthPlain(true)),
            ("auth login", Command::AuthLogin(false)),
            ("AUTH GSSAPI", Command::BadParameters),
            ("QUIT", Command::Quit),
            ("", Command::Unknown),
        ] {
            assert_eq!(Command::parse(line), expected, "{line}");
        }
    }
}
