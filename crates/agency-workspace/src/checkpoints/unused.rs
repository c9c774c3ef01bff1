//! Checkpoints of a worktree that was removed long ago.
//!
//! The one rule: a ref to which alone commits of the agent lead is never deleted.

use std::collections::HashSet;

use agency_model::RunId;

use super::super::{Commit, Repository, Result, worktree_refs};
use super::chain;

/// Whether only the checkpoints of a run lead to commits that the agent made.
pub fn checkpoints_hold_commits(repository: &Repository, run: &RunId) -> Result<bool> {
    let common_dir = repository.common_dir()?;
    let all = chain::list(&common_dir, run)?;
    let heads: HashSet<&str> =
        all.iter().filter_map(|checkpoint| checkpoint.head.as_ref()).map(Commit::as_str).collect();
    worktree_refs::any_lost(&common_dir, heads)
}

/// Deletes the checkpoints of a run unless they hold such commits; whether they are gone.
pub fn forget_checkpoints(repository: &Repository, run: &RunId) -> Result<bool> {
    if checkpoints_hold_commits(repository, run)? {
        return Ok(false);
    }
    chain::delete(&repository.common_dir()?, run)?;
    Ok(true)
}
