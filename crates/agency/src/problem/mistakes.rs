//! Mistakes in files that users write: the one place that prints them.

use std::fmt::Write;

use agency_model::document::Mistake;
use serde_json::{Value, json};

use super::Problem;

/// A terminal shows so many; scripts get all of them.
const SHOWN: usize = 50;

/// All mistakes as one message: a line for each, or a paragraph with the lines of the file where they may be shown.
pub(super) fn message_of(mistakes: &[Mistake]) -> String {
    let has_excerpts = mistakes.iter().any(|mistake| !mistake.excerpt().is_empty());
    let mut message = match mistakes.len() {
        _ if !has_excerpts => String::new(),
        1 => "1 problem\n\n".to_owned(),
        count => format!("{count} problems\n\n"),
    };
    let between = if has_excerpts { "\n\n" } else { "\n" };
    let shown: Vec<String> = mistakes.iter().take(SHOWN).map(paragraph).collect();
    message.push_str(&shown.join(between));
    if mistakes.len() > SHOWN {
        // Writing to a string does not fail.
        let _ = write!(message, "{between}and {} more", mistakes.len() - SHOWN);
    }
    message
}

fn paragraph(mistake: &Mistake) -> String {
    let excerpt = mistake.excerpt().lines().map(|line| format!("\n  {line}"));
    format!("{mistake}{}", excerpt.collect::<String>())
}

/// Adds the place of the first mistake, and all of them where there are several.
pub(super) fn with_places(problem: Problem, mistakes: &[Mistake]) -> Problem {
    let Some(first) = mistakes.first() else { return problem };
    let problem = with_place(problem, first);
    if mistakes.len() > 1 { problem.detail("mistakes", as_entries(mistakes)) } else { problem }
}

/// Adds the file, the line and the column of a mistake, as far as it has them.
pub(super) fn with_place(mut problem: Problem, mistake: &Mistake) -> Problem {
    if let Some(file) = mistake.file() {
        problem = problem.detail("file", file);
    }
    if let Some(at) = mistake.position() {
        problem = problem.detail("line", at.line).detail("column", at.column);
    }
    problem
}

/// Each mistake with its file, line, column and key.
pub(super) fn as_entries(mistakes: &[Mistake]) -> Vec<Value> {
    let entry = |mistake: &Mistake| {
        let at = mistake.position();
        json!({
            "file": mistake.file(),
            "line": at.map(|at| at.line),
            "column": at.map(|at| at.column),
            "key": mistake.field,
            "message": mistake.advice(),
        })
    };
    mistakes.iter().map(entry).collect()
}

/// Each mistake as workflows report it, with the line of the file.
pub(super) fn as_problems(mistakes: &[Mistake]) -> Vec<Value> {
    let problem = |mistake: &Mistake| {
        let at = mistake.position();
        json!({
            "file": mistake.file(),
            "line": at.map(|at| at.line),
            "column": at.map(|at| at.column),
            "message": mistake.statement(),
            "nearest": mistake.nearest,
            "excerpt": mistake.excerpt(),
        })
    };
    mistakes.iter().map(problem).collect()
}
