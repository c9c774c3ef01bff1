//! Where a run stands.

use super::Ending;
use crate::string_enum::string_enum;

string_enum! {
    /// The stored state. The database refuses every transition but those of the state machine.
    State {
        /// Created, waiting for its workspace or for a free slot.
        Queued = "queued",
        /// Its supervisor owns a process, or is between two attempts.
        Running = "running",
        /// The agent ended well.
        Completed = "completed",
        /// The agent ended badly, or could not start.
        Failed = "failed",
        /// A user stopped it.
        Killed = "killed",
    }
}

impl State {
    /// Whether nothing will ever happen to such a run again.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Running => false,
            Self::Completed | Self::Failed | Self::Killed => true,
        }
    }
}

/// A run in the state machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    /// How far it has come.
    pub progress: Progress,
    /// How many crashes in a row end it.
    pub failures_allowed: u32,
}

impl Run {
    /// A run that was just created.
    #[must_use]
    pub const fn queued(restart: RestartPolicy) -> Self {
        Self { progress: Progress::Queued, failures_allowed: restart.failures_allowed(FAILURES_ALLOWED) }
    }

    /// The state that is stored for it.
    #[must_use]
    pub const fn state(&self) -> State {
        match &self.progress {
            Progress::Queued => State::Queued,
            Progress::Running { .. } => State::Running,
            Progress::Ended(ending) => ending.state,
        }
    }

    /// The attempt it is in; 0 before the first.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        match &self.progress {
            Progress::Queued => 0,
            Progress::Running { attempt, .. } => *attempt,
            Progress::Ended(ending) => ending.attempts,
        }
    }
}

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Progress {
    /// Not started.
    Queued,
    /// Started and not ended.
    Running {
        /// Counts the processes started for this run, from 1. It is the epoch of late messages.
        attempt: u32,
        /// Counts the crashes in a row.
        failures: u32,
        /// What the supervisor is doing about the process.
        phase: Phase,
    },
    /// Over; never moves again.
    Ended(Ending),
}

/// What a supervisor is doing inside `running`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// A process was requested and has not reported; it is stopped at once if a stop was requested in the meantime.
    Starting(Option<StopCause>),
    /// The agent is at work.
    Working,
    /// TERM was sent.
    Stopping(StopCause),
    /// KILL was sent.
    Killing(StopCause),
    /// No process exists; the next attempt starts when the pause is over.
    BackingOff,
}

impl Phase {
    /// The word that `agency show` prints.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting(_) => "starting",
            Self::Working => "working",
            Self::Stopping(_) => "stopping",
            Self::Killing(_) => "killing",
            Self::BackingOff => "backing_off",
        }
    }
}

/// Why a run is being stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopCause {
    /// A user asked.
    Requested,
    /// Its wall time is used up.
    WallTime,
    /// Nothing came from the agent for too long.
    NoProgress,
    /// The agent's question was not answered for too long.
    NoAnswer,
}

string_enum! {
    /// What happens when the agent crashes.
    RestartPolicy {
        /// The run has failed.
        Never = "never",
        /// It is started again, until it has crashed too often in a row.
        OnCrash = "on-crash",
    }
}

/// How many crashes in a row end a run that is restarted, unless the configuration says otherwise.
pub const FAILURES_ALLOWED: u32 = 3;

impl RestartPolicy {
    /// How many crashes in a row end the run, if it may crash so often at most.
    #[must_use]
    pub const fn failures_allowed(self, most: u32) -> u32 {
        match self {
            Self::Never => 1,
            Self::OnCrash => most,
        }
    }
}
