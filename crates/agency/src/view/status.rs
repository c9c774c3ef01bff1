//! The status of a run, in one word: its state, and inside `running` what its agent is doing.

use agency_model::Activity;
use agency_model::run::State;
use anstyle::{AnsiColor, Style};
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::styled;

/// The status of a run. The first ones need a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// The agent waits for an answer.
    Waiting,
    /// The turn of the agent is over; it waits for a message.
    Idle,
    /// The agent crashed and is started again after a pause.
    Paused,
    /// The agent works.
    Working,
    /// The worktree is prepared before the agent starts.
    Setup,
    /// The agent starts.
    Starting,
    /// The run is being stopped.
    Stopping,
    /// The run waits for a slot.
    Queued,
    /// The run failed.
    Failed,
    /// A user stopped the run.
    Stopped,
    /// The run completed.
    Completed,
}

impl Status {
    pub(crate) fn of(state: State, phase: Option<&str>, activity: Option<Activity>) -> Self {
        match (state, phase, activity) {
            (State::Queued, _, _) => Self::Queued,
            (State::Completed, _, _) => Self::Completed,
            (State::Failed, _, _) => Self::Failed,
            (State::Killed, _, _) => Self::Stopped,
            (State::Running, Some("backing_off"), _) => Self::Paused,
            (State::Running, Some("stopping" | "killing"), _) => Self::Stopping,
            (State::Running, _, Some(Activity::WaitingForUser)) => Self::Waiting,
            (State::Running, _, Some(Activity::Idle)) => Self::Idle,
            (State::Running, _, Some(Activity::Setup)) => Self::Setup,
            (State::Running, Some("starting"), _) | (State::Running, _, Some(Activity::Starting)) => Self::Starting,
            (
                State::Running,
                _,
                Some(Activity::Thinking | Activity::Writing | Activity::RunningCommand | Activity::Unknown) | None,
            ) => Self::Working,
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Idle => "idle",
            Self::Paused => "paused",
            Self::Working => "working",
            Self::Setup => "setup",
            Self::Starting => "starting",
            Self::Stopping => "stopping",
            Self::Queued => "queued",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Completed => "completed",
        }
    }

    /// The word with its colour; the word alone says everything.
    pub(crate) fn label(self) -> String {
        let style: Style = match self {
            Self::Waiting => AnsiColor::Yellow.on_default().bold(),
            Self::Idle | Self::Queued | Self::Paused => AnsiColor::Yellow.on_default(),
            Self::Working | Self::Setup | Self::Starting | Self::Stopping => AnsiColor::Cyan.on_default().bold(),
            Self::Failed => AnsiColor::Red.on_default(),
            Self::Stopped => AnsiColor::Magenta.on_default(),
            Self::Completed => AnsiColor::Green.on_default(),
        };
        styled(style, self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_activity_counts_only_while_a_run_is_running() {
        let of = |state, phase, activity| Status::of(state, phase, activity).as_str();
        assert_eq!(of(State::Running, Some("working"), Some(Activity::WaitingForUser)), "waiting");
        assert_eq!(of(State::Running, Some("working"), Some(Activity::Thinking)), "working");
        assert_eq!(of(State::Running, Some("working"), Some(Activity::Idle)), "idle");
        assert_eq!(of(State::Running, Some("backing_off"), Some(Activity::Idle)), "paused");
        assert_eq!(of(State::Running, Some("stopping"), Some(Activity::WaitingForUser)), "stopping");
        assert_eq!(of(State::Running, Some("starting"), Some(Activity::Setup)), "setup");
        assert_eq!(of(State::Running, None, None), "working");
        assert_eq!(of(State::Failed, None, Some(Activity::WaitingForUser)), "failed");
        assert_eq!(of(State::Killed, None, None), "stopped");
    }
}
