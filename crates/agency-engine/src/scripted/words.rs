//! Splits a command line into words, as a shell would for the simple cases, without any expansion.

/// The line has a quote without its partner.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnclosedQuote;

/// Splits at whitespace outside quotes. Both kinds of quotes keep what they hold as it is, and none is special in the other.
pub(super) fn split(line: &str) -> Result<Vec<String>, UnclosedQuote> {
    let mut words = Vec::new();
    // `None` between words; an empty word that had quotes is a word.
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for character in line.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            None if character == '"' || character == '\'' => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return Err(UnclosedQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{UnclosedQuote, split};

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(
            split(r#" git  commit -m "a 'b' c" '' x'y z'"#).unwrap(),
            ["git", "commit", "-m", "a 'b' c", "", "xy z"]
        );
        assert_eq!(split("  ").unwrap(), [""; 0]);
    }

    #[test]
    fn a_lone_quote_is_an_error() {
        assert_eq!(split("echo 'a"), Err(UnclosedQuote));
    }
}
