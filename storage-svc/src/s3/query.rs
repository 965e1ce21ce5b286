//! The query of a request: names and values decoded, in the order they came.

use percent_encoding::percent_decode_str;

/// A decoded query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads what stands behind the question mark. Nothing is refused: what cannot be decoded stays as it is.
    pub(crate) fn parse(raw: &str) -> Self {
        Self(
            raw.split('&')
                .filter(|pair| !pair.is_empty())
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(name), decode(value))
                })
                .collect(),
        )
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find_map(|(other, value)| (other == name).then_some(value))
    }

    /// The first value of a name, unless it is empty.
    pub(crate) fn non_empty(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_decoded() {
        let query = Query::parse("up%6Co%61ds&prefix=a%2Fb+c%2B&empty=&x=1=2&&x=3");
        assert!(query.has("uploads"));
        assert_eq!(query.get("prefix"), Some("a/b c+"));
        assert_eq!(query.get("empty"), Some(""));
        assert_eq!(query.non_empty("empty"), None);
        assert_eq!(query.get("x"), Some("1=2"));
        assert_eq!(query.get("y"), None);
    }

    #[test]
    fn nonsense_is_kept() {
        assert_eq!(Query::parse("%zz=%ff%").get("%zz"), Some("\u{fffd}%"));
        assert_eq!(Query::parse(""), Query::default());
    }
}
