//! `ARCHITECTURE.md` names only files that exist, and stays short.

use std::fs;

use super::markdown::{code_words, read, root, sources};

#[test]
fn every_source_file_it_names_exists() {
    let files = sources(&root().join("crates"));
    let text = read("ARCHITECTURE.md");
    let words = code_words(&text);
    let named: Vec<&String> = words.iter().filter(|word| word.ends_with(".rs") && !word.contains('<')).collect();
    assert!(named.len() > 40, "{named:?}");
    for name in named {
        assert!(files.iter().any(|path| path.ends_with(name)), "there is no {name}");
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
    let lines = read("ARCHITECTURE.md").lines().count();
    assert!(lines <= 120, "it has {lines} lines");
}
