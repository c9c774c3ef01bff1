//! `docs/policy.md` against the rules that the program knows.

use std::path::Path;

use agency_model::policy::{Ground, PathKind, Policy, RULE_KEYS};
use agency_model::{Question, QuestionKind, ToolRequest};
use serde_json::{Value, json};

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::world;

/// What `agency policy check` makes of an example.
fn checked(name: &str, example: &str) -> Value {
    let world = world();
    let path = world.root().join(name);
    std::fs::write(&path, example).unwrap();
    let mut answer = world.json(&["policy", "check", path.to_str().unwrap()]);
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer["data"]["rules"].take()
}

#[test]
fn every_key_is_described_and_the_examples_are_accepted() {
    let page = read("docs/policy.md");
    let described: Vec<String> = rows(&section(&page, "Rules")).iter().flat_map(|row| code_words(&row[0])).collect();
    for key in RULE_KEYS {
        assert!(described.iter().any(|word| word == key), "`{key}` is not described");
    }
    assert!(described.iter().all(|word| RULE_KEYS.contains(&word.as_str())), "{described:?}");
    for example in blocks(&page, "json") {
        checked("example.json", &example);
    }
}

#[test]
fn each_line_is_decided_as_the_table_says() {
    let page = read("docs/policy.md");
    let rules = checked("example.toml", &blocks(&page, "toml")[0]);
    let policy: Policy = serde_json::from_value(rules).unwrap();
    let lines = rows(&section(&page, "How careful a rule is"));
    assert!(lines.len() > 10, "{lines:?}");
    for row in lines {
        let command = &code_words(&row[0])[0];
        let question = Question {
            key: "".into(),
            kind: QuestionKind::Permission,
            title: String::new(),
            detail: String::new(),
            options: vec![],
            several: false,
            free_text: false,
            only_on_screen: false,
            tool: Some(ToolRequest::new("Bash", json!({ "command": command }))),
        };
        let ground = Ground { workspace: Path::new("/workspace"), look: &|_| PathKind::Plain };
        assert_eq!(policy.decide(&question, &ground).action.as_str(), row[1], "{command}");
    }
}
