//! Settings from files, as GoTrue's command line takes them: `--config` and `--config-dir`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use svc_kit::env::Vars;

/// The largest file of settings.
const MAX_FILE: u64 = 1 << 20;

/// Why a file cannot be used. What is in it is not told, because it may be a secret.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{0} cannot be read")]
    Unreadable(PathBuf, #[source] io::Error),
    /// It is not in the form of its name.
    #[error("{0}, line {1}: expected NAME=value")]
    Line(PathBuf, usize),
    /// It is not in the form of its name.
    #[error("{0}: expected a JSON object of texts")]
    Json(PathBuf),
    /// Nobody writes so many settings.
    #[error("{0} is larger than 1 MiB")]
    TooLarge(PathBuf),
}

/// Adds the settings of a file, which go before those that are there. Without a file, those of `.env` in the
/// working directory come after them, if there is one.
pub fn add_file(vars: &mut Vars, file: Option<&Path>) -> Result<(), FileError> {
    if let Some(file) = file {
        for (name, value) in read(file)? {
            vars.set(name, value);
        }
        return Ok(());
    }
    match read(Path::new(".env")) {
        Ok(read) => {
            for (name, value) in read {
                vars.set_default(name, value);
            }
            Ok(())
        }
        Err(FileError::Unreadable(_, error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Adds the settings of all `.env` and `.json` files of a directory, in the order of their names; later ones
/// go before earlier ones and before what is there.
pub fn add_directory(vars: &mut Vars, directory: &Path) -> Result<(), FileError> {
    for path in list(directory)? {
        for (name, value) in read(&path)? {
            vars.set(name, value);
        }
    }
    Ok(())
}

/// The files that count. Of `a.env` and `a.json` the latter does.
pub(crate) fn list(directory: &Path) -> Result<Vec<PathBuf>, FileError> {
    let unreadable = |error| FileError::Unreadable(directory.to_owned(), error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|name| name.to_str());
        if matches!(extension, Some("env" | "json")) && !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    let all = paths.clone();
    paths.retain(|path| {
        let twin = path.with_extension("json");
        *path == twin || !all.contains(&twin)
    });
    Ok(paths)
}

fn read(path: &Path) -> Result<BTreeMap<String, String>, FileError> {
    let unreadable = |error| FileError::Unreadable(path.to_owned(), error);
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE {
        return Err(FileError::TooLarge(path.to_owned()));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    if path.extension().is_some_and(|name| name == "json") {
        return serde_json::from_str(&text).map_err(|_| FileError::Json(path.to_owned()));
    }
    parse(&text).map_err(|line| FileError::Line(path.to_owned(), line))
}

/// Reads `NAME=value` lines; fails with the number of the first line that is something else.
fn parse(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut found = BTreeMap::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once(['=', ':']).ok_or(number)?;
        let (name, value) = (name.trim(), value.trim());
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(number);
        }
        let value = match value.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let mut quoted = value[1..].to_owned();
                let end = loop {
                    if let Some(end) = closing(&quoted, quote) {
                        break end;
                    }
                    // A quoted value may go on in the next line.
                    let (_, next) = lines.next().ok_or(number)?;
                    quoted.push('\n');
                    quoted.push_str(next);
                };
                let rest = quoted[end + 1..].trim();
                if !rest.is_empty() && !rest.starts_with('#') {
                    return Err(number);
                }
                if quote == '"' {
                    expand(&unescape(&quoted[..end]), &found)
                } else {
                    quoted[..end].to_owned()
                }
            }
            Some('#') | None => String::new(),
            Some(_) => expand(without_remark(value), &found),
        };
        found.insert(name.to_owned(), value);
    }
    Ok(found)
}

/// Where a quoted text ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        if c == quote && !escaped {
            return Some(index);
        }
        escaped = c == '\\' && !escaped && quote == '"';
    }
    None
}

fn without_remark(value: &str) -> &str {
    let end = value.find(" #").or_else(|| value.find("\t#"));
    value[..end.unwrap_or(value.len())].trim_end()
}

/// What double quotes allow. A dollar sign keeps its backslash until names are put in.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('$') => out.push_str("\\$"),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

/// Puts earlier settings of the same file in the place of `$NAME` and `${NAME}`.
fn expand(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        let after = &after[1..];
        if let Some(before) = before.strip_suffix('\\') {
            out.push_str(before);
            out.push('$');
            rest = after;
            continue;
        }
        out.push_str(before);
        let braced = after.strip_prefix('{');
        let from = braced.unwrap_or(after);
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let length = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (name, end) = from.split_at(length);
        let end = match braced {
            Some(_) => end.strip_prefix('}'),
            None => Some(end),
        };
        match end {
            Some(end) if !name.is_empty() => {
                out.push_str(known.get(name).map(String::as_str).unwrap_or_default());
                rest = end;
            }
            _ => {
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_godotenv_reads_them() {
        let text = "\u{feff}# remark\n\nA=1\nexport B = two words # remark\nC='$A \\n'\n\
                    D=\"x\\n\\\"$A\\\" \\$A\" # remark\nE=${A}2$B$\nF: yaml\nG=\nH=#x\nI=a#b\r\n\
                    J='one\ntwo'\nK=\"\"\n";
        let read = parse(text).unwrap();
        for (name, value) in [
            ("A", "1"),
            ("B", "two words"),
            ("C", "$A \\n"),
            ("D", "x\n\"1\" $A"),
            ("E", "12two words$"),
            ("F", "yaml"),
            ("G", ""),
            ("H", ""),
            ("I", "a#b"),
            ("J", "one\ntwo"),
            ("K", ""),
        ] {
            assert_eq!(read[name], value, "{name}");
        }
        assert_eq!(read.len(), 11);
    }

    #[test]
    fn the_line_that_cannot_be_read_is_named() {
        for (text, line) in [
            ("A=1\nnothing", 2),
            ("=x", 1),
            ("A B=1", 1),
            ("A='x", 1),
            ("A='x' y", 1),
        ] {
            assert_eq!(parse(text).unwrap_err(), line, "{text}");
        }
    }

    #[test]
    fn later_files_go_before_earlier_ones() {
        let directory = std::env::temp_dir().join(format!("auth-files-{}", std::process::id()));
        fs::create_dir_all(directory.join("sub.env")).unwrap();
        for (name, text) in [
            ("10.env", "A=ten\nB=ten\nC=ten"),
            ("20.json", r#"{"B": "twenty"}"#),
            ("30.env", "C=never"),
            ("30.json", r#"{"D": "thirty"}"#),
            ("40.txt", "A=never"),
        ] {
            fs::write(directory.join(name), text).unwrap();
        }
        let mut vars: Vars = [("A", "process"), ("E", "process")].into_iter().collect();
        add_directory(&mut vars, &directory).unwrap();
        fs::write(directory.join("50.json"), "[]").unwrap();
        let broken = add_directory(&mut vars.clone(), &directory).unwrap_err();
        fs::remove_dir_all(&directory).unwrap();
        let all: Vec<_> = vars.iter().collect();
        let expected = [
            ("A", "ten"),
            ("B", "twenty"),
            ("C", "ten"),
            ("D", "thirty"),
            ("E", "process"),
        ];
        assert_eq!(all, expected);
        assert!(
            broken
                .to_string()
                .ends_with("expected a JSON object of texts")
        );
        assert!(add_directory(&mut vars, &directory).is_err());
    }
}
