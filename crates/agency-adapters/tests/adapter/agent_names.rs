//! No product file outside of this crate knows an agent by name, but the program itself.

use std::fs;
use std::path::{Path, PathBuf};

const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "cursor-agent"];

/// The exceptions: a part of the path, a text that the lines with a name contain, and why.
const ALLOWED: [(&str, &str, &str); 7] = [
    ("orchestrator/engine/", "Claude Code's", "supervisors of an earlier version read the lines of Claude Code"),
    ("orchestrator/engine/driver_protocol", "", "the driver writes these lines for them"),
    ("runs/example.rs", "", "a scripted example that speaks a stream which the configuration names"),
    ("agency-engine/src/agents.rs", "\"claude-code\"", "an example that needs an agent with a known stream"),
    ("sources/name.rs", "opencode.json", "no source may have the name of a file in a scratch directory"),
    (
        "agency-workspace/src/scratch.rs",
        "",
        "a user's own `ask` command may start any agent, so all find a file without servers",
    ),
    ("agency-engine/src/runs/import", "laude", "it reads the state of claude-squad, another program"),
];

#[test]
fn an_agent_is_named_in_its_own_folder_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = vec![];
    let sources = ["agency-engine/src", "agency-system/src", "agency-workspace/src"];
    for file in sources.iter().flat_map(|source| rust_files(&crates.join(source))) {
        let path = file.strip_prefix(&crates).unwrap().display().to_string();
        let is_test = path.contains("/tests/") || path.ends_with("tests.rs");
        if is_test {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in product.lines().enumerate() {
            let lower = line.to_lowercase();
            let is_allowed = ALLOWED.iter().any(|(allowed, words, _)| path.contains(allowed) && line.contains(words));
            if AGENTS.iter().any(|agent| lower.contains(agent)) && !is_allowed {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "move this into the folder of its adapter:\n{}", found.join("\n"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
