//! `docs/configuration.md` against the configuration that the program knows.

use serde_json::Value;

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::world;

/// The key of each setting; an agent's name becomes `<name>`.
fn known_keys(answer: &Value) -> Vec<String> {
    let values = answer["data"]["values"].as_array().unwrap();
    let keys = values.iter().map(|value| value["key"].as_str().unwrap());
    keys.map(|key| match key.strip_prefix("agents.").and_then(|rest| rest.split_once('.')) {
        Some((_, field)) => format!("agents.<name>.{field}"),
        None => key.to_owned(),
    })
    .collect()
}

#[test]
fn every_key_is_described_and_every_built_in_agent_is_named() {
    let world = world();
    let answer = world.json(&["config", "show"]);
    let page = read("docs/configuration.md");
    let described: Vec<String> =
        rows(&section(&page, "Every key")).iter().flat_map(|row| code_words(&row[0])).collect();
    for key in known_keys(&answer) {
        assert!(described.contains(&key), "`{key}` is not described");
    }
    for key in &described {
        assert!(known_keys(&answer).contains(key), "there is no `{key}`");
    }
}

#[test]
fn the_examples_are_accepted() {
    let world = world();
    let page = read("docs/configuration.md");
    for (info, name) in [("toml", "example.toml"), ("json", "example.json")] {
        for example in blocks(&page, info) {
            let path = world.root().join(name);
            std::fs::write(&path, example).unwrap();
            world.ok(&["config", "show", "--config", path.to_str().unwrap()]);
        }
    }
}
