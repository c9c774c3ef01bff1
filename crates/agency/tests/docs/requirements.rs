//! `docs/requirements.md` against the tests: every requirement has a test, every id that a test names exists.

use std::collections::BTreeMap;
use std::fs;

use super::markdown::{read, root, rows, sources};

/// Each id of the page with its requirement.
fn requirements() -> BTreeMap<String, String> {
    let mut requirements = BTreeMap::new();
    for row in rows(&read("docs/requirements.md")) {
        assert_eq!(row.len(), 2, "{row:?}");
        let twice = requirements.insert(row[0].clone(), row[1].clone());
        assert_eq!(twice, None, "{} is there twice", row[0]);
    }
    requirements
}

/// Each id that a comment `// proves …` names, with the file of one such comment.
fn proved() -> BTreeMap<String, String> {
    let mut proved = BTreeMap::new();
    for path in sources(&root().join("crates")) {
        let text = fs::read_to_string(&path).unwrap();
        let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("// proves "));
        // What follows a colon says which part of the requirement it is.
        let ids = comments.flat_map(|comment| comment.split(':').next().unwrap().split([',', ' ']));
        for id in ids.filter(|id| !id.is_empty()) {
            proved.insert(id.to_owned(), path.display().to_string());
        }
    }
    proved
}

#[test]
fn every_requirement_has_a_test() {
    let (requirements, proved) = (requirements(), proved());
    assert!(requirements.len() > 60, "{requirements:?}");
    for (id, requirement) in requirements {
        assert!(proved.contains_key(&id), "no test proves {id}: {requirement}");
    }
}

#[test]
fn every_id_that_a_test_names_is_a_requirement() {
    let requirements = requirements();
    for (id, file) in proved() {
        assert!(requirements.contains_key(&id), "{file}: there is no requirement {id}");
    }
}

#[test]
fn the_ids_of_each_part_are_numbered_without_gaps() {
    let requirements = requirements();
    for part in ["L", "P", "I", "W", "A"] {
        let count = requirements.keys().filter(|id| id.starts_with(part)).count();
        for number in 1..=count {
            assert!(requirements.contains_key(&format!("{part}{number}")), "{part}{number} is missing");
        }
    }
}
