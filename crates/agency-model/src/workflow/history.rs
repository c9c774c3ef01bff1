//! What happened in a session, as numbered facts. A session is this list and nothing else.
//!
//! For other versions: facts are only ever added, and one of an unknown kind makes a reader refuse the session rather than
//! continue without it.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{StepResult, Task};
use crate::RunId;
use crate::string_enum::string_enum;

/// The version of the facts that this program writes.
pub const HISTORY_VERSION: u32 = 1;

/// One step as it happened: `test-fix[2]/fix` is the step `fix` in the second round of the loop `test-fix`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StepPath(String);

impl StepPath {
    /// Takes a path as it is written.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    /// The path of a step inside this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// The path of a round of this loop.
    #[must_use]
    pub fn round(&self, iteration: u32) -> Self {
        Self(format!("{}[{iteration}]", self.0))
    }

    /// The name of the step.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The path as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Each name on the way, with the round where it is that of a loop.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&str, Option<u32>)> {
        self.0.split('/').map(|part| {
            let split = part.strip_suffix(']').and_then(|part| part.rsplit_once('['));
            match split.and_then(|(name, round)| Some((name, round.parse().ok()?))) {
                Some((name, round)) => (name, Some(round)),
                None => (part, None),
            }
        })
    }
}

impl fmt::Display for StepPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// A fact with its number and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Its number, from 1 without gaps.
    pub seq: u64,
    /// When it was noted; nothing is decided by it.
    pub at: Timestamp,
    /// What the clock of its driver said then. Facts of older versions, and those that no driver stored, have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockReading>,
    /// What happened.
    #[serde(flatten)]
    pub fact: Fact,
}

/// The reading of a clock that does not advance while the machine sleeps and that setting the time does not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReading {
    /// The start of the machine that the clock counts from.
    pub boot: String,
    /// How long the machine has been awake since then.
    pub monotonic_ms: u64,
    /// How much of its `timeout` the session has used up.
    pub worked_ms: u64,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// The session began.
    SessionStarted {
        /// Its id.
        session: String,
        /// The goal.
        goal: Option<String>,
        /// What is to be done.
        task: Task,
    },
    /// A step began. Written before it is done, so that nothing is done twice.
    StepStarted {
        /// Which.
        path: StepPath,
        /// Counts how often it began, from 1; later facts of another attempt mean nothing.
        attempt: u32,
        /// The run of an agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run_id: Option<RunId>,
    },
    /// A round of a loop began.
    RoundStarted {
        /// The loop.
        path: StepPath,
        /// Which round, from 1.
        iteration: u32,
    },
    /// The user was asked, for an approval or the review of a merge.
    StepAsked {
        /// Which step.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
    },
    /// The user answered.
    StepAnswered {
        /// Which step.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
        /// What.
        verdict: Approval,
        /// The user's comment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A merge found changes of the user in its way, and the user was asked what to do.
    MergeBlocked {
        /// Which step.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
        /// Each checkout with such changes.
        checkouts: Vec<BlockedCheckout>,
    },
    /// The user answered.
    MergeAnswered {
        /// Which step.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
        /// What.
        answer: MergeAnswer,
    },
    /// A step ended.
    StepEnded {
        /// Which.
        path: StepPath,
        /// Its attempt; 0 if it never began.
        attempt: u32,
        /// The outcome.
        result: StepResult,
    },
    /// A step was not done, and that is right.
    StepSkipped {
        /// Which.
        path: StepPath,
        /// Why.
        why: String,
    },
    /// A step was under way when its driver died, and nothing is known of it; it is done again.
    StepInterrupted {
        /// Which.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
    },
    /// A step, or a loop or parallel step as a whole, took too long.
    StepTimedOut {
        /// Which.
        path: StepPath,
    },
    /// The user completed a step.
    CompletionAsked {
        /// Which.
        path: StepPath,
    },
    /// The session took too long.
    SessionTimedOut,
    /// The user cancels the session.
    CancelAsked,
    /// The session cannot continue, for a reason that is none of its steps'.
    SessionBroken {
        /// Why.
        reason: String,
    },
    /// A settled session continues.
    RetryAsked {
        /// From which step, by name or path; without it, from what failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// The session is not being driven.
    SessionEnded {
        /// In which state.
        state: SessionState,
        /// Why, where it is not simply done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

string_enum! {
    /// What a user answers to an approval or a review.
    Approval {
        /// Continue.
        Approved = "approved",
        /// Do not.
        Rejected = "rejected",
    }
}

string_enum! {
    /// What the user says about changes that are in the way of a merge.
    MergeAnswer {
        /// Try again: they are out of the way now.
        Retry = "retry",
        /// Save them to a ref, then merge.
        Save = "save",
        /// Do not merge.
        Cancel = "cancel",
    }
}

/// A checkout with uncommitted changes in files that a merge touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedCheckout {
    /// The top of the working tree.
    pub path: String,
    /// The files, below that path.
    pub files: Vec<String>,
}

string_enum! {
    /// Where a session stands.
    SessionState {
        /// Something is being done.
        Running = "running",
        /// The user is asked for an approval.
        Waiting = "waiting",
        /// The user is asked to review a merge.
        PendingMerge = "pending_merge",
        /// A step failed; the user has to act.
        Blocked = "blocked",
        /// All is done.
        Completed = "completed",
        /// It could not continue, or took too long.
        Failed = "failed",
        /// The user cancelled it.
        Cancelled = "cancelled",
    }
}

impl SessionState {
    /// Whether nothing happens without a command of a user.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        match self {
            Self::Running | Self::Waiting | Self::PendingMerge => false,
            Self::Blocked | Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }

    /// Whether the session is not finished: it runs, or it can be resumed or retried and needs its worktree for that.
    #[must_use]
    pub const fn can_continue(self) -> bool {
        match self {
            Self::Running | Self::Waiting | Self::PendingMerge | Self::Blocked | Self::Failed => true,
            Self::Completed | Self::Cancelled => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_steps_and_rounds() {
        let path = StepPath::new("").child("test-fix").round(2).child("fix");
        assert_eq!((path.as_str(), path.name()), ("test-fix[2]/fix", "fix"));
        let parts: Vec<_> = path.parts().collect();
        assert_eq!(parts, [("test-fix", Some(2)), ("fix", None)]);
        assert_eq!(StepPath::new("a[x]").parts().collect::<Vec<_>>(), [("a[x]", None)]);
    }

    #[test]
    fn facts_are_stored_flat_and_unknown_ones_are_refused() {
        let fact = Fact::StepTimedOut { path: StepPath::new("a") };
        let entry = HistoryEntry { seq: 3, at: Timestamp::UNIX_EPOCH, clock: None, fact };
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(text, r#"{"seq":3,"at":"1970-01-01T00:00:00Z","fact":"step_timed_out","path":"a"}"#);
        assert_eq!(serde_json::from_str::<HistoryEntry>(&text).unwrap(), entry);
        assert!(serde_json::from_str::<HistoryEntry>(&text.replace("step_timed_out", "step_blessed")).is_err());
        let clock = Some(ClockReading { boot: "b".to_owned(), monotonic_ms: 5, worked_ms: 4 });
        let read = HistoryEntry { clock, ..entry };
        let text = serde_json::to_string(&read).unwrap();
        assert!(text.contains(r#""clock":{"boot":"b","monotonic_ms":5,"worked_ms":4}"#), "{text}");
        assert_eq!(serde_json::from_str::<HistoryEntry>(&text).unwrap(), read);
    }
}
