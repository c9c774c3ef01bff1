//! What a merge would bring, for the eyes of a reviewer.

use super::git_command::GitCommand;
use super::merge::{Combined, Conflict, MergeContext, MergeError, check_target, contains, merge_tree, tip_of};
use super::worktree_lookup::FoundWorktree;
use super::{ChangedFile, Commit, GitWorktree, changes};

/// What a merge of a branch would bring to its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The target branch.
    pub target: String,
    /// The commit that the target points at.
    pub target_commit: Commit,
    /// The commit that the branch points at.
    pub branch_commit: Commit,
    /// The commits that the target does not have, newest first.
    pub commits: Vec<ReviewedCommit>,
    /// The files that the branch changed since it left the target.
    pub files: Vec<ChangedFile>,
    /// The same as a unified diff.
    pub diff: Vec<u8>,
    /// Whether it merges.
    pub mergeable: Mergeable,
}

/// One commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedCommit {
    /// Its id.
    pub commit: Commit,
    /// Who wrote it.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// Whether a branch merges into its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mergeable {
    /// It merges without a conflict.
    Cleanly,
    /// The target has all of it.
    AlreadyMerged,
    /// These files do not merge.
    Conflicts(Vec<Conflict>),
}

/// Looks at what the branch of a worktree would bring to a target. Writes nothing but objects.
pub(super) fn review(worktree: &GitWorktree, into: &str) -> Result<Review, MergeError> {
    let common_dir = FoundWorktree::find(worktree)?.common_dir;
    let target = check_target(&common_dir, &worktree.branch, into)?;
    let missing = || MergeError::TargetMissing { name: target.clone() };
    let target_commit = tip_of(&common_dir, &target)?.ok_or_else(missing)?;
    let missing = || MergeError::BranchMissing { branch: worktree.branch.clone() };
    let branch_commit = tip_of(&common_dir, &worktree.branch)?.ok_or_else(missing)?;
    let mergeable = if contains(&common_dir, &target_commit, &branch_commit)? {
        Mergeable::AlreadyMerged
    } else {
        let place = MergeContext::read(&common_dir, worktree, &target)?;
        match merge_tree(&place, None, &target_commit, &branch_commit)? {
            Combined::Clean(_) => Mergeable::Cleanly,
            Combined::Conflicts(conflicts) => Mergeable::Conflicts(conflicts),
        }
    };
    let git = || GitCommand::on(&common_dir);
    let log = git().run(["log", "-z", "--no-show-signature", "--encoding=UTF-8", "--format=%H%n%an%n%s"]);
    let log = log.arg(format!("{target_commit}..{branch_commit}")).read()?;
    let base = git().run(["merge-base"]).args([target_commit.as_str(), branch_commit.as_str()]).read_line()?;
    let compare = || git().run(["diff-tree", "-r", "-M", "--no-ext-diff", "--no-color"]).comparing_links();
    let ends = [base.as_str(), branch_commit.as_str()];
    let files = changes::parse(&compare().args(["-z", "--raw", "--numstat"]).args(ends).read()?);
    let diff = compare().arg("-p").args(ends).read()?;
    let commits = log.split(|byte| *byte == 0).filter_map(reviewed).collect();
    Ok(Review { target, target_commit, branch_commit, commits, files, diff, mergeable })
}

/// Reads the id, the author and the subject, each on a line.
fn reviewed(printed: &[u8]) -> Option<ReviewedCommit> {
    let text = String::from_utf8_lossy(printed);
    let mut lines = text.splitn(3, '\n');
    let commit = lines.next()?.parse().ok()?;
    let author = lines.next()?.to_owned();
    Some(ReviewedCommit { commit, author, subject: lines.next().unwrap_or_default().to_owned() })
}
