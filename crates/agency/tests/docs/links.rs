//! Links between pages lead somewhere.

use std::fs;
use std::path::Path;

use super::markdown::{anchors, pages, prose};

/// The targets of `[text](target)` in a text.
fn targets(text: &str) -> Vec<String> {
    let starts = text.match_indices("](").map(|(index, _)| index + 2);
    let ends = starts.filter_map(|start| text[start..].split_once(')'));
    ends.map(|(target, _)| target.to_owned()).collect()
}

fn check(page: &Path, target: &str) -> Result<(), String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => page.to_owned(),
        _ => page.parent().unwrap().join(file),
    };
    if !path.exists() {
        return Err(format!("{}: there is no {target}", page.display()));
    }
    if anchor.is_empty() || anchors(&fs::read_to_string(&path).unwrap()).iter().any(|known| known == anchor) {
        return Ok(());
    }
    Err(format!("{}: no heading for {target}", page.display()))
}

#[test]
fn every_link_to_a_file_or_heading_leads_there() {
    let mut checked = 0;
    let mut wrong = vec![];
    for page in pages() {
        let text = prose(&fs::read_to_string(&page).unwrap());
        for target in targets(&text).iter().filter(|target| !target.contains("://")) {
            checked += 1;
            wrong.extend(check(&page, target).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 30, "only {checked} links were found");
}

#[test]
fn the_book_has_every_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let summary = fs::read_to_string(root.join("SUMMARY.md")).unwrap();
    for entry in fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(summary.contains(&format!("]({name})")), "{name} is not in docs/SUMMARY.md");
        }
    }
}
