//! Problems with repositories and workspaces.

use agency_model::{ErrorCode, shell_quoted};
use agency_workspace::WorkspaceError;

use super::{Coded, Problem};

impl Coded for WorkspaceError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        let problem = match hint_of(self) {
            Some(hint) => problem.hint(hint),
            None => problem,
        };
        self.facts().into_iter().fold(problem, |problem, (name, value)| problem.detail(name, value))
    }
}

/// The way out, where the usual one of the code is about something else.
fn hint_of(error: &WorkspaceError) -> Option<String> {
    let hint = if let WorkspaceError::NoCommit { root } = error {
        format!("git -C {} commit --allow-empty -m 'First commit'", shell_quoted(root))
    } else if let WorkspaceError::AgentsRepository { .. } | WorkspaceError::ReplacedGit { .. } = error {
        "work in your own checkout, or name it with --repo; agency rm --force moves a worktree aside and keeps its files"
            .to_owned()
    } else if let WorkspaceError::InvalidBranchName { .. } = error {
        "choose another name with --branch; git help check-ref-format has the rules".to_owned()
    } else if let WorkspaceError::BranchBlocked { by, .. } = error {
        format!("choose another name with --branch, or rename '{by}' with git branch -m")
    } else if let WorkspaceError::UnsafePromptPath { .. } = error {
        "give the prompt as a file of the repository, with --prompt-file".to_owned()
    } else {
        return None;
    };
    Some(hint)
}
