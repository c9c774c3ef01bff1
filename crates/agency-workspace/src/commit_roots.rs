//! What a commit in a linked worktree writes to outside the worktree.
//!
//! The one rule: nothing is named that could be a link to somewhere else, because an agent's sandbox is opened there.

use std::fs;
use std::path::PathBuf;

use super::worktree_lookup::FoundWorktree;
use super::{GitWorktree, Result, WorkspaceError};

/// The objects, the worktree's own entry, and the directories of its branch and of the branch's log. None for a branch
/// without a directory in its name: that would be the directory of all branches.
pub(super) fn of(worktree: &GitWorktree) -> Result<Vec<PathBuf>> {
    let lookup = FoundWorktree::find(worktree)?;
    let common = fs::canonicalize(&lookup.common_dir).map_err(WorkspaceError::io("look at", &lookup.common_dir))?;
    let (Some(entry), Some((directory, _))) = (lookup.entry, worktree.branch.rsplit_once('/')) else {
        return Ok(vec![]);
    };
    let (refs, logs) = (common.join("refs/heads").join(directory), common.join("logs/refs/heads").join(directory));
    // Branches that are kept in another way, such as a table, have no directory.
    if !refs.is_dir() {
        return Ok(vec![]);
    }
    fs::create_dir_all(&logs).map_err(WorkspaceError::io("make", &logs))?;
    let admin_dir = common.join("worktrees").join(entry.admin_dir.file_name().unwrap_or_default());
    let roots = vec![common.join("objects"), admin_dir, refs, logs];
    let is_itself = |root: &PathBuf| fs::canonicalize(root).is_ok_and(|real| real == *root);
    Ok(if roots.iter().all(is_itself) { roots } else { vec![] })
}
