//! The order of the table.

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::view::{RunView, Status};

/// What `--sort` accepts.
pub(super) const SORT_NAMES: [&str; 7] = ["need", "newest", "oldest", "name", "state", "repo", "runner"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Those that need a user first.
    Need,
    Newest,
    Oldest,
    Name,
    State,
    Repo,
    Runner,
}

impl Sort {
    pub(super) fn named(name: Option<&str>) -> Self {
        match name {
            Some("newest") => Self::Newest,
            Some("oldest") => Self::Oldest,
            Some("name") => Self::Name,
            Some("state") => Self::State,
            Some("repo") => Self::Repo,
            Some("runner") => Self::Runner,
            Some(_) | None => Self::Need,
        }
    }

    /// Sorts; runs that are alike come newest first. `since` is when the user last looked.
    pub(super) fn apply(self, runs: &mut [RunView], since: Option<Timestamp>) {
        runs.sort_by(|one, other| other.id.cmp(&one.id));
        match self {
            Self::Need => runs.sort_by_key(|run| need(run, since)),
            Self::Newest => {}
            Self::Oldest => runs.sort_by(|one, other| one.id.cmp(&other.id)),
            Self::Name => runs.sort_by_key(|run| run.name.as_deref().unwrap_or_default().to_lowercase()),
            Self::State => runs.sort_by_key(|run| run.status),
            Self::Repo => runs.sort_by(|one, other| one.repo.cmp(&other.repo)),
            Self::Runner => runs.sort_by(|one, other| one.runner.cmp(&other.runner)),
        }
    }
}

/// What comes first: a question, then what failed and was not seen, then what waits for a message, then live runs.
fn need(run: &RunView, since: Option<Timestamp>) -> Reverse<u8> {
    let is_unseen = run.ended_at.is_none_or(|ended| since.is_none_or(|since| ended >= since));
    Reverse(match run.status {
        Status::Waiting => 5,
        Status::Failed if is_unseen => 4,
        Status::Idle => 3,
        Status::Paused | Status::Working | Status::Setup | Status::Starting | Status::Stopping => 2,
        Status::Queued => 1,
        Status::Failed | Status::Stopped | Status::Completed => 0,
    })
}
