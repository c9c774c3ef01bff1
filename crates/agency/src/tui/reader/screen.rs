//! Looking at the screen of an interactive agent, or at what it was.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::store::RunRow;
use agency_engine::watch::ScreenWatch;
use agency_model::run::State;

use super::POLL_INTERVAL;
use super::orders::Sleep;
use crate::tui::detail::{Content, Screen};

/// The screen of one run.
#[derive(Debug, Default)]
pub(super) struct ScreenReading {
    watch: Option<ScreenWatch>,
    last_sent: LastSent,
    at: Option<Instant>,
    /// Whether it is too early to read on.
    pausing: bool,
}

/// What was sent last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LastSent {
    #[default]
    Nothing,
    /// That there is none yet.
    Waiting,
    Live,
    Over,
}

impl ScreenReading {
    /// What can be waited for.
    pub(super) fn stream(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().filter(|_| !self.pausing).map(AsFd::as_fd)
    }

    /// Sends what is new; returns the time until the next check.
    pub(super) fn turn(
        &mut self,
        agency: &Agency,
        row: &RunRow,
        pace: Duration,
        tell: &mut impl FnMut(Content),
    ) -> Sleep {
        let wait = |limit| Sleep { limit, ignore_changes: true };
        self.pausing = false;
        if row.state.is_terminal() {
            self.watch = None;
            if self.last_sent != LastSent::Over {
                self.last_sent = LastSent::Over;
                tell(last_screen(agency, row));
            }
            return wait(None);
        }
        if self.watch.is_none() {
            self.watch = match row.state {
                State::Queued => None,
                State::Running | State::Completed | State::Failed | State::Killed => agency.watch_screen(row).ok(),
            };
            if self.watch.is_none() {
                if self.last_sent == LastSent::Nothing {
                    self.last_sent = LastSent::Waiting;
                    tell(Content::Nothing("The agent has no screen yet.".to_owned()));
                }
                return wait(Some(POLL_INTERVAL));
            }
            self.last_sent = LastSent::Waiting;
        }
        let pause = self.at.map(|at| pace.saturating_sub(at.elapsed())).unwrap_or_default();
        if !pause.is_zero() {
            self.pausing = true;
            return wait(Some(pause));
        }
        let Some(watch) = &mut self.watch else { return wait(Some(POLL_INTERVAL)) };
        match watch.next(Duration::ZERO) {
            Ok(Some(bytes)) if bytes.is_empty() => wait(None),
            Ok(Some(bytes)) => {
                self.at = Some(Instant::now());
                match self.last_sent {
                    LastSent::Live => tell(Content::ScreenBytes(bytes)),
                    LastSent::Nothing | LastSent::Waiting | LastSent::Over => {
                        self.last_sent = LastSent::Live;
                        tell(Content::Screen(Box::new(Screen::new(agency.screen_with_history(row, &bytes), false))));
                    }
                }
                self.pausing = true;
                wait(Some(pace))
            }
            // The supervisor left; the row soon has the end of the run.
            Ok(None) | Err(_) => {
                self.watch = None;
                wait(Some(POLL_INTERVAL))
            }
        }
    }
}

/// What the terminal of a finished run showed last.
fn last_screen(agency: &Agency, row: &RunRow) -> Content {
    let last = agency.last_screen(&row.id).unwrap_or_default();
    let screen = agency.screen_with_history(row, &last);
    match last.is_empty() && screen.screen().contents().trim().is_empty() {
        true => Content::Nothing("The agent showed nothing.".to_owned()),
        false => Content::Screen(Box::new(Screen::new(screen, true))),
    }
}
