//! The files of each run: as they were recorded at the end of a turn, or as they are now.

use std::collections::HashMap;

use agency_workspace::{GitWorktree, MergeForecast, WorkState, WorkspaceError};

use super::ForecastSource;
use crate::agency::Agency;
use crate::store::RunRow;

/// The refs of the last checkpoints.
const CHECKPOINTS: &str = "refs/agency/checkpoints/";

/// The recorded states of all runs of a repository.
pub(super) struct Recorded(HashMap<String, WorkState>);

/// The files of a run.
pub(super) struct FoundState {
    pub(super) state: WorkState,
    pub(super) source: ForecastSource,
}

impl Recorded {
    /// Reads them, with one process.
    pub(super) fn read(merges: &MergeForecast) -> Result<Self, WorkspaceError> {
        let states = merges.recorded(CHECKPOINTS)?.into_iter();
        Ok(Self(states.map(|recorded| (recorded.reference, recorded.state)).collect()))
    }

    fn of(&self, row: &RunRow) -> Option<&WorkState> {
        let of = |id: &agency_model::RunId| self.0.get(&format!("{CHECKPOINTS}{id}"));
        of(&row.id).or_else(|| of(&row.worktree_owner()))
    }
}

/// The files of a run, or why they are not known.
pub(super) fn state_of(
    agency: &Agency,
    merges: &mut MergeForecast,
    recorded: &Recorded,
    row: &RunRow,
    fresh: bool,
) -> Result<FoundState, String> {
    let workspace = agency.workspace_of(row).map_err(|error| error.to_string())?;
    let worktree: &GitWorktree = workspace.branch_work().map_err(|error| error.to_string())?;
    if !worktree.path.is_dir() {
        return Err("its worktree is not there any more".to_owned());
    }
    let Some(head) = merges.checked_out(worktree) else {
        return Err("git does not know its worktree".to_owned());
    };
    if let (false, Some(state)) = (fresh, recorded.of(row).filter(|state| state.commit == *head)) {
        return Ok(FoundState { state: state.clone(), source: ForecastSource::Checkpoint });
    }
    let state = merges.snapshot(worktree).map_err(|error| error.to_string())?;
    Ok(FoundState { state, source: ForecastSource::Worktree })
}
