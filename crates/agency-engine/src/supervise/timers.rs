//! What the supervisor waits for besides its agent.
//!
//! The one rule: a timer that fires is removed first, so each is reported once per arming.

use std::collections::BTreeMap;
use std::time::Duration;

use agency_model::conversation;
use agency_model::run::{Input, StopCause};
use tokio::time::{Instant, sleep_until};

use crate::deadline::capped;

/// What a deadline is for. Of several that are due at the same instant, the first in this order fires first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The output of an agent that has exited has been read for long enough.
    Drain,
    /// The row is brought up to date with the agent's activity.
    StoreActivity,
    /// The snapshot of the row is brought up to date.
    WriteSnapshot,
    /// Memory that only a flood of output needs is given back.
    ReleaseMemory,
    /// The screen is read.
    ReadScreen,
    /// The next key is typed.
    NextKey,
    /// A notification program has run for too long.
    Notification,
    /// An input of the conversation.
    Conversation(conversation::Timer),
    /// An input of the run's state machine.
    Run(RunTimer),
}

/// A deadline of the run itself. What belongs to one process carries its attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RunTimer {
    /// The time between TERM and KILL.
    Grace { attempt: u32 },
    /// The time that a killed process may take to be gone.
    Kill { attempt: u32 },
    /// The pause between two attempts.
    Pause { attempt: u32 },
    /// The time after which earlier crashes do not count any more.
    Healthy { attempt: u32 },
    /// The run's wall time.
    WallTime,
}

impl RunTimer {
    /// What the state machine is given when the timer fires.
    pub(super) const fn input(self) -> Input {
        match self {
            Self::Grace { attempt } => Input::GraceOver { attempt },
            Self::Kill { attempt } => Input::KillOver { attempt },
            Self::Pause { attempt } => Input::PauseOver { attempt },
            Self::Healthy { attempt } => Input::Healthy { attempt },
            Self::WallTime => Input::Stop(StopCause::WallTime),
        }
    }
}

/// The deadlines of a run.
#[derive(Debug, Default)]
pub(super) struct Timers {
    armed: BTreeMap<Timer, Instant>,
}

impl Timers {
    /// Arms a timer, or moves it.
    pub(super) fn arm(&mut self, timer: Timer, after: Duration) {
        self.arm_at(timer, Instant::now() + capped(after));
    }

    /// Arms a timer for an instant, or moves it there.
    pub(super) fn arm_at(&mut self, timer: Timer, due: Instant) {
        self.armed.insert(timer, due);
    }

    /// Arms a timer that is not armed.
    pub(super) fn arm_once(&mut self, timer: Timer, after: Duration) {
        self.armed.entry(timer).or_insert_with(|| Instant::now() + capped(after));
    }

    /// Moves a timer that is armed to an earlier instant, never to a later one.
    pub(super) fn shorten(&mut self, timer: &Timer, after: Duration) {
        if let Some(due) = self.armed.get_mut(timer) {
            *due = (*due).min(Instant::now() + capped(after));
        }
    }

    /// Disarms a timer.
    pub(super) fn disarm(&mut self, timer: &Timer) {
        self.armed.remove(timer);
    }

    /// Whether a timer is armed.
    pub(super) fn is_armed(&self, timer: &Timer) -> bool {
        self.armed.contains_key(timer)
    }

    /// Waits for the next timer and disarms it; for ever if none is armed.
    pub(super) async fn next(&mut self) -> Timer {
        let Some((due, timer)) = self.armed.iter().map(|(timer, due)| (*due, timer.clone())).min() else {
            return std::future::pending().await;
        };
        sleep_until(due).await;
        self.disarm(&timer);
        timer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn timers_fire_in_the_order_of_their_deadlines_and_once() {
        block_on(async {
            let mut timers = Timers::default();
            let now = Instant::now();
            timers.arm_at(Timer::Drain, now + Duration::from_millis(2));
            timers.arm_at(Timer::Run(RunTimer::WallTime), now);
            timers.arm_at(Timer::NextKey, now);
            timers.arm_at(Timer::ReadScreen, now);
            timers.disarm(&Timer::ReadScreen);
            assert_eq!(timers.next().await, Timer::NextKey);
            assert_eq!(timers.next().await, Timer::Run(RunTimer::WallTime));
            assert_eq!(timers.next().await, Timer::Drain);
            assert!(!timers.is_armed(&Timer::Drain));
        });
    }

    #[test]
    fn a_timer_is_shortened_and_never_prolonged() {
        let mut timers = Timers::default();
        timers.shorten(&Timer::Drain, Duration::ZERO);
        assert!(!timers.is_armed(&Timer::Drain), "a timer that is not armed stays so");
        timers.arm(Timer::Drain, Duration::from_secs(60));
        let due = timers.armed.clone();
        timers.arm_once(Timer::Drain, Duration::ZERO);
        timers.shorten(&Timer::Drain, Duration::from_secs(120));
        assert_eq!(timers.armed, due);
        timers.shorten(&Timer::Drain, Duration::from_secs(1));
        assert!(timers.armed < due);
    }
}
