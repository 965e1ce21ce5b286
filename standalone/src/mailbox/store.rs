//! What is kept, and for how long.

use std::{collections::VecDeque, sync::Arc};

use super::{mail::Mail, sms::Sms};

/// The most mails, and the most texts, that are kept.
const COUNT: usize = 500;
/// The most bytes of mail that are kept, unless one alone is larger.
const BYTES: usize = 64 * 1024 * 1024;

/// Mails and texts, the newest first.
#[derive(Debug, Default)]
pub(super) struct Store {
    mails: VecDeque<Arc<Mail>>,
    mail_bytes: usize,
    texts: VecDeque<Sms>,
}

impl Store {
    pub(super) fn add_mail(&mut self, mail: Mail) {
        self.mail_bytes += mail.raw.len();
        self.mails.push_front(Arc::new(mail));
        while self.mails.len() > COUNT || (self.mail_bytes > BYTES && self.mails.len() > 1) {
            if let Some(oldest) = self.mails.pop_back() {
                self.mail_bytes -= oldest.raw.len();
            }
        }
    }

    pub(super) fn add_sms(&mut self, sms: Sms) {
        self.texts.push_front(sms);
        self.texts.truncate(COUNT);
    }

    pub(super) fn mails(&self) -> impl ExactSizeIterator<Item = &Arc<Mail>> {
        self.mails.iter()
    }

    pub(super) fn mail_bytes(&self) -> usize {
        self.mail_bytes
    }

    /// One mail; `latest` is the newest.
    pub(super) fn mail(&self, id: &str) -> Option<Arc<Mail>> {
        let mut mails = self.mails.iter();
        let found = if id == "latest" {
            mails.next()
        } else {
            mails.find(|mail| mail.id == id)
        };
        found.cloned()
    }

    pub(super) fn remove_mails(&mut self, remove: impl Fn(&Mail) -> bool) {
        self.mails.retain(|mail| !remove(mail));
        self.mail_bytes = self.mails.iter().map(|mail| mail.raw.len()).sum();
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &Sms> {
        self.texts.iter()
    }

    pub(super) fn clear_texts(&mut self) {
        self.texts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_make_room() {
        let mut store = Store::default();
        for number in 0..COUNT + 3 {
            let raw = format!("Subject: {number}\r\n\r\nbody").into_bytes();
            store.add_mail(Mail::new(String::new(), Vec::new(), raw));
            store.add_sms(Sms::new(number.to_string(), String::new()));
        }
        assert_eq!(store.mails().len(), COUNT);
        assert_eq!(store.texts().count(), COUNT);
        assert_eq!(store.mail("latest").unwrap().summary.subject, "502");
        assert!(store.mails().all(|mail| mail.summary.subject != "2"));
        store.remove_mails(|_| true);
        assert_eq!(store.mail_bytes(), 0);
    }

    #[test]
    fn large_mails_make_room_earlier() {
        let mut store = Store::default();
        for _ in 0..3 {
            store.add_mail(Mail::new(String::new(), Vec::new(), vec![b'x'; BYTES / 2]));
        }
        assert_eq!(store.mails().len(), 2);
    }
}
