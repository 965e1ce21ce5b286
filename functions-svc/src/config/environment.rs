//! The environment of functions.

use std::collections::BTreeMap;

use serde_json::json;
use svc_kit::env::Vars;

/// Variables of the platform that every function finds.
const PLATFORM: [&str; 8] = [
    "SUPABASE_URL",
    "SUPABASE_ANON_KEY",
    "SUPABASE_SERVICE_ROLE_KEY",
    "SUPABASE_DB_URL",
    "SUPABASE_PUBLISHABLE_KEYS",
    "SUPABASE_SECRET_KEYS",
    "SUPABASE_JWKS",
    "SUPABASE_PUBLIC_URL",
];

/// Names that a function never sees, whoever sets them.
const HIDDEN: [&str; 4] = ["HOME", "HOSTNAME", "PATH", "PWD"];

/// What each function finds in its environment, apart from its secrets.
#[derive(Clone, Default)]
pub struct FunctionEnv {
    /// `SUPABASE_URL`, `SUPABASE_ANON_KEY`, `SUPABASE_SERVICE_ROLE_KEY`, `SUPABASE_DB_URL`, `SUPABASE_PUBLISHABLE_KEYS`,
    /// `SUPABASE_SECRET_KEYS` (or, for one key, `SUPABASE_PUBLISHABLE_KEY` and `SUPABASE_SECRET_KEY`), `SUPABASE_JWKS`,
    /// `SUPABASE_PUBLIC_URL`, and `SB_REGION` (default `local`).
    pub platform: BTreeMap<String, String>,
    /// The variables that `FUNCTIONS_PASS_ENV` names, separated by commas: the one way from the service's own
    /// environment to functions.
    pub passed: BTreeMap<String, String>,
}

// Values are secrets.
impl std::fmt::Debug for FunctionEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.platform.keys())
            .entries(self.passed.keys())
            .finish()
    }
}

impl FunctionEnv {
    pub(super) fn from_vars(vars: &Vars) -> Self {
        let mut platform: BTreeMap<String, String> = PLATFORM
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), vars.non_empty(name)?.to_owned())))
            .collect();
        for (one, many) in [
            ("SUPABASE_PUBLISHABLE_KEY", "SUPABASE_PUBLISHABLE_KEYS"),
            ("SUPABASE_SECRET_KEY", "SUPABASE_SECRET_KEYS"),
        ] {
            if let Some(key) = vars.non_empty(one) {
                platform
                    .entry(many.to_owned())
                    .or_insert_with(|| json!({ "default": key }).to_string());
            }
        }
        let region = vars.non_empty("SB_REGION").unwrap_or("local");
        platform.insert("SB_REGION".to_owned(), region.to_owned());
        let passed = vars
            .non_empty("FUNCTIONS_PASS_ENV")
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|name| is_visible(name))
            .filter_map(|name| Some((name.to_owned(), vars.get(name)?.to_owned())))
            .collect();
        Self { platform, passed }
    }
}

/// Whether a function may see a variable of this name.
pub(crate) fn is_visible(name: &str) -> bool {
    !name.is_empty() && !HIDDEN.contains(&name) && !name.starts_with("SUPABASE_INTERNAL_")
}

/// Whether somebody other than the platform may set a variable of this name.
pub(crate) fn is_secret_name(name: &str) -> bool {
    is_visible(name) && !name.starts_with("SUPABASE_") && !name.contains(['=', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_passed_on() {
        let vars: Vars = [
            ("JWT_SECRET", "signs everything"),
            ("AWS_SECRET", "of the machine"),
            ("STRIPE_KEY", "of the functions"),
            ("PATH", "/bin"),
            ("SUPABASE_SECRET_KEY", "sb_secret_x"),
            ("FUNCTIONS_PASS_ENV", "STRIPE_KEY, PATH,MISSING"),
        ]
        .into_iter()
        .collect();
        let env = FunctionEnv::from_vars(&vars);
        assert_eq!(env.passed.keys().collect::<Vec<_>>(), ["STRIPE_KEY"]);
        assert_eq!(
            env.platform["SUPABASE_SECRET_KEYS"],
            r#"{"default":"sb_secret_x"}"#
        );
        assert!(!format!("{env:?}").contains("sb_secret"));
    }
}
