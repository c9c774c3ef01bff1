//! `docs/glossary.md` has every term once, in order, and no term that is not in use.

use std::fs;

use super::markdown::{pages, read, root, rows, section_before, sources};

/// The rows of the table: term, meaning, words that are not used for it.
fn terms() -> Vec<Vec<String>> {
    let terms = rows(&section_before(&read("docs/glossary.md"), "Phrases"));
    assert!(terms.len() > 50, "{terms:?}");
    terms
}

#[test]
fn every_term_has_one_sentence_and_the_words_to_avoid() {
    for row in terms() {
        assert_eq!(row.len(), 3, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        let (term, meaning) = (&row[0], &row[1]);
        assert!(meaning.ends_with('.') && !meaning.trim_end_matches('.').contains(". "), "{term}: {meaning}");
        assert!(row[2].split(", ").all(|word| word != term), "{term} is not used for itself");
    }
}

#[test]
fn the_terms_are_in_alphabetical_order_and_each_is_there_once() {
    let listed: Vec<String> = terms().iter().map(|row| row[0].to_lowercase()).collect();
    let mut sorted = listed.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(listed, sorted);
}

#[test]
fn every_term_is_used_in_the_source_or_the_documentation() {
    let files = pages().into_iter().chain(sources(&root().join("crates")));
    let files = files.filter(|path| !path.ends_with("docs/glossary.md"));
    let text: String = files.map(|path| words(&fs::read_to_string(path).unwrap())).collect();
    for row in terms() {
        let term = words(&row[0]);
        let term = term.trim_end();
        let used = [format!("{term} "), format!("{term}s ")].iter().any(|word| text.contains(word.as_str()));
        assert!(used, "'{}' is used nowhere", row[0]);
    }
}

/// A text as lower-case words, each with a space on both sides.
fn words(text: &str) -> String {
    let letters = text.chars().map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' });
    let words: String = letters.collect();
    words.split_whitespace().fold(" ".to_owned(), |all, word| all + word + " ")
}
