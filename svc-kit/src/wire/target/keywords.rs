//! Settings of a connection string, as text: those that the driver does not read are taken out of it, and what it
//! leaves open comes from libpq's variables.

use percent_encoding::percent_decode_str;

/// Offers each setting of a connection string, URI or list of keywords, and gives the string without those that
/// `take` took.
pub(super) fn split(text: &str, mut take: impl FnMut(&str, &str) -> bool) -> String {
    let is_uri = text.starts_with("postgres://") || text.starts_with("postgresql://");
    if !is_uri {
        let kept = text.split_inclusive(char::is_whitespace).filter(|word| {
            let (name, value) = word.trim_end().split_once('=').unwrap_or((word, ""));
            !take(name, value.trim_matches('\''))
        });
        return kept.collect();
    }
    let Some((head, query)) = text.split_once('?') else {
        return text.to_owned();
    };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            !take(name, &percent_decode_str(value).decode_utf8_lossy())
        })
        .collect();
    if kept.is_empty() {
        return head.to_owned();
    }
    format!("{head}?{}", kept.join("&"))
}

/// Fills in from libpq's variables, then from libpq's defaults.
pub(super) fn complete<'a>(
    pg: &mut tokio_postgres::Config,
    variable: impl Fn(&str) -> Option<&'a str>,
) {
    if pg.get_hosts().is_empty() && pg.get_hostaddrs().is_empty() {
        match variable("PGHOST") {
            Some(hosts) => {
                for host in hosts.split(',') {
                    pg.host(host);
                }
            }
            None => {
                pg.host_path("/var/run/postgresql");
            }
        }
    }
    if pg.get_ports().is_empty()
        && let Some(ports) = variable("PGPORT")
    {
        for port in ports.split(',').filter_map(|port| port.parse().ok()) {
            pg.port(port);
        }
    }
    if pg.get_user().is_none()
        && let Some(user) = variable("PGUSER").or_else(|| variable("USER"))
    {
        pg.user(user);
    }
    if pg.get_password().is_none()
        && let Some(password) = variable("PGPASSWORD")
    {
        pg.password(password);
    }
    if pg.get_dbname().is_none()
        && let Some(name) = variable("PGDATABASE")
    {
        pg.dbname(name);
    }
    if pg.get_options().is_none()
        && let Some(options) = variable("PGOPTIONS")
    {
        pg.options(options);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_leave_the_connection_string() {
        for (text, rest, taken) in [
            (
                "postgres://a@h/d?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fetc%2Fca.pem",
                "postgres://a@h/d?connect_timeout=3",
                vec!["sslmode=verify-full", "sslrootcert=/etc/ca.pem"],
            ),
            (
                "postgresql://h?sslmode=require",
                "postgresql://h",
                vec!["sslmode=require"],
            ),
            (
                "host=h sslmode='disable' user=a",
                "host=h user=a",
                vec!["sslmode=disable"],
            ),
            // What stands inside another value stays there.
            (
                "password=xsslmode=require sslmode=require",
                "password=xsslmode=require ",
                vec!["sslmode=require"],
            ),
            ("postgres://h/d", "postgres://h/d", vec![]),
        ] {
            let mut found = Vec::new();
            let left = split(text, |name, value| {
                let takes = name.starts_with("ssl");
                if takes {
                    found.push(format!("{name}={value}"));
                }
                takes
            });
            assert_eq!(
                (left.as_str(), found),
                (rest, taken.iter().map(ToString::to_string).collect())
            );
        }
    }
}
