//! The problem that the workspace of a run was removed.

use agency_engine::store::RunRow;
use agency_model::{ErrorCode, Vcs, shell_quoted};

use super::Problem;

impl Problem {
    /// A removed run has no directory to compare, but its commits are still on its branch.
    pub(crate) fn removed(row: &RunRow) -> Self {
        let message = format!("{} was removed, and its worktree with it", row.id);
        let problem = Self::new(ErrorCode::InvalidState, message).detail("id", &row.id);
        match (row.vcs, &row.new_branch) {
            (Vcs::Jj, _) => problem.hint(match &row.saved_ref {
                Some(saved) if saved.starts_with("refs/") => {
                    format!("agency restore {} brings back what was saved", row.id)
                }
                Some(bookmark) => format!(
                    "what it did is kept by a bookmark: jj -R {} diff --from {} --to {}",
                    shell_quoted(&row.repo_path),
                    row.base_commit,
                    shell_quoted(bookmark)
                ),
                None => "it left nothing".to_owned(),
            }),
            (Vcs::Git, Some(branch)) => {
                let saved = match &row.saved_ref {
                    Some(_) => format!("agency restore {} brings back what was not committed; ", row.id),
                    None => String::new(),
                };
                let diff = format!(
                    "git -C {} diff {} {}",
                    shell_quoted(&row.repo_path),
                    row.base_commit,
                    shell_quoted(branch)
                );
                problem.hint(format!("{saved}its commits are on its branch: {diff}"))
            }
            (Vcs::Git, None) => problem,
        }
    }
}
