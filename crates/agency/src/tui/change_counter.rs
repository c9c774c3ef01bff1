//! Counts what the runs on the screen changed. The one rule: one at a time and rarely, since each count starts git.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::forecast::{ForecastVerdict, RunConflicts};
use agency_engine::record::finish::read_markers;
use agency_engine::store::RunRow;
use agency_model::RunId;
use agency_model::run::ChangedPath;
use agency_workspace::ChangedFile;
use jiff::Timestamp;

use super::channel::EventSender;
use super::frame_timer::Presence;
use super::input::BackgroundEvent;
use super::mailbox::{Mailbox, Wake};
use super::runs::{ChangeCount, Verified};

/// The pause between two counts of live runs.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// The same while the user is away.
const IDLE_INTERVAL: Duration = Duration::from_secs(30);
/// A run that did something is counted again after this.
const RECOUNT_INTERVAL: Duration = Duration::from_secs(4);
/// A live run that seems to do nothing, after this.
const QUIET_RECOUNT_INTERVAL: Duration = Duration::from_secs(30);

/// A run that is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownRun {
    pub(super) run: RunId,
    pub(super) updated_at: Timestamp,
    pub(super) over: bool,
}

/// The thread that counts changes, and the runs on the screen, the most important first.
#[derive(Debug, Clone)]
pub(super) struct ChangeCounter(Arc<Mailbox<Vec<ShownRun>>>);

/// When a run was counted last, and how it was then.
struct Counted {
    at: Instant,
    updated_at: Timestamp,
}

impl ChangeCounter {
    /// Counts in a thread of its own until the receiver is gone.
    pub(super) fn start(agency: Agency, sender: EventSender, presence: Presence) -> io::Result<Self> {
        let shown = Arc::new(Mailbox::new(vec![])?);
        let counter = Self(Arc::clone(&shown));
        std::thread::spawn(move || {
            let (counted, conflicts, verified) = (HashMap::new(), HashMap::new(), HashMap::new());
            let mut thread = CounterThread { agency, sender, presence, counted, conflicts, verified };
            let mut limit = RECOUNT_INTERVAL;
            loop {
                shown.wait(Some(limit), None);
                let Some(next) = thread.round(&shown.take(|shown| shown.clone())) else { return };
                limit = next;
            }
        });
        Ok(counter)
    }

    /// Sets which runs are on the screen.
    pub(super) fn show(&self, runs: Vec<ShownRun>) {
        self.0.change_and(|shown| {
            let wake = if *shown == runs { Wake::No } else { Wake::Yes };
            *shown = runs;
            wake
        });
    }
}

/// The state of the thread.
struct CounterThread {
    agency: Agency,
    sender: EventSender,
    presence: Presence,
    counted: HashMap<RunId, Counted>,
    /// What each run was reported to conflict with.
    conflicts: HashMap<RunId, Vec<String>>,
    /// What was reported of the results of races.
    verified: HashMap<RunId, Verified>,
}

impl CounterThread {
    /// Counts what is due, and returns when the next count may be due; none if the receiver is gone.
    fn round(&mut self, shown: &[ShownRun]) -> Option<Duration> {
        let rows: Vec<RunRow> = shown.iter().filter_map(|one| self.agency.run(&one.run).ok()).collect();
        if !self.tell_conflicts(&rows) || !self.tell_results(&rows) {
            return None;
        }
        // The marker of a run that has ended holds its changes, which is cheap to read.
        for one in shown.iter().filter(|one| one.over) {
            if is_due(one, self.counted.get(&one.run)) && !self.count(one) {
                return None;
            }
        }
        let due = shown.iter().find(|one| !one.over && is_due(one, self.counted.get(&one.run)));
        let Some(one) = due else { return Some(RECOUNT_INTERVAL) };
        let sent = self.count(one);
        let counted = Instant::now();
        // A user who comes back does not wait for the long interval.
        while counted.elapsed() < self.presence.pause(MIN_INTERVAL, IDLE_INTERVAL) {
            std::thread::sleep(MIN_INTERVAL);
        }
        sent.then_some(Duration::ZERO)
    }

    /// Reads the last forecasts, and reports what is different now; `false` if the receiver is gone.
    fn tell_conflicts(&mut self, rows: &[RunRow]) -> bool {
        let mut found = self.agency.kept_conflicts(rows.iter().map(|row| (&row.id, row.repo_path.as_str())));
        rows.iter().all(|row| {
            let with = found.remove(&row.id).map(|conflicts| names_of(&self.agency, &conflicts)).unwrap_or_default();
            let known = self.conflicts.entry(row.id.clone()).or_default();
            if *known == with {
                return true;
            }
            known.clone_from(&with);
            self.sender.report(BackgroundEvent::Conflicts { run: row.id.clone(), with })
        })
    }

    /// Reads the results of races, and reports what is different now; `false` if the receiver is gone.
    fn tell_results(&mut self, rows: &[RunRow]) -> bool {
        rows.iter().filter(|row| row.race_id.is_some()).all(|row| {
            let Ok(Some(result)) = self.agency.race_result(&row.id) else { return true };
            let verified = Verified::of(result);
            if self.verified.get(&row.id) == Some(&verified) {
                return true;
            }
            self.verified.insert(row.id.clone(), verified.clone());
            self.sender.report(BackgroundEvent::Verified { run: row.id.clone(), verified })
        })
    }

    fn count(&mut self, one: &ShownRun) -> bool {
        self.counted.insert(one.run.clone(), Counted { at: Instant::now(), updated_at: one.updated_at });
        match changes_of(&one.run, one.over, &self.agency) {
            Some(changes) => self.sender.report(BackgroundEvent::Changes { run: one.run.clone(), changes }),
            None => true,
        }
    }
}

/// The branch and the runs with which a run conflicts.
fn names_of(agency: &Agency, conflicts: &RunConflicts) -> Vec<String> {
    let target = (conflicts.verdict == ForecastVerdict::Conflict).then(|| conflicts.target.clone());
    let runs = conflicts.conflicts_with.iter().map(|id| agency.run_name(id).unwrap_or_else(|| id.to_string()));
    target.into_iter().chain(runs).collect()
}

fn is_due(one: &ShownRun, counted: Option<&Counted>) -> bool {
    match counted {
        None => true,
        Some(counted) if one.over => counted.updated_at != one.updated_at,
        Some(counted) if counted.updated_at != one.updated_at => counted.at.elapsed() >= RECOUNT_INTERVAL,
        Some(counted) => counted.at.elapsed() >= QUIET_RECOUNT_INTERVAL,
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
