//! What is wrong with workflows, as a user meets it.

use std::fmt::Write;

use agency_engine::workflow::WorkflowError;
use agency_model::ErrorCode;
use agency_model::workflow::Problem as WorkflowProblem;

use super::Problem;

/// A terminal shows so many; scripts get all of them.
const SHOWN: usize = 50;

/// Every problem of workflow files, as one failure.
pub(crate) fn problems(found: &[WorkflowProblem]) -> Problem {
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
    Problem::new(ErrorCode::InvalidWorkflow, message).detail("problems", found)
}

impl From<WorkflowError> for Problem {
    fn from(error: WorkflowError) -> Self {
        let message = error.to_string();
        let hint = |problem: Self, nearest: Option<String>, usual: &str| match nearest {
            Some(name) => problem.hint(format!("did you mean {name}?")),
            None => problem.hint(usual),
        };
        match error {
            WorkflowError::Invalid(found) => problems(&found),
            WorkflowError::NotFound { nearest, .. } => hint(
                Self::new(ErrorCode::InvalidPath, message),
                nearest,
                "name a file, or a workflow of .agency/workflows; agency init writes two to begin with",
            ),
            WorkflowError::NoSuchStep { nearest, .. } => {
                hint(Self::new(ErrorCode::Usage, message), nearest, "name a step of the workflow with --step")
            }
            WorkflowError::Template(error) => {
                let problem = Self::new(ErrorCode::InvalidWorkflow, message)
                    .detail("file", error.file)
                    .detail("line", error.at.line)
                    .detail("column", error.at.column);
                hint(problem, error.nearest, "docs/workflows.md lists what templates can name")
            }
            WorkflowError::Io { path, .. } => Self::new(ErrorCode::Io, message).detail("path", path),
            WorkflowError::Task { .. } => Self::new(ErrorCode::InvalidWorkflow, message)
                .hint("a task is an object with a `title`, and perhaps a `body`"),
            WorkflowError::NoBead { id, .. } => Self::new(ErrorCode::InvalidWorkflow, message)
                .detail("bead", id)
                .hint("bd list shows the beads of this project"),
        }
    }
}
