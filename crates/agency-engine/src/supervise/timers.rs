//! What the supervisor waits for besides its agent.

use agency_model::run::Input;
use tokio::time::{Instant, sleep_until};

/// The deadlines of a run; each that passes is told once.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// The end of the run's wall time.
    pub(super) wall_time: Option<(Instant, Input)>,
    /// The end of a grace, a kill or a pause.
    pub(super) phase: Option<(Instant, Input)>,
    /// When the agent has worked so long that earlier crashes do not count.
    pub(super) health: Option<(Instant, Input)>,
    /// The end of the agent's last words.
    pub(super) drain: Option<Instant>,
    /// When the row is brought up to date.
    pub(super) note: Option<Instant>,
    /// When the agent should have given a sign of life.
    pub(super) life: Option<Instant>,
    /// When the oldest question should have been answered.
    pub(super) question: Option<Instant>,
    /// When a question that could not be stored is tried again.
    pub(super) ask: Option<Instant>,
    /// When a turn that is over was the last one.
    pub(super) close: Option<Instant>,
    /// When requests are looked for although nobody rang.
    pub(super) requests: Option<Instant>,
    /// When the screen is looked at.
    pub(super) look: Option<Instant>,
    /// When a screen that is not recognised becomes a question.
    pub(super) unrecognised: Option<Instant>,
    /// When the next key is typed.
    pub(super) key: Option<Instant>,
    /// When an agent whose conversation is over should have left.
    pub(super) dismiss: Option<Instant>,
    /// When a program that tells the user something has had its time.
    pub(super) notify: Option<Instant>,
}

/// Which deadline passed.
#[derive(Debug)]
pub(super) enum Passed {
    Input(Input),
    Drain,
    Note,
    Life,
    Question,
    Ask,
    Close,
    Dismiss,
    Requests,
    Look,
    Unrecognised,
    Key,
    Notify,
}

impl Timers {
    /// Waits for the next deadline; for ever if there is none.
    pub(super) async fn next(&mut self) -> Passed {
        let Some(at) = self.earliest() else {
            return std::future::pending().await;
        };
        sleep_until(at).await;
        self.passed(at)
    }

    fn earliest(&self) -> Option<Instant> {
        let of_run = [&self.wall_time, &self.phase, &self.health].map(|timer| timer.as_ref().map(|(at, _)| *at));
        let of_agent = [self.drain, self.note, self.life, self.look, self.unrecognised, self.key];
        let of_talk = [self.question, self.ask, self.requests, self.close, self.dismiss, self.notify];
        of_agent.into_iter().chain(of_talk).chain(of_run).flatten().min()
    }

    fn passed(&mut self, at: Instant) -> Passed {
        let plain = [
            (&mut self.drain, Passed::Drain),
            (&mut self.note, Passed::Note),
            (&mut self.life, Passed::Life),
            (&mut self.question, Passed::Question),
            (&mut self.ask, Passed::Ask),
            (&mut self.close, Passed::Close),
            (&mut self.dismiss, Passed::Dismiss),
            (&mut self.requests, Passed::Requests),
            (&mut self.look, Passed::Look),
            (&mut self.unrecognised, Passed::Unrecognised),
            (&mut self.key, Passed::Key),
            (&mut self.notify, Passed::Notify),
        ];
        for (timer, passed) in plain {
            if *timer == Some(at) {
                *timer = None;
                return passed;
            }
        }
        let mut of_run = [&mut self.phase, &mut self.health, &mut self.wall_time].into_iter();
        let due = of_run.find(|timer| timer.as_ref().is_some_and(|(due, _)| *due == at));
        due.and_then(Option::take).map_or(Passed::Drain, |(_, input)| Passed::Input(input))
    }
}
