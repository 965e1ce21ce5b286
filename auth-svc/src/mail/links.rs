use url::{Url, form_urlencoded};

/// What a link in a mail carries.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// The hash that stands for the code.
    pub token_hash: &'a str,
    /// What following it does.
    pub verification_type: &'a str,
    /// Where it ends.
    pub redirect_to: &'a str,
}

/// The address of a link: the configured path, which may be an address of its own, with the token.
pub fn action_link(external_url: &Url, path: &str, link: &Link<'_>) -> String {
    let escape = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    // What contains none of these was encoded by the client already, or needs no encoding.
    let redirect_to = if link.redirect_to.contains(['&', '=', '#']) {
        escape(link.redirect_to)
    } else {
        link.redirect_to.to_owned()
    };
    let mut url = external_url
        .join(path)
        .unwrap_or_else(|_| external_url.clone());
    url.set_query(Some(&format!(
        "token={}&type={}&redirect_to={redirect_to}",
        escape(link.token_hash),
        escape(link.verification_type),
    )));
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_resolved_and_the_target_encoded_if_needed() {
        let external = Url::parse("http://127.0.0.1:54321/auth/v1").unwrap();
        let link = |redirect_to| Link {
            token_hash: "abc",
            verification_type: "signup",
            redirect_to,
        };
        assert_eq!(
            action_link(&external, "/auth/v1/verify", &link("http://localhost:3000")),
            "http://127.0.0.1:54321/auth/v1/verify?token=abc&type=signup&redirect_to=http://localhost:3000"
        );
        assert_eq!(
            action_link(&external, "https://x.test/go", &link("http://a.test/?b=c")),
            "https://x.test/go?token=abc&type=signup&redirect_to=http%3A%2F%2Fa.test%2F%3Fb%3Dc"
        );
    }
}
