//! No code is only promised.

use std::fs;
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;

// proves L18
#[test]
fn every_code_is_met_in_some_test_of_the_program() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    // The tables of exit codes and of the documentation name codes that nobody meets.
    let counts = |path: &PathBuf| !path.ends_with("refusal.rs") && !path.starts_with(tests.join("docs"));
    let sources = files_below(&tests).into_iter().filter(counts);
    let text: String = sources.map(|path| fs::read_to_string(path).unwrap()).collect();
    let unmet = ErrorCode::ALL.iter().filter(|code| {
        let named = format!("ErrorCode::{code:?}");
        !text.contains(code.as_str()) && !text.contains(&named)
    });
    assert_eq!(unmet.collect::<Vec<_>>(), Vec::<&ErrorCode>::new());
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
