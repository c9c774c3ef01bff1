//! Recovers rows from the files of their runs, after the database was lost or replaced by an older one.
//!
//! The one rule: a run directory is deleted only if it holds nothing but what creation makes before the row. Files are
//! believed only as far as they cannot lead outside the home.

mod from_spec;
mod history;
mod snapshot;

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::io;
use std::iter;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use agency_model::run::State;
use agency_model::{RunId, RunKind};
use agency_system::lock::is_held;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use tracing::{info, warn};

use self::from_spec::RebuildError;
use self::history::History;
use self::snapshot::SnapshotError;
use crate::agency::Agency;
use crate::home::{Home, RunDirectory};
use crate::runs::owner::has_owner;
use crate::store::{AdoptedRun, KnownRun, KnownRuns, RunRow, StoreError};

/// How long a creator may take for its first steps.
const BEING_MADE: Duration = Duration::from_secs(60);
/// Clocks of file systems are coarser than ours; a directory that changed so shortly before is looked at again.
const CLOCK_SLACK: Duration = Duration::from_secs(2);
/// All that creation makes before the row.
const BEFORE_THE_ROW: [&str; 2] = ["logs", "creator.lock"];

/// A run whose row was rebuilt, or brought up to date, from its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Adopted {
    /// The run.
    pub id: RunId,
    /// Its label.
    pub name: Option<String>,
    /// The state that the database had; absent if it did not know the run.
    pub from: Option<State>,
    /// The state according to the files.
    pub to: State,
    /// How many questions of its agent the files contain.
    pub questions: usize,
}

/// A run directory with too little information to rebuild a row from. It is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unadoptable {
    /// Where it is.
    pub path: PathBuf,
    /// What is missing.
    pub why: String,
}

/// Why the files of a run do not describe it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdoptError {
    #[error("its events cannot be read: {0}")]
    Events(#[source] io::Error),
    #[error("{snapshot}; {rebuild}")]
    Row { snapshot: Box<SnapshotError>, rebuild: Box<RebuildError> },
}

/// The differences between the files of runs and the database.
#[derive(Debug, Default)]
pub struct FileFindings {
    pub(crate) runs: Vec<(Option<State>, AdoptedRun)>,
    pub(crate) unadoptable: Vec<Unadoptable>,
    /// Directories that hold nothing and never became a run.
    pub(crate) unused: Vec<PathBuf>,
    /// Ended runs whose files do not record the end.
    pub(crate) untold: Vec<RunId>,
    /// Up to when changes of files are covered.
    compared_at: Timestamp,
}

impl FileFindings {
    /// The runs that are adopted, as text.
    #[must_use]
    pub fn adopted(&self) -> Vec<Adopted> {
        let describe = |(from, run): &(Option<State>, AdoptedRun)| Adopted {
            id: run.row.id.clone(),
            name: run.row.name.clone(),
            from: *from,
            to: run.row.state,
            questions: run.questions.len(),
        };
        self.runs.iter().map(describe).collect()
    }
}

/// What a directory without a row is.
enum Unknown {
    /// A process is creating a run in it.
    BeingMade,
    /// It never became a run, and holds nothing.
    Unused,
    /// It describes a run.
    Run,
}

/// How many run directories have no row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unadopted {
    /// A row can be rebuilt from their files.
    pub adoptable: usize,
    /// Their files hold too little, or what cannot be trusted.
    pub unadoptable: usize,
}

impl Agency {
    /// Compares the directories of all runs with the rows. What did not change since the last time costs one look at
    /// its directory.
    pub(crate) fn compare_files(
        &self,
        directories: RunDirectories,
        known: &KnownRuns,
    ) -> Result<FileFindings, StoreError> {
        let since = self.store.files_compared_at()?.map(SystemTime::from);
        let mut findings = FileFindings { compared_at: directories.listed_at, ..FileFindings::default() };
        for (id, modified) in directories.found {
            let changed = modified.zip(since).is_none_or(|(modified, since)| modified > since);
            match known.get(&id) {
                None => self.look_at_unknown(&id, &mut findings),
                Some(row) if changed => self.look_at_known(&id, *row, &mut findings),
                Some(_) => {}
            }
        }
        findings.runs.sort_by(|(_, one), (_, other)| one.row.id.cmp(&other.row.id));
        self.make_agent_names_unique(&mut findings)?;
        findings.unused.sort();
        findings.untold.sort();
        findings.unadoptable.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(findings)
    }

