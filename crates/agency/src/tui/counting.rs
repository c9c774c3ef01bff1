//! Counts what the runs on the screen changed. The one rule: one at a time and not often, since each costs a git.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::finish::read_markers;
use agency_engine::workspace::ChangedFile;
use agency_model::RunId;
use agency_model::run::ChangedPath;
use jiff::Timestamp;

use super::bell::Bell;
use super::input::News;
use super::pace::Presence;
use super::runs::ChangeCount;

/// The pause between two counts of live runs.
const PAUSE: Duration = Duration::from_secs(1);
/// The same while nobody is there.
const LONG_PAUSE: Duration = Duration::from_secs(30);
/// A run that did something is counted again after this.
const AGAIN: Duration = Duration::from_secs(4);
/// A live run that seems to do nothing, after this.
const ANYWAY: Duration = Duration::from_secs(30);

/// A run that is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) run: RunId,
    pub(super) updated_at: Timestamp,
    pub(super) over: bool,
}

/// Which runs are to be counted; those that matter most come first.
#[derive(Debug, Clone, Default)]
pub(super) struct Counting(Arc<(Mutex<Wanted>, Condvar)>);

#[derive(Debug, Default)]
struct Wanted {
    shown: Vec<Shown>,
    news: bool,
}

/// When a run was counted last, and how it was then.
struct Counted {
    at: Instant,
    updated_at: Timestamp,
}

impl Counting {
    /// Counts in a thread of its own, as long as somebody listens.
    pub(super) fn begin(agency: Agency, bell: Bell, presence: Presence) -> Self {
        let counting = Self::default();
        let wanted = counting.clone();
        std::thread::spawn(move || {
            let mut counter = Counter { agency, bell, presence, counted: HashMap::new() };
            let mut limit = AGAIN;
            while let Some(next) = counter.round(&wanted.wait(limit)) {
                limit = next;
            }
        });
        counting
    }

    /// Says what is on the screen now.
    pub(super) fn show(&self, shown: Vec<Shown>) {
        let (wanted, changed) = &*self.0;
        let mut wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted.shown != shown {
            *wanted = Wanted { shown, news: true };
            changed.notify_one();
        }
    }

    /// Waits until something else is on the screen, at most so long, and says what is.
    fn wait(&self, limit: Duration) -> Vec<Shown> {
        let (wanted, changed) = &*self.0;
        let wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(wanted, limit, |wanted| !std::mem::take(&mut wanted.news));
        let (wanted, _) = waited.unwrap_or_else(PoisonError::into_inner);
        wanted.shown.clone()
    }
}

/// Who counts.
struct Counter {
    agency: Agency,
    bell: Bell,
    presence: Presence,
    counted: HashMap<RunId, Counted>,
}

impl Counter {
    /// Counts what is due, and says after how long something else may be; none if nobody listens any more.
    fn round(&mut self, shown: &[Shown]) -> Option<Duration> {
        // What is over is told by its marker, which is cheap.
        for one in shown.iter().filter(|one| one.over) {
            if is_due(one, self.counted.get(&one.run)) && !self.count(one) {
                return None;
            }
        }
        let due = shown.iter().find(|one| !one.over && is_due(one, self.counted.get(&one.run)));
        let Some(one) = due else { return Some(AGAIN) };
        let told = self.count(one);
        let counted = Instant::now();
        // Whoever comes back does not wait for the long one.
        while counted.elapsed() < self.presence.pause(PAUSE, LONG_PAUSE) {
            std::thread::sleep(PAUSE);
        }
        told.then_some(Duration::ZERO)
    }

    fn count(&mut self, one: &Shown) -> bool {
        self.counted.insert(one.run.clone(), Counted { at: Instant::now(), updated_at: one.updated_at });
        match changes_of(&one.run, one.over, &self.agency) {
            Some(changes) => self.bell.report(News::Changes { run: one.run.clone(), changes }),
            None => true,
        }
    }
}

fn is_due(one: &Shown, counted: Option<&Counted>) -> bool {
    match counted {
        None => true,
        Some(counted) if one.over => counted.updated_at != one.updated_at,
        Some(counted) if counted.updated_at != one.updated_at => counted.at.elapsed() >= AGAIN,
        Some(counted) => counted.at.elapsed() >= ANYWAY,
    }
}

/// What a run changed, as its marker or its workspace says; nothing where neither is there.
fn changes_of(run: &RunId, over: bool, agency: &Agency) -> Option<ChangeCount> {
    let noted = || read_markers(&agency.home().run(run))?.changed_files;
    let found = || {
        let workspace = agency.workspace_of(&agency.run(run).ok()?).ok()?;
        Some(workspace.changes().ok()?.files.iter().map(ChangedFile::noted).collect::<Vec<_>>())
    };
    let files = if over { noted().or_else(found) } else { found() };
    files.map(|files| sum(&files))
}

fn sum(files: &[ChangedPath]) -> ChangeCount {
    let lines = |count: fn(&ChangedPath) -> Option<u64>| files.iter().filter_map(count).sum();
    ChangeCount { files: files.len(), added: lines(|file| file.added), removed: lines(|file| file.removed) }
}
