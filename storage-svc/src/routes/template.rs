//! The templates that paths are counted under. They are coarser than the routes: what a path means also depends on its
//! method, which is counted beside it.

/// What machines ask for all the time.
pub(super) const ROUTINE: [&str; 4] = ["/health", "/metrics", "/status", "/version"];

const UNDER_OBJECT: [(&str, &str); 11] = [
    ("info/public/", "/object/info/public/{bucket}/{*key}"),
    (
        "info/authenticated/",
        "/object/info/authenticated/{bucket}/{*key}",
    ),
    ("info/", "/object/info/{bucket}/{*key}"),
    ("list/", "/object/list/{bucket}"),
    ("list-v2/", "/object/list-v2/{bucket}"),
    ("upload/sign/", "/object/upload/sign/{bucket}/{*key}"),
    ("sign/", "/object/sign/{bucket}/{*key}"),
    ("public/", "/object/public/{bucket}/{*key}"),
    ("authenticated/", "/object/authenticated/{bucket}/{*key}"),
    ("move", "/object/move"),
    ("copy", "/object/copy"),
];

const UNDER_RENDER: [(&str, &str); 3] = [
    ("image/public/", "/render/image/public/{bucket}/{*key}"),
    (
        "image/authenticated/",
        "/render/image/authenticated/{bucket}/{*key}",
    ),
    ("image/sign/", "/render/image/sign/{bucket}/{*key}"),
];

/// The template of a path.
pub(super) fn of(path: &str) -> &'static str {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (family, rest) = path.split_once('/').unwrap_or((path, ""));
    let parts = rest.split('/').filter(|part| !part.is_empty()).count();
    match (family, parts) {
        ("bucket", 0) => "/bucket",
        ("bucket", 1) => "/bucket/{bucket}",
        ("bucket", _) => "/bucket/{bucket}/empty",
        ("object", 0) => "/object",
        ("object", _) => among(&UNDER_OBJECT, rest).unwrap_or("/object/{bucket}/{*key}"),
        ("render", _) => among(&UNDER_RENDER, rest).unwrap_or("other"),
        ("s3", 0) => "/s3",
        ("s3", 1) => "/s3/{bucket}",
        ("s3", _) => "/s3/{bucket}/{*key}",
        ("upload", _) => match rest.strip_prefix("resumable") {
            Some("" | "/") => "/upload/resumable",
            Some("/sign" | "/sign/") => "/upload/resumable/sign",
            Some(rest) if rest.starts_with("/sign/") => "/upload/resumable/sign/{id}",
            Some(rest) if rest.starts_with('/') => "/upload/resumable/{id}",
            _ => "other",
        },
        ("cdn", _) => "/cdn/{bucket}/{*key}",
        ("health", 0) => "/health",
        ("metrics", 0) => "/metrics",
        ("status", 0) => "/status",
        ("version", 0) => "/version",
        _ => "other",
    }
}

/// As in the routes, a word with nothing behind it is a bucket.
fn among(known: &[(&str, &'static str)], rest: &str) -> Option<&'static str> {
    let is_it = |begin: &str| {
        rest.strip_prefix(begin)
            .is_some_and(|left| begin.ends_with('/') != left.is_empty())
    };
    known
        .iter()
        .find(|(begin, _)| is_it(begin))
        .map(|(_, template)| *template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_a_template_without_names_of_people() {
        for (path, expected) in [
            ("/bucket", "/bucket"),
            ("/bucket/", "/bucket"),
            ("/bucket/photos", "/bucket/{bucket}"),
            ("/bucket/photos/empty", "/bucket/{bucket}/empty"),
            ("/object/photos/a/b.png", "/object/{bucket}/{*key}"),
            ("/object/photos", "/object/{bucket}/{*key}"),
            ("/object/public/photos/a", "/object/public/{bucket}/{*key}"),
            ("/object/public/", "/object/{bucket}/{*key}"),
            ("/object/info/photos/a", "/object/info/{bucket}/{*key}"),
            (
                "/object/info/public/photos/a",
                "/object/info/public/{bucket}/{*key}",
            ),
            ("/object/list/photos", "/object/list/{bucket}"),
            (
                "/object/upload/sign/photos/a",
                "/object/upload/sign/{bucket}/{*key}",
            ),
            ("/object/move", "/object/move"),
            ("/object/moved/a", "/object/{bucket}/{*key}"),
            (
                "/render/image/public/photos/a",
                "/render/image/public/{bucket}/{*key}",
            ),
            ("/render/nothing", "other"),
            ("/s3", "/s3"),
            ("/s3/photos", "/s3/{bucket}"),
            ("/s3/photos/a/b", "/s3/{bucket}/{*key}"),
            ("/upload/resumable", "/upload/resumable"),
            ("/upload/resumable/aGVsbG8", "/upload/resumable/{id}"),
            ("/upload/resumable/sign/aGVs", "/upload/resumable/sign/{id}"),
            ("/upload/other", "other"),
            ("/status", "/status"),
            ("/wp-login.php", "other"),
            ("", "other"),
        ] {
            assert_eq!(of(path), expected, "{path}");
        }
    }
}
