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
    [3, 2]
        .into_iter()
        .find_map(|size| closest_by_grams(given, &known, minimum, size))
}

fn closest_by_grams(given: &str, known: &[&str], minimum: f64, size: usize) -> Option<String> {
    let wanted = grams(given, size);
    let mut ranked: Vec<(f64, &str)> = known
        .iter()
        .map(|&name| (cosine(&wanted, &grams(name, size)), name))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked.truncate(50);
    let mut best: Vec<(f64, &str)> = ranked
        .into_iter()
        .map(|(_, name)| (similarity(given, name), name))
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    best.into_iter()
        .next()
        .filter(|(score, _)| *score >= minimum)
        .map(|(_, name)| name.to_owned())
}

fn normalised(text: &str) -> Vec<char> {
    let kept = text
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == ',')
        .collect::<String>();
    format!("-{kept}-").chars().collect()
}

fn grams(text: &str, size: usize) -> HashMap<Vec<char>, f64> {
    let chars = normalised(text);
    let mut found = HashMap::new();
    for gram in chars.windows(size) {
        *found.entry(gram.to_vec()).or_insert(0.0) += 1.0;
    }
    found
}

fn cosine(a: &HashMap<Vec<char>, f64>, b: &HashMap<Vec<char>, f64>) -> f64 {
    let norm = |grams: &HashMap<Vec<char>, f64>| grams.values().map(|n| n * n).sum::<f64>().sqrt();
    let dot: f64 = a
        .iter()
        .filter_map(|(gram, n)| b.get(gram).map(|m| n * m))
        .sum();
    let length = norm(a) * norm(b);
    if length > 0.0 { dot / length } else { 0.0 }
}

/// 1 for equal texts, 0 for texts without anything in common.
fn similarity(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (
        a.to_lowercase().chars().collect(),
        b.to_lowercase().chars().collect(),
    );
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
