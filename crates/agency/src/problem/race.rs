//! Problems with races.

use agency_engine::race::RaceError;
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for RaceError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Size { .. } => problem.hint("name them with --agents, such as --agents claude_code,codex:gpt-5"),
            Self::NotInWorktrees => {
                problem.hint("use a git repository, without --workspace and --vcs in the configuration")
            }
            Self::NotFound(_) => problem.hint("agency race ls lists all races"),
            Self::Ambiguous { ids, .. } => problem.detail("candidates", ids).hint("give more of the id"),
            Self::Incomplete { race, .. } => problem
                .detail("race", race)
                .hint(format!("agency race show {race} shows them, and agency stop ends them")),
            Self::Busy(_) => problem.hint("try again when the other command is done"),
            Self::Create(error) => error.explain(problem),
            Self::Wait(error) => error.explain(problem),
            Self::Workspace(error) => error.explain(problem),
            Self::Land(error) => error.explain(problem),
            Self::Home(error) => error.explain(problem),
            Self::Interrupted | Self::Merge(_) | Self::Record(_) | Self::Store(_) => problem,
        }
    }
}
