//! The runs as they change: which are new, which are different, which were removed, and what their agents ask.
//!
//! Every change is a write to the database, and checking for one takes a few microseconds. So a watcher checks
//! at any interval it likes; being woken by the kernel at each write would cost more where many agents are at
//! work. A check that finds something costs what the live runs cost, however many there are in all. A watcher only
//! reads, apart from reconciling what died; it may be killed at any moment.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(PLAIN)?;
//! use agency_engine::runs::changes::RunsWatch;
//!
//! let mut watch = RunsWatch::default();
//! let mut state = run.state;
//! while !state.is_terminal() {
//!     let news = watch.look(&mut agency)?;
//!     state = news.changed.iter().find(|row| row.id == run.id).map_or(state, |row| row.state);
//!     # std::thread::yield_now();
//! }
//! assert_eq!(state, State::Completed);
//! # Ok(())
//! # }
//! ```

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use agency_model::{RunId, RunKind};

use crate::agency::Agency;
use crate::store::{QuestionRow, RunFilter, RunRow, StoreError};

/// How many runs come with the first read; the others follow with the second, so that the first is fast.
const FIRST_PAGE_RUNS: u32 = 200;
/// The interval of the check which runs exist, and whether a supervisor died: live rows show neither.
const RECONCILE_INTERVAL: Duration = Duration::from_secs(2);

/// What changed since the last look.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunsNews {
    /// Runs that are new or different.
    pub changed: Vec<RunRow>,
    /// Runs that were removed.
    pub gone: Vec<RunId>,
    /// All open questions, oldest first, if they are others than before.
    pub questions: Option<Vec<QuestionRow>>,
}

impl RunsNews {
    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty() && self.questions.is_none()
    }
}

/// A watcher of the runs; the existing ones come with the first two reads. Questions of `agency ask` are not
/// among them.
#[derive(Debug, Default)]
pub struct RunsWatch {
    version: Option<i64>,
    /// Every run that was reported or passed over, and existed at the last read.
    known: HashSet<RunId>,
    /// Whether the old ones were reported too.
    complete: bool,
    live: HashMap<RunId, RunRow>,
    questions: Vec<QuestionRow>,
    round: Option<Instant>,
}

impl RunsWatch {
    /// What changed since the last read. After a failure everything is reported again, since some of it was not.
    pub fn look(&mut self, agency: &mut Agency) -> Result<RunsNews, StoreError> {
        self.try_to_look(agency).inspect_err(|_| {
            *self = Self { known: std::mem::take(&mut self.known), ..Self::default() };
        })
    }

    fn try_to_look(&mut self, agency: &mut Agency) -> Result<RunsNews, StoreError> {
        let round = self.round.is_none_or(|round| round.elapsed() >= RECONCILE_INTERVAL);
        if round {
            self.round = Some(Instant::now());
            agency.reconcile_live()?;
        }
        let version = agency.store.data_version()?;
        // What we reconcile ourselves does not change the version, so a round reads all the same.
        if self.version == Some(version) && !round {
            return Ok(RunsNews::default());
        }
        let first = self.version.replace(version).is_none();
        let mut news = RunsNews::default();
        self.look_at_live(agency, &mut news)?;
        if first {
            let newest = RunFilter { except: Some(RunKind::Ask), limit: Some(FIRST_PAGE_RUNS), ..RunFilter::default() };
            let newest = agency.store.list(&newest)?;
            self.known.extend(newest.iter().map(|row| row.id.clone()));
            news.changed.extend(newest.into_iter().filter(|row| !self.live.contains_key(&row.id)));
            self.round = None;
        } else if round {
            self.look_at_present(agency, &mut news)?;
        }
        let questions = agency.store.open_questions()?;
        if first || questions != self.questions {
            self.questions.clone_from(&questions);
            news.questions = Some(questions);
        }
        Ok(news)
    }

    fn look_at_live(&mut self, agency: &Agency, news: &mut RunsNews) -> Result<(), StoreError> {
        let rows = agency.store.live()?.into_iter().filter(|row| row.kind != RunKind::Ask);
        let now: HashMap<RunId, RunRow> = rows.map(|row| (row.id.clone(), row)).collect();
        for ended in self.live.keys().filter(|id| !now.contains_key(id)) {
            news.changed.push(agency.store.run(ended)?);
        }
        news.changed.extend(now.values().filter(|row| self.live.get(&row.id) != Some(row)).cloned());
        self.known.extend(now.keys().cloned());
        self.live = now;
        Ok(())
    }

    fn look_at_present(&mut self, agency: &Agency, news: &mut RunsNews) -> Result<(), StoreError> {
        let present = agency.store.present()?;
        let mut new = vec![];
        if self.complete {
            for id in present.difference(&self.known) {
                new.push(agency.store.run(id)?);
            }
        } else {
            new = agency.store.list(&RunFilter { except: Some(RunKind::Ask), ..RunFilter::default() })?;
            new.retain(|row| !self.live.contains_key(&row.id));
            self.complete = true;
        }
        news.changed.extend(new.into_iter().filter(|row| row.kind != RunKind::Ask));
        // Also of one that came and went since the last round.
        news.gone.extend(self.known.difference(&present).cloned());
        self.known = present;
        Ok(())
    }
}
