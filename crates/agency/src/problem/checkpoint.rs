//! Problems with checkpoints.

use agency_engine::runs::checkpoints::CheckpointsError;
use agency_model::ErrorCode;
use agency_workspace::CheckpointError;

use super::{Coded, Problem};

impl Coded for CheckpointError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Missing { number, last } => problem.detail("number", number).detail("last", last),
            Self::Refused { path, .. } => {
                problem.hint("stop what writes there, then try again; nothing was changed").detail("path", path)
            }
            Self::Incomplete { path, files, before, reason } => problem
                .hint("make the directories writable, or room on the disk, then restore again")
                .detail("path", path)
                .detail("files", files)
                .detail("before", before)
                .detail("reason", reason),
            Self::NotOnBranch { branch, .. } => {
                problem.hint("restore without --commits, or check the branch out first").detail("branch", branch)
            }
            Self::BranchNotMoved { branch, .. } => {
                problem.hint("restore again with --commits").detail("branch", branch)
            }
            Self::Sparse { path } => problem.hint("restore without --commits").detail("path", path),
            Self::Workspace(error) => error.explain(problem),
        }
    }
}

impl Coded for CheckpointsError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Working { id } => {
                problem.hint("wait until its turn is over, or restore with --interrupt").detail("run_id", id)
            }
            Self::Removed { id } => {
                problem.hint(format!("agency restore {id} brings back what was saved")).detail("run_id", id)
            }
            Self::NoWorktree { id, .. } => {
                problem.hint("only runs in worktrees of git have checkpoints").detail("run_id", id)
            }
            Self::Checkpoint(error) => error.explain(problem),
            Self::Remove(error) => error.explain(problem),
            Self::Delivery(error) => error.explain(problem),
            Self::Home(error) => error.explain(problem),
            Self::Record(_) => problem,
            Self::Store(error) => error.explain(problem),
        }
    }
}
