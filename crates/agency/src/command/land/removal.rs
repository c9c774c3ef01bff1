//! The removal of a run that landed, with `--rm`.

use agency_engine::agency::Agency;
use agency_engine::land::Landed;
use agency_engine::orchestrator::needing_session;
use agency_engine::runs::remove::{RemoveError, RemoveRequest, Removed};
use agency_engine::store::RunRow;
use agency_model::RunId;
use agency_workspace::{DeleteBranch, RemoveOptions, Repository};
use schemars::JsonSchema;
use serde::Serialize;

use crate::problem::Problem;

/// What a removal did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedAfter {
    /// The branch that stays, because the target does not hold its commits.
    pub(super) branch: Option<String>,
    /// In words.
    pub(super) notes: Vec<String>,
}

pub(super) fn remove(agency: &mut Agency, landed: &Landed) -> Result<RemovedAfter, Problem> {
    let mut row = row_of(agency, &landed.id)?;
    if !row.state.is_terminal() {
        row = agency.stop(&row)?;
    }
    let delete_branch = match holds(agency, &row, &landed.target)? {
        true => DeleteBranch::IfMerged,
        false => DeleteBranch::No,
    };
    let needed_by = needing_session(agency.home());
    let options = RemoveOptions { delete_branch, force: false };
    let removed: Removed = agency.remove(&row, RemoveRequest::new(&needed_by).options(options))?;
    let branch = removed.branch.filter(|_| delete_branch == DeleteBranch::No);
    Ok(RemovedAfter { branch, notes: removed.notes })
}

fn row_of(agency: &Agency, id: &RunId) -> Result<RunRow, Problem> {
    Ok(agency.run(id)?)
}

/// Whether the branch of the run is in the target.
fn holds(agency: &Agency, row: &RunRow, target: &str) -> Result<bool, RemoveError> {
    let Some(branch) = &row.new_branch else { return Ok(false) };
    let root = agency.repository_of(row)?;
    let (repository, tip) = Repository::open_at(&root, &format!("refs/heads/{branch}"))?;
    Ok(repository.is_in_branch(&tip, target)?)
}
