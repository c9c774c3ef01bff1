//! What lies about although no run needs it: the traces of crashes.
//!
//! The one rule: what may hold somebody's work, or is not provably ours, is named and never touched.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use agency_model::RunId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::ask::{dead_scratch, sweep_scratch};
use crate::home::RunDirectory;
use crate::host::Tmux;
use crate::reconcile::has_owner;
use crate::store::StoreError;

/// What was found.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Strays {
    /// tmux sessions with our kind of name and no run.
    pub sessions: Vec<String>,
    /// Directories below the worktree root that belong to no run, or to a removed one.
    pub worktrees: Vec<PathBuf>,
    /// Run directories without a row.
    pub run_directories: Vec<PathBuf>,
    /// Processes of runs that are over.
    pub survivors: Vec<Survivor>,
    /// Directories in the trash.
    pub trash: Vec<PathBuf>,
    /// Scratch directories of questions that nobody waits for any more.
    pub scratch: Vec<PathBuf>,
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

/// How long a creator may take for its first steps.
const BEING_MADE: Duration = Duration::from_secs(60);
/// How long survivors get before they are killed.
const SURVIVOR_GRACE: Duration = Duration::from_secs(2);

impl Strays {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
            && self.worktrees.is_empty()
            && self.run_directories.is_empty()
            && self.survivors.is_empty()
            && self.trash.is_empty()
            && self.scratch.is_empty()
    }
}

impl Agency {
    /// Looks for traces of crashes.
    pub fn strays(&self) -> Result<Strays, StoreError> {
        Ok(Strays {
            sessions: self.stray_sessions()?,
            worktrees: self.stray_worktrees()?,
            run_directories: self.stray_run_directories()?,
            survivors: self.survivors()?,
            trash: children(&self.home.trash()),
            scratch: dead_scratch(&std::env::temp_dir()),
        })
    }

    /// Takes away what is provably ours and holds nobody's work: survivors, the trash, run directories that never
    /// got a row. Sessions and worktrees without a run are left to their owner.
    pub fn sweep(&self, strays: &Strays) -> Vec<String> {
        let mut done = vec![];
        for survivor in &strays.survivors {
            let left = self.end_processes(&survivor.id, SURVIVOR_GRACE);
            let word = if left.is_empty() { "ended" } else { "could not end" };
            done.push(format!("{word} process {} of {} ({})", survivor.pid, survivor.id, survivor.command));
        }
        if let Err(error) = self.clear_pid_files() {
            done.push(format!("the pid files could not be looked through: {error}"));
        }
        for directory in &strays.run_directories {
            if fs::remove_dir_all(directory).is_ok() {
                done.push(format!("removed {}, which never became a run", directory.display()));
            }
        }
        for directory in sweep_scratch(&std::env::temp_dir()) {
            done.push(format!("removed {}, which nobody needs any more", directory.display()));
        }
        match self.empty_trash() {
            Ok(0) => {}
            Ok(count) => done.push(format!("deleted {count} directories from the trash")),
            Err(error) => done.push(format!("the trash could not be emptied: {error}")),
        }
        done
    }

    fn stray_sessions(&self) -> Result<Vec<String>, StoreError> {
        // Without tmux there are no sessions.
        let sessions = Tmux::new(self.config.tmux_socket.clone()).sessions().unwrap_or_default();
        let mut strays = vec![];
        for session in sessions {
            let id = session.strip_prefix("agency_").and_then(|id| id.parse::<RunId>().ok());
            if let Some(id) = id
                && !self.store.knows(&id)?
            {
                strays.push(session);
            }
        }
        Ok(strays)
    }

    fn stray_worktrees(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut strays = vec![];
        for path in children(&self.home.worktrees()).iter().flat_map(|repository| children(repository)) {
            let id = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<RunId>().ok());
            let needed = match id {
                Some(id) if self.store.knows(&id)? => self.store.run(&id)?.removed_at.is_none(),
                Some(_) | None => false,
            };
            if !needed {
                strays.push(path);
            }
        }
        Ok(strays)
    }

    fn stray_run_directories(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut strays = vec![];
        for path in children(&self.home.runs()) {
            let id = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<RunId>().ok());
            if let Some(id) = id
                && !has_owner(&self.home.run(&id))
                && !self.store.knows(&id)?
                && !is_being_made(&self.home.run(&id))
            {
                strays.push(path);
            }
        }
        Ok(strays)
    }

    fn survivors(&self) -> Result<Vec<Survivor>, StoreError> {
        let mut survivors = vec![];
        for orphan in self.orphans()?.iter().filter(|orphan| orphan.row.state.is_terminal()) {
            survivors.extend(orphan.processes.iter().map(|process| Survivor {
                id: orphan.row.id.clone(),
                pid: process.pid(),
                command: process.command_line(),
            }));
        }
        Ok(survivors)
    }
}

/// Between making the directory and taking the lock in it, a creator has no other sign of life.
fn is_being_made(directory: &RunDirectory) -> bool {
    let age = directory.path().metadata().and_then(|metadata| metadata.modified()).map(|at| at.elapsed());
    !directory.creator_lock().exists() && matches!(age, Ok(Ok(age)) if age < BEING_MADE)
}

fn children(directory: &std::path::Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return vec![];
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
