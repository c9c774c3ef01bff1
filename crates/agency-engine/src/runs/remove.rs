//! `agency rm`: removes what a finished run holds, and never work that is nowhere else.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(PLAIN)?;
//! use agency_engine::orchestrator::needing_session;
//! use agency_engine::runs::remove::RemoveRequest;
//!
//! let ended = agency.wait(&run.id, None, State::is_terminal)?;
//! std::fs::write(std::path::Path::new(ended.worktree_path.as_deref().unwrap()).join("note"), "not committed")?;
//! let needed_by = needing_session(agency.home());
//! let removed = agency.remove(&ended, RemoveRequest::new(&needed_by))?;
//! assert!(removed.removed);
//! // What was not committed is in a ref.
//! assert!(removed.saved_ref.is_some());
//! # Ok(())
//! # }
//! ```

mod edited_prompt;
mod error;
mod old_refs;
mod plan;
mod request;
mod restoring;
mod teardown;
mod wording;
mod workspace_of;

use std::path::PathBuf;
use std::time::Duration;

use agency_model::run::State;
use agency_model::{RunId, Vcs};
use agency_system::fault;
use agency_system::lock::Lock;
use agency_workspace::{InPlace, JjError, Workspace, WorkspaceError, empty_trash};
use schemars::JsonSchema;
use serde::Serialize;
use tracing::{info, warn};

use self::edited_prompt::EditedPrompt;
pub use self::error::{Remaining, RemoveError};
pub use self::old_refs::MoveRefs;
pub use self::request::{NeedingSession, RemoveRequest, Teardown};
pub use self::restoring::restored_branch;
use self::wording::{imported_notes, kept_branch, notes_of, session_remains, trust_remains, worktree_remains};
use self::workspace_of::bookmark_of;
pub(crate) use self::workspace_of::{base_of, bring_up_to_date, workspace_of};
use crate::agency::Agency;
use crate::agent_files;
use crate::record::pid_file::PidFile;
use crate::store::RunRow;
pub use agency_workspace::{DeleteBranch, RemoveOptions};

/// What removing a run did, or would do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Removed {
    /// The run.
    pub id: RunId,
    /// The terminal state it keeps.
    pub state: State,
    /// Whether its resources are gone.
    pub removed: bool,
    /// Since when.
    pub removed_at: Option<jiff::Timestamp>,
    /// The ref that keeps work which was not committed.
    pub saved_ref: Option<String>,
    /// The branch that stays, if there is one.
    pub branch: Option<String>,
    /// The refs that keep commits to which only the worktree's own refs and log led.
    pub other_refs: Vec<String>,
    /// Where files were moved to that no ref can hold.
    pub kept: Option<PathBuf>,
    /// What was done, or would be, in words.
    pub notes: Vec<String>,
}

/// How long a supervisor that has reported its end may take to leave.
const LEAVING: Duration = Duration::from_secs(5);
/// How long survivors of a crash get before they are killed.
const SURVIVOR_GRACE: Duration = Duration::from_secs(2);

impl Agency {
    /// Removes the worktree and the session of an ended run, and saves uncommitted work first. Safe to repeat.
    pub fn remove(&mut self, row: &RunRow, request: RemoveRequest<'_>) -> Result<Removed, RemoveError> {
        self.remove_if(row, request, &mut |_, _| Ok(()))
    }

