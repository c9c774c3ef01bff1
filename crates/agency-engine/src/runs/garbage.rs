//! Files and directories that a crash left and no run needs.
//!
//! The one rule: what may hold a user's work, or is not provably ours, is named and never touched.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_model::RunId;
use agency_workspace::{abandoned_directories, sweep_abandoned_directories};
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::config::Config;
use crate::home::Home;
use crate::host::{Tmux, TmuxSession};
use crate::record::pid_file;
use crate::runs::adopt::{FileFindings, Unadoptable};
use crate::runs::orphans::{TracesByRun, traces};
use crate::runs::scratch::{dead_scratch, scratch_places, sweep_scratch};
use crate::store::{KnownRuns, RunRow, StoreError};

/// What was found.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Garbage {
    /// tmux sessions with our kind of name and no run. Those that say that they are of another home are left out.
    pub sessions: Vec<String>,
    /// Those of them that were made for this home.
    #[serde(skip)]
    pub own_sessions: HashSet<String>,
    /// Directories below the worktree root that no run holds.
    pub worktrees: Vec<PathBuf>,
    /// Run directories that never became a run and hold nothing.
    pub run_directories: Vec<PathBuf>,
    /// Run directories without a row that hold too little to rebuild one.
    pub unadoptable: Vec<Unadoptable>,
    /// Pid files of processes that are gone, or are among the survivors.
    pub pid_files: Vec<PathBuf>,
    /// Processes of finished runs.
    pub survivors: Vec<Survivor>,
    /// Directories in the trash.
    pub trash: Vec<PathBuf>,
    /// Scratch directories of asks that have ended.
    pub scratch: Vec<PathBuf>,
    /// Temporary directories of commands that were killed.
    pub temporary: Vec<PathBuf>,
}

/// What is listed without the database.
pub(crate) struct GarbageListing {
    pub(crate) sessions: Vec<TmuxSession>,
    pub(crate) processes: TracesByRun,
    pub(crate) worktrees: Vec<RepositoryWorktrees>,
}

/// The worktrees of one repository.
pub(crate) struct RepositoryWorktrees {
    directory: PathBuf,
    names: Vec<OsString>,
}

/// A process that outlived its run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Survivor {
    /// The run.
    pub id: RunId,
    /// The process.
    pub pid: u32,
    /// What it is.
    pub command: String,
}

/// How long survivors get before they are killed.
const SURVIVOR_GRACE: Duration = Duration::from_secs(2);

impl Garbage {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
            && self.worktrees.is_empty()
            && self.run_directories.is_empty()
            && self.unadoptable.is_empty()
            && self.pid_files.is_empty()
            && self.survivors.is_empty()
            && self.trash.is_empty()
            && self.scratch.is_empty()
            && self.temporary.is_empty()
    }
}

impl Agency {
    /// Looks for traces of crashes, apart from those of the runs that the files describe.
    pub(crate) fn garbage(
        &self,
        findings: &FileFindings,
        known: &KnownRuns,
        listed: GarbageListing,
    ) -> Result<Garbage, StoreError> {
        let adopted: Vec<&RunRow> = findings.runs.iter().map(|(_, run)| &run.row).collect();
        let survivors = self.survivors(listed.processes, &adopted)?;
        let mut pid_files: HashSet<RunId> = self.dead_pid_files()?.into_iter().collect();
        pid_files.extend(survivors.iter().map(|survivor| survivor.id.clone()));
        let directory = self.pid_dir();
        let mut pid_files: Vec<PathBuf> = pid_files.iter().map(|id| pid_file::path_of(&directory, id)).collect();
        pid_files.retain(|path| path.exists());
        pid_files.sort();
        let mut garbage = Garbage {
            worktrees: unknown_worktrees(&listed.worktrees, known),
            run_directories: findings.unused.clone(),
            unadoptable: findings.unadoptable.clone(),
            survivors,
            pid_files,
            trash: children(&self.home.trash()),
            scratch: scratch_places(&self.home).iter().flat_map(|place| dead_scratch(place)).collect(),
            temporary: abandoned_directories(),
            ..Garbage::default()
        };
        self.look_for_sessions(listed.sessions, &adopted, &mut garbage)?;
        Ok(garbage)
    }

