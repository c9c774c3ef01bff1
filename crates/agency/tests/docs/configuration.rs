//! `docs/configuration.md` against the configuration that the program knows.

use serde_json::Value;

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::{schema, world};

/// Every key that a file may have; an agent's name becomes `<name>`, and one of its forms `<form>`.
fn known_keys(schema: &Value) -> Vec<String> {
    let mut keys = vec![];
    collect(schema, schema, "", &mut keys);
    keys.sort();
    keys.dedup();
    keys
}

fn collect(schema: &Value, table: &Value, prefix: &str, keys: &mut Vec<String>) {
    for (name, property) in table["properties"].as_object().into_iter().flatten() {
        let property = resolved(schema, property);
        let entry = resolved(schema, &property["additionalProperties"]);
        let name = if ["interactive", "headless", "one_shot"].contains(&name.as_str()) { "<form>" } else { name };
        let key = format!("{prefix}{name}");
        if property["properties"].is_object() {
            collect(schema, property, &format!("{key}."), keys);
        } else if entry["properties"].is_object() {
            collect(schema, entry, &format!("{key}.<name>."), keys);
        } else {
            keys.push(key);
        }
    }
}

fn resolved<'a>(schema: &'a Value, part: &'a Value) -> &'a Value {
    let target = part["$ref"].as_str().and_then(|path| schema.pointer(path.trim_start_matches('#')));
    target.unwrap_or(part)
}

#[test]
fn every_key_is_described_and_no_other() {
    let schema = schema(&world(), "config");
    let page = read("docs/configuration.md");
    let mut described: Vec<String> =
        rows(&section(&page, "Every key")).iter().flat_map(|row| code_words(&row[0])).collect();
    described.sort();
    assert_eq!(described, known_keys(&schema));
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
