//! The state machine.

use super::{Effect, Ending, Exit, Input, Phase, Progress, Reason, Run, State, StopCause, Verdict};
use crate::ErrorCode;

/// What an input does to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    /// The run is now this, and these effects follow.
    Moved(Run, Vec<Effect>),
    /// The input is about something that is over; nothing changes.
    Stale,
    /// The input is not allowed now.
    Refused(Refusal),
}

/// Why an input was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The run has finished.
    #[error("the run is {state} already")]
    Ended {
        /// Its state.
        state: State,
    },
    /// The run is being stopped.
    #[error("the run is being stopped already")]
    Stopping,
}

/// Moves a run by one input. Pure and total; the only place where the state of a run changes.
#[must_use]
pub fn step(run: &Run, input: &Input) -> Transition {
    match &run.progress {
        Progress::Queued => queued(run, input),
        Progress::Running { attempt, failures, phase } => {
            let now = Now { run, attempt: *attempt, failures: *failures };
            running(&now, *phase, input)
        }
        Progress::Ended(ending) => ended(ending, input),
    }
}

fn queued(run: &Run, input: &Input) -> Transition {
    let now = Now { run, attempt: 0, failures: 0 };
    match input {
        Input::SlotGranted => now.next_attempt(),
        Input::CouldNotStart(code) => now.end(State::Failed, Reason::CouldNotStart, None, Some(*code)),
        Input::Stop(cause) => now.stopped(*cause, None),
        Input::SupervisorGone(None) => {
            now.end(State::Failed, Reason::Disappeared, None, Some(ErrorCode::RunnerDisappeared))
        }
        Input::SupervisorGone(Some(ending)) => now.end_as(ending.clone()),
        Input::Started { .. }
        | Input::StartFailed { .. }
        | Input::Exited { .. }
        | Input::GraceOver { .. }
        | Input::KillOver { .. }
        | Input::PauseOver { .. }
        | Input::Healthy { .. } => Transition::Stale,
    }
}

fn running(now: &Now<'_>, phase: Phase, input: &Input) -> Transition {
    match input {
        Input::SlotGranted | Input::CouldNotStart(_) => Transition::Stale,
        Input::Started { attempt } if *attempt == now.attempt => match phase {
            Phase::Starting(None) => now.phase(Phase::Working, vec![]),
            Phase::Starting(Some(cause)) => now.terminate(cause),
            Phase::Working | Phase::Stopping(_) | Phase::Killing(_) | Phase::BackingOff => Transition::Stale,
        },
        Input::StartFailed { attempt, code } if *attempt == now.attempt => match phase {
            Phase::Starting(None) => now.end(State::Failed, Reason::CouldNotStart, None, Some(*code)),
            Phase::Starting(Some(cause)) => now.stopped(cause, None),
            Phase::Working | Phase::Stopping(_) | Phase::Killing(_) | Phase::BackingOff => Transition::Stale,
        },
        Input::Exited { attempt, exit, verdict } if *attempt == now.attempt => match phase {
            Phase::Working => now.exited(*exit, *verdict),
            Phase::Stopping(cause) | Phase::Killing(cause) => now.stopped(cause, Some(*exit)),
            Phase::Starting(_) | Phase::BackingOff => Transition::Stale,
        },
        Input::Stop(cause) => match phase {
            Phase::Starting(None) => now.phase(Phase::Starting(Some(*cause)), vec![]),
            Phase::Working => now.terminate(*cause),
            Phase::BackingOff => now.stopped(*cause, None),
            Phase::Starting(Some(_)) | Phase::Stopping(_) | Phase::Killing(_) => Transition::Refused(Refusal::Stopping),
        },
        Input::GraceOver { attempt } if *attempt == now.attempt => match phase {
            Phase::Stopping(cause) => now.phase(Phase::Killing(cause), vec![Effect::Kill { attempt: now.attempt }]),
            Phase::Starting(_) | Phase::Working | Phase::Killing(_) | Phase::BackingOff => Transition::Stale,
        },
        Input::KillOver { attempt } if *attempt == now.attempt => match phase {
            Phase::Killing(cause) => now.stopped(cause, None),
            Phase::Starting(_) | Phase::Working | Phase::Stopping(_) | Phase::BackingOff => Transition::Stale,
        },
        Input::PauseOver { attempt } if *attempt == now.attempt => match phase {
            Phase::BackingOff => now.next_attempt(),
            Phase::Starting(_) | Phase::Working | Phase::Stopping(_) | Phase::Killing(_) => Transition::Stale,
        },
        Input::Healthy { attempt } if *attempt == now.attempt => match phase {
            Phase::Working if now.failures > 0 => now.recovered(),
            Phase::Working | Phase::Starting(_) | Phase::Stopping(_) | Phase::Killing(_) | Phase::BackingOff => {
                Transition::Stale
            }
        },
        Input::Started { .. }
        | Input::StartFailed { .. }
        | Input::Exited { .. }
        | Input::GraceOver { .. }
        | Input::KillOver { .. }
        | Input::PauseOver { .. }
        | Input::Healthy { .. } => Transition::Stale,
        Input::SupervisorGone(Some(ending)) => now.end_as(ending.clone()),
        Input::SupervisorGone(None) => {
            now.end(State::Failed, Reason::Disappeared, None, Some(ErrorCode::RunnerDisappeared))
        }
    }
}

