//! Settings in a file, which unlike the environment can change while the process runs.

use std::{fs, io};

use svc_kit::env::Vars;

/// The variables, and over them those of the file that `GATEWAY_ENV_FILE` names: lines of `NAME=value`.
pub fn with_file(vars: &Vars) -> io::Result<Vars> {
    let mut all = vars.clone();
    if let Some(path) = vars.non_empty("GATEWAY_ENV_FILE") {
        let text = fs::read_to_string(path)
            .map_err(|error| io::Error::new(error.kind(), format!("GATEWAY_ENV_FILE: {error}")))?;
        for (name, value) in lines(&text) {
            all.set(name, value);
        }
    }
    Ok(all)
}

fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
        let value = value.trim();
        let quoted = ['"', '\'']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        Some((name.trim(), quoted.unwrap_or(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_over_the_environment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("env");
        let text = "# keys\nANON_KEY=new,old\nexport REST_URL=\"http://a\"\nSUPABASE_SECRET_KEYS='{\"default\":\"x\"}'\n";
        fs::write(&path, text).unwrap();
        let vars: Vars = [
            ("ANON_KEY", "old"),
            ("GATEWAY_ENV_FILE", path.to_str().unwrap()),
        ]
        .into_iter()
        .collect();
        let all = with_file(&vars).unwrap();
        assert_eq!(all.get("ANON_KEY"), Some("new,old"));
        assert_eq!(all.get("REST_URL"), Some("http://a"));
        assert_eq!(all.get("SUPABASE_SECRET_KEYS"), Some("{\"default\":\"x\"}"));
    }
}
