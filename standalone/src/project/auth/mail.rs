//! `[auth.email]`: how mails leave, and their templates.

use svc_kit::env::Vars;

use super::{on_this_machine, put};
use crate::project::{Project, Surroundings, config::Template};

/// Where mail templates are served for auth-svc to fetch, below the mailbox's page.
pub(crate) const TEMPLATES_PATH: &str = "/project/templates";

pub(super) fn put_all(vars: &mut Vars, project: &Project, around: &Surroundings<'_>) {
    let email = &project.config.auth.email;
    let mailbox = &project.config.local_smtp;
    put(
        vars,
        &[
            (
                "MAILER_SECURE_EMAIL_CHANGE_ENABLED",
                &email.double_confirm_changes,
            ),
            ("MAILER_AUTOCONFIRM", &!email.enable_confirmations),
            ("MAILER_OTP_LENGTH", &email.otp_length),
            ("MAILER_OTP_EXP", &email.otp_expiry),
            ("SMTP_MAX_FREQUENCY", &email.max_frequency),
            // Templates are edited while the platform runs.
            ("MAILER_TEMPLATE_MAX_AGE", &"1s"),
            ("SMTP_ADMIN_EMAIL", &mailbox.admin_email),
            ("SMTP_SENDER_NAME", &mailbox.sender_name),
        ],
    );
    if let Some(smtp) = email
        .smtp
        .as_ref()
        .filter(|smtp| smtp.enabled.unwrap_or(true))
    {
        put(
            vars,
            &[
                (
                    "RATE_LIMIT_EMAIL_SENT",
                    &project.config.auth.rate_limit.email_sent,
                ),
                ("SMTP_HOST", &on_this_machine(&smtp.host)),
                ("SMTP_PORT", &smtp.port),
                ("SMTP_USER", &smtp.user),
                ("SMTP_PASS", &smtp.pass),
                ("SMTP_ADMIN_EMAIL", &smtp.admin_email),
                ("SMTP_SENDER_NAME", &smtp.sender_name),
            ],
        );
    } else if !mailbox.enabled {
        put(vars, &[("SMTP_HOST", &"")]);
    }
    for (name, template) in &email.template {
        put_one(vars, name, template, around);
    }
    for (name, template) in &email.notification {
        if template.enabled {
            let name = format!("{name}_notification");
            let kind = name.to_uppercase().replace("_NOTIFICATION", "");
            put(
                vars,
                &[(&format!("MAILER_NOTIFICATIONS_{kind}_ENABLED"), &true)],
            );
            put_one(vars, &name, template, around);
        }
    }
}

fn put_one(vars: &mut Vars, name: &str, template: &Template, around: &Surroundings<'_>) {
    let kind = name.to_uppercase();
    if !template.content_path.is_empty() {
        let url = format!("{}{TEMPLATES_PATH}/{name}", around.mailbox_url);
        put(vars, &[(&format!("MAILER_TEMPLATES_{kind}"), &url)]);
    }
    if let Some(subject) = &template.subject {
        put(vars, &[(&format!("MAILER_SUBJECTS_{kind}"), subject)]);
    }
}

impl Project {
    /// The text of a mail by the name under which [`put_all`] announced it, read anew each time.
    pub(crate) fn mail_template(&self, name: &str) -> Option<String> {
        let email = &self.config.auth.email;
        let notification = name
            .strip_suffix("_notification")
            .and_then(|name| email.notification.get(name));
        let path = &email.template.get(name).or(notification)?.content_path;
        // Templates are named from the project's root on, but some write their paths as everything else is.
        [self.root.join(path), self.resolve(path)]
            .iter()
            .find_map(|path| std::fs::read_to_string(path).ok())
    }

    /// The templates whose files are missing.
    pub(crate) fn missing_templates(&self) -> Vec<String> {
        let email = &self.config.auth.email;
        let used = email
            .notification
            .iter()
            .filter(|(_, template)| template.enabled);
        email
            .template
            .iter()
            .chain(used)
            .map(|(_, template)| &template.content_path)
            .filter(|path| !path.is_empty())
            .filter(|path| !self.root.join(path).is_file() && !self.resolve(path).is_file())
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Config;

    #[test]
    fn templates_are_found_from_the_root_or_from_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let templates = dir.path().join("supabase/templates");
        std::fs::create_dir_all(&templates).unwrap();
        std::fs::write(templates.join("a.html"), "A").unwrap();
        let text = "[auth.email.template.invite]\ncontent_path = \"./supabase/templates/a.html\"\n\
                    [auth.email.template.recovery]\ncontent_path = \"./templates/a.html\"\n\
                    [auth.email.template.magic_link]\ncontent_path = \"./none.html\"";
        let (config, _) = Config::parse(text, &Vars::default()).unwrap();
        let project = Project {
            root: dir.path().to_owned(),
            config,
        };
        assert_eq!(project.mail_template("invite").as_deref(), Some("A"));
        assert_eq!(project.mail_template("recovery").as_deref(), Some("A"));
        assert_eq!(project.mail_template("confirmation"), None);
        assert_eq!(project.missing_templates(), ["./none.html"]);
    }
}