    /// Gives a live agent another name if one that is live too has it: both can then be named, and stopped.
    fn make_agent_names_unique(&self, findings: &mut FileFindings) -> Result<(), StoreError> {
        let is_live_agent = |row: &RunRow| row.kind == RunKind::Agent && !row.state.is_terminal();
        if !findings.runs.iter().any(|(_, run)| is_live_agent(&run.row)) {
            return Ok(());
        }
        let is_found = |row: &RunRow| findings.runs.iter().any(|(_, run)| run.row.id == row.id);
        let mut stored = self.store.live()?;
        stored.retain(|row| is_live_agent(row) && !is_found(row) && has_owner(&self.home.run(&row.id)));
        let mut taken: HashSet<String> = stored.into_iter().filter_map(|row| row.name).collect();
        for (_, run) in findings.runs.iter_mut().filter(|(_, run)| is_live_agent(&run.row)) {
            let Some(name) = run.row.name.take() else { continue };
            let others = (2_u32..).map(|number| format!("{name}-{number}"));
            run.row.name = iter::once(name.clone()).chain(others).find(|name| !taken.contains(name));
            taken.extend(run.row.name.clone());
        }
        Ok(())
    }

    /// Writes into the database what the files contain. Returns what could not be written, with the reason.
    pub fn adopt(&mut self, findings: &FileFindings) -> Result<Vec<Unadoptable>, StoreError> {
        let runs: Vec<&AdoptedRun> = findings.runs.iter().map(|(_, run)| run).collect();
        let refused = self.store.adopt(&runs)?;
        for run in &runs {
            info!(run = %run.row.id, state = %run.row.state, questions = run.questions.len(), "run adopted");
        }
        for (id, error) in &refused {
            warn!(run = %id, code = error.code().as_str(), "run not adopted");
        }
        let refused = refused
            .into_iter()
            .map(|(id, error)| Unadoptable { path: self.home.run(&id).path().to_owned(), why: error.to_string() });
        Ok(refused.collect())
    }

    /// Notes that everything that was found is done, so that the next comparison begins there.
    pub fn files_are_compared(&mut self, findings: &FileFindings) -> Result<(), StoreError> {
        let at = findings.compared_at.checked_sub(CLOCK_SLACK).unwrap_or(findings.compared_at);
        self.store.set_files_compared_at(at)?;
        self.store.set_complete()
    }

    /// Notes the same if nothing was found, so that a look alone is not repeated.
    pub(crate) fn nothing_differs(&mut self, findings: &FileFindings) -> Result<(), StoreError> {
        let agrees = findings.runs.is_empty() && findings.untold.is_empty() && findings.unadoptable.is_empty();
        if agrees { self.files_are_compared(findings) } else { Ok(()) }
    }

    /// How many run directories describe a run that the database does not have. Once none of them can be adopted, this
    /// costs nothing and finds nothing until another file is in the place of the database; so what cannot be adopted is
    /// counted once. `agency reconcile` and `agency doctor` name it every time.
    pub fn unadopted(&mut self) -> Result<Unadopted, StoreError> {
        let mut found = Unadopted::default();
        if self.store.is_complete()? {
            return Ok(found);
        }
        let known = self.store.known_runs()?;
        for (id, _) in run_directories(&self.home).filter(|(id, _)| known.get(id).is_none()) {
            match kind_of(&self.home.run(&id)) {
                Unknown::Run if self.read_run(&id).is_ok() => found.adoptable += 1,
                Unknown::Run => found.unadoptable += 1,
                Unknown::BeingMade | Unknown::Unused => {}
            }
        }
        if found.adoptable == 0 {
            // Looking again is all that is lost if this cannot be stored.
            let _ = self.store.set_complete();
        }
        Ok(found)
    }

    fn look_at_unknown(&self, id: &RunId, findings: &mut FileFindings) {
        let directory = self.home.run(id);
        match kind_of(&directory) {
            Unknown::BeingMade => {}
            Unknown::Unused => findings.unused.push(directory.path().to_owned()),
            Unknown::Run => match self.read_run(id) {
                Ok(run) => findings.runs.push((None, run)),
                Err(error) => {
                    let (path, why) = (directory.path().to_owned(), error.to_string());
                    findings.unadoptable.push(Unadoptable { path, why });
                }
            },
        }
    }

