//! Every module of the documentation has an example.

use std::path::{Path, PathBuf};

/// The public modules below a file, without those that are hidden in the documentation.
fn public_modules(file: &Path, found: &mut Vec<PathBuf>) {
    let text = std::fs::read_to_string(file).unwrap();
    found.push(file.to_owned());
    let below = match file.file_name().unwrap().to_str().unwrap() {
        "lib.rs" => file.parent().unwrap().to_owned(),
        _ => file.with_extension(""),
    };
    let mut before = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';'))
            && before != "#[doc(hidden)]"
        {
            public_modules(&below.join(name).with_extension("rs"), found);
        }
        before = line;
    }
}

fn has_example(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().any(|line| matches!(line, "//! ```" | "//! ```standalone_crate"))
}

#[test]
fn every_module_has_an_example() {
    let mut modules = vec![];
    public_modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"), &mut modules);
    assert!(modules.len() > 20, "{modules:?}");
    modules.retain(|module| !has_example(module));
    assert!(modules.is_empty(), "without an example: {modules:?}");
}
