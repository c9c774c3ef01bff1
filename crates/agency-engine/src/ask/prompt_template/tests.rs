//! The scenarios of the document that are about the template, by their names.

use super::*;
use std::fs;

fn sources(names: &[(&str, bool)]) -> Vec<ResolvedSource> {
    let source = |(name, directory): &(&str, bool)| ResolvedSource {
        name: (*name).to_owned(),
        path: PathBuf::from("/s").join(name),
        directory: *directory,
    };
    names.iter().map(source).collect()
}

fn template(text: &str) -> Result<PromptTemplate, TemplateError> {
    PromptTemplate::checked(text.to_owned(), Path::new("/t.md"))
}

// proves A4
#[test]
fn generate_prompt_file_for_ask() {
    let template = template("Q: ${question}\nS:\n${sourcesList}\n").unwrap();
    let prompt = template.render("How do I create a tool?", &sources(&[("langchain", true), ("langgraph", true)]));
    assert_eq!(prompt, "Q: How do I create a tool?\nS:\n- ./langchain/\n- ./langgraph/\n");
    let prompt = template.render("?", &sources(&[("readme", false)]));
    assert_eq!(prompt, "Q: ?\nS:\n- ./readme\n");
}

// proves A4
#[test]
fn preserve_template_structure() {
    let text = "\u{feff}# Ours\r\n$ {question} ${other} $${question}$ ${question}${ \t${sourcesList}\n\n\n${question";
    let prompt = template(text).unwrap().render("q", &sources(&[("a", true)]));
    assert_eq!(prompt, "\u{feff}# Ours\r\n$ {question} ${other} $q$ q${ \t- ./a/\n\n\n${question");
}

// proves A4
#[test]
fn what_is_put_in_is_not_looked_at_again() {
    let template = template("${sourcesList}|${question}|${question}").unwrap();
    let prompt = template.render("${question} ${sourcesList} $(rm -rf /) \"'`\n", &sources(&[("a", true)]));
    let question = "${question} ${sourcesList} $(rm -rf /) \"'`\n";
    assert_eq!(prompt, format!("- ./a/|{question}|{question}"));
}

// proves A5
#[test]
fn load_existing_template() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(TEMPLATE_FILE);
    fs::write(&path, "mine ${question} ${sourcesList}").unwrap();
    assert_eq!(PromptTemplate::load(&path).unwrap().render("q", &[]), "mine q ");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine ${question} ${sourcesList}");
}

// proves A5
#[test]
fn auto_create_template_when_missing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("deep/er").join(TEMPLATE_FILE);
    let template = PromptTemplate::load(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), DEFAULT_TEMPLATE);
    assert!(template.render("What?", &[]).contains("What?"));
}

// proves A5
#[test]
fn valid_template_with_all_placeholders() {
    assert!(template("${question}${sourcesList}").is_ok());
}

// proves A5
#[test]
fn missing_question_placeholder() {
    let message = template("${sourcesList}").unwrap_err().to_string();
    assert_eq!(message, "Invalid prompt template: missing required placeholder ${question}");
}

// proves A5
#[test]
fn missing_sourceslist_placeholder() {
    let message = template("${question}").unwrap_err().to_string();
    assert_eq!(message, "Invalid prompt template: missing required placeholder ${sourcesList}");
}

// proves A5
#[test]
fn missing_both_placeholders() {
    let message = template("${Question} ${ sourcesList }").unwrap_err().to_string();
    assert_eq!(message, "Invalid prompt template: missing required placeholders ${question}, ${sourcesList}");
}

#[test]
fn default_template_content() {
    let section = |title: &str| {
        let (_, rest) = DEFAULT_TEMPLATE.split_once(title).unwrap();
        rest.split("\n# ").next().unwrap().to_owned()
    };
    assert!(section("# Question").contains("${question}"));
    assert!(section("# Available Sources").contains("${sourcesList}"));
    for tool in ["Glob", "Grep", "Read"] {
        assert!(DEFAULT_TEMPLATE.contains(tool), "{tool}");
    }
}

#[test]
fn default_template_is_valid() {
    assert!(template(DEFAULT_TEMPLATE).is_ok());
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(TEMPLATE_FILE);
    fs::write(&path, b"\xff${question}${sourcesList}").unwrap();
    assert!(matches!(PromptTemplate::load(&path), Err(TemplateError::NotText(_))));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(PromptTemplate::load(&path), Err(TemplateError::Home(_))));
}
