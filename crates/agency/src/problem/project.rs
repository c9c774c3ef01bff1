//! Problems with the project file of a repository.

use agency_engine::project::ProjectError;
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for ProjectError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Invalid(error) => error.explain(problem),
            Self::Store(error) => error.explain(problem),
            Self::NotTrusted { repository, path, commands } => {
                problem.detail("repo", repository).detail("file", path).detail("commands", commands)
            }
            Self::Unreadable { path, .. } => problem.detail("file", path),
            Self::NotAllowed(_) => problem,
        }
    }
}
