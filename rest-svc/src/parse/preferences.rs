//! The header `Prefer`.

use http::{HeaderMap, HeaderName};

/// `resolution=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum Resolution {
    MergeDuplicates,
    IgnoreDuplicates,
}

/// `return=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum Return {
    Representation,
    Minimal,
    HeadersOnly,
}

/// `count=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum Count {
    Exact,
    Planned,
    Estimated,
}

/// `tx=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum Transaction {
    Commit,
    Rollback,
}

/// `missing=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum Missing {
    Default,
    Null,
}

/// `handling=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the value of its name")]
pub enum Handling {
    Strict,
    Lenient,
}

/// All preferences of a request; the first of a kind counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// `resolution=`
    pub resolution: Option<Resolution>,
    /// `return=`
    pub representation: Option<Return>,
    /// `count=`
    pub count: Option<Count>,
    /// `tx=`
    pub transaction: Option<Transaction>,
    /// `missing=`
    pub missing: Option<Missing>,
    /// `handling=`
    pub handling: Option<Handling>,
    /// `timezone=`
    pub timezone: Option<String>,
    /// `max-affected=`
    pub max_affected: Option<i64>,
    /// What was not understood.
    pub invalid: Vec<String>,
}

const PREFER: HeaderName = HeaderName::from_static("prefer");

impl Preferences {
    /// Reads every `Prefer` header. `is_timezone` tells which names the database knows.
    pub fn read(headers: &HeaderMap) -> Self {
        let mut found = Self::default();
        let all = headers
            .get_all(PREFER)
            .iter()
            .filter_map(|value| value.to_str().ok());
        for preference in all
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            if !found.apply(preference) {
                found.invalid.push(preference.to_owned());
            }
        }
        found
    }

    fn apply(&mut self, preference: &str) -> bool {
        match preference {
            "resolution=merge-duplicates" => set(&mut self.resolution, Resolution::MergeDuplicates),
            "resolution=ignore-duplicates" => {
                set(&mut self.resolution, Resolution::IgnoreDuplicates)
            }
            "return=representation" => set(&mut self.representation, Return::Representation),
            "return=minimal" => set(&mut self.representation, Return::Minimal),
            "return=headers-only" => set(&mut self.representation, Return::HeadersOnly),
            "count=exact" => set(&mut self.count, Count::Exact),
            "count=planned" => set(&mut self.count, Count::Planned),
            "count=estimated" => set(&mut self.count, Count::Estimated),
            "tx=commit" => set(&mut self.transaction, Transaction::Commit),
            "tx=rollback" => set(&mut self.transaction, Transaction::Rollback),
            "missing=default" => set(&mut self.missing, Missing::Default),
            "missing=null" => set(&mut self.missing, Missing::Null),
            "handling=strict" => set(&mut self.handling, Handling::Strict),
            "handling=lenient" => set(&mut self.handling, Handling::Lenient),
            _ => {
                if let Some(zone) = preference.strip_prefix("timezone=") {
                    return set(&mut self.timezone, zone.to_owned());
                }
                if let Some(Ok(number)) = preference.strip_prefix("max-affected=").map(str::parse) {
                    return set(&mut self.max_affected, number);
                }
                false
            }
        }
    }

    /// True for `handling=strict`.
    pub fn is_strict(&self) -> bool {
        self.handling == Some(Handling::Strict)
    }
}

fn set<T>(slot: &mut Option<T>, value: T) -> bool {
    slot.get_or_insert(value);
    true
}