fn ended(ending: &Ending, input: &Input) -> Transition {
    match input {
        Input::Stop(_) => Transition::Refused(Refusal::Ended { state: ending.state }),
        Input::SlotGranted
        | Input::CouldNotStart(_)
        | Input::Started { .. }
        | Input::StartFailed { .. }
        | Input::Exited { .. }
        | Input::GraceOver { .. }
        | Input::KillOver { .. }
        | Input::PauseOver { .. }
        | Input::Healthy { .. }
        | Input::SupervisorGone(_) => Transition::Stale,
    }
}

/// The run before the step, and the moves that several inputs share.
struct Now<'a> {
    run: &'a Run,
    attempt: u32,
    failures: u32,
}

impl Now<'_> {
    fn to(&self, progress: Progress, effects: Vec<Effect>) -> Transition {
        Transition::Moved(Run { progress, failures_allowed: self.run.failures_allowed }, effects)
    }

    fn phase(&self, phase: Phase, effects: Vec<Effect>) -> Transition {
        self.to(Progress::Running { attempt: self.attempt, failures: self.failures, phase }, effects)
    }

    fn next_attempt(&self) -> Transition {
        let attempt = self.attempt + 1;
        let phase = Phase::Starting(None);
        self.to(Progress::Running { attempt, failures: self.failures, phase }, vec![Effect::Spawn { attempt }])
    }

    fn recovered(&self) -> Transition {
        self.to(Progress::Running { attempt: self.attempt, failures: 0, phase: Phase::Working }, vec![])
    }

    fn terminate(&self, cause: StopCause) -> Transition {
        self.phase(Phase::Stopping(cause), vec![Effect::Terminate { attempt: self.attempt }])
    }

    /// A run is completed only if the exit code is 0 and the agent saw no failure. An agent that had finished its
    /// work, well or badly, has not crashed, whatever its exit code.
    fn exited(&self, exit: Exit, verdict: Verdict) -> Transition {
        let ended = match (verdict, exit.is_success()) {
            (Verdict::None | Verdict::Success, true) | (Verdict::Dismissed, _) => Some(State::Completed),
            (Verdict::Failure, true) | (Verdict::Success, false) => Some(State::Failed),
            (Verdict::None | Verdict::Failure, false) => None,
        };
        let failures = self.failures + 1;
        let given_up = (failures >= self.run.failures_allowed).then_some(State::Failed);
        if let Some(state) = ended.or(given_up) {
            return self.end(state, Reason::Exited, Some(exit), None);
        }
        let progress = Progress::Running { attempt: self.attempt, failures, phase: Phase::BackingOff };
        self.to(progress, vec![Effect::Pause { attempt: self.attempt, failures }])
    }

    fn stopped(&self, cause: StopCause, exit: Option<Exit>) -> Transition {
        match cause {
            StopCause::Requested => self.end(State::Killed, Reason::Stopped, exit, None),
            StopCause::WallTime => self.end(State::Failed, Reason::WallTime, exit, Some(ErrorCode::Timeout)),
            StopCause::NoProgress | StopCause::NoAnswer => {
                self.end(State::Failed, Reason::Timeout, exit, Some(ErrorCode::Timeout))
            }
        }
    }

    fn end(&self, state: State, reason: Reason, exit: Option<Exit>, code: Option<ErrorCode>) -> Transition {
        self.end_as(Ending { state, exit, reason, code, attempts: self.attempt })
    }

    fn end_as(&self, ending: Ending) -> Transition {
        self.to(Progress::Ended(ending), vec![Effect::Finish])
    }
}

#[cfg(test)]
mod search;
