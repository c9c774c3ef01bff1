//! Watches the runs and the questions for the screen. The one rule: it uses a small share of a processor at most.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::runs::changes::RunsWatch;

use super::channel::EventSender;
use super::frame_timer::Presence;
use super::input::BackgroundEvent;
use super::mailbox::Mailbox;

/// The shortest pause between two looks.
const MIN_INTERVAL: Duration = Duration::from_millis(200);
/// The same while the user is away.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
/// The longest pause.
const MAX_INTERVAL: Duration = Duration::from_secs(2);
/// The pause after a look, as a multiple of what it cost.
const COST_FACTOR: u32 = 250;

/// The thread that watches the runs.
#[derive(Debug, Clone)]
pub(super) struct RunsWatcher(Arc<Mailbox<()>>);

impl RunsWatcher {
    /// Watches in a thread of its own until the receiver is gone.
    pub(super) fn start(mut agency: Agency, sender: EventSender, presence: Presence) -> io::Result<Self> {
        let wakeups = Arc::new(Mailbox::new(())?);
        let watcher = Self(Arc::clone(&wakeups));
        std::thread::spawn(move || {
            let mut runs = RunsWatch::default();
            while let Some(pause) = look(&mut agency, &mut runs, &sender) {
                wakeups.wait(Some(pause.max(presence.pause(MIN_INTERVAL, IDLE_INTERVAL))), None);
                wakeups.take(|()| ());
            }
        });
        Ok(watcher)
    }

    /// Makes the watcher look now, since the user did something.
    pub(super) fn look_now(&self) {
        self.0.wake();
    }
}

/// Looks once, and returns how long to wait afterwards; none if the receiver is gone.
fn look(agency: &mut Agency, runs: &mut RunsWatch, sender: &EventSender) -> Option<Duration> {
    let began = Instant::now();
    let news = match runs.look(agency) {
        Ok(news) if news.is_empty() => None,
        Ok(news) => Some(BackgroundEvent::Runs(news)),
        Err(error) => {
            let trouble = BackgroundEvent::Trouble(format!("the runs cannot be read: {error}"));
            return sender.report(trouble).then_some(MAX_INTERVAL);
        }
    };
    let sent = news.is_none_or(|news| sender.report(news));
    sent.then(|| (began.elapsed() * COST_FACTOR).min(MAX_INTERVAL))
}
