//! Problems with `du` and `gc`.

use agency_engine::housekeeping::HousekeepingError;
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for HousekeepingError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Busy => problem.hint("wait until it is done, and try again"),
            Self::Interrupted => problem,
            Self::Store(error) => error.explain(problem),
            Self::Home(error) => error.explain(problem),
        }
    }
}
