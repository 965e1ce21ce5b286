use crate::replication::{Commit, Event};

/// How far the log was handed over, across connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// All before was handed over, as far as it was of interest.
    pub(super) after: u64,
    /// The transaction of which only some changes were handed over: where it is, and how many.
    partial: (u64, u64),
    /// The transaction that is being read, and how many of its changes were.
    current: (u64, u64),
    /// What was read. With other publications a transaction has other changes.
    publications: Vec<String>,
}

impl Place {
    /// A connection begins, with these publications.
    pub(super) fn begin(&mut self, publications: &[String]) {
        self.current = (0, 0);
        if self.publications != publications {
            self.partial = (0, 0);
            self.publications = publications.to_vec();
        }
    }

    /// There is nothing of interest up to here.
    pub(super) fn pass(&mut self, position: u64) {
        self.after = self.after.max(position);
    }

    /// True if the event was not handed over on an earlier connection; then it is noted as handed over.
    pub(super) fn advance(&mut self, event: &Event) -> bool {
        match event {
            Event::Change(Commit { lsn, .. }, _) => {
                if self.current.0 != *lsn {
                    self.current = (*lsn, 0);
                }
                self.current.1 += 1;
                if self.partial.0 == *lsn && self.current.1 <= self.partial.1 {
                    return false;
                }
                self.partial = self.current;
                true
            }
            Event::Committed { end, .. } => {
                self.after = self.after.max(*end);
                self.partial = (0, 0);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::replication::{Action, Change, Identity, Old, Relation};

    fn change(lsn: u64) -> Event {
        let relation = Arc::new(Relation {
            oid: 1,
            schema: "public".into(),
            name: "t".into(),
            identity: Identity::Default,
            columns: Vec::new(),
        });
        let change = Change {
            relation,
            action: Action::Insert,
            new: Some(Vec::new()),
            old: Old::None,
        };
        Event::Change(Commit { lsn, at: 0 }, change)
    }

    #[test]
    fn an_interrupted_transaction_goes_on_where_it_stopped() {
        let names = ["p".to_owned()];
        let mut place = Place::default();
        place.begin(&names);
        assert!(place.advance(&change(5)) && place.advance(&change(5)));
        place.begin(&names);
        assert!(!place.advance(&change(5)));
        place.begin(&names);
        assert!(!place.advance(&change(5)) && !place.advance(&change(5)));
        assert!(place.advance(&change(5)));
        let commit = Commit { lsn: 5, at: 0 };
        assert!(place.advance(&Event::Committed { commit, end: 8 }));
        assert_eq!(place.after, 8);
        assert!(place.advance(&change(9)));
    }

    #[test]
    fn with_other_publications_it_comes_again() {
        let mut place = Place::default();
        place.begin(&["p".to_owned()]);
        assert!(place.advance(&change(5)));
        place.begin(&["p".to_owned(), "q".to_owned()]);
        assert!(place.advance(&change(5)));
    }
}
