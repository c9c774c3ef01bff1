//! What a clean-up does or would do, one entry for each thing that it decides about.

use agency_model::RunId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::DiskLimits;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum GcCategory {
    /// The worktree of a run.
    Worktree,
    /// A trial tree.
    Trial,
    /// The checkpoints of a removed run.
    Checkpoints,
}

/// What happens to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum GcAction {
    /// It stays.
    Keep,
    /// It is to be removed.
    Remove,
    /// It was removed.
    Removed,
    /// It could not be removed.
    Failed,
}

/// One thing that was decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GcEntry {
    /// What it is.
    pub category: GcCategory,
    /// What happens to it.
    pub action: GcAction,
    /// Why.
    pub why: String,
    /// The run that it belongs to.
    pub run: Option<RunId>,
    /// The name of that run.
    pub name: Option<String>,
    /// The repository.
    pub repo: Option<String>,
    /// Where it is.
    pub path: Option<String>,
    /// The ref, of checkpoints.
    pub reference: Option<String>,
    /// The disk space that its removal frees, where it was measured.
    pub bytes: Option<u64>,
    /// What was done, in words.
    pub notes: Vec<String>,
    /// Why it could not be removed.
    pub error: Option<String>,
    /// The moment from which its age was counted; the removal is refused if that is another one now.
    #[serde(skip)]
    pub(super) since: Option<Timestamp>,
}

impl GcEntry {
    pub(super) fn new(category: GcCategory, action: GcAction, why: impl Into<String>) -> Self {
        Self {
            category,
            action,
            why: why.into(),
            run: None,
            name: None,
            repo: None,
            path: None,
            reference: None,
            bytes: None,
            notes: vec![],
            error: None,
            since: None,
        }
    }

    /// The same, kept for a reason that was found when it was to be removed.
    pub(super) fn keep(&mut self, why: impl Into<String>) {
        (self.action, self.why) = (GcAction::Keep, why.into());
    }
}

/// A directory that only its user deletes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct KeptDirectory {
    /// Where it is.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// A plan, or what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GcReport {
    /// Everything that was decided about.
    pub entries: Vec<GcEntry>,
    /// The limits of the disk.
    pub limits: DiskLimits,
    /// What is in `kept/`, which is never removed.
    pub kept_directories: Vec<KeptDirectory>,
    /// How much was freed.
    pub freed_bytes: u64,
    /// Whether it was ended before everything was removed.
    pub interrupted: bool,
}

impl GcReport {
    /// The entries with an action.
    pub fn with(&self, action: GcAction) -> impl Iterator<Item = &GcEntry> {
        self.entries.iter().filter(move |entry| entry.action == action)
    }
}
