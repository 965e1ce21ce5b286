use svc_kit::env::Vars;

use super::*;

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Config) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let functions = dir.path().join("functions");
    fs::create_dir_all(&functions).unwrap();
    let vars: Vars = [
        ("FUNCTIONS_DIR", functions.to_str().unwrap()),
        ("JWT_SECRET", "secret"),
        ("SUPABASE_URL", "http://api"),
    ]
    .into_iter()
    .collect();
    let config = Config::from_vars(&vars).unwrap();
    (dir, config)
}

#[test]
fn folders_with_an_entry_module_are_functions() {
    let (_dir, config) = project(&[
        ("functions/a/index.ts", ""),
        ("functions/b/index.mjs", ""),
        ("functions/_shared/index.ts", ""),
        ("functions/empty/readme.md", ""),
        ("functions/off/index.ts", ""),
        ("functions/c/main.ts", ""),
        (
            "config.toml",
            "[functions.off]\nenabled = false\n[functions.c]\nentrypoint = './functions/c/main.ts'\nverify_jwt = false\n",
        ),
    ]);
    let catalog = Catalog::load(&config);
    let mut names: Vec<_> = catalog.functions.keys().collect();
    names.sort();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(catalog.functions["a"].verify_jwt && !catalog.functions["c"].verify_jwt);
    assert!(
        catalog.functions["a"].readable[0].ends_with("_shared"),
        "{:?}",
        catalog.functions["a"].readable
    );
}

#[test]
fn what_is_nearest_decides_about_modules() {
    let (_dir, config) = project(&[
        ("functions/import_map.json", "{}"),
        ("functions/own/index.ts", ""),
        ("functions/own/deno.jsonc", "{}"),
        ("functions/own/package.json", "{}"),
        ("functions/map/index.ts", ""),
        ("functions/map/import_map.json", "{}"),
        ("functions/plain/index.ts", ""),
        ("functions/plain/package.json", "{}"),
        ("functions/said/index.ts", ""),
        ("functions/said/deno.json", "{}"),
        (
            "config.toml",
            "[functions.said]\nimport_map = './other.json'\n",
        ),
    ]);
    let functions = Catalog::load(&config).functions;
    for (name, expected) in [
        ("own", "own/deno.jsonc"),
        ("map", "map/import_map.json"),
        ("plain", "functions/import_map.json"),
        ("said", "other.json"),
    ] {
        let ModuleConfig::Deno(path) = &functions[name].modules else {
            panic!("{name}: {:?}", functions[name].modules);
        };
        assert!(path.ends_with(expected), "{name}: {}", path.display());
    }
}

#[test]
fn packages_count_where_there_is_no_import_map() {
    let (_dir, config) = project(&[
        ("functions/a/index.ts", ""),
        ("functions/a/package.json", "{}"),
    ]);
    let functions = Catalog::load(&config).functions;
    assert!(matches!(functions["a"].modules, ModuleConfig::Package(_)));
}

#[test]
fn the_projects_deno_json_counts_where_there_is_nothing_nearer() {
    let (_dir, config) = project(&[
        ("functions/a/index.ts", ""),
        ("functions/b/index.ts", ""),
        ("functions/b/package.json", "{}"),
        ("functions/c/src/index.ts", ""),
        ("functions/c/deno.json", "{}"),
        ("deno.json", "{}"),
        (
            "config.toml",
            "[functions.c]\nentrypoint = './functions/c/src/index.ts'\n",
        ),
    ]);
    let functions = Catalog::load(&config).functions;
    let of = |name: &str| functions[name].modules.clone();
    let project = config.source.dir.parent().unwrap();
    assert_eq!(of("a"), ModuleConfig::Deno(project.join("deno.json")));
    assert!(matches!(of("b"), ModuleConfig::Package(_)));
    assert_eq!(
        of("c"),
        ModuleConfig::Deno(config.source.dir.join("c/deno.json"))
    );
}

#[test]
fn secrets_do_not_take_the_platforms_names() {
    let (_dir, config) = project(&[
        ("functions/a/index.ts", ""),
        (
            "functions/.env",
            "KEY=file\nSUPABASE_URL=http://evil\nHOME=/root\n",
        ),
        (
            "config.toml",
            "[edge_runtime.secrets]\nKEY = 'toml'\nOTHER = 'x'\n",
        ),
    ]);
    let env = &Catalog::load(&config).functions["a"].env;
    let env: Vec<_> = env
        .iter()
        .map(|(name, value)| (&name[..], &value[..]))
        .collect();
    assert_eq!(
        env,
        [
            ("KEY", "file"),
            ("OTHER", "x"),
            ("SB_REGION", "local"),
            ("SUPABASE_URL", "http://api")
        ]
    );
}

#[test]
fn a_change_anywhere_changes_the_fingerprints_concerned() {
    let (dir, config) = project(&[
        ("functions/a/index.ts", ""),
        ("functions/b/index.ts", ""),
        ("functions/_shared/x.ts", ""),
    ]);
    let prints = || {
        let functions = Catalog::load(&config).functions;
        (functions["a"].fingerprint, functions["b"].fingerprint)
    };
    let before = prints();
    assert_eq!(before, prints());
    fs::write(dir.path().join("functions/a/index.ts"), "changed").unwrap();
    let own = prints();
    assert!(own.0 != before.0 && own.1 == before.1);
    fs::write(dir.path().join("functions/_shared/x.ts"), "changed").unwrap();
    let shared = prints();
    assert!(shared.0 != own.0 && shared.1 != own.1);
}
