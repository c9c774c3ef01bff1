//! The fault points that the sources name are the ones that are listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use agency_system::fault::POINTS;

#[test]
fn every_fault_point_in_the_sources_is_listed_and_every_listed_one_is_in_the_sources() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut named = BTreeSet::new();
    let sources = ["agency-engine/src", "agency-workspace/src"].map(|source| files_below(&crates.join(source)));
    for file in sources.into_iter().flatten() {
        let text = fs::read_to_string(&file).unwrap();
        let calls = text.split("fault::point(\"").skip(1);
        named.extend(calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())));
    }
    assert_eq!(named, POINTS.iter().map(|point| (*point).to_owned()).collect());
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
