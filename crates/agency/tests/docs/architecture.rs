//! `ARCHITECTURE.md` and `docs/finding.md` name only files and folders that exist, and stay short.

use std::fs;
use std::path::PathBuf;

use super::markdown::{code_words, read, root, rows, sources};

const MAX_WORDS: usize = 900;
const MAX_LINE_CHARS: usize = 110;

/// Every Rust file of all crates, from the name of its crate on.
fn files() -> Vec<PathBuf> {
    let crates = root().join("crates");
    sources(&crates).into_iter().map(|path| path.strip_prefix(&crates).unwrap().to_owned()).collect()
}

/// The code words of a page that end so; placeholders are left out.
fn named(page: &str, ending: &str) -> Vec<String> {
    let words = code_words(&read(page)).into_iter();
    words.filter(|word| word.ends_with(ending) && !word.contains(['<', '*'])).collect()
}

#[test]
fn every_source_file_that_they_name_exists() {
    let files = files();
    for page in ["ARCHITECTURE.md", "docs/finding.md"] {
        let named = named(page, ".rs");
        assert!(named.len() > 10, "{page}: {named:?}");
        for name in named {
            assert!(files.iter().any(|path| path.ends_with(&name)), "{page}: there is no {name}");
        }
    }
}

#[test]
fn every_folder_that_it_names_exists() {
    let files = files();
    let named = named("ARCHITECTURE.md", "/");
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        assert!(files.iter().any(|path| path.parent().unwrap().ends_with(&name)), "there is no folder {name}");
    }
}

#[test]
fn every_row_of_finding_is_one_question_with_one_file() {
    for row in rows(&read("docs/finding.md")) {
        let [question, file] = row.as_slice() else { panic!("{row:?}") };
        assert!(question.ends_with('?') && question.matches('?').count() == 1, "{question}");
        let path = file.strip_prefix('`').and_then(|file| file.strip_suffix('`')).unwrap_or_default();
        assert!(path.ends_with(".rs") && !path.contains('`'), "{question} {file}");
        // A path is complete, so that it is found in one hop.
        let start = if path.starts_with("agency") { "" } else { "agency-engine/src/" };
        let exists = root().join("crates").join(format!("{start}{path}")).exists();
        assert!(exists || path.contains('<'), "{question} There is no {path}");
    }
}

// proves W1
#[test]
fn navigating_the_codebase() {
    let orchestrator = root().join("crates/agency-engine/src/orchestrator");
    for part in ["engine", "state"] {
        assert!(orchestrator.join(part).is_dir(), "there is no folder {part}");
    }
    let folders = fs::read_dir(orchestrator).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(folders, 2);
}

#[test]
fn it_fits_on_two_pages() {
    let text = read("ARCHITECTURE.md");
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    assert!(words <= MAX_WORDS, "it has {words} words");
    for line in text.lines() {
        assert!(line.chars().count() <= MAX_LINE_CHARS, "this line is too long: {line}");
    }
    let pictures = text.lines().filter(|line| line.starts_with("```")).count() / 2;
    assert_eq!(pictures, 1);
}
