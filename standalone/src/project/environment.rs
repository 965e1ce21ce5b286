//! The environment of a project: that of this process, and below it the files that the CLI reads.

use std::path::Path;

use anyhow::{Context as _, bail};
use svc_kit::env::Vars;

/// Adds what the files `.env…` of the folder `supabase` and of the project say and nobody said before them.
pub(crate) fn with_files(root: &Path, process: &Vars) -> anyhow::Result<Vars> {
    let mut environment = process.clone();
    let kind = process.non_empty("SUPABASE_ENV").unwrap_or("development");
    let mut names = vec![format!(".env.{kind}.local")];
    if kind != "test" {
        names.push(".env.local".to_owned());
    }
    names.extend([format!(".env.{kind}"), ".env".to_owned()]);
    for folder in [root.join("supabase"), root.to_owned()] {
        for name in &names {
            let path = folder.join(name);
            if path.is_file() {
                for (name, value) in read(&path)? {
                    environment.set_default(name, value);
                }
            }
        }
    }
    Ok(environment)
}

/// The variables of a file.
///
/// # Errors
/// A line cannot be read. The message does not show it, because such files hold secrets.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let lines = dotenvy::from_path_iter(path).with_context(|| path.display().to_string())?;
    let mut variables = Vec::new();
    for (position, line) in lines.enumerate() {
        match line {
            Ok(variable) => variables.push(variable),
            Err(_) => bail!(
                "{}: variable {} cannot be read",
                path.display(),
                position + 1
            ),
        }
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_and_most_special_file_wins_and_the_process_over_all() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("supabase")).unwrap();
        fs::write(
            dir.path().join("supabase/.env"),
            "A=near\nB='quoted # text'\n",
        )
        .unwrap();
        fs::write(dir.path().join(".env"), "A=far\nC=far\nexport D=exported\n").unwrap();
        fs::write(dir.path().join(".env.local"), "C=local\nE=local\n").unwrap();
        let process = [("E", "process")].into_iter().collect();
        let vars = with_files(dir.path(), &process).unwrap();
        for (name, value) in [
            ("A", "near"),
            ("B", "quoted # text"),
            ("C", "local"),
            ("D", "exported"),
            ("E", "process"),
        ] {
            assert_eq!(vars.get(name), Some(value), "{name}");
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_is_not_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".env");
        fs::write(&path, "SECRET='never closed s3cr3t\n").unwrap();
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(!error.contains("s3cr3t"), "{error}");
    }
}
