//! Checkpoints in answers.

use agency_engine::store::RunRow;
use agency_model::RunId;
use agency_workspace::{Checkpoint, CheckpointCause, DiffSize};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{ago, columns};

/// The files of a worktree at one moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CheckpointView {
    /// Counts the checkpoints of the worktree from 1.
    pub(crate) number: u32,
    /// The commit that holds the files.
    pub(crate) commit: String,
    /// The tree of that commit.
    pub(crate) tree: String,
    /// The commit that was checked out then.
    pub(crate) head: Option<String>,
    /// When it was taken.
    pub(crate) taken_at: Timestamp,
    /// Why: `turn`, `requested`, `end`, `before_restore` or `restored`.
    pub(crate) cause: &'static str,
    /// The run at whose time it was taken; one that continues another has the same worktree.
    pub(crate) run: RunId,
    /// How many turns of that run were over.
    pub(crate) turn: Option<u32>,
    /// The last event of that run before it.
    pub(crate) event: Option<u64>,
    /// What the agent calls its conversation.
    pub(crate) conversation: Option<String>,
    /// How many files differ from the checkpoint before.
    pub(crate) files: u32,
    /// Lines that are new since then.
    pub(crate) added: u64,
    /// Lines that are gone since then.
    pub(crate) removed: u64,
    #[serde(skip)]
    cause_words: String,
}

/// The checkpoints of a run's worktree.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checkpoints {
    /// The run that was asked about.
    pub(crate) id: RunId,
    /// The run that made the worktree, after which the ref is named.
    pub(crate) worktree_of: RunId,
    /// The ref whose first parents they are.
    pub(crate) reference: String,
    /// The last one first.
    pub(crate) checkpoints: Vec<CheckpointView>,
}

impl CheckpointView {
    pub(crate) fn new(checkpoint: Checkpoint, size: DiffSize) -> Self {
        let Checkpoint { number, commit, tree, head, taken_at, moment } = checkpoint;
        Self {
            number,
            commit: commit.to_string(),
            tree,
            head: head.map(|head| head.to_string()),
            taken_at: Timestamp::from_second(taken_at).unwrap_or(Timestamp::UNIX_EPOCH),
            cause: moment.cause.as_str(),
            cause_words: words(moment.cause, moment.turn),
            run: moment.run,
            turn: moment.turn,
            event: moment.event,
            conversation: moment.conversation,
            files: size.files,
            added: size.added,
            removed: size.removed,
        }
    }

    /// Why it was taken, in words.
    pub(crate) fn cause_words(&self) -> &str {
        &self.cause_words
    }

    /// How much changed since the checkpoint before, in words.
    pub(crate) fn size_words(&self) -> String {
        let files = if self.files == 1 { "file" } else { "files" };
        format!("{} {files}, +{} -{}", self.files, self.added, self.removed)
    }
}

impl Checkpoints {
    pub(crate) fn new(row: &RunRow, all: Vec<(Checkpoint, DiffSize)>) -> Self {
        let worktree_of = row.worktree_owner();
        Self {
            id: row.id.clone(),
            reference: worktree_of.checkpoints_ref(),
            worktree_of,
            checkpoints: all.into_iter().map(|(checkpoint, size)| CheckpointView::new(checkpoint, size)).collect(),
        }
    }

    /// A line for each.
    pub(crate) fn table(&self, now: Timestamp) -> String {
        let row = |checkpoint: &CheckpointView| {
            vec![
                checkpoint.number.to_string(),
                format!("{} ago", ago(now, checkpoint.taken_at)),
                checkpoint.cause_words.clone(),
                checkpoint.files.to_string(),
                format!("+{} -{}", checkpoint.added, checkpoint.removed),
                checkpoint.commit.chars().take(12).collect(),
            ]
        };
        let rows = self.checkpoints.iter().map(row).collect();
        columns(&["NUMBER", "TAKEN", "AT", "FILES", "LINES", "COMMIT"], rows)
    }
}

fn words(cause: CheckpointCause, turn: Option<u32>) -> String {
    match (cause, turn) {
        (CheckpointCause::Turn, Some(turn)) => format!("end of turn {turn}"),
        (CheckpointCause::Turn, None) => "end of a turn".to_owned(),
        (CheckpointCause::Requested, _) => "on request".to_owned(),
        (CheckpointCause::End, _) => "end of the run".to_owned(),
        (CheckpointCause::BeforeRestore, _) => "before a restore".to_owned(),
        (CheckpointCause::Restored, _) => "after a restore".to_owned(),
    }
}
