//! Watches the runs and the questions for the screen, and never spends more than a small part of a processor on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::runs_watch::RunsWatch;

use super::bell::Bell;
use super::input::News;
use crate::problem::Problem;

/// The shortest pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest.
const LONG_PAUSE: Duration = Duration::from_secs(2);
/// A look is followed by a pause of so many times what it cost.
const SHARE: u32 = 250;
/// How long after trouble it is tried again.
const AGAIN: Duration = Duration::from_secs(2);

/// Tells the watcher to look now, since the user did something.
#[derive(Debug, Clone, Default)]
pub(super) struct Nudge(Arc<AtomicBool>);

impl Nudge {
    pub(super) fn give(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Watches in a thread of its own, as long as somebody listens.
pub(super) fn watch(mut agency: Agency, bell: Bell) -> Result<Nudge, Problem> {
    let mut runs = agency.watch_runs()?;
    let nudge = Nudge::default();
    let nudged = nudge.clone();
    std::thread::spawn(move || while look(&mut agency, &mut runs, &bell, &nudged) {});
    Ok(nudge)
}

/// One look and the pause after it; false if nobody listens any more.
fn look(agency: &mut Agency, runs: &mut RunsWatch, bell: &Bell, nudged: &Nudge) -> bool {
    let began = Instant::now();
    match runs.look(agency) {
        Ok(news) => {
            let told = news.is_empty() || bell.leave(News::Runs(news));
            if !told {
                return false;
            }
        }
        Err(error) => {
            if !bell.leave(News::Trouble(format!("the runs cannot be read: {error}"))) {
                return false;
            }
            std::thread::sleep(AGAIN);
        }
    }
    let pause = (began.elapsed() * SHARE).clamp(PAUSE, LONG_PAUSE);
    let until = Instant::now() + pause;
    while Instant::now() < until && !nudged.0.swap(false, Ordering::Relaxed) {
        std::thread::sleep(PAUSE.min(until.saturating_duration_since(Instant::now())));
    }
    runs.wait(LONG_PAUSE);
    true
}
