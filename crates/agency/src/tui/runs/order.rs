//! In which order runs stand, and by what they are put together.

use agency_model::Activity;
use agency_model::run::State as RunState;
use serde::{Deserialize, Serialize};

use super::ListedRun;

/// In which order runs of a group stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::tui) enum Sorting {
    #[default]
    Newest,
    Status,
    Name,
    Cost,
}

impl Sorting {
    pub(in crate::tui) const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest first",
            Self::Status => "by status",
            Self::Name => "by name",
            Self::Cost => "by cost",
        }
    }

    pub(super) const fn next(self) -> Self {
        match self {
            Self::Newest => Self::Status,
            Self::Status => Self::Name,
            Self::Name => Self::Cost,
            Self::Cost => Self::Newest,
        }
    }
}

/// By what runs are put together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::tui) enum Grouping {
    #[default]
    Repository,
    Workflow,
    Nothing,
}

impl Grouping {
    pub(in crate::tui) const fn as_str(self) -> &'static str {
        match self {
            Self::Repository => "by repository",
            Self::Workflow => "by workflow",
            Self::Nothing => "not grouped",
        }
    }

    pub(super) const fn next(self) -> Self {
        match self {
            Self::Repository => Self::Workflow,
            Self::Workflow => Self::Nothing,
            Self::Nothing => Self::Repository,
        }
    }
}

/// How urgently a run needs the user; the most urgent comes first.
pub(super) fn urgency(entry: &ListedRun) -> u8 {
    match (entry.asks > 0, entry.row.state, entry.row.activity) {
        (true, ..) | (_, RunState::Running, Some(Activity::WaitingForUser)) => 0,
        (_, RunState::Running, Some(Activity::Idle)) => 1,
        (_, RunState::Running, _) => 2,
        (_, RunState::Queued, _) => 3,
        (_, RunState::Failed, _) => 4,
        (_, RunState::Killed, _) => 5,
        (_, RunState::Completed, _) => 6,
    }
}
