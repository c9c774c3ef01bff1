//! Problems with the project file of a repository.

use agency_engine::project::ProjectError;
use agency_engine::runs::trust::TrustError;
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for ProjectError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Invalid(error) => {
                error.explain(problem).hint("agency help worktrees and agency help land describe the project file")
            }
            Self::Store(error) => error.explain(problem),
            Self::NotTrusted { repository, path, commands, paths } => problem
                .detail("repo", repository)
                .detail("file", path)
                .detail("commands", commands)
                .detail("paths", paths),
            Self::Unreadable { path, .. } => problem.detail("file", path),
        }
    }
}

impl Coded for TrustError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Store(error) => error.explain(problem),
            Self::NotAllowed(_) => problem,
        }
    }
}
