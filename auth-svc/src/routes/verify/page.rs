//! The page between a link in a mail and what it does, for those who switched it on.
//!
//! Scanners of mail servers open links to see where they lead, which would use them up. They press no
//! buttons. The page is complete in itself: no scripts, no pictures, nothing from elsewhere.

use aws_lc_rs::digest;
use axum::response::{Html, IntoResponse as _, Response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderValue, header};
use url::Url;

use crate::{domain::confirm::Purpose, error::Error};

const STYLE: &str = "body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1.5rem;\
color:#111;background:#fff}button{font:inherit;padding:.75rem 1.5rem;border:0;border-radius:.5rem;color:#fff;\
background:#1d4ed8;cursor:pointer}button:focus-visible{outline:3px solid #111;outline-offset:3px}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#111}button:focus-visible{outline-color:#eee}}";

/// What a link carries.
#[derive(Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) kind: &'a str,
    pub(super) token: &'a str,
    /// Where it ends; an address that is allowed.
    pub(super) redirect_to: &'a str,
}

/// What the page asks, and what its button says.
fn words(kind: &str) -> (&'static str, &'static str) {
    match Purpose::parse(kind) {
        Some(Purpose::Signup | Purpose::Email) => {
            ("Confirm your email address", "Confirm and continue")
        }
        Some(Purpose::Invite) => ("Accept your invitation", "Accept and continue"),
        Some(Purpose::Recovery) => ("Choose a new password", "Continue"),
        Some(Purpose::MagicLink) => ("Sign in", "Sign in"),
        Some(Purpose::EmailChange) => ("Confirm your new email address", "Confirm and continue"),
        _ => ("Continue", "Continue"),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn hidden(name: &str, value: &str) -> String {
    let value = escaped(value);
    format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
}

fn html(link: Link<'_>) -> String {
    let (heading, button) = words(link.kind);
    let goal = Url::parse(link.redirect_to).ok();
    let host = goal.as_ref().and_then(Url::host_str).map(|host| {
        let host = escaped(host);
        format!("<p>You will go on to <strong>{host}</strong>.</p>")
    });
    let fields = [
        hidden("type", link.kind),
        hidden("token", link.token),
        hidden("redirect_to", link.redirect_to),
    ]
    .concat();
    // The form goes to the address of the page, wherever a gateway put that, without its query.
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex, nofollow\">\
         <title>{heading}</title><style>{STYLE}</style></head><body><main><h1>{heading}</h1>{}\
         <form method=\"post\" action=\"?\">{fields}<button type=\"submit\">{button}</button></form>\
         </main></body></html>",
        host.unwrap_or_default()
    )
}

/// Browsers hold redirects after a form to `form-action` as well, so it names the scheme of the app, which
/// may be one of its own, and those of the web, because sites redirect further.
fn policy(redirect_to: &str) -> String {
    let style = STANDARD.encode(digest::digest(&digest::SHA256, STYLE.as_bytes()));
    let scheme = Url::parse(redirect_to)
        .map(|url| url.scheme().to_owned())
        .unwrap_or_default();
    let own = match scheme.as_str() {
        "" | "https" => String::new(),
        other => format!(" {other}:"),
    };
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self' https:{own}; \
         base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The page for a link, which stays good.
pub(super) fn render(link: Link<'_>) -> Result<Response, Error> {
    let policy = HeaderValue::try_from(policy(link.redirect_to))
        .map_err(|error| Error::internal("the page cannot be written", error))?;
    let mut response = Html(html(link)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(
        "x-robots-tag",
        HeaderValue::from_static("noindex, nofollow"),
    );
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_can_leave_its_place() {
        let evil = "\"><script>alert('1')</script>&amp;";
        let page = html(Link {
            kind: evil,
            token: evil,
            redirect_to: "https://a.test/?x=\"><b>",
        });
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        let safe = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;";
        for name in ["type", "token"] {
            let field = format!("<input type=\"hidden\" name=\"{name}\" value=\"{safe}\">");
            assert!(page.contains(&field), "{page}");
        }
        assert!(page.contains("<strong>a.test</strong>"), "{page}");
    }

    #[test]
    fn the_policy_lets_the_form_lead_to_the_app_and_nothing_else_in() {
        for (goal, form) in [
            ("https://a.test/x", "form-action 'self' https:;"),
            ("http://localhost:3000", "form-action 'self' https: http:;"),
            ("myapp://in", "form-action 'self' https: myapp:;"),
            ("/path", "form-action 'self' https:;"),
        ] {
            let policy = policy(goal);
            assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"));
            assert!(policy.contains(form), "{policy}");
        }
    }
}
