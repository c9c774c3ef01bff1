//! Merge steps: what the agents left is committed, looked at, and brought into a branch.
//!
//! The one rule: what is merged is what was looked at.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agency_model::RunId;
use agency_model::workflow::{self, BlockedCheckout, MergeAnswer, MergeStep, StepResult};
use agency_workspace::{
    Conflict, DirtyCheckout, DirtyFiles, GitWorktree, MergeError, MergeOutcome, MergeRequest, MergeStrategy, Mergeable,
    Merged, Repository, Review, SavedChanges,
};

use super::other_work::{ConflictingRun, listed};
use crate::agency::Agency;
use crate::home::{create_private_directory, read_text, write_atomically};
use crate::land::{CHECK_LIMIT, Checks, FailedCheck, LandError};
use crate::worktree::WorktreeSettings;

/// How much of a diff is shown in the inbox; the rest is in the branch.
const MAX_DIFF_BYTES: usize = 256 * 1024;

/// A merge to make.
#[derive(Debug, Clone)]
pub(super) struct Merging {
    /// The worktree of the session.
    pub(super) worktree: GitWorktree,
    /// The user's repository.
    pub(super) repository: Repository,
    /// The branch to merge into.
    pub(super) into: String,
    /// The message of commits.
    pub(super) message: Option<String>,
    /// How it is merged.
    pub(super) step: MergeStep,
    /// Where the files of the step are.
    pub(super) directory: PathBuf,
    /// Where agency notes for itself which merge it made.
    pub(super) merged: PathBuf,
    /// The last part of the ref to which changes are saved that are in the way.
    pub(super) save_as: String,
    /// The run whose worktree it is.
    pub(super) maker: RunId,
    /// The parent of the trees in which merges are checked.
    pub(super) trials: PathBuf,
    /// The environment of checks.
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// Set to end checks.
    pub(super) stopped: Arc<AtomicBool>,
    /// The runs, with a connection of its own.
    pub(super) agency: Agency,
}

/// What a user is shown before a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergePreview {
    /// In a line.
    pub(super) title: String,
    /// All of it.
    pub(super) detail: String,
    /// Who approved exactly this before.
    pub(super) approved_by: Option<String>,
}

impl Merging {
    /// Commits what is there, and returns what a merge would bring.
    pub(super) fn look(&self) -> Result<MergePreview, Box<StepResult>> {
        let failure = |error: &dyn std::fmt::Display| Box::new(StepResult::failure(error.to_string()));
        let look = || -> Result<Review, MergeError> {
            self.repository.bookmarks_to_git()?;
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
        let detail = self.beside() + &detail(&review);
        let approved_by = self.approved_by(&review);
        Ok(MergePreview { title: title(&self.worktree.branch, &review), detail, approved_by })
    }

    /// What a reviewer should know beside the changes.
    fn beside(&self) -> String {
        let conflicting = self.conflicting_runs();
        let conflicts = match conflicting.is_empty() {
            true => String::new(),
            false => format!("After this merge, the work of other runs conflicts:\n{}\n", listed(&conflicting)),
        };
        match self.open_comments() {
            0 => conflicts,
            1 => format!("{conflicts}1 comment waits (agency review {})\n\n", self.maker),
            count => format!("{conflicts}{count} comments wait (agency review {})\n\n", self.maker),
        }
    }

    /// The tree that a user was shown.
    pub(super) fn reviewed_tree(&self) -> Option<String> {
        let shown = read_text(&self.reviewed()).ok()?.parse().ok()?;
        Repository::from_root(self.worktree.repository.clone()).tree_of(&shown).ok()
    }

    /// Merges, or says in which checkouts changes are in the way. Safe to repeat.
    pub(super) fn merge(&self, answer: Option<MergeAnswer>) -> Result<StepResult, Vec<BlockedCheckout>> {
        if self.step.require_review && !self.is_as_it_was_shown() {
            let branch = &self.worktree.branch;
            return Ok(StepResult::failure(format!(
                "{branch} changed after it was reviewed; agency workflow retry shows it again"
            )));
        }
        let dirty = match answer {
            Some(MergeAnswer::Save) => DirtyFiles::Save { name: self.save_as.clone() },
            Some(MergeAnswer::Retry | MergeAnswer::Cancel) | None => DirtyFiles::Block,
        };
        let mut failed = None;
        let others = self.conflicting_runs();
        Ok(match self.try_merge(dirty, &mut failed) {
            Ok(MergeOutcome::Merged(Merged { target, commit, saved, .. })) => {
                let summary = format!("merged into {target} as {:.12}", commit.as_str());
                with_conflicts(succeeded(summary, &target, commit.as_str(), &saved), &others)
            }
            Ok(MergeOutcome::AlreadyMerged { target, commit, saved }) => {
                succeeded(format!("{target} has everything already"), &target, commit.as_str(), &saved)
            }
            Ok(MergeOutcome::Conflicts { target, conflicts, .. }) => conflicting(&target, &conflicts),
            Ok(MergeOutcome::Refused { target, .. }) => unchecked(&target, failed),
            Ok(MergeOutcome::Blocked { checkouts, .. }) => return Err(checkouts.iter().map(blocked).collect()),
            Err(error) => StepResult::failure(format!("{}: {error}", error.code())),
        })
    }

    /// What the user is asked about changes that are in the way, and each answer with its meaning.
    pub(super) fn question(&self, checkouts: &[BlockedCheckout]) -> (MergePreview, Vec<(MergeAnswer, String)>) {
        let count: usize = checkouts.iter().map(|checkout| checkout.files.len()).sum();
        let files = if count == 1 { "1 changed file is".to_owned() } else { format!("{count} changed files are") };
        let title = format!("merge into {}: {files} in the way", self.into);
        let list = |checkout: &BlockedCheckout| {
            let files: String = checkout.files.iter().map(|file| format!("  {file}\n")).collect();
            format!("{}:\n{files}", checkout.path)
        };
        let listed: String = checkouts.iter().map(list).collect();
        let detail = format!(
            "{} is checked out with uncommitted changes in files that the merge touches. Nothing was merged.\n\n{listed}",
            self.into
        );
        let reference = format!("refs/agency/saved/{}", self.save_as);
        let answers = vec![
            (MergeAnswer::Retry, "Merge again, after you committed or stashed the changes.".to_owned()),
            (
                MergeAnswer::Save,
                format!("Save the changes to {reference}, then merge. To bring them back: git stash apply {reference}"),
            ),
            (MergeAnswer::Cancel, "Do not merge. The step fails, and the files stay as they are.".to_owned()),
        ];
        (MergePreview { title, detail, approved_by: None }, answers)
    }

    fn try_merge(&self, dirty: DirtyFiles, failed: &mut Option<LandError>) -> Result<MergeOutcome, MergeError> {
        self.repository.bookmarks_to_git()?;
        if !self.step.require_review {
            self.commit()?;
        }
        let request = MergeRequest {
            into: self.into.clone(),
            tip: None,
            strategy: match self.step.strategy {
                workflow::MergeStrategy::Merge => MergeStrategy::Merge,
                workflow::MergeStrategy::Squash => MergeStrategy::Squash,
                workflow::MergeStrategy::Rebase => MergeStrategy::Rebase,
            },
            message: self.message.clone(),
            dirty,
            record: Some(self.merged.clone()),
        };
        let outcome = match self.step.check.is_empty() {
            true => self.worktree.merge(&request)?,
            false => self.worktree.merge_checked(&request, &mut |proposed| {
                let checked = self.checks().run(proposed, &mut |_| Ok(()));
                checked.map_err(|error| *failed = Some(error)).is_ok()
            })?,
        };
        // After a crash before this, the merge is found made and jj learns of it now.
        self.repository.branches_to_jj()?;
        Ok(outcome)
    }

    /// What the merged files have to pass.
    fn checks(&self) -> Checks<'_> {
        Checks {
            id: &self.maker,
            repository: &self.repository,
            commands: &self.step.check,
            limit: CHECK_LIMIT,
            fresh: false,
            settings: WorktreeSettings::default(),
            environment: &self.environment,
            stop: &self.stopped,
            trials: self.trials.clone(),
            logs: self.directory.clone(),
        }
    }

