//! "Perhaps you meant": names compared by their grams, then by edit distance.

use std::collections::HashMap;

/// The known name most like the given one, if it is like it enough: compared in grams of three, or of two where
/// those find nothing.
pub(super) fn closest<'a>(
    given: &str,
    known: impl Iterator<Item = &'a str>,
    minimum: f64,
) -> Option<String> {
    let known: Vec<&str> = known.collect();
    // A client may send names of any length, and each gram of one costs: so first, whether one can be found at all.
    let length = lower(given).len();
    let may_be_found = |name: &&str| most_similar(length, lower(name).len()) >= minimum;
    if !known.iter().any(may_be_found) {
        return None;
    }
    [3, 2]
        .into_iter()
        .find_map(|size| closest_by_grams(given, &known, minimum, size))
}

fn closest_by_grams(given: &str, known: &[&str], minimum: f64, size: usize) -> Option<String> {
    let wanted = Grams::of(given, size);
    let mut ranked: Vec<(f64, &str)> = known
        .iter()
        .map(|&name| (wanted.cosine(&Grams::of(name, size)), name))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked.truncate(50);
    let given = lower(given);
    let mut best: Vec<(f64, &str)> = ranked
        .into_iter()
        .map(|(_, name)| (similarity(&given, &lower(name)), name))
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    best.into_iter()
        .next()
        .filter(|(score, _)| *score >= minimum)
        .map(|(_, name)| name.to_owned())
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn normalised(text: &str) -> Vec<char> {
    let kept = text
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == ',');
    std::iter::once('-').chain(kept).chain(['-']).collect()
}

/// How often each gram is in a text.
struct Grams {
    counts: HashMap<[char; 3], f64>,
    norm: f64,
}

impl Grams {
    fn of(text: &str, size: usize) -> Self {
        let mut counts = HashMap::new();
        for window in normalised(text).windows(size) {
            let mut gram = ['\0'; 3];
            gram[..size].copy_from_slice(window);
            *counts.entry(gram).or_insert(0.0) += 1.0;
        }
        let norm = counts.values().map(|n| n * n).sum::<f64>().sqrt();
        Self { counts, norm }
    }

    fn cosine(&self, other: &Self) -> f64 {
        let shared = other
            .counts
            .iter()
            .filter_map(|(gram, n)| self.counts.get(gram).map(|m| n * m));
        let (dot, length): (f64, f64) = (shared.sum(), self.norm * other.norm);
        if length > 0.0 { dot / length } else { 0.0 }
    }
}

/// As much as texts of these lengths can have in common: the shorter one is all in the longer one.
#[expect(clippy::cast_precision_loss, reason = "lengths are small")]
fn most_similar(a: usize, b: usize) -> f64 {
    match a.max(b) {
        0 => 1.0,
        longer => 1.0 - a.abs_diff(b) as f64 / longer as f64,
    }
}

/// 1 for equal texts, 0 for texts without anything in common.
fn similarity(a: &[char], b: &[char]) -> f64 {
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "names are short")]
    let score = 1.0 - row[b.len()] as f64 / longer as f64;
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_like_enough_is_found() {
        let known = ["projects", "clients", "Größe", "a"];
        let found = |given, minimum| closest(given, known.into_iter(), minimum);
        assert_eq!(found("project", 0.75).as_deref(), Some("projects"));
        assert_eq!(found("PROJEKTS", 0.75).as_deref(), Some("projects"));
        assert_eq!(found("gröse", 0.75).as_deref(), Some("Größe"));
        assert_eq!(found("clnt", 0.33).as_deref(), Some("clients"));
        assert_eq!(found("clnt", 0.75), None);
        assert_eq!(found("", 0.75), None);
    }

    #[test]
    fn a_name_of_any_length_is_answered_without_taking_it_apart() {
        let known = vec!["projects"; 1000];
        let given = "projects".repeat(100_000);
        assert_eq!(closest(&given, known.into_iter(), 0.75), None);
    }
}
