//! The state of a race: its runs with their results, the best first.

use std::cmp::Ordering;
use std::time::Duration;

use agency_model::run::State;
use agency_model::{Activity, RunId, RunKind};

use super::RaceError;
use crate::agency::Agency;
use crate::land::{LandChecks, LandRequest, PlannedOutcome};
use crate::store::{RaceResult, RaceRow, RunRow};

/// The state of a race.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Race {
    /// The race.
    pub row: RaceRow,
    /// Its runs, the best first: verified, then without a change of protected files, then cheap, then fast.
    pub entries: Vec<RaceEntry>,
}

/// One run of a race.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RaceEntry {
    /// The run.
    pub run: RunRow,
    /// What verifying its work showed.
    pub result: Option<RaceResult>,
    /// Whether its work changed since it was verified.
    pub stale: bool,
    /// How many files differ from the base; `None` where the work is gone.
    pub files: Option<usize>,
    /// How many lines were added and removed.
    pub lines: (u64, u64),
    /// What it cost, as far as the agent reports it.
    pub cost_usd: Option<f64>,
    /// How long it took from its start to its end.
    pub duration: Option<Duration>,
    /// The files that do not merge into its target; `None` where that is not known.
    pub conflicts: Option<Vec<String>>,
}

impl RaceEntry {
    /// Whether its work passed: it was verified as it is, or without a command the agent completed its work.
    #[must_use]
    pub fn is_good(&self, race: &RaceRow) -> bool {
        let is_verified = match (&race.verify, &self.result) {
            (Some(_), Some(result)) => result.succeeded && !self.stale,
            (Some(_), None) => false,
            (None, _) => true,
        };
        is_verified && self.run.state == State::Completed && self.files.is_some_and(|files| files > 0)
    }

    /// Whether the work changes files that are verified as they are in the base.
    #[must_use]
    pub fn changes_protected(&self) -> bool {
        self.result.as_ref().is_some_and(|result| !result.protected.is_empty())
    }
}

impl Race {
    /// The run that may land without a user: the best one that passed, left protected files alone and merges.
    #[must_use]
    pub fn winner(&self) -> Option<&RaceEntry> {
        let merges = |entry: &&RaceEntry| entry.conflicts.as_ref().is_none_or(Vec::is_empty);
        let good = |entry: &&RaceEntry| entry.is_good(&self.row) && !entry.changes_protected();
        self.entries.iter().find(|entry| good(entry) && merges(entry))
    }
}

impl Agency {
    /// All races, newest first.
    pub fn races(&self) -> Result<Vec<RaceRow>, RaceError> {
        Ok(self.store.races()?)
    }

    /// The race that an id, its beginning or its end, or `last` stands for.
    pub fn find_race(&self, text: &str) -> Result<RaceRow, RaceError> {
        let mut races = self.store.races()?;
        if text == "last" && !races.is_empty() {
            return Ok(races.remove(0));
        }
        let plain = text.strip_prefix("race_").unwrap_or(text).to_ascii_uppercase();
        let is_called = |race: &RaceRow| {
            let id = race.id.trim_start_matches("race_");
            !plain.is_empty() && (id.starts_with(&plain) || plain.len() >= 4 && id.ends_with(&plain))
        };
        races.retain(is_called);
        match (races.len(), races.pop()) {
            (1, Some(race)) => Ok(race),
            (_, None) => Err(RaceError::NotFound(text.to_owned())),
            (_, Some(last)) => {
                let ids = races.into_iter().chain([last]).map(|race| race.id).collect();
                Err(RaceError::Ambiguous { text: text.to_owned(), ids })
            }
        }
    }

    /// The runs of a race, in the order in which they were started.
    pub fn runs_of_race(&mut self, race: &RaceRow) -> Result<Vec<RunRow>, RaceError> {
        for row in self.store.runs_of_race(&race.id)? {
            self.settle(&row)?;
        }
        Ok(self.store.runs_of_race(&race.id)?)
    }

    /// What verifying the work of a run showed last; nothing if it was not verified.
    pub fn race_result(&self, run: &RunId) -> Result<Option<RaceResult>, RaceError> {
        Ok(self.store.race_result(run)?)
    }

    /// A race as it stands.
    pub fn race(&mut self, race: &RaceRow) -> Result<Race, RaceError> {
        let mut entries = vec![];
        for run in self.runs_of_race(race)? {
            entries.push(self.race_entry(run)?);
        }
        entries.sort_by(|one, other| compare(race, one, other));
        Ok(Race { row: race.clone(), entries })
    }

    fn race_entry(&mut self, run: RunRow) -> Result<RaceEntry, RaceError> {
        let result = self.store.race_result(&run.id)?;
        let mut entry = RaceEntry {
            cost_usd: run.usage.cost_usd,
            duration: duration_of(&run),
            stale: false,
            files: None,
            lines: (0, 0),
            conflicts: None,
            result,
            run,
        };
        if entry.run.removed_at.is_some() {
            return Ok(entry);
        }
        // Work that cannot be read now is shown as gone; the others are still compared.
        let Ok(workspace) = self.workspace_of(&entry.run) else { return Ok(entry) };
        if let Ok(changes) = workspace.changes() {
            entry.files = Some(changes.files.len());
            for lines in changes.files.iter().filter_map(|file| file.lines) {
                entry.lines = (entry.lines.0 + lines.added, entry.lines.1 + lines.removed);
            }
        }
        if let Some(result) = &entry.result {
            entry.stale = workspace.files_now(&[]).is_ok_and(|files| files.tree != result.tree);
        }
        drop(workspace);
        if entry.run.state.is_terminal() {
            entry.conflicts = self.conflicts_of(&entry.run);
        }
        Ok(entry)
    }

    fn conflicts_of(&mut self, run: &RunRow) -> Option<Vec<String>> {
        let mut request = LandRequest::new();
        request.checks = LandChecks::None;
        let plan = self.plan_landing(run, &request).ok()?;
        match plan.outcome {
            PlannedOutcome::Conflicts => Some(plan.conflicts.into_iter().map(|conflict| conflict.path).collect()),
            PlannedOutcome::Clean | PlannedOutcome::AlreadyLanded | PlannedOutcome::Nothing => Some(vec![]),
        }
    }

    /// Whether a run of a race may still change its work.
    pub(super) fn is_racing(row: &RunRow) -> bool {
        !row.state.is_terminal() && (row.activity != Some(Activity::Idle) || row.kind != RunKind::Agent)
    }
}

fn duration_of(run: &RunRow) -> Option<Duration> {
    let (start, end) = run.started_at.zip(run.ended_at)?;
    Duration::try_from(end.duration_since(start)).ok()
}

/// The better one first.
fn compare(race: &RaceRow, one: &RaceEntry, other: &RaceEntry) -> Ordering {
    let conflicts = |entry: &RaceEntry| entry.conflicts.as_ref().is_some_and(|files| !files.is_empty());
    let cost = |entry: &RaceEntry| entry.cost_usd.unwrap_or(f64::INFINITY);
    let duration = |entry: &RaceEntry| entry.duration.unwrap_or(Duration::MAX);
    (other.is_good(race).cmp(&one.is_good(race)))
        .then(one.changes_protected().cmp(&other.changes_protected()))
        .then(conflicts(one).cmp(&conflicts(other)))
        .then(cost(one).total_cmp(&cost(other)))
        .then(duration(one).cmp(&duration(other)))
        .then(one.run.id.cmp(&other.run.id))
}
