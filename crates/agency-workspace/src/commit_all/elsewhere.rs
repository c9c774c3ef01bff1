//! Work that is not on the branch of the worktree: on another branch, or on a detached HEAD beside it.
//!
//! The one rule: no branch moves. The refusal has a command that merges the work, and merged work is not refused.

use std::path::Path;

use agency_model::shell_quoted;

use super::super::checkout::Checkout;
use super::super::head::Head;
use super::super::merge::{MergeError, contains};
use super::super::staging::Staging;
use super::super::{Commit, GitWorktree, branch, own_ref};
use super::{attach, commit, replace_index};

/// Where the work is.
pub(super) enum Elsewhere {
    /// The branch of the worktree is a second name for another one: a commit would move that one.
    OtherName(String),
    /// HEAD names another branch.
    Branch(String),
    /// HEAD names none.
    Detached,
}

/// A worktree and what is checked out in it.
pub(super) struct WorkPlace<'a> {
    pub(super) worktree: &'a GitWorktree,
    pub(super) common_dir: &'a Path,
    pub(super) checkout: &'a Checkout,
    pub(super) admin_dir: &'a Path,
}

impl WorkPlace<'_> {
    /// Where the work is, if not on the branch.
    pub(super) fn elsewhere(&self) -> Result<Option<Elsewhere>, MergeError> {
        let (head, own) = (self.checkout.head.branch_name(), self.worktree.branch.as_str());
        if head == Some(own) {
            let target = own_ref::target(self.common_dir, &branch::full_name(own))?;
            let short = |name: String| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
            return Ok(target.map(|target| Elsewhere::OtherName(short(target))));
        }
        Ok(Some(match &self.checkout.head {
            Head::Ref(name) => Elsewhere::Branch(head.unwrap_or(name).to_owned()),
            Head::Detached(_) => Elsewhere::Detached,
        }))
    }

    /// Refuses work that neither the branch nor the branch `into` has. What is not committed is committed on a detached
    /// HEAD, so that the printed command merges everything.
    pub(super) fn check_elsewhere(
        &self,
        elsewhere: &Elsewhere,
        staging: &Staging<'_>,
        (files, message): (usize, &str),
        into: Option<&str>,
    ) -> Result<(), MergeError> {
        let head = self.checkout.head.commit(self.common_dir)?;
        let (found, head) = match elsewhere {
            Elsewhere::OtherName(name) | Elsewhere::Branch(name) => (name.clone(), head),
            Elsewhere::Detached if files == 0 => ("no branch".to_owned(), head),
            Elsewhere::Detached => ("no branch".to_owned(), Some(self.commit_on_head(staging, message)?)),
        };
        if files == 0 && self.is_merged(head.as_ref(), into)? {
            return Ok(());
        }
        Err(self.other_branch(found, head))
    }

    /// The refusal of work that is elsewhere.
    pub(super) fn other_branch(&self, found: String, head: Option<Commit>) -> MergeError {
        // In the user's own checkout: no agent writes settings for git there.
        let repository = shell_quoted(&self.worktree.repository);
        let command = head.map(|commit| format!("git -C {repository} merge {commit}"));
        let (path, branch) = (self.worktree.path.clone(), self.worktree.branch.clone());
        MergeError::OtherBranch { run: self.worktree.run.clone(), path, branch, found, command }
    }

    fn is_merged(&self, head: Option<&Commit>, into: Option<&str>) -> Result<bool, MergeError> {
        let Some(head) = head else { return Ok(false) };
        for name in [Some(self.worktree.branch.as_str()), into].into_iter().flatten() {
            let name = name.strip_prefix("refs/heads/").unwrap_or(name);
            if let Some(tip) = branch::commit_of(self.common_dir, &branch::full_name(name))?
                && contains(self.common_dir, &tip, head)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Commits what is staged on top of a detached HEAD, which moves to the new commit.
    fn commit_on_head(&self, staging: &Staging<'_>, message: &str) -> Result<Commit, MergeError> {
        commit(self.worktree, staging, self.common_dir, message)?;
        let made = staging.git().run(["rev-parse", "--verify", "HEAD"]).read_line()?;
        let commit: Commit = made.parse().map_err(|_| MergeError::BranchMissing { branch: "HEAD".to_owned() })?;
        attach::set_head(self.worktree, (self.common_dir, self.admin_dir), &Head::Detached(commit.clone()))?;
        replace_index(&self.worktree.path, self.admin_dir, &staging.index())?;
        Ok(commit)
    }
}