    /// Takes away what is provably ours and holds no work: survivors, the trash, run directories that never
    /// got a row. Sessions and worktrees without a run are left to their owner.
    pub fn sweep(&self, garbage: &Garbage) -> Vec<String> {
        let mut done = vec![];
        for survivor in &garbage.survivors {
            let left = self.end_processes(&survivor.id, SURVIVOR_GRACE);
            let word = if left.is_empty() { "ended" } else { "could not end" };
            done.push(format!("{word} process {} of {} ({})", survivor.pid, survivor.id, survivor.command));
        }
        if let Err(error) = self.clear_pid_files() {
            done.push(format!("the pid files could not be read: {error}"));
        }
        for directory in &garbage.run_directories {
            if fs::remove_dir_all(directory).is_ok() {
                done.push(format!("removed {}, which was empty and never became a run", directory.display()));
            }
        }
        for directory in scratch_places(&self.home).iter().flat_map(|place| sweep_scratch(place)) {
            done.push(format!("removed {}, which is no longer needed", directory.display()));
        }
        for directory in sweep_abandoned_directories() {
            done.push(format!("removed {}, left by a killed command", directory.display()));
        }
        match self.empty_trash() {
            Ok(0) => {}
            Ok(count) => done.push(format!("deleted {count} directories from the trash")),
            Err(error) => done.push(format!("the trash could not be emptied: {error}")),
        }
        done
    }

    fn look_for_sessions(
        &self,
        sessions: Vec<TmuxSession>,
        adopted: &[&RunRow],
        garbage: &mut Garbage,
    ) -> Result<(), StoreError> {
        for session in sessions {
            let id = session.name.strip_prefix("agency_").and_then(|id| id.parse::<RunId>().ok());
            let Some(id) = id else { continue };
            let is_ours = session.home.as_deref().map(|home| is_same(home, self.home.root()));
            let has_run = adopted.iter().any(|row| row.id == id) || self.home.run(&id).path().exists();
            if is_ours == Some(false) || has_run || self.store.knows(&id)? {
                continue;
            }
            if is_ours == Some(true) {
                garbage.own_sessions.insert(session.name.clone());
            }
            garbage.sessions.push(session.name);
        }
        Ok(())
    }

    fn survivors(&self, processes: TracesByRun, adopted: &[&RunRow]) -> Result<Vec<Survivor>, StoreError> {
        let mut survivors = vec![];
        for orphan in &self.orphans_among(processes, adopted)? {
            survivors.extend(orphan.processes.iter().map(|process| Survivor {
                id: orphan.row.id.clone(),
                pid: process.pid(),
                command: process.command_line(),
            }));
        }
        Ok(survivors)
    }
}

/// The sessions of the configured tmux server; none without tmux.
pub(crate) fn list_sessions(config: &Config) -> Vec<TmuxSession> {
    Tmux::new(config.tmux_socket.clone()).sessions().unwrap_or_default()
}

/// The processes of runs, by run.
pub(crate) fn list_processes(pid_dir: &Path) -> TracesByRun {
    traces(pid_dir)
}

/// The worktrees of all repositories.
pub(crate) fn list_worktrees(home: &Home) -> Vec<RepositoryWorktrees> {
    let worktrees_in = |directory: PathBuf| RepositoryWorktrees { names: names_in(&directory).collect(), directory };
    children(&home.worktrees()).into_iter().map(worktrees_in).collect()
}

fn unknown_worktrees(listed: &[RepositoryWorktrees], known: &KnownRuns) -> Vec<PathBuf> {
    let mut found = vec![];
    for RepositoryWorktrees { directory, names } in listed {
        let above = directory.file_name().unwrap_or_default().to_string_lossy();
        // Usually all of them are held, and none is left to be sorted.
        let garbage = names.iter().filter(|name| !known.holds(&above, &name.to_string_lossy()));
        // One that was removed after it was listed is held by no run either.
        found.extend(garbage.map(|name| directory.join(name)).filter(|path| path.symlink_metadata().is_ok()));
    }
    found.sort();
    found
}

/// Whether two paths are one directory.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = names_in(directory).map(|name| directory.join(name)).collect();
    paths.sort();
    paths
}

/// The names in a directory, in no order; none if it cannot be read.
fn names_in(directory: &Path) -> impl Iterator<Item = OsString> + use<> {
    fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.file_name())
}
