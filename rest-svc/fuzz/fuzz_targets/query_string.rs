//! Whatever follows the question mark: it is refused, or it becomes a statement whose values are all parameters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rest_svc::parse::parse_arguments;

#[path = "../../tests/support/render.rs"]
mod support;

fuzz_target!(|query: &str| {
    if let Some(statement) = support::render(query) {
        support::check_placeholders(query, &statement);
    }
    let _ = parse_arguments(query);
});
