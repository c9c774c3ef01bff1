//! Brings the work of a branch into another branch.
//!
//! The one rule: the target moves from a commit that was looked at to one that holds it, or not at all; a merge that
//! was made is never made again.

mod advance;
mod checks;
mod combine;
mod context;
mod dirty;
mod error;
mod hooks;
mod merge_tree;
mod outcome;
mod private_index;
mod record;
mod replay;
mod save;
mod trial;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

pub use checks::default_target;
pub use error::MergeError;
pub use outcome::{
    Conflict, DirtyCheckout, DirtyFiles, MergeOutcome, MergeRequest, MergeStrategy, Merged, SavedChanges,
};

use super::git_command::GitCommand;
use super::worktree_lookup::FoundWorktree;
use super::{Commit, GitWorktree, branch};
use advance::Advanced;
use agency_system::fault;
pub(super) use checks::check_target;
use combine::Made;
pub(super) use context::MergeContext;
pub(super) use hooks::hooks_directory;
pub(super) use merge_tree::{Combined, merge_tree};

/// How often a merge is made anew because the target was moved meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// What is on the branch after everything was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The tip of the branch.
    pub commit: Commit,
    /// How many files were committed now; with none there was nothing to commit.
    pub files: usize,
    /// Git repositories inside the worktree, whose content a commit cannot hold.
    pub left_out: Vec<PathBuf>,
}

/// Merges the branch of a worktree.
pub(super) fn merge(worktree: &GitWorktree, request: &MergeRequest) -> Result<MergeOutcome, MergeError> {
    checks::check_git_version(request.strategy)?;
    let common_dir = FoundWorktree::find(worktree)?.common_dir;
    let _lock = context::lock_merges(&common_dir)?;
    let target = check_target(&common_dir, &worktree.branch, &request.into)?;
    for _ in 0..MAX_ATTEMPTS {
        let before = tip_of(&common_dir, &target)
            .and_then(|tip| tip.ok_or_else(|| MergeError::TargetMissing { name: target.clone() }))?;
        let tip = tip_of(&common_dir, &worktree.branch)
            .and_then(|tip| tip.ok_or_else(|| MergeError::BranchMissing { branch: worktree.branch.clone() }))?;
        let done = || -> Result<MergeOutcome, MergeError> {
            let saved = saved(&common_dir, request)?;
            Ok(MergeOutcome::AlreadyMerged { target: target.clone(), commit: before.clone(), saved })
        };
        if contains(&common_dir, &before, &tip)?
            || record::says_merged(&common_dir, worktree, (&tip, &before), request)?
        {
            return done();
        }
        let place = MergeContext::find(&common_dir, worktree, &target)?;
        if let Some(checkouts) = in_the_way(&place, request, &before, &tip)? {
            return Ok(MergeOutcome::Blocked { target, checkouts });
        }
        let task = combine::Task { worktree, request, place: &place, target: &target, before: &before, tip: &tip };
        let commit = match task.make()? {
            Made::Commit(commit) => commit,
            Made::Nothing => return done(),
            Made::Conflicts { at, conflicts } => return Ok(MergeOutcome::Conflicts { target, at, conflicts }),
        };
        fault::point("merge.made");
        match request.strategy {
            // The branch itself is in the target then, which is unambiguous.
            MergeStrategy::Merge => {}
            MergeStrategy::Squash | MergeStrategy::Rebase => {
                record::write(&place, &worktree.run, (&commit, &tip), request.record.as_deref())?;
            }
        }
        fault::point("merge.recorded");
        // Hooks take their time: meanwhile the user may have switched branches.
        let place = MergeContext::find(&common_dir, worktree, &target)?;
        let (branch, dirty) = (&worktree.branch, &request.dirty);
        let step = advance::Step { place: &place, branch, before: &before, after: &commit, dirty };
        let changes_hooks = step.changes_hooks(&place.top)?;
        match step.advance()? {
            Advanced::Moved => {
                fault::point("merge.moved");
                // Where the checkout was updated, those that came with the merge are there now.
                if !changes_hooks {
                    task.tell_hooks()?;
                }
                let saved = saved(&common_dir, request)?;
                let checkouts = place.checkouts.clone();
                return Ok(MergeOutcome::Merged(Merged { target, before, commit, checkouts, saved }));
            }
            Advanced::Blocked(checkouts) => return Ok(MergeOutcome::Blocked { target, checkouts }),
            Advanced::Overtaken => {}
        }
    }
    Err(MergeError::KeepsMoving { branch: target, tries: MAX_ATTEMPTS })
}

/// The checkouts in which changes are in the way, looked at before any hook takes its time.
fn in_the_way(
    place: &MergeContext,
    request: &MergeRequest,
    before: &Commit,
    tip: &Commit,
) -> Result<Option<Vec<DirtyCheckout>>, MergeError> {
    if place.checkouts.is_empty() || request.dirty != DirtyFiles::Block {
        return Ok(None);
    }
    let Combined::Clean(tree) = merge_tree(place, None, before, tip)? else { return Ok(None) };
    let dirty = advance::dirty_checkouts(place, before, &tree)?;
    Ok((!dirty.is_empty()).then(|| advance::described(&dirty)))
}

/// What calls with this request saved.
fn saved(common_dir: &Path, request: &MergeRequest) -> Result<Vec<SavedChanges>, MergeError> {
    match &request.dirty {
        DirtyFiles::Block => Ok(vec![]),
        DirtyFiles::Save { name } => save::list(common_dir, name),
    }
}

/// Checks that git has an identity to commit with.
pub(super) fn check_identity(git: impl Fn() -> GitCommand) -> Result<(), MergeError> {
    for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        let asked = git().run(["var"]).arg(who).finish()?;
        if !asked.success {
            let message = asked.stderr.lines().last().unwrap_or_default().to_owned();
            return Err(MergeError::NoIdentity { message });
        }
    }
    Ok(())
}

/// The paths that git prints with a NUL after each.
pub(super) fn paths_in(printed: &[u8]) -> Vec<PathBuf> {
    let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec()))).collect()
}

/// The commit that a branch points at.
pub(super) fn tip_of(common_dir: &Path, name: &str) -> Result<Option<Commit>, MergeError> {
    Ok(branch::commit_of(common_dir, &branch::full_name(name))?)
}

/// Whether a commit holds another one in its history.
pub(super) fn contains(git_dir: &Path, commit: &Commit, other: &Commit) -> Result<bool, MergeError> {
    let asked = GitCommand::on(git_dir).run(["merge-base", "--is-ancestor"]);
    Ok(asked.args([other.as_str(), commit.as_str()]).finish()?.success)
}
