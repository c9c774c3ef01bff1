//! What is recorded of a git worktree: the files of the verbs have its methods.

use std::path::PathBuf;

use agency_model::RunId;

use super::Commit;

/// The worktree of one run, as recorded with the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitWorktree {
    /// The top of the repository's own working tree.
    pub repository: PathBuf,
    /// The run that works here.
    pub run: RunId,
    /// The commit the branch starts at.
    pub base: Commit,
    /// The run's branch.
    pub branch: String,
    /// Where the worktree is, absolute.
    pub path: PathBuf,
    /// The directory below which all worktrees are.
    pub worktrees_root: PathBuf,
    /// Where directories go before they are deleted; best on the filesystem of the worktrees.
    pub trash: PathBuf,
    /// Where a look at the files is kept for the next one; `None` where nothing is kept. It may be deleted at any time.
    pub looks: Option<PathBuf>,
}
