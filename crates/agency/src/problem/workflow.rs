//! What is wrong with workflows, as a user meets it.

use std::fmt::Write;

use agency_engine::workflow::WorkflowError;
use agency_model::ErrorCode;
use agency_model::workflow::Problem as WorkflowProblem;

use super::{Coded, Problem};

/// A terminal shows so many; scripts get all of them.
const SHOWN: usize = 50;

/// Every problem of workflow files, as one failure.
pub(crate) fn problems(found: &[WorkflowProblem]) -> Problem {
    Problem::new(ErrorCode::InvalidWorkflow, message_of(found)).detail("problems", found)
}

fn message_of(found: &[WorkflowProblem]) -> String {
    let count = if found.len() == 1 { "1 problem".to_owned() } else { format!("{} problems", found.len()) };
    let mut message = count;
    for problem in found.iter().take(SHOWN) {
        // Writing to a string does not fail.
        let _ = write!(message, "\n\n{problem}");
        for line in problem.excerpt.lines() {
            let _ = write!(message, "\n  {line}");
        }
    }
    if found.len() > SHOWN {
        let _ = write!(message, "\n\nand {} more", found.len() - SHOWN);
    }
    message
}

impl Coded for WorkflowError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::InvalidPath,
            Self::NoSuchStep { .. } => ErrorCode::Usage,
            Self::Io { .. } => ErrorCode::Io,
            Self::Invalid(_) | Self::Template(_) | Self::Task { .. } | Self::NoBead { .. } => {
                ErrorCode::InvalidWorkflow
            }
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(found) => message_of(found),
            Self::NotFound { .. }
            | Self::NoSuchStep { .. }
            | Self::Io { .. }
            | Self::Template(_)
            | Self::Task { .. }
            | Self::NoBead { .. } => self.to_string(),
        }
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Invalid(found) => problem.detail("problems", found),
            Self::NotFound { nearest, .. } => meant_or(
                problem,
                nearest.as_deref(),
                "name a file, or a workflow of .agency/workflows; agency init writes two to begin with",
            ),
            Self::NoSuchStep { nearest, .. } => {
                meant_or(problem, nearest.as_deref(), "name a step of the workflow with --step")
            }
            Self::Template(error) => {
                let problem =
                    problem.detail("file", &error.file).detail("line", error.at.line).detail("column", error.at.column);
                meant_or(problem, error.nearest.as_deref(), "docs/workflows.md lists what templates can name")
            }
            Self::Io { path, .. } => problem.detail("path", path),
            Self::Task { .. } => problem.hint("a task is an object with a `title`, and perhaps a `body`"),
            Self::NoBead { id, .. } => problem.detail("bead", id).hint("bd list shows the beads of this project"),
        }
    }
}

fn meant_or(problem: Problem, nearest: Option<&str>, usual: &str) -> Problem {
    match nearest {
        Some(name) => problem.hint(format!("did you mean {name}?")),
        None => problem.hint(usual),
    }
}
