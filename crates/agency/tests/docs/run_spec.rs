//! `docs/run-spec.md` against the spec that the program reads.

use agency_model::spec::{Defaults, LimitsSpec, SpecDraft};
use agency_model::{Host, VcsChoice};
use serde_json::Value;

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::{fields, schema, world};

#[test]
fn the_example_is_a_complete_spec() {
    let example = &blocks(&section(&read("docs/run-spec.md"), "Example"), "json")[0];
    let defaults = Defaults {
        repo: None,
        base_ref: None,
        runner: None,
        host: Host::Tmux,
        vcs: VcsChoice::Auto,
        limits: LimitsSpec::default(),
        needs_prompt: true,
    };
    let spec = SpecDraft::parse("run.json", example.as_bytes()).unwrap().materialise(defaults);
    assert_eq!(spec.unwrap().name.as_deref(), Some("fix-login"));
}

#[test]
fn every_field_is_described() {
    let schema = schema(&world(), "run-spec");
    let rows = rows(&section(&read("docs/run-spec.md"), "Fields"));
    let described: Vec<String> = rows.iter().flat_map(|row| code_words(&row[0])).collect();
    for field in fields(&schema) {
        let inner = inner_fields(&schema, &field);
        if inner.is_empty() {
            assert!(described.contains(&field), "`{field}` is not described");
        }
        for inner in inner {
            let name = format!("{field}.{inner}");
            assert!(described.contains(&name), "`{name}` is not described");
        }
    }
}

/// The fields of a field that is an object.
fn inner_fields(schema: &Value, field: &str) -> Vec<String> {
    let choices = schema["properties"][field]["anyOf"].as_array();
    let reference = choices.and_then(|choices| choices.iter().find_map(|choice| choice["$ref"].as_str()));
    reference.map_or_else(Vec::new, |reference| fields(schema.pointer(reference.trim_start_matches('#')).unwrap()))
}
