//! The search for a text in a tab or in the help.

/// The text that is looked for, in the tabs and in the help.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Search {
    text: String,
}

impl Search {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn set(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    /// Whether something is looked for.
    pub(super) const fn is_active(&self) -> bool {
        !self.text.is_empty()
    }

    /// Where the text stands in a line, in bytes. A text without capitals is found in any case.
    pub(super) fn matches(&self, line: &str) -> Vec<std::ops::Range<usize>> {
        if self.text.is_empty() {
            return vec![];
        }
        let exact = self.text.chars().any(char::is_uppercase);
        if exact || !line.is_ascii() || !self.text.is_ascii() {
            // Letters that change their length with their case are compared as they are.
            let (line, text) = match exact {
                true => (line.to_owned(), self.text.clone()),
                false => (same_length_lowercase(line), self.text.clone()),
            };
            return line.match_indices(&text).map(|(at, found)| at..at + found.len()).collect();
        }
        let line = line.to_ascii_lowercase();
        line.match_indices(&self.text).map(|(at, found)| at..at + found.len()).collect()
    }
}

/// A text in lower case in which every character keeps its place.
fn same_length_lowercase(text: &str) -> String {
    let lower = |letter: char| {
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(only), None) if only.len_utf8() == letter.len_utf8() => only,
            (_, _) => letter,
        }
    };
    text.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, line: &str) -> Vec<std::ops::Range<usize>> {
        Search { text: text.to_owned() }.matches(line)
    }

    #[test]
    fn a_text_without_capitals_is_found_in_any_case() {
        assert_eq!(found("log", "Log a LOG"), [0..3, 6..9]);
        assert_eq!(found("Log", "Log a LOG").first(), Some(&(0..3)));
        assert_eq!(found("Log", "Log a LOG").len(), 1);
        assert_eq!(found("\u{e4}", "\u{c4}b \u{130}\u{e4}"), [0..2, 6..8]);
        assert!(found("", "anything").is_empty());
    }
}
