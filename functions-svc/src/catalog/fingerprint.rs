use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash, Hasher as _},
    path::Path,
};

/// How deep and how many files of a folder are looked at.
const DEPTH: usize = 16;
const FILES: usize = 20_000;

/// A number that changes with what it was made of: names, sizes and times of files, not their content.
#[derive(Clone, Default)]
pub(super) struct Fingerprint(DefaultHasher);

impl Fingerprint {
    pub(super) fn add(&mut self, value: &impl Hash) {
        value.hash(&mut self.0);
    }

    pub(super) fn add_file(&mut self, path: &Path) {
        self.add(&path);
        if let Ok(meta) = fs::metadata(path) {
            self.add(&(meta.len(), meta.modified().ok()));
        }
    }

    /// All files below a folder. Installed packages are not looked at: they change with the file that names them.
    pub(super) fn add_tree(&mut self, folder: &Path) {
        let mut left = FILES;
        self.add_folder(folder, DEPTH, &mut left);
    }

    fn add_folder(&mut self, folder: &Path, depth: usize, left: &mut usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if *left == 0 || depth == 0 {
                return;
            }
            *left -= 1;
            let path = entry.path();
            let name = entry.file_name();
            if name == "node_modules" || name == ".git" {
                continue;
            }
            if path.is_dir() {
                self.add_folder(&path, depth - 1, left);
            } else {
                self.add_file(&path);
            }
        }
    }

    pub(super) fn finish(self) -> u64 {
        self.0.finish()
    }
}
