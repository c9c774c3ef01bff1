//! `agency ls` and `agency show`: finds runs, with those reconciled whose supervisor died.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, _place) = start(PLAIN)?;
//! # agency.wait(&run.id, None, State::is_terminal)?;
//! use agency_engine::store::{RunFilter, Selected};
//!
//! let completed = agency.list(&RunFilter::default().state(State::Completed))?;
//! assert_eq!(completed.len(), 1);
//! assert_eq!(agency.overview()?.running, 0);
//! // An id, the beginning of one, a name, or the newest run.
//! let Selected::One(last) = agency.select("last")? else { panic!("there is one run") };
//! assert_eq!(last.id, run.id);
//! # Ok(())
//! # }
//! ```

use agency_model::run::State;
use agency_model::{Activity, RunId, RunKind, nearest};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::home::Home;
use crate::store::{Purpose, RunFilter, RunRow, Selected, StoreError, now};

/// How many of the newest names a mistyped one is compared with.
const NEAREST_OF: u32 = 500;

/// The fact that says when the user last looked.
const LAST_LOOK: &str = "last_look";

/// How all runs stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Overview {
    /// Runs whose agent waits for an answer.
    pub waiting: u64,
    /// Runs that are running, those that wait among them.
    pub running: u64,
    /// Runs that wait for a slot.
    pub queued: u64,
    /// Runs that failed since the user last looked, or ever.
    pub failed: u64,
    /// When that was.
    pub since: Option<Timestamp>,
}

impl Agency {
    /// The runs that match, newest first, with the dead ones among them reconciled.
    pub fn list(&mut self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        self.reconcile_live()?;
        self.store.list(filter)
    }

    /// The result of `make` for each of them.
    #[doc(hidden)]
    pub fn list_as<T>(
        &mut self,
        filter: &RunFilter,
        make: impl FnMut(&Home, RunRow) -> T,
    ) -> Result<Vec<T>, StoreError> {
        self.reconcile_live()?;
        let (home, mut make) = (&self.home, make);
        self.store.list_as(filter, |row| make(home, row))
    }

    /// How many runs match, whatever the limit is.
    pub fn count(&self, filter: &RunFilter) -> Result<u64, StoreError> {
        self.store.count(filter)
    }

    /// When the user last looked at the runs of this home.
    pub fn last_look(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.store.fact(LAST_LOOK)?.and_then(|at| at.parse().ok()))
    }

    /// Notes that the user looks at the runs now.
    pub fn note_look(&mut self) -> Result<(), StoreError> {
        self.store.set_fact(LAST_LOOK, &now().to_string())
    }

    /// How the runs stand: how many wait for a user, how many are live, and how many failed since the last look.
    pub fn overview(&mut self) -> Result<Overview, StoreError> {
        self.reconcile_live()?;
        let live = self.store.live()?;
        let live = || live.iter().filter(|row| row.kind != RunKind::Ask);
        let since = self.last_look()?;
        let failed = RunFilter {
            states: vec![State::Failed],
            except: Some(RunKind::Ask),
            ended_since: since,
            ..RunFilter::default()
        };
        Ok(Overview {
            waiting: live().filter(|row| row.activity == Some(Activity::WaitingForUser)).count() as u64,
            running: live().filter(|row| row.state == State::Running).count() as u64,
            queued: live().filter(|row| row.state == State::Queued).count() as u64,
            failed: self.store.count(&failed)?,
            since,
        })
    }

    /// One run as the database has it, for watchers, which need no reconciliation.
    pub fn run(&self, id: &RunId) -> Result<RunRow, StoreError> {
        self.store.run(id)
    }

    /// One run as the database that is there now has it.
    pub(crate) fn fresh_row(&mut self, id: &RunId) -> Result<RunRow, StoreError> {
        self.store.refresh()?;
        self.store.run(id)
    }

    /// Finds one run to show by what [`Store::select`](crate::store::Store::select) reads, reconciled.
    pub fn select(&mut self, text: &str) -> Result<Selected, StoreError> {
        self.select_for(text, Purpose::Read)
    }

    /// The same for what a command is about to do with it.
    pub fn select_for(&mut self, text: &str, purpose: Purpose) -> Result<Selected, StoreError> {
        self.reconcile_live()?;
        self.store.select(text, purpose)
    }

    /// Whether a note about this topic is shown in this home for the first time. In a home that cannot be written it never
    /// is.
    pub fn is_first_time(&mut self, topic: &str) -> bool {
        let told = format!("told_{topic}");
        self.store.set_new_fact(&told, &now().to_string()).unwrap_or(false)
    }

    /// What a user types for a run: its name, if that means this run and no other; else its id.
    #[must_use]
    pub fn short_name(&self, id: &RunId) -> String {
        let means_it = |name: &str, purpose: Purpose| match self.store.select(name, purpose) {
            Ok(Selected::One(row)) => row.id == *id,
            Ok(Selected::None | Selected::Several(_)) | Err(_) => false,
        };
        let Ok(row) = self.store.run(id) else { return id.to_string() };
        let purpose = if row.removed_at.is_some() { Purpose::Restore } else { Purpose::Read };
        let is_its_own =
            |name: &String| !name.starts_with('-') && means_it(name, Purpose::Read) && means_it(name, purpose);
        row.name.filter(is_its_own).unwrap_or_else(|| id.to_string())
    }

    /// The name most like a text that stands for no run: like all of it, or like as many of its first words as the text
    /// has.
    pub fn nearest_name(&self, text: &str) -> Result<Option<String>, StoreError> {
        let names: Vec<String> = self
            .store
            .list(&RunFilter { limit: Some(NEAREST_OF), ..RunFilter::default() })?
            .into_iter()
            .filter_map(|row| row.name)
            .collect();
        if let Some(name) = nearest(text, names.iter().map(String::as_str)) {
            return Ok(Some(name.to_owned()));
        }
        let words = text.split('-').count();
        let first = |name: &String| name.split('-').take(words).collect::<Vec<_>>().join("-");
        let beginnings: Vec<String> = names.iter().map(first).collect();
        let meant = nearest(text, beginnings.iter().map(String::as_str));
        let full = |meant: &str| beginnings.iter().zip(&names).find(|(beginning, _)| *beginning == meant);
        Ok(meant.and_then(full).map(|(_, name)| name.clone()))
    }
}
