//! Problems with forecasts of conflicts.

use agency_engine::forecast::ForecastError;
use agency_model::ErrorCode;
use agency_workspace::MergeError;

use super::{Coded, Problem};

impl Coded for ForecastError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Merge(MergeError::Workspace(error)) | Self::Workspace(error) => error.explain(problem),
            Self::Merge(_) => problem,
            Self::Store(error) => error.explain(problem),
            Self::Project(_) => problem,
            Self::Home(error) => error.explain(problem),
        }
    }
}
