//! When a job runs: cron's five fields, names for some of them, or an interval of seconds.
//!
//! `cron._is_schedule` in the database knows the same language and says no when a job is made.

use std::time::Duration;

use chrono::{DateTime, Datelike as _, TimeDelta, Timelike as _, Utc};
use chrono_tz::Tz;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/// As long as the original reads.
const LONGEST: usize = 1000;
/// The 29th of February may be eight years away.
const HORIZON: TimeDelta = TimeDelta::days(9 * 366);

/// When a job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// Once, when the service starts.
    Start,
    /// Again and again, so long after the last time.
    Every(Duration),
    /// In minutes that look like this.
    Minutes(Minutes),
}

/// A set of minutes: bits by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Minutes {
    of_hour: u64,
    hours: u64,
    days: u64,
    last_day: bool,
    months: u64,
    weekdays: u64,
    /// True if the days of the month and of the week both have to fit; else one of them does.
    both_days: bool,
}

impl Schedule {
    /// Reads a schedule; nothing if it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(seconds) = interval(text) {
            let in_range = (1..60).contains(&seconds);
            return in_range.then(|| Self::Every(Duration::from_secs(seconds)));
        }
        if text.len() >= LONGEST {
            return None;
        }
        let line = skip_comments(text);
        if let Some(name) = line.strip_prefix('@') {
            return named(name.split([' ', '\t', '\n']).next()?);
        }
        let mut fields = Fields(line);
        Some(Self::Minutes(Minutes::parse([
            fields.next()?,
            fields.next()?,
            fields.next()?,
            fields.next()?,
            fields.next()?,
        ])?))
    }
}

/// `30 seconds`: a number in any case and with any blanks.
fn interval(text: &str) -> Option<u64> {
    let text = text.trim_start_matches(is_space);
    let text = text.strip_prefix('+').unwrap_or(text);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    let rest = rest.trim_start_matches(is_space).to_ascii_lowercase();
    let unit = rest.strip_prefix("second")?;
    if !unit.is_empty() && !unit.strip_prefix('s')?.trim_matches(is_space).is_empty() {
        return None;
    }
    let number = number.trim_start_matches('0');
    match number.len() {
        0 if digits == 0 => None,
        0 => Some(0),
        1 | 2 => number.parse().ok(),
        _ => Some(u64::MAX),
    }
}

/// What C and Postgres call a space.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn skip_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches([' ', '\t', '\n']);
        match text
            .strip_prefix('#')
            .map(|comment| comment.split_once('\n'))
        {
            Some(Some((_, next))) => text = next,
            _ => return text,
        }
    }
}

fn named(name: &str) -> Option<Schedule> {
    let fields = match name {
        "reboot" | "restart" => return Some(Schedule::Start),
        "yearly" | "annually" => ["0", "0", "1", "1", "*"],
        "monthly" => ["0", "0", "1", "*", "*"],
        "weekly" => ["0", "0", "*", "*", "0"],
        "daily" | "midnight" => ["0", "0", "*", "*", "*"],
        "hourly" => ["0", "*", "*", "*", "*"],
        _ => return None,
    };
    Minutes::parse(fields).map(Schedule::Minutes)
}

/// Fields with blanks between them, all on one line.
struct Fields<'a>(&'a str);

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start_matches([' ', '\t']);
        let end = text.find([' ', '\t', '\n']).unwrap_or(text.len());
        let (field, rest) = text.split_at(end);
        self.0 = rest;
        (!field.is_empty()).then_some(field)
    }
}

impl Minutes {
    fn parse([minute, hour, day, month, weekday]: [&str; 5]) -> Option<Self> {
        let last_day = day == "$";
        let mut weekdays = list(weekday, 0, 7, &WEEKDAYS)?;
        if weekdays & 1 << 7 != 0 {
            weekdays |= 1;
        }
        Some(Self {
            of_hour: list(minute, 0, 59, &[])?,
            hours: list(hour, 0, 23, &[])?,
            days: if last_day { 0 } else { list(day, 1, 31, &[])? },
            last_day,
            months: list(month, 1, 12, &MONTHS)?,
            weekdays,
            both_days: day.starts_with('*') || weekday.starts_with('*'),
        })
    }

    fn contain_day(&self, at: DateTime<Tz>) -> bool {
        let is_last = || (at + TimeDelta::days(1)).day() == 1;
        let day = has(self.days, at.day()) || (self.last_day && is_last());
        let weekday = has(self.weekdays, at.weekday().num_days_from_sunday());
        let fits = if self.both_days {
            day && weekday
        } else {
            day || weekday
        };
        fits && has(self.months, at.month())
    }

    /// The first such minute that begins after a time; nothing if there is none within years.
    ///
    /// A minute that a change of clocks leaves out does not come, one that it repeats comes twice.
    pub(super) fn next_after(&self, after: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        let end = after + HORIZON;
        let started = after.with_second(0)?.with_nanosecond(0)?;
        let mut at = started + TimeDelta::minutes(1);
        while at < end {
            let local = at.with_timezone(&zone);
            if !self.contain_day(local) {
                at += if local.hour() == 0 && local.minute() == 0 {
                    // Still the same day, whatever the clocks do.
                    TimeDelta::hours(22)
                } else {
                    to_next_hour(local)
                };
            } else if !has(self.hours, local.hour()) {
                at += to_next_hour(local);
            } else if has(self.of_hour, local.minute()) {
                return Some(at);
            } else {
                at += TimeDelta::minutes(1);
            }
        }
        None
    }
}

fn to_next_hour(local: DateTime<Tz>) -> TimeDelta {
    TimeDelta::minutes(60 - i64::from(local.minute()))
}

fn has(set: u64, value: u32) -> bool {
    set & 1 << value != 0
}

/// A list of ranges as bits. What stands behind it is passed over, as the original does.
fn list(field: &str, low: u32, high: u32, names: &[&str]) -> Option<u64> {
    let mut set = 0;
    let mut rest = field;
    loop {
        let (first, last, stepped) = if let Some(after) = rest.strip_prefix('*') {
            rest = after;
            (low, high, true)
        } else {
            let first = number(word(&mut rest), low, names)?;
            if let Some(after) = rest.strip_prefix('-') {
                rest = after;
                (first, number(word(&mut rest), low, names)?, true)
            } else {
                (first, first, false)
            }
        };
        if [first, last]
            .iter()
            .any(|bound| !(low..=high).contains(bound))
        {
            return None;
        }
        let step = match rest.strip_prefix('/') {
            Some(_) if !stepped => return None,
            Some(after) => {
                rest = after;
                number(word(&mut rest), 0, &[]).filter(|step| (1..=high).contains(step))?
            }
            None => 1,
        };
        for value in (first..=last).step_by(step as usize) {
            set |= 1 << value;
        }
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => return Some(set),
        }
    }
}

/// Takes letters and digits from the front.
fn word<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    word
}

fn number(word: &str, low: u32, names: &[&str]) -> Option<u32> {
    let named = (low..)
        .zip(names)
        .find(|(_, name)| word.eq_ignore_ascii_case(name));
    if let Some((value, _)) = named {
        return Some(value);
    }
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let digits = word.trim_start_matches('0');
    match digits.len() {
        _ if !is_number => None,
        0 => Some(0),
        1..=4 => digits.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
