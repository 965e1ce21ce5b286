//! Imports that need something else than they name, found in the text of modules.

use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};

use regex::Regex;

use crate::catalog::Definition;

/// Specifiers by what takes their place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// std/http's `serve`, in versions that need an interface which Deno no longer has.
    pub(super) serve: BTreeSet<String>,
    /// Modules that only declare the types of globals. They are in every template, and fetching them only takes time.
    pub(super) types: BTreeSet<String>,
    /// The platform's own packages that are imported without saying from where, by their names.
    pub(super) bare: BTreeSet<String>,
    /// True if packages or remote modules are imported.
    pub(super) packages: bool,
    /// True if a module asks where it is, or imports what only it knows.
    pub(super) placed: bool,
}

/// How large a module may be to be looked into, and how deep folders may be.
const LARGEST: u64 = 1 << 20;
const DEPTH: usize = 8;

#[expect(clippy::unwrap_used, reason = "the patterns are constants")]
static SERVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["'](https://deno\.land/std(?:@[0-9A-Za-z.\-]+)?/http/server\.ts)["']"#).unwrap()
});
#[expect(clippy::unwrap_used, reason = "the patterns are constants")]
static TYPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"["']((?:jsr:|npm:|https://esm\.sh/)@supabase/functions-js(?:@[^"'/]+)?/(?:src/)?edge-runtime\.d\.ts)["']"#,
    )
    .unwrap()
});

#[expect(clippy::unwrap_used, reason = "the patterns are constants")]
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["'](@supabase/[a-z0-9][a-z0-9._\-]*)(?:/[^"'\s]*)?["']"#).unwrap()
});
#[expect(clippy::unwrap_used, reason = "the patterns are constants")]
static PACKAGES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"["'](?:npm:|jsr:|https://)"#).unwrap());
#[expect(clippy::unwrap_used, reason = "the patterns are constants")]
static PLACED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bimport\s*\.\s*meta\b|\bimport\s*\(|\brequire\s*\(|\b__dirname\b|\b__filename\b|\bcreateRequire\b")
        .unwrap()
});

/// Whether the place of this text matters to it.
pub(super) fn is_placed(text: &str) -> bool {
    PLACED.is_match(text)
}

/// Looks into the modules of the function and those that it shares.
pub(super) fn imports(definition: &Definition) -> Found {
    let mut found = Found::default();
    for folder in std::iter::once(&definition.folder).chain(&definition.readable) {
        look_into(folder, DEPTH, &mut found);
    }
    found
}

fn look_into(path: &Path, depth: usize, found: &mut Found) {
    let Ok(meta) = fs::metadata(path) else {
        return;
    };
    if meta.is_dir() {
        if depth == 0 || path.ends_with("node_modules") {
            return;
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look_into(&entry.path(), depth - 1, found);
        }
        return;
    }
    let is_module = path
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| matches!(extension, "ts" | "js" | "tsx" | "jsx" | "mjs" | "mts"));
    if !is_module || meta.len() > LARGEST {
        return;
    }
    let Ok(text) = fs::read_to_string(path) else {
        return;
    };
    collect(&text, found);
}

fn collect(text: &str, found: &mut Found) {
    let all = |pattern: &Regex| -> Vec<String> {
        pattern
            .captures_iter(text)
            .map(|captures| captures[1].to_owned())
            .collect()
    };
    found.serve.extend(all(&SERVE));
    found.types.extend(all(&TYPES));
    found.bare.extend(all(&BARE));
    found.packages |= PACKAGES.is_match(text) || !found.bare.is_empty();
    found.placed |= is_placed(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_that_know_their_place_are_told_from_others() {
        for text in [
            "new URL('./x', import.meta.url)",
            "await import(name)",
            "const x = require('x')",
        ] {
            assert!(is_placed(text), "{text}");
        }
        for text in ["import x from 'x'", "importer(x)", "x.imported(1)"] {
            assert!(!is_placed(text), "{text}");
        }
    }

    #[test]
    fn the_platforms_packages_are_found_by_their_names() {
        let mut found = Found::default();
        collect(
            r#"
            import { createClient } from '@supabase/supabase-js';
            import { corsHeaders } from "@supabase/supabase-js/cors";
            const { withSupabase } = await import("@supabase/server");
            import other from "@supabasex/y"; import "npm:@supabase/ssr@1"; // of @supabase/none
            "#,
            &mut found,
        );
        assert_eq!(
            found.bare.into_iter().collect::<Vec<_>>(),
            ["@supabase/server", "@supabase/supabase-js"]
        );
        assert!(found.packages);
    }

    #[test]
    fn old_ways_to_serve_and_declarations_are_found() {
        let mut found = Found::default();
        collect(
            r#"
            import "jsr:@supabase/functions-js/edge-runtime.d.ts";
            import 'jsr:@supabase/functions-js@2.4.1/edge-runtime.d.ts';
            import "https://esm.sh/@supabase/functions-js@2/src/edge-runtime.d.ts";
            import { serve } from "https://deno.land/std@0.168.0/http/server.ts";
            import { x } from "https://deno.land/std/http/server.ts"; import "jsr:@supabase/functions-js";
            import { y } from "https://deno.land/std@0.168.0/http/file_server.ts";
            "#,
            &mut found,
        );
        assert_eq!(found.types.len(), 3, "{found:?}");
        assert!(found.packages && !found.placed);
        assert_eq!(
            found.serve.into_iter().collect::<Vec<_>>(),
            [
                "https://deno.land/std/http/server.ts",
                "https://deno.land/std@0.168.0/http/server.ts"
            ]
        );
    }
}
