//! Windows over rows.

/// Rows from `offset` on, at most `limit` of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first row, from 0. Negative is as 0.
    pub offset: i64,
    /// How many; `None` for all.
    pub limit: Option<i64>,
}

impl Range {
    /// True if it lets every row through.
    pub fn is_all(self) -> bool {
        self.offset <= 0 && self.limit.is_none()
    }

    /// Not more than `max` rows.
    #[must_use]
    pub fn capped(self, max: Option<i64>) -> Self {
        let limit = match (self.limit, max) {
            (Some(limit), Some(max)) => Some(limit.min(max)),
            (limit, max) => limit.or(max),
        };
        Self { limit, ..self }
    }

    /// What both windows let through.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        let offset = self.offset.max(0).max(other.offset.max(0));
        let end = |range: Self| {
            range
                .limit
                .map(|limit| range.offset.max(0).saturating_add(limit))
        };
        let end = match (end(self), end(other)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            offset,
            limit: end.map(|end| end - offset),
        }
    }

    /// The header `Range: 0-9` or `5-`; any other form is no range.
    pub fn from_header(value: &str) -> Option<Self> {
        let (from, to) = value.trim().split_once('-')?;
        let offset: i64 = from.trim().parse().ok()?;
        let limit = match to.trim() {
            "" => None,
            to => Some(
                to.parse::<i64>()
                    .ok()?
                    .saturating_sub(offset)
                    .saturating_add(1),
            ),
        };
        Some(Self { offset, limit })
    }
}
