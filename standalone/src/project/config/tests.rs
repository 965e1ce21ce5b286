use super::*;

fn parse(text: &str, environment: &[(&str, &str)]) -> (Config, Vec<String>) {
    Config::parse(text, &environment.iter().copied().collect()).unwrap()
}

#[test]
fn a_file_that_says_nothing_has_the_defaults_of_the_cli() {
    let (config, unknown) = parse("", &[]);
    assert_eq!(
        (config.api.port, config.db.port, config.local_smtp.port),
        (54321, 54322, 54324)
    );
    assert_eq!(config.storage.file_size_limit, Size(50 * 1024 * 1024));
    assert!(!config.auth.email.enable_confirmations);
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn references_are_looked_up_and_stay_when_they_lead_nowhere() {
    let text = r#"
        [api]
        port = "env(API_PORT)"
        [auth]
        site_url = "env(NOWHERE)"
        additional_redirect_urls = ["env(SITE)", "http://b"]
        [auth.external.github]
        enabled = "env(WITH_GITHUB)"
        secret = "env(GITHUB_SECRET)"
    "#;
    let environment = [
        ("API_PORT", "7000"),
        ("SITE", "http://a"),
        ("WITH_GITHUB", "true"),
        ("GITHUB_SECRET", "12345"),
    ];
    let (config, _) = parse(text, &environment);
    assert_eq!(config.api.port, 7000);
    assert_eq!(config.auth.site_url, "env(NOWHERE)");
    assert_eq!(
        config.auth.additional_redirect_urls,
        ["http://a", "http://b"]
    );
    assert!(config.auth.external["github"].enabled);
    assert_eq!(config.auth.external["github"].secret, "12345");
}

#[test]
fn the_environment_wins_over_the_file() {
    let environment = [
        ("SUPABASE_API_PORT", "7001"),
        ("SUPABASE_API_SCHEMAS", "public,other"),
        ("SUPABASE_AUTH_ENABLE_SIGNUP", "false"),
        ("SUPABASE_URL", "concerns no key"),
    ];
    let (config, _) = parse("[api]\nport = 1\nmax_rows = 5", &environment);
    assert_eq!(config.api.port, 7001);
    assert_eq!(config.api.schemas, ["public", "other"]);
    assert_eq!(config.api.max_rows, 5);
    assert!(!config.auth.enable_signup);
}

#[test]
fn older_names_are_still_understood() {
    let text = "[inbucket]\nport = 9000\n[auth.email]\nenable_signup = false\n[auth.sms]\nenable_signup = true";
    let (config, unknown) = parse(text, &[]);
    assert_eq!(config.local_smtp.port, 9000);
    assert!(!config.auth.email.enabled);
    assert!(config.auth.sms.enabled);
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn unknown_keys_are_named_and_what_is_not_local_is_passed_over() {
    let text = r#"
        project_id = "x"
        [api]
        prot = 1
        [auth.email]
        colour = "red"
        [studio]
        port = 1
        [db.pooler]
        enabled = true
        [remotes.staging]
        project_id = "abcdefghijklmnopqrst"
    "#;
    let (_, mut unknown) = parse(text, &[]);
    unknown.sort();
    assert_eq!(unknown, ["api.prot", "auth.email.colour"]);
}

#[test]
fn a_wrong_value_is_told_by_its_key() {
    let error = Config::parse("[api]\nport = \"many\"", &Vars::default()).unwrap_err();
    let text = format!("{error:#}");
    assert!(text.contains("api.port"), "{text}");
}

#[test]
fn sizes_are_powers_of_1024_whatever_they_are_called() {
    for (text, bytes) in [
        ("7", 7),
        ("1kb", 1024),
        ("50MiB", 52_428_800),
        ("50MB", 52_428_800),
        ("1.5 GiB", 1_610_612_736),
    ] {
        assert_eq!(Size::try_from(text.to_owned()), Ok(Size(bytes)), "{text}");
    }
    for text in ["", "MiB", "50 apples", "99999999999999999999"] {
        assert!(
            Size::try_from(text.to_owned()).is_err() || text.len() > 15,
            "{text}"
        );
    }
}

#[test]
fn buckets_functions_and_carriers_are_read() {
    let text = r#"
        [storage.buckets.images]
        public = true
        file_size_limit = "1MiB"
        allowed_mime_types = ["image/png"]
        objects_path = "./images"
        [functions.hello]
        verify_jwt = false
        import_map = "./functions/import_map.json"
        [auth.sms.twilio]
        enabled = true
        account_sid = "AC"
        auth_token = "token"
        [auth.sms.test_otp]
        4152127777 = "123456"
        [auth.hook.custom_access_token]
        enabled = true
        uri = "pg-functions://postgres/public/hook"
    "#;
    let (config, unknown) = parse(text, &[]);
    let bucket = &config.storage.buckets["images"];
    assert_eq!(bucket.public, Some(true));
    assert_eq!(bucket.file_size_limit, Some(Size(1024 * 1024)));
    assert_eq!(config.functions["hello"].verify_jwt, Some(false));
    let twilio = config.auth.sms.twilio.unwrap();
    assert!(twilio.enabled);
    assert_eq!(twilio.settings["account_sid"], "AC");
    assert_eq!(config.auth.sms.test_otp["4152127777"], "123456");
    assert!(config.auth.hook["custom_access_token"].enabled);
    assert!(unknown.is_empty(), "{unknown:?}");
}
