//! What holds for every URL: no input panics, and what is accepted renders to SQL whose text depends on the
//! request's shape alone, with every value as a parameter.

use http::HeaderMap;
use proptest::prelude::*;
use rest_svc::parse::{Preferences, Range, parse_accept, parse_arguments, parse_payload};

#[path = "support/render.rs"]
mod support;

use support::{check_placeholders, outside_quotes, render};

/// Pieces of the grammar in any order are more likely to be nearly right than random letters are.
fn nearly() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "select=",
            "order=",
            "limit=",
            "offset=",
            "and=",
            "or=",
            "not.",
            "columns=",
            "on_conflict=",
            "id=",
            "name=",
            "eq.",
            "in.",
            "is.",
            "null",
            "fts",
            "like(any).",
            "isdistinct.",
            "(",
            ")",
            ",",
            ".",
            ":",
            "::",
            "->",
            "->>",
            "!inner",
            "!left",
            "!hint",
            "...",
            "*",
            "count()",
            ".sum()",
            "\"",
            "\\",
            "'",
            "{",
            "}",
            "&",
            ";",
            "%",
            "%22",
            "%00",
            "+",
            " ",
            "-",
            "0",
            "1",
            "a",
            "child",
            "desc",
            "nullsfirst",
            "=",
            "é",
            "$1",
            "--",
            "/*",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(|c| c.to_string()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A filter with a hole for its value.
fn with_hole() -> impl Strategy<Value = fn(&str) -> String> {
    let forms: Vec<fn(&str) -> String> = vec![
        |v| format!("a=eq.{v}"),
        |v| format!("a=not.gt.{v}"),
        |v| format!("a->>k=like.{v}"),
        |v| format!("a=in.({v},x)"),
        |v| format!("a=isdistinct.{v}"),
        |v| format!("a=fts(english).{v}"),
        |v| format!("a=eq(any).{v}"),
        |v| format!("a=cs.{v}"),
        |v| format!("or=(a.eq.{v},not.and(b.lt.{v}))"),
    ];
    prop::sample::select(forms)
}

/// How often each property is tried: a few seconds in all, or as often as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 5_000;
    }
    config
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_query_string_panics(query in nearly()) {
        let _ = render(&query);
        let _ = parse_arguments(&query);
    }

    #[test]
    fn no_header_or_body_panics(text in nearly(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse_accept(Some(&text));
        let _ = Range::from_header(&text);
        let mut headers = HeaderMap::new();
        if let Ok(value) = http::HeaderValue::from_str(&text) {
            headers.insert("prefer", value);
        }
        let _ = Preferences::read(&headers);
        for kind in ["application/json", "text/csv", "application/x-www-form-urlencoded", &text] {
            let _ = parse_payload(kind, bytes.clone().into(), None, true);
        }
    }

    #[test]
    fn placeholders_and_parameters_agree(query in nearly()) {
        if let Some(statement) = render(&query) {
            check_placeholders(&query, &statement);
        }
    }

    #[test]
    fn the_text_does_not_depend_on_values(form in with_hole(), a in "[^&;,()\"\\\\{}%+]{1,12}", b in "[a-z]{1,12}") {
        let encode = |value: &str| percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC).to_string();
        let first = render(&form(&encode(&a)));
        let second = render(&form(&encode(&b)));
        let (first, second) = (first.unwrap(), second.unwrap());
        prop_assert_eq!(first.text(), second.text());
        check_placeholders(&b, &second);
    }

    #[test]
    fn a_name_stays_inside_its_quotes(name in "[^&;%+\"\\\\]{1,16}") {
        let encoded = percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC).to_string();
        if let Some(statement) = render(&format!("select=%22{encoded}%22&order=%22{encoded}%22")) {
            // With every quoted name taken out, only our own words are left.
            let plain = render("select=%22x%22&order=%22x%22").unwrap();
            prop_assert_eq!(outside_quotes(statement.text()), outside_quotes(plain.text()));
        }
    }
}
