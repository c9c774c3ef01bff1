//! Brings the work of a branch into another branch.
//!
//! The one rule: the target moves from a commit that was looked at to one that holds it, or not at all; a merge that
//! was made is never made again.

mod advance;
mod combine;
mod error;
mod hooks;
mod merge_tree;
mod place;
mod record;
mod replay;
mod target;
mod trial;
mod version;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

pub use error::MergeError;
pub use target::default_target;

use super::git_command::GitCommand;
use super::site::Site;
use super::{Commit, GitWorktree, Review, branch};
use crate::fault;
use advance::Advanced;
use combine::Made;
pub(super) use merge_tree::{Combined, merge_tree};
pub(super) use place::Place;
pub(super) use target::check_target;

/// So often a merge is made anew because somebody else moved the target.
const TRIES: usize = 5;

/// Work on a branch of its own, which can be committed, looked at and merged.
pub trait BranchWork {
    /// Commits what is not committed, with the user's name, hooks and signature.
    fn commit_all(&self, message: &str) -> Result<Committed, MergeError>;

    /// What a merge into a branch would bring; what is not committed is no part of it.
    fn review(&self, into: &str) -> Result<Review, MergeError>;

    /// Merges the branch. Safe to repeat after a crash.
    fn merge(&self, request: &MergeRequest) -> Result<MergeOutcome, MergeError>;
}

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

/// How a branch is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MergeStrategy {
    /// By a merge commit, even where the target could just move on, as `git merge --no-ff` does.
    #[default]
    Merge,
    /// By one commit with all changes.
    Squash,
    /// By its commits, made anew on top of the target.
    Rebase,
}

/// A wish to merge a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// The branch to merge into.
    pub into: String,
    /// How to merge.
    pub strategy: MergeStrategy,
    /// The message of the commit that `merge` and `squash` make; without one it names the branch.
    pub message: Option<String>,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    /// The target has the work now.
    Merged(Merged),
    /// The target had the work already, perhaps by an earlier call that did not live to say so.
    AlreadyMerged {
        /// The target branch.
        target: String,
        /// The commit it points at.
        commit: Commit,
    },
    /// Both sides changed the same; nothing was merged.
    Conflicts {
        /// The target branch.
        target: String,
        /// The commit of the branch that does not fit, if its commits are made anew one by one.
        at: Option<Commit>,
        /// Each file that does not merge.
        conflicts: Vec<Conflict>,
    },
}

/// A merge that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The target branch.
    pub target: String,
    /// The commit it pointed at before.
    pub before: Commit,
    /// The commit it points at now.
    pub commit: Commit,
    /// What became of each place where the target is checked out.
    pub checkouts: Vec<CheckoutFate>,
}

/// What became of the files where the target is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckoutFate {
    /// They are those of the merge.
    Updated {
        /// The top of the working tree.
        path: PathBuf,
    },
    /// They are as they were: something of the user's is in the way. Until they are brought up to date, git shows the
    /// merge as undone there, and a commit there would undo it.
    LeftAlone {
        /// The top of the working tree.
        path: PathBuf,
        /// What git says is in the way.
        reason: String,
        /// What brings the files up to date and keeps the user's changes, one command after the other.
        commands: Vec<String>,
    },
}

/// One file that does not merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path below the repository.
    pub path: PathBuf,
    /// What kind of conflict, in git's words: `contents`, `modify/delete`, `binary` and others.
    pub kind: String,
    /// Git's sentence about it.
    pub message: String,
}

/// Merges the branch of a worktree.
pub(super) fn merge(worktree: &GitWorktree, request: &MergeRequest) -> Result<MergeOutcome, MergeError> {
    version::check(request.strategy)?;
    let common_dir = Site::find(worktree)?.common_dir;
    let _turn = place::take_turn(&common_dir)?;
    let target = check_target(&common_dir, &worktree.branch, &request.into)?;
    for _ in 0..TRIES {
        let before = tip_of(&common_dir, &target)
            .and_then(|tip| tip.ok_or_else(|| MergeError::TargetMissing { name: target.clone() }))?;
        let tip = tip_of(&common_dir, &worktree.branch)
            .and_then(|tip| tip.ok_or_else(|| MergeError::BranchMissing { branch: worktree.branch.clone() }))?;
        let done = MergeOutcome::AlreadyMerged { target: target.clone(), commit: before.clone() };
        if contains(&common_dir, &before, &tip)? || record::says_merged(&common_dir, &worktree.run, &tip, &before)? {
            return Ok(done);
        }
        let place = Place::find(&common_dir, worktree, &target)?;
        let task = combine::Task { worktree, request, place: &place, target: &target, before: &before, tip: &tip };
        let commit = match task.make()? {
            Made::Commit(commit) => commit,
            Made::Nothing => return Ok(done),
            Made::Conflicts { at, conflicts } => return Ok(MergeOutcome::Conflicts { target, at, conflicts }),
        };
        fault::point("merge.made");
        match request.strategy {
            // The branch itself is in the target then, which nobody can mistake.
            MergeStrategy::Merge => {}
            MergeStrategy::Squash | MergeStrategy::Rebase => record::write(&place, &worktree.run, &commit, &tip)?,
        }
        fault::point("merge.recorded");
        // Hooks take their time: meanwhile somebody may have switched branches.
        let place = Place::find(&common_dir, worktree, &target)?;
        let step = advance::Step { place: &place, branch: &worktree.branch, before: &before, after: &commit };
        match step.advance()? {
            Advanced::Moved(checkouts) => {
                fault::point("merge.moved");
                task.tell_hooks()?;
                return Ok(MergeOutcome::Merged(Merged { target, before, commit, checkouts }));
            }
            Advanced::Overtaken => {}
        }
    }
    Err(MergeError::KeepsMoving { branch: target, tries: TRIES })
}

/// Checks that git can tell who commits.
pub(super) fn check_identity(directory: &Path) -> Result<(), MergeError> {
    for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        let asked = GitCommand::at(directory).run(["var"]).arg(who).finish()?;
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
