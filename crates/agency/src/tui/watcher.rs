//! Watches the runs and the questions for the screen, and never spends more than a small part of a processor on it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::runs_watch::RunsWatch;

use super::bell::Bell;
use super::input::News;
use super::pace::Presence;

/// The shortest pause between two looks: nobody sees more.
const PAUSE: Duration = Duration::from_millis(200);
/// The same while nobody is there.
const CALM_PAUSE: Duration = Duration::from_secs(1);
/// The longest.
const LONG_PAUSE: Duration = Duration::from_secs(2);
/// A look is followed by a pause of so many times what it cost.
const SHARE: u32 = 250;

/// Tells the watcher to look now, since the user did something.
#[derive(Debug, Clone, Default)]
pub(super) struct Nudge(Arc<(Mutex<bool>, Condvar)>);

impl Nudge {
    pub(super) fn give(&self) {
        let (given, changed) = &*self.0;
        *given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_one();
    }

    /// Waits for a nudge, at most so long.
    fn wait(&self, limit: Duration) {
        let (given, changed) = &*self.0;
        let given = given.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(given, limit, |given| !*given);
        let (mut given, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *given = false;
    }
}

/// Watches in a thread of its own, as long as somebody listens.
pub(super) fn watch(mut agency: Agency, bell: Bell, presence: Presence) -> Nudge {
    let nudge = Nudge::default();
    let nudged = nudge.clone();
    std::thread::spawn(move || {
        let mut runs = RunsWatch::default();
        while let Some(pause) = look(&mut agency, &mut runs, &bell) {
            nudged.wait(pause.max(presence.pause(PAUSE, CALM_PAUSE)));
        }
    });
    nudge
}

/// One look, and how long to wait after it; none if nobody listens any more.
fn look(agency: &mut Agency, runs: &mut RunsWatch, bell: &Bell) -> Option<Duration> {
    let began = Instant::now();
    let news = match runs.look(agency) {
        Ok(news) if news.is_empty() => None,
        Ok(news) => Some(News::Runs(news)),
        Err(error) => {
            let trouble = News::Trouble(format!("the runs cannot be read: {error}"));
            return bell.report(trouble).then_some(LONG_PAUSE);
        }
    };
    let told = news.is_none_or(|news| bell.report(news));
    told.then(|| (began.elapsed() * SHARE).min(LONG_PAUSE))
}
