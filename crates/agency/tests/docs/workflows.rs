//! `docs/workflows.md` against the table of fields and what templates know.

use agency_model::template::FUNCTIONS;
use agency_model::workflow::{RESULT_FIELDS, Shape, StepKind, TASK_FIELDS};

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::world;

/// The headings under which the fields of an object are.
fn headings(shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Workflow => &["The file"],
        Shape::Defaults => &["Defaults"],
        Shape::Step(StepKind::Agent) => &["Every step", "Agent"],
        Shape::Step(StepKind::Script) => &["Every step", "Script"],
        Shape::Step(StepKind::Loop) => &["Every step", "Loop"],
        Shape::Step(StepKind::Parallel) => &["Every step", "Parallel"],
        Shape::Step(StepKind::Merge) => &["Every step", "Merge"],
        Shape::Step(StepKind::Approval) => &["Every step", "Approval"],
        Shape::Stage => &["Stage"],
        Shape::Task => &["Task"],
        Shape::McpServer => &["MCP server"],
    }
}

#[test]
fn every_field_is_described_with_its_default_and_no_other() {
    let page = read("docs/workflows.md");
    for shape in Shape::ALL {
        let rows: Vec<Vec<String>> =
            headings(*shape).iter().flat_map(|heading| rows(&section(&page, heading))).collect();
        let described: Vec<String> = rows.iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
        let known: Vec<&str> = shape.fields().map(|field| field.name).collect();
        assert_eq!(described, known, "{}", shape.described());
        for (row, field) in rows.iter().zip(shape.fields()) {
            assert_eq!(row[3], field.what, "`{}` of {}", field.name, shape.described());
            assert!(field.default.is_empty() || row[2] == field.default, "`{}`: {}", field.name, row[2]);
        }
    }
}

#[test]
fn every_function_and_every_name_is_described() {
    let page = read("docs/workflows.md");
    let words: Vec<String> = code_words(&section(&page, "Template functions"))
        .iter()
        .filter_map(|word| word.split(' ').next().map(str::to_owned))
        .collect();
    for function in FUNCTIONS {
        assert!(words.iter().any(|word| word == function), "`{function}` is not described");
    }
    let named = code_words(&section(&page, "Template variables"));
    for name in RESULT_FIELDS.iter().chain(TASK_FIELDS) {
        assert!(named.iter().any(|word| word == name), "`{name}` is not described");
    }
}

#[test]
fn the_examples_are_right() {
    let page = read("docs/workflows.md");
    let world = world();
    let repo = world.repo("project");
    for (number, example) in blocks(&page, "yaml").iter().enumerate() {
        let file = format!("example-{number}.yaml");
        repo.write(&file, example);
        world.ok(&["workflow", "validate", repo.path.join(file).to_str().unwrap()]);
    }
}
