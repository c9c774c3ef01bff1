//! Problems with comments and approvals.

use agency_engine::runs::review::ReviewError;
use agency_model::ErrorCode;

use super::messages::with_refusal;
use super::{Coded, Problem};

impl Coded for ReviewError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Misplaced { path, .. } => problem.detail("path", path),
            Self::NoComment { run, .. } => problem.hint(format!("agency review {run} lists the comments")),
            Self::NothingToSend { run } => {
                problem.hint(format!("agency review {run} --comment FILE:LINE:TEXT writes one"))
            }
            Self::Busy { .. } => problem.hint("try again when the other command is done"),
            Self::AtWork { run } => {
                problem.hint(format!("agency wait {run} waits for its end; agency interrupt {run} ends its turn"))
            }
            Self::Changed { run, tree } => {
                problem.hint(format!("agency diff {run} shows the work as it is now")).detail("tree", tree)
            }
            Self::NotAllowed(refusal) => with_refusal(problem, refusal),
            Self::Delivery(error) => error.explain(problem),
            Self::Resume(error) => error.explain(problem),
            Self::Workspace(error) => error.explain(problem),
            Self::NoFiles { .. } | Self::Record(_) | Self::Home(_) | Self::Store(_) => problem,
        }
    }
}
