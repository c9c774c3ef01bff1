//! What is wrong with workflows, as a user meets it.

use agency_engine::workflow::WorkflowError;
use agency_model::ErrorCode;
use agency_model::document::Mistake;

use super::mistakes::{as_problems, message_of, with_place};
use super::{Coded, Problem};

/// Every mistake of workflow files, as one failure.
pub(crate) fn problems(found: &[Mistake]) -> Problem {
    Problem::new(ErrorCode::InvalidWorkflow, message_of(found)).detail("problems", as_problems(found))
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
            Self::Invalid(found) => message_of(found.as_slice()),
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
            Self::Invalid(found) => problem.detail("problems", as_problems(found.as_slice())),
            Self::NotFound { nearest, .. } => meant_or(
                problem,
                nearest.as_deref(),
                "name a file, or a workflow of .agency/workflows; agency init writes two to begin with",
            ),
            Self::NoSuchStep { nearest, .. } => {
                meant_or(problem, nearest.as_deref(), "name a step of the workflow with --step")
            }
            Self::Template(mistake) => {
                with_place(problem, mistake).hint("docs/workflows.md lists what templates can name")
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