    fn is_as_it_was_shown(&self) -> bool {
        let branch = format!("refs/heads/{}", self.worktree.branch);
        let tip = Repository::open_at(&self.worktree.repository, &branch).map(|(_, tip)| tip.to_string());
        tip.is_ok_and(|tip| read_text(&self.reviewed()).is_ok_and(|shown| shown == tip))
    }

    fn commit(&self) -> Result<(), MergeError> {
        let message = self.message.as_deref().unwrap_or("Work of the workflow");
        self.worktree.commit_all_for(message, &self.into).map(|_| ())
    }

    /// The file that records what a user was shown.
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
    let mut end = diff.len().min(MAX_DIFF_BYTES);
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

fn succeeded(summary: String, target: &str, commit: &str, saved: &[SavedChanges]) -> StepResult {
    let told = saved.iter().map(|saved| {
        format!("; the changes that were in the way are in {}; to bring them back: {}", saved.reference, saved.command)
    });
    let mut result = StepResult::success(summary + &told.collect::<String>());
    result.outputs.insert("target".to_owned(), target.into());
    result.outputs.insert("commit".to_owned(), commit.into());
    if !saved.is_empty() {
        let references: Vec<&str> = saved.iter().map(|saved| saved.reference.as_str()).collect();
        result.outputs.insert("saved".to_owned(), references.into());
    }
    result
}

/// The result, with the runs that have to be reworked now.
fn with_conflicts(mut result: StepResult, conflicting: &[ConflictingRun]) -> StepResult {
    if !conflicting.is_empty() {
        let names: Vec<&str> = conflicting.iter().map(|run| run.name.as_str()).collect();
        let output = format!("The work of other runs conflicts now:\n{}", listed(conflicting));
        result.summary = format!("{}; it conflicts with {}", result.summary, names.join(", "));
        result.outputs.insert("conflicts_with".to_owned(), names.into());
        return result.with_output(&output);
    }
    result
}

fn blocked(checkout: &DirtyCheckout) -> BlockedCheckout {
    let files = checkout.files.iter().map(|file| file.display().to_string()).collect();
    BlockedCheckout { path: checkout.path.display().to_string(), files }
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

/// A merge that did not pass its checks.
fn unchecked(target: &str, failed: Option<LandError>) -> StepResult {
    match failed {
        Some(LandError::CheckFailed(failed)) => {
            let FailedCheck { command, end, output, .. } = *failed;
            StepResult::failure(format!("the check '{command}' {end} on the merge into {target}")).with_output(&output)
        }
        Some(error) => StepResult::failure(format!("{}: {error}", error.code())),
        None => StepResult::failure(format!("the check of the merge into {target} failed")),
    }
}