    /// The same, unless `check` refuses. It is called under the locks by which no other process removes the run or
    /// resumes it.
    pub(crate) fn remove_if(
        &mut self,
        row: &RunRow,
        request: RemoveRequest<'_>,
        check: &mut dyn FnMut(&mut Self, &RunRow) -> Result<(), RemoveError>,
    ) -> Result<Removed, RemoveError> {
        let options = request.options;
        self.adopt_missing()?;
        self.settle(row)?;
        let row = self.store.run(&row.id)?;
        if !row.state.is_terminal() {
            return Err(RemoveError::NotEnded { id: row.id, state: row.state });
        }
        self.home.run(&row.id).delete_driver_config();
        check_branch_wish(&row, options)?;
        // A branch can still be asked away when all else is gone.
        if row.removed_at.is_some() && options.delete_branch == DeleteBranch::No {
            let kept = Some(self.home.kept_of(&row.worktree_owner())).filter(|place| place.is_dir());
            return Ok(Removed { kept, ..Removed::of(&row, vec!["it was removed before".to_owned()]) });
        }
        request.check_session(&row)?;
        let directory = self.home.run(&row.id);
        // Without its directory no process can own the run, and nothing is left to lock.
        let _owner = match Lock::take(&directory.supervisor_lock(), LEAVING) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => return Err(RemoveError::InUse(row.id)),
            Err(_) => None,
        };
        // Of two runs that leave a shared worktree at once, one has to be the last.
        let _worktree = self.worktree_lock(&row)?;
        check(self, &row)?;
        fault::point("rm.begin");
        let mut remaining = vec![];
        for survivor in self.end_processes(&row.id, SURVIVOR_GRACE) {
            remaining.push(Remaining {
                resource: format!("process {}", survivor.pid()),
                why: format!("process {} ({}) does not end", survivor.pid(), survivor.command_line()),
                command: format!("kill -KILL {}", survivor.pid()),
            });
        }
        PidFile::remove_if_gone(&self.pid_dir(), &row.id);
        fault::point("rm.processes");
        let mut prompt = None;
        let mut torn_down = vec![];
        let removal = match self.sharing(&row)?.first() {
            None => {
                torn_down = self
                    .tear_down(&row, request.teardown)
                    .map_err(|remaining| RemoveError::Remains { id: row.id.clone(), remaining: vec![remaining] })?;
                fault::point("setup.torn_down");
                prompt = EditedPrompt::find(&self.home, &row);
                prompt.as_ref().map_or(Ok(()), EditedPrompt::save)?;
                self.workspace_of(&row)?.remove(options)
            }
            // The last of them removes it.
            Some(_) => InPlace {
                repository: row.directory().into(),
                base: base_of(&row)?,
                worktrees_root: self.home.worktrees(),
                looks: Some(directory.looks()),
            }
            .remove(options),
        };
        let removal = removal.map_err(|error| remaining.push(worktree_remains(&row, &error))).ok();
        fault::point("rm.workspace");
        if self.sharing(&row)?.is_empty() {
            let trusted = agent_files::revoke_trust(&self.home.run(&row.worktree_owner()));
            remaining.extend(trusted.err().map(|error| trust_remains(&row, &error)));
        }
        remaining.extend(session_remains(&row));
        fault::point("rm.session");
        let Some(removal) = removal.filter(|_| remaining.is_empty()) else {
            warn!(run = %row.id, remaining = remaining.len(), "not removed");
            return Err(RemoveError::Remains { id: row.id, remaining });
        };
        let saved = removal.saved.as_ref().map(|saved| saved.reference.as_str());
        let row = self.store.mark_removed(&row.id, saved)?;
        if let (Some(worktree), true) = (&row.worktree_path, self.sharing(&row)?.is_empty()) {
            self.store.release_ports(worktree)?;
        }
        info!(run = %row.id, saved = saved.is_some(), "run removed");
        fault::point("rm.marked");
        // A snapshot for readers of the files.
        let _ = directory.write_json("meta.json", &row);
        let mut notes = imported_notes(&row).unwrap_or_else(|| notes_of(&removal, row.vcs));
        notes.extend(prompt.as_ref().map(EditedPrompt::note));
        notes.extend(torn_down);
        if let Some(other) = self.sharing(&row)?.first() {
            notes = vec![format!("its worktree stays: {} works there too", other.id)];
        }
        let removed = Removed::of(&row, notes);
        let branch = kept_branch(&removal).or(removed.branch);
        Ok(Removed { branch, other_refs: removal.other_refs, kept: removal.kept, ..removed })
    }

    /// Deletes what crashes left in the trash; how many directories it was.
    pub fn empty_trash(&self) -> Result<usize, WorkspaceError> {
        empty_trash(&self.home.trash())
    }

    /// Held while the last run of a worktree is determined, which is named after the run that made it: that run's
    /// note of the place is what is locked.
    pub(crate) fn worktree_lock(&self, row: &RunRow) -> Result<Option<Lock>, RemoveError> {
        if row.worktree_path.is_none() {
            return Ok(None);
        }
        match Lock::take(&self.home.run(&row.worktree_owner()).file("worktree_path.txt"), LEAVING) {
            Ok(Some(lock)) => Ok(Some(lock)),
            Ok(None) => Err(RemoveError::InUse(row.id.clone())),
            // Without the directory of its maker there is nothing to lock.
            Err(_) => Ok(None),
        }
    }

    /// The other runs that still hold the worktree of this one: those that continue it, and the one it continues.
    pub(crate) fn sharing(&self, row: &RunRow) -> Result<Vec<RunRow>, RemoveError> {
        let mut sharing = self.store.runs_in_worktree(row.worktree_path.as_deref())?;
        sharing.retain(|other| other.id != row.id);
        Ok(sharing)
    }

    /// Where a run works.
    pub fn workspace_of(&self, row: &RunRow) -> Result<Box<dyn Workspace>, RemoveError> {
        workspace_of(&self.home, row)
    }
}

/// Whether saved work is at a ref of git and not at a bookmark of jj.
fn is_ref(saved: &str) -> bool {
    saved.starts_with("refs/")
}

/// Refuses to delete a branch that never is.
fn check_branch_wish(row: &RunRow, options: RemoveOptions) -> Result<(), WorkspaceError> {
    if row.vcs == Vcs::Jj && options.delete_branch != DeleteBranch::No {
        return Err(JjError::NoBranch { bookmark: bookmark_of(row) }.into());
    }
    Ok(())
}

impl Removed {
    /// The record of a run, with notes on what was done or would be.
    #[must_use]
    pub fn of(row: &RunRow, notes: Vec<String>) -> Self {
        Self {
            id: row.id.clone(),
            state: row.state,
            removed: row.removed_at.is_some(),
            removed_at: row.removed_at,
            saved_ref: row.saved_ref.clone(),
            branch: match row.vcs {
                Vcs::Git => row.new_branch.clone(),
                Vcs::Jj => row.saved_ref.clone().filter(|saved| !is_ref(saved)),
            },
            other_refs: vec![],
            kept: None,
            notes,
        }
    }
}
