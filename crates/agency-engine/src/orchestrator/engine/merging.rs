//! Merge steps: what the agents left is committed, looked at, and brought into a branch.
//!
//! The one rule: what is merged is what was looked at.

use std::path::PathBuf;

use agency_model::workflow::{self, MergeStep, StepResult};

use crate::home::{create_private_directory, write_atomically};
use crate::workspace::{
    BranchWork, CheckoutFate, Conflict, GitWorktree, MergeError, MergeOutcome, MergeRequest, MergeStrategy, Mergeable,
    Merged, Repository, Review,
};

/// So much of a diff is shown in the inbox; the rest is in the branch.
const LONGEST_DIFF: usize = 256 * 1024;

/// A merge that is to be made.
#[derive(Debug, Clone)]
pub(super) struct Merging {
    /// The worktree of the session.
    pub(super) worktree: GitWorktree,
    /// The branch to merge into.
    pub(super) into: String,
    /// What commits say.
    pub(super) message: Option<String>,
    /// How it is merged.
    pub(super) step: MergeStep,
    /// Where the files of the step are.
    pub(super) directory: PathBuf,
}

/// What a person is shown before a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Looked {
    /// In a line.
    pub(super) title: String,
    /// All of it.
    pub(super) detail: String,
}

impl Merging {
    /// Commits what is there, and says what a merge would bring.
    pub(super) fn look(&self) -> Result<Looked, Box<StepResult>> {
        let failure = |error: &dyn std::fmt::Display| Box::new(StepResult::failure(error.to_string()));
        let look = || -> Result<Review, MergeError> {
            self.commit()?;
            self.worktree.review(&self.into)
        };
        let review = look().map_err(|error| failure(&format_args!("{}: {error}", error.code())))?;
        if let Mergeable::Conflicts(conflicts) = &review.mergeable {
            return Err(Box::new(conflicting(&review.target, conflicts)));
        }
        create_private_directory(&self.directory).map_err(|error| failure(&error))?;
        write_atomically(&self.reviewed(), review.branch_commit.as_str().as_bytes())
            .map_err(|error| failure(&error))?;
        Ok(Looked { title: title(&self.worktree.branch, &review), detail: detail(&review) })
    }

    /// Merges. Safe to repeat.
    pub(super) fn merge(&self) -> StepResult {
        if self.step.require_review && !self.is_as_it_was_shown() {
            let branch = &self.worktree.branch;
            return StepResult::failure(format!(
                "{branch} changed after somebody looked at it; agency workflow retry shows it anew"
            ));
        }
        match self.try_merge() {
            Ok(MergeOutcome::Merged(merged)) => told(&merged),
            Ok(MergeOutcome::AlreadyMerged { target, commit }) => {
                with_commit(StepResult::success(format!("{target} has everything already")), &target, commit.as_str())
            }
            Ok(MergeOutcome::Conflicts { target, conflicts, .. }) => conflicting(&target, &conflicts),
            Err(error) => StepResult::failure(format!("{}: {error}", error.code())),
        }
    }

    fn try_merge(&self) -> Result<MergeOutcome, MergeError> {
        if !self.step.require_review {
            self.commit()?;
        }
        self.worktree.merge(&MergeRequest {
            into: self.into.clone(),
            strategy: match self.step.strategy {
                workflow::MergeStrategy::Merge => MergeStrategy::Merge,
                workflow::MergeStrategy::Squash => MergeStrategy::Squash,
                workflow::MergeStrategy::Rebase => MergeStrategy::Rebase,
            },
            message: self.message.clone(),
        })
    }

    fn is_as_it_was_shown(&self) -> bool {
        let branch = format!("refs/heads/{}", self.worktree.branch);
        let tip = Repository::open_at(&self.worktree.repository, &branch).map(|(_, tip)| tip.to_string());
        tip.is_ok_and(|tip| std::fs::read_to_string(self.reviewed()).is_ok_and(|shown| shown == tip))
    }

    fn commit(&self) -> Result<(), MergeError> {
        let message = self.message.as_deref().unwrap_or("Work of the workflow");
        self.worktree.commit_all(message).map(|_| ())
    }

    /// The file that says what a person was shown.
    fn reviewed(&self) -> PathBuf {
        self.directory.join("reviewed")
    }
}

fn title(branch: &str, review: &Review) -> String {
    let files = match review.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    format!("merge {branch} into {} ({files})", review.target)
}

fn detail(review: &Review) -> String {
    let commits: String = review
        .commits
        .iter()
        .map(|commit| format!("{:.12} {} ({})\n", commit.commit.as_str(), commit.subject, commit.author))
        .collect();
    let diff = String::from_utf8_lossy(&review.diff);
    let mut end = diff.len().min(LONGEST_DIFF);
    while !diff.is_char_boundary(end) {
        end -= 1;
    }
    let rest = if end < diff.len() {
        format!("\n[{} more bytes: git diff {}...{}]\n", diff.len() - end, review.target_commit, review.branch_commit)
    } else {
        String::new()
    };
    format!("{commits}\n{}{rest}", diff.get(..end).unwrap_or_default())
}

fn told(merged: &Merged) -> StepResult {
    let Merged { target, commit, checkouts, .. } = merged;
    let left = checkouts.iter().filter_map(|fate| match fate {
        CheckoutFate::Updated { .. } => None,
        CheckoutFate::LeftAlone { path, reason, commands } => {
            Some(format!("; the files in {} were left alone ({reason}): {}", path.display(), commands.join("; ")))
        }
    });
    let summary = format!("merged into {target} as {:.12}{}", commit.as_str(), left.collect::<String>());
    with_commit(StepResult::success(summary), target, commit.as_str())
}

fn with_commit(mut result: StepResult, target: &str, commit: &str) -> StepResult {
    result.outputs.insert("target".to_owned(), target.into());
    result.outputs.insert("commit".to_owned(), commit.into());
    result
}

fn conflicting(target: &str, conflicts: &[Conflict]) -> StepResult {
    let files: Vec<String> = conflicts.iter().map(|conflict| conflict.path.display().to_string()).collect();
    let lines: String = conflicts.iter().map(|conflict| format!("{}\n", conflict.message.trim_end())).collect();
    let error = format!(
        "it does not merge into {target}: {}; resolve the conflicts in the worktree, commit, and agency workflow retry",
        files.join(", ")
    );
    let mut result = StepResult::failure(error).with_output(&lines);
    result.outputs.insert("conflicts".to_owned(), files.into());
    result
}
