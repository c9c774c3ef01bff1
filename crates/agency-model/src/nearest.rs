//! Finds the name a user probably meant.

/// The candidate nearest to `word`, if one is near enough to be a likely slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1) + 1;
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let names = ["max_agents", "host", "limits"];
        assert_eq!(nearest("max_agent", names), Some("max_agents"));
        assert_eq!(nearest("hots", names), Some("host"));
        assert_eq!(nearest("colour", names), None);
    }
}
