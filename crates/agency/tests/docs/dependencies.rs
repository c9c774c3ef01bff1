//! `docs/dependencies.md` against every `Cargo.toml`.

use std::fs;

use super::markdown::{read, root, rows};

/// The names below `[dependencies]` and its like.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = vec![];
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(part) = line.strip_prefix('[') {
            inside = part.trim_end_matches(']').ends_with("dependencies");
        } else if inside && let Some((name, _)) = line.split_once(['.', '=', ' ']) {
            names.push(name.trim().to_owned());
        }
    }
    names.retain(|name| !name.is_empty() && !name.starts_with('#'));
    names
}

#[test]
fn every_dependency_is_named_with_its_reason_and_nothing_else_is() {
    let mut used = dependencies(&read("Cargo.toml"));
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        used.extend(dependencies(&fs::read_to_string(entry.unwrap().path().join("Cargo.toml")).unwrap()));
    }
    used.sort();
    used.dedup();
    assert!(used.len() > 20, "{used:?}");

    let page = read("docs/dependencies.md");
    let (named, _) = page.split_once("## What is not used").unwrap();
    let mut named: Vec<String> = rows(named)
        .into_iter()
        .map(|row| {
            assert!(row.last().is_some_and(|reason| reason.len() > 10), "{row:?}");
            row[0].trim_matches('`').to_owned()
        })
        .collect();
    named.sort();
    assert_eq!(named, used);
}
