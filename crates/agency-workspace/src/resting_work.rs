//! Whether all work of a worktree is in the commit of its branch, so that its removal has nothing to save.
//!
//! The one rule: this only reads, and what cannot be read counts as work.

use std::fmt;

use super::head::Head;
use super::worktree_lookup::FoundWorktree;
use super::worktree_refs::OwnCommits;
use super::{Commit, GitWorktree, Result, Workspace, branch, entry};

/// Where the work of a worktree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestingWork {
    /// All of it is in this commit, at which the branch is.
    InBranch(Commit),
    /// A removal would have to save or keep something.
    Beside(BesideBranch),
}

/// What a worktree has beside the commit of its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BesideBranch {
    /// The directory is gone, and what was in it is not known.
    Missing,
    /// Git does not know the worktree.
    Unregistered,
    /// The branch is gone.
    NoBranch,
    /// Something else is checked out.
    OtherHead,
    /// Files that are in no commit.
    Uncommitted(usize),
    /// Git repositories or worktrees inside it.
    Nested,
    /// Commits to which only the worktree's own refs and logs lead.
    OwnCommits,
    /// The branch moved meanwhile.
    Moving,
}

impl fmt::Display for BesideBranch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Missing => "its worktree is gone, so what was in it is not known",
            Self::Unregistered => "git does not know its worktree",
            Self::NoBranch => "its branch is gone",
            Self::OtherHead => "its worktree has something else than its branch checked out",
            Self::Uncommitted(1) => "1 file is not committed",
            Self::Uncommitted(files) => return write!(formatter, "{files} files are not committed"),
            Self::Nested => "its worktree has git repositories inside",
            Self::OwnCommits => "its worktree has commits that are on no branch",
            Self::Moving => "its branch moved a moment ago",
        };
        formatter.write_str(text)
    }
}

impl GitWorktree {
    /// Finds where the work is. What a plain removal would refuse is an error.
    pub fn resting_work(&self) -> Result<RestingWork> {
        let lookup = FoundWorktree::find(self)?;
        let beside = |found| Ok(RestingWork::Beside(found));
        let (true, Some(entry)) = (lookup.here.is_some(), &lookup.entry) else {
            let is_here = lookup.here.is_some();
            return beside(if is_here { BesideBranch::Unregistered } else { BesideBranch::Missing });
        };
        lookup.refuse_lock(self)?;
        lookup.refuse_other_repository(self)?;
        let tip = || branch::commit_of(&lookup.common_dir, &branch::full_name(&self.branch));
        let Some(before) = tip()? else { return beside(BesideBranch::NoBranch) };
        let is_checked_out = match Head::read(&entry.admin_dir, &lookup.common_dir) {
            Some(Head::Detached(commit)) => commit == before,
            Some(head) => head == Head::branch(&self.branch),
            None => false,
        };
        if !is_checked_out {
            return beside(BesideBranch::OtherHead);
        }
        if !entry::entries_below(&lookup.common_dir, &self.path).is_empty() {
            return beside(BesideBranch::Nested);
        }
        let (common_dir, work_tree) = (lookup.common_dir.as_path(), self.path.as_path());
        let own = OwnCommits { common_dir, work_tree, run: &self.run, deleted_branch: None };
        if own.exist(&entry.admin_dir)? {
            return beside(BesideBranch::OwnCommits);
        }
        let preview = self.preview()?;
        match preview.obstacle {
            Some(obstacle) => Err(obstacle),
            None if preview.uncommitted > 0 => beside(BesideBranch::Uncommitted(preview.uncommitted)),
            None if !preview.nested.is_empty() => beside(BesideBranch::Nested),
            None if tip()?.as_ref() != Some(&before) => beside(BesideBranch::Moving),
            None => Ok(RestingWork::InBranch(before)),
        }
    }
}
