//! What a run is, its state and the reason for it, its prompt, and its questions.

use std::path::Path;

use agency_engine::home::read_text;
use agency_engine::store::{QuestionRow, RunRow};
use agency_model::{cut, plain_text};
use jiff::Timestamp;
use serde_json::Value;

use super::Opener;
use crate::problem::Problem;
use crate::tui::detail::{Content, Paragraph};
use crate::tui::theme::Role;
use crate::view::{reason, shown};

/// How much of a prompt, a question or a spec is shown.
const MAX_PROMPT_BYTES: usize = 256 * 1024;

/// Reads all of it.
pub(super) fn info(open: &Opener, row: &RunRow) -> Result<Option<Content>, Problem> {
    let agency = open()?;
    let now = Timestamp::now();
    let reason = reason(&agency, row.clone())?.lines(now);
    let questions = agency.questions_of(&row.id)?;
    let shown = shown(&agency, row.clone());
    let spec = shown.spec();
    let prompt = read_text(&agency.home().run(&row.id).file("prompt.md")).ok();
    let prompt = prompt.or_else(|| prompt_of(spec?, row)).unwrap_or_default();
    Ok(Some(Content::Info(paragraphs(&shown.lines(now), &reason, &prompt, &questions, spec))))
}

/// The prompt in the file that a spec names.
fn prompt_of(spec: &Value, row: &RunRow) -> Option<String> {
    let path = spec.get("prompt")?.get("path")?.as_str()?;
    read_text(&Path::new(row.directory()).join(path)).ok()
}

fn paragraphs(
    shown: &[(&'static str, String)],
    reason: &[String],
    prompt: &str,
    questions: &[QuestionRow],
    spec: Option<&Value>,
) -> Vec<Paragraph> {
    let mut told = vec![];
    for (name, value) in shown {
        lines(&mut told, name, value, Role::Plain);
    }
    title(&mut told, "Why");
    for line in reason {
        lines(&mut told, "", line, Role::Plain);
    }
    if !prompt.is_empty() {
        title(&mut told, "Prompt");
        lines(&mut told, "", prompt, Role::Plain);
    }
    if !questions.is_empty() {
        title(&mut told, "Questions");
    }
    for row in questions {
        lines(&mut told, "asked", &row.question.title, Role::Urgent);
        lines(&mut told, "", &row.question.detail, Role::Quiet);
        let by = row.answered_by.as_deref().map_or_else(String::new, |by| format!(" ({by})"));
        let answer = row.answer.as_ref().and_then(|answer| serde_json::to_string(answer).ok());
        let outcome = row.outcome.clone().or(answer).unwrap_or_else(|| "none yet".to_owned());
        lines(&mut told, "answer", &format!("{outcome}{by}"), Role::Plain);
    }
    if let Some(spec) = spec {
        title(&mut told, "Spec");
        lines(&mut told, "", &serde_json::to_string_pretty(spec).unwrap_or_default(), Role::Quiet);
    }
    told
}

fn title(told: &mut Vec<Paragraph>, text: &str) {
    told.push(Paragraph { name: String::new(), text: String::new(), role: Role::Plain });
    told.push(Paragraph { name: String::new(), text: text.to_owned(), role: Role::Title });
}

fn lines(told: &mut Vec<Paragraph>, name: &str, text: &str, role: Role) {
    let text = plain_text(text);
    let (shown, rest) = cut(&text, MAX_PROMPT_BYTES);
    for (index, line) in shown.lines().enumerate() {
        let name = if index == 0 { name } else { "" };
        told.push(Paragraph { name: name.to_owned(), text: line.to_owned(), role });
    }
    if !rest.is_empty() {
        let more = format!("({} more bytes)", rest.len());
        told.push(Paragraph { name: String::new(), text: more, role: Role::Quiet });
    }
}
