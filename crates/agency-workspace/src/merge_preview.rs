//! Whether the work of a run would merge into a branch as it is now, what is not committed included.
//!
//! The one rule: this only reads. Objects that it makes are in a directory of its own, which ends with it.

use super::changes;
use super::commit_all::PROMPT;
use super::merge::{Combined, MergeError, check_target, contains, merge_by, paths_in, tip_of};
use super::review::Mergeable;
use super::staging::Staging;
use super::worktree_lookup::FoundWorktree;
use super::{ChangedFile, Commit, GitWorktree, WorkspaceError};

/// What merging everything that is in a worktree would come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePreview {
    /// The target branch.
    pub target: String,
    /// What would be merged; a commit that is gone again, if something is not committed.
    pub commit: Commit,
    /// How many files would be committed first.
    pub uncommitted: usize,
    /// The files that differ from where the branch left the target.
    pub files: Vec<ChangedFile>,
    /// Whether it merges.
    pub mergeable: Mergeable,
}

pub(super) fn preview_merge(worktree: &GitWorktree, into: &str) -> Result<MergePreview, MergeError> {
    let lookup = FoundWorktree::find(worktree)?;
    let target = check_target(&lookup.common_dir, &worktree.branch, into)?;
    let missing = || MergeError::TargetMissing { name: target.clone() };
    let before = tip_of(&lookup.common_dir, &target)?.ok_or_else(missing)?;
    let missing = || MergeError::BranchMissing { branch: worktree.branch.clone() };
    let tip = tip_of(&lookup.common_dir, &worktree.branch)?.ok_or_else(missing)?;
    let checkout = lookup.checkout(worktree)?;
    let staging = Staging::trial(&checkout)?;
    staging.add_everything()?;
    staging.git().run(["reset", "--quiet", tip.as_str(), "--", PROMPT]).read()?;
    let compare = staging.git().run(["diff-index", "--cached", "--name-only", "-z", "--no-renames"]);
    let uncommitted = paths_in(&compare.comparing_links().args([tip.as_str(), "--"]).read()?).len();
    let commit = if uncommitted == 0 { tip } else { trial_commit(worktree, &staging, &tip)? };
    let base = staging.git().run(["merge-base"]).args([before.as_str(), commit.as_str()]).finish()?;
    let base = String::from_utf8_lossy(&base.stdout).trim_end().to_owned();
    let files = match base.is_empty() {
        true => vec![],
        false => {
            let compare = staging.git().run(["diff-tree", "-r", "-M", "--no-ext-diff", "--no-color"]).comparing_links();
            changes::parse(&compare.args(["-z", "--raw", "--numstat", &base, commit.as_str()]).read()?)
        }
    };
    let mergeable = if uncommitted == 0 && contains(&lookup.common_dir, &before, &commit)? {
        Mergeable::AlreadyMerged
    } else {
        match merge_by(staging.git(), &worktree.path, None, &before, &commit)? {
            Combined::Clean(_) => Mergeable::Cleanly,
            Combined::Conflicts(conflicts) => Mergeable::Conflicts(conflicts),
        }
    };
    Ok(MergePreview { target, commit, uncommitted, files, mergeable })
}

/// A commit of everything, with an identity of its own, because it is never shown.
fn trial_commit(worktree: &GitWorktree, staging: &Staging<'_>, tip: &Commit) -> Result<Commit, MergeError> {
    let half_done = || MergeError::HalfDone {
        run: worktree.run.clone(),
        path: worktree.path.clone(),
        operation: "merge",
        files: vec![],
    };
    let tree = staging.tree()?.ok_or_else(half_done)?;
    let who = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    let git = who.into_iter().fold(staging.git(), |git, name| git.env(name, "agency"));
    let git = git.run(["commit-tree", "--no-gpg-sign", "-m", "trial", "-p", tip.as_str()]);
    let made = git.arg(tree).read_line()?;
    Ok(made.parse().map_err(|_| {
        let (command, directory) = ("commit-tree".to_owned(), worktree.path.clone());
        WorkspaceError::Git { command, directory, message: format!("printed '{made}'") }
    })?)
}