    fn look_at_known(&self, id: &RunId, row: KnownRun, findings: &mut FileFindings) {
        let Ok(snapshot) = snapshot::unchecked(&self.home, id) else {
            if row.state.is_terminal() {
                findings.untold.push(id.clone());
            }
            return;
        };
        let (files, database) = (rank(snapshot.state), rank(row.state));
        let removed_since = snapshot.removed_at.is_some() && !row.removed;
        let newer = files == database && snapshot.state.is_terminal() && snapshot.updated_at > row.updated_at;
        if files > database || (files == database && (removed_since || newer)) {
            // Both ended, but in different ways: the row stands.
            let contradicts = row.state.is_terminal() && snapshot.state != row.state;
            if let (false, Ok(run)) = (contradicts, self.read_run(id)) {
                findings.runs.push((Some(row.state), run));
            }
        } else if row.state.is_terminal() && (files < database || (row.removed && snapshot.removed_at.is_none())) {
            findings.untold.push(id.clone());
        }
    }

    /// The run as its files describe it.
    pub(crate) fn read_run(&self, id: &RunId) -> Result<AdoptedRun, AdoptError> {
        let directory = self.home.run(id);
        let history = History::read(id, &directory.events()).map_err(AdoptError::Events)?;
        let mut row = snapshot::read(&self.home, id).or_else(|snapshot| {
            let rebuilt = from_spec::rebuild(&self.home, id, &history);
            rebuilt.map_err(|rebuild| AdoptError::Row { snapshot: Box::new(snapshot), rebuild: Box::new(rebuild) })
        })?;
        // A run with a marker is ended by reconciliation, which reads more from it than the events contain.
        let is_over = !has_owner(&directory) && !directory.done().exists();
        history.complete(&mut row, is_over);
        let questions = history.into_questions(&row);
        Ok(AdoptedRun { row, questions })
    }

    /// The run as its files describe it, if they say that it has finished.
    pub(crate) fn ended_in_files(&self, id: &RunId) -> Option<AdoptedRun> {
        let over = snapshot::read(&self.home, id).is_ok_and(|row| row.state.is_terminal());
        over.then(|| self.read_run(id).ok()).flatten()
    }
}

/// How far a run is.
const fn rank(state: State) -> u8 {
    match state {
        State::Queued => 0,
        State::Running => 1,
        State::Completed | State::Failed | State::Killed => 2,
    }
}

/// What a directory without a row is.
fn kind_of(directory: &RunDirectory) -> Unknown {
    if is_held(&directory.creator_lock()).unwrap_or(true) {
        return Unknown::BeingMade;
    }
    if !is_unused(directory) {
        return Unknown::Run;
    }
    if is_held(&directory.supervisor_lock()).unwrap_or(true) || is_new(directory) {
        return Unknown::BeingMade;
    }
    Unknown::Unused
}

/// Whether a directory holds nothing but what creation makes before the row.
fn is_unused(directory: &RunDirectory) -> bool {
    let logs = directory.file("logs");
    let no_logs = fs::read_dir(&logs).map_or(!logs.exists(), |mut entries| entries.next().is_none());
    let Ok(mut entries) = fs::read_dir(directory.path()) else { return false };
    let expected = |entry: std::io::Result<DirEntry>| {
        entry.is_ok_and(|entry| BEFORE_THE_ROW.iter().any(|name| entry.file_name() == *name))
    };
    no_logs && entries.all(expected)
}

/// Between making the directory and taking the lock in it, a creator has no other sign of life.
fn is_new(directory: &RunDirectory) -> bool {
    let age = directory.path().metadata().and_then(|metadata| metadata.modified()).map(|at| at.elapsed());
    !directory.creator_lock().exists() && matches!(age, Ok(Ok(age)) if age < BEING_MADE)
}

fn run_directories(home: &Home) -> impl Iterator<Item = (RunId, DirEntry)> + use<> {
    let entries = fs::read_dir(home.runs()).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry)))
}

/// The directories of all runs.
pub(crate) struct RunDirectories {
    /// Changes after this moment may not be seen.
    listed_at: Timestamp,
    /// Each with the time at which something was last made, replaced or deleted in it, where that can be read.
    found: Vec<(RunId, Option<SystemTime>)>,
}

impl RunDirectories {
    /// Lists them.
    pub(crate) fn list(home: &Home) -> Self {
        let listed_at = Timestamp::now();
        let modified = |entry: &DirEntry| entry.metadata().and_then(|found| found.modified()).ok();
        Self { listed_at, found: run_directories(home).map(|(id, entry)| (id, modified(&entry))).collect() }
    }
}
