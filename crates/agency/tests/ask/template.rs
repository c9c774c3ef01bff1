//! The scenarios of the document about the prompt template that need the program, by their names.

use std::fs;

use agency_model::ErrorCode;

use super::fixture::world;

const PRINT: &str = r#"cat "$1""#;

// proves A5
#[test]
fn template_path_resolution() {
    let world = world(PRINT);
    let other = world.root().join("elsewhere");
    fs::create_dir(&other).unwrap();
    fs::copy(world.root().join("home/config.toml"), other.join("config.toml")).unwrap();
    fs::copy(world.root().join("home/sources.toml"), other.join("sources.toml")).unwrap();
    fs::write(other.join("prompt_template.md"), "there: ${question} ${sourcesList}\n").unwrap();
    let config = other.join("config.toml");
    let said = world.ok(&["ask", "--config", config.to_str().unwrap(), "-s", "docs", "q"]);
    assert_eq!(said.stdout, "there: q - ./docs/\n");
    let said = world.ok(&["ask", "-s", "docs,note", "q"]);
    assert!(said.stdout.contains("- ./docs/\n- ./note\n"), "{said}");
    let written = fs::read_to_string(world.root().join("home/prompt_template.md")).unwrap();
    assert!(written.contains("${question}") && written.contains("${sourcesList}"));
}

// proves A5
#[test]
fn a_template_without_its_placeholders_is_refused_with_the_words_of_the_document() {
    let world = world(PRINT);
    let path = world.root().join("home/prompt_template.md");
    let cases = [
        ("${sourcesList}", "Invalid prompt template: missing required placeholder ${question}"),
        ("${question}", "Invalid prompt template: missing required placeholder ${sourcesList}"),
        ("nothing", "Invalid prompt template: missing required placeholders ${question}, ${sourcesList}"),
    ];
    for (text, message) in cases {
        fs::write(&path, text).unwrap();
        let error = world.error(&["ask", "-s", "docs", "q"], ErrorCode::InvalidTemplate);
        assert_eq!(error["message"], message);
    }
    assert!(world.runs().is_empty());
}

// proves A4
#[test]
fn a_question_is_put_in_as_it_is_whatever_it_says() {
    let world = world(PRINT);
    fs::write(world.root().join("home/prompt_template.md"), "<${question}>${sourcesList}").unwrap();
    let nasty = "\"quotes\" 'single' \\back\\ `id` $(rm -rf /) ${question} ${sourcesList} {prompt_file}\n\n\ttabs é 🦀";
    let said = world.ok(&["ask", "-s", "docs", "--", nasty]);
    assert_eq!(said.stdout, format!("<{nasty}>- ./docs/\n"));
    let said = world.ok(&["ask", "-s", "docs", "--help-me"]);
    assert_eq!(said.stdout, "<--help-me>- ./docs/\n");
}
