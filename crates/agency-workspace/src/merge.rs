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
mod put_back;
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
    UnknownStrategy,
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
pub(super) use merge_tree::{Combined, conflicts_in, merge_by, merge_tree};

/// How often a merge is made anew because the target was moved meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// How often a check is repeated while other merges may overtake it.
const UNLOCKED_CHECKS: usize = 2;

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

/// Looks at a merge before it is visible; `false` keeps the target where it is.
pub type MergeCheck<'a> = dyn FnMut(&ProposedMerge) -> bool + 'a;

/// A merge that is made, but to which no branch points yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedMerge {
    /// The target branch.
    pub target: String,
    /// The commit that the target points at.
    pub before: Commit,
    /// The commit on top of it that has the work.
    pub commit: Commit,
    /// The commit of the branch that is merged.
    pub tip: Commit,
}

/// How far a merge can be made.
enum Proposal {
    Ready(ProposedMerge),
    /// There is nothing to make, or nothing that can be made.
    Over(MergeOutcome),
}

/// Merges the branch of a worktree.
pub(super) fn merge(
    worktree: &GitWorktree,
    request: &MergeRequest,
    mut check: Option<&mut MergeCheck<'_>>,
) -> Result<MergeOutcome, MergeError> {
    checks::check_git_version(request.strategy)?;
    let common_dir = FoundWorktree::find(worktree)?.common_dir;
    let mut lock = Some(context::lock_merges(&common_dir)?);
    let target = check_target(&common_dir, &worktree.branch, &request.into)?;
    let merging = Merging { worktree, request, common_dir: &common_dir, target: &target };
    for attempt in 0..MAX_ATTEMPTS {
        let proposed = match merging.propose()? {
            Proposal::Ready(proposed) => proposed,
            Proposal::Over(outcome) => return Ok(outcome),
        };
        fault::point("merge.made");
        if let Some(check) = check.as_deref_mut() {
            // Other merges need not wait for a check. But one that was overtaken twice would be again.
            let waits_alone = attempt < UNLOCKED_CHECKS;
            if waits_alone {
                drop(lock.take());
            }
            if !check(&proposed) {
                return Ok(MergeOutcome::Refused { target, commit: proposed.commit });
            }
            fault::point("merge.checked");
            if waits_alone {
                lock = Some(context::lock_merges(&common_dir)?);
            }
            if merging.is_overtaken(&proposed)? {
                continue;
            }
        }
        if let Some(outcome) = merging.complete(&proposed)? {
            return Ok(outcome);
        }
    }
    Err(MergeError::KeepsMoving { branch: target, tries: MAX_ATTEMPTS })
}

/// One call.
struct Merging<'a> {
    worktree: &'a GitWorktree,
    request: &'a MergeRequest,
    common_dir: &'a Path,
    target: &'a str,
}

impl Merging<'_> {
    /// Makes the commit to which the target can move.
    fn propose(&self) -> Result<Proposal, MergeError> {
        let Self { worktree, request, common_dir, target } = *self;
        let (before, tip) = (self.before()?, self.tip()?);
        let done = || -> Result<Proposal, MergeError> {
            let saved = saved(common_dir, request)?;
            let (target, commit) = (target.to_owned(), before.clone());
            Ok(Proposal::Over(MergeOutcome::AlreadyMerged { target, commit, saved }))
        };
        if contains(common_dir, &before, &tip)? || record::says_merged(common_dir, worktree, (&tip, &before), request)?
        {
            return done();
        }
        let place = MergeContext::find(common_dir, worktree, target)?;
        if let Some(checkouts) = in_the_way(&place, request, &before, &tip)? {
            return Ok(Proposal::Over(MergeOutcome::Blocked { target: target.to_owned(), checkouts }));
        }
        let task = combine::Task { worktree, request, place: &place, target, before: &before, tip: &tip };
        match task.make()? {
            Made::Commit(commit) => {
                Ok(Proposal::Ready(ProposedMerge { target: target.to_owned(), before, commit, tip }))
            }
            Made::Nothing => done(),
            Made::Conflicts { at, conflicts } => {
                Ok(Proposal::Over(MergeOutcome::Conflicts { target: target.to_owned(), at, conflicts }))
            }
        }
    }

    /// Whether target or branch moved since the commit was made.
    fn is_overtaken(&self, proposed: &ProposedMerge) -> Result<bool, MergeError> {
        Ok(self.before()? != proposed.before || self.tip()? != proposed.tip)
    }

    /// Moves the target; `None` where it was moved meanwhile.
    fn complete(&self, proposed: &ProposedMerge) -> Result<Option<MergeOutcome>, MergeError> {
        let Self { worktree, request, common_dir, target } = *self;
        let ProposedMerge { before, commit, tip, .. } = proposed;
        // Hooks and checks take their time: meanwhile the user may have switched branches.
        let place = MergeContext::find(common_dir, worktree, target)?;
        match request.strategy {
            // The branch itself is in the target then, which is unambiguous.
            MergeStrategy::Merge => {}
            MergeStrategy::Squash | MergeStrategy::Rebase => {
                record::write(&place, &worktree.run, (commit, tip), request.record.as_deref())?;
            }
        }
        fault::point("merge.recorded");
        let (branch, dirty) = (&worktree.branch, &request.dirty);
        let step = advance::Step { place: &place, branch, before, after: commit, dirty };
        let changes_hooks = step.changes_hooks(&place.top)?;
        match step.advance()? {
            Advanced::Moved => {
                fault::point("merge.moved");
                // Where the checkout was updated, those that came with the merge are there now.
                if !changes_hooks {
                    combine::Task { worktree, request, place: &place, target, before, tip }.tell_hooks()?;
                }
                let saved = saved(common_dir, request)?;
                let (target, before, commit) = (target.to_owned(), before.clone(), commit.clone());
                let checkouts = place.checkouts;
                Ok(Some(MergeOutcome::Merged(Merged { target, before, commit, checkouts, saved })))
            }
            Advanced::Blocked(checkouts) => Ok(Some(MergeOutcome::Blocked { target: target.to_owned(), checkouts })),
            Advanced::Overtaken => Ok(None),
        }
    }

    fn before(&self) -> Result<Commit, MergeError> {
        tip_of(self.common_dir, self.target)?.ok_or_else(|| MergeError::TargetMissing { name: self.target.to_owned() })
    }

    fn tip(&self) -> Result<Commit, MergeError> {
        let branch = &self.worktree.branch;
        let tip =
            tip_of(self.common_dir, branch)?.ok_or_else(|| MergeError::BranchMissing { branch: branch.clone() })?;
        match &self.request.tip {
            Some(expected) if *expected != tip => Err(MergeError::BranchMoved { branch: branch.clone() }),
            Some(_) | None => Ok(tip),
        }
    }
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
