//! What the supervisor waits for besides its agent.

use agency_model::run::Input;
use tokio::time::{Instant, sleep_until};

/// The deadlines of a run; each that passes becomes an input once.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// The end of the run's wall time.
    pub(super) wall_time: Option<(Instant, Input)>,
    /// The end of a grace, a kill or a pause.
    pub(super) phase: Option<(Instant, Input)>,
    /// The end of the agent's last words.
    pub(super) drain: Option<Instant>,
}

/// Which deadline passed.
#[derive(Debug)]
pub(super) enum Passed {
    Input(Input),
    Drain,
}

impl Timers {
    /// Waits for the next deadline; for ever if there is none.
    pub(super) async fn next(&mut self) -> Passed {
        let wall_time = self.wall_time.as_ref().map(|(at, _)| *at);
        let phase = self.phase.as_ref().map(|(at, _)| *at);
        let Some(at) = [wall_time, phase, self.drain].into_iter().flatten().min() else {
            return std::future::pending().await;
        };
        sleep_until(at).await;
        if self.drain == Some(at) {
            self.drain = None;
            return Passed::Drain;
        }
        let due = if phase == Some(at) { self.phase.take() } else { self.wall_time.take() };
        due.map_or(Passed::Drain, |(_, input)| Passed::Input(input))
    }
}
