//! Removing a run, and what that would keep and save.

use agency_engine::agency::Agency;
use agency_engine::orchestrator::needing_session;
use agency_engine::runs::remove::{RemoveError, RemoveRequest};
use agency_engine::store::RunRow;
use agency_workspace::{DeleteBranch, RemoveOptions};

use crate::problem::Problem;
use crate::tui::effect::{JobOutcome, label};

/// Finds out what a removal would do.
pub(super) fn plan(agency: &Agency, row: &RunRow, branch: DeleteBranch) -> Result<JobOutcome, Problem> {
    if !row.state.is_terminal() {
        return Err(RemoveError::NotEnded { id: row.id.clone(), state: row.state }.into());
    }
    let needed_by = needing_session(agency.home());
    let plan = agency.removal_plan(row, RemoveRequest::new(&needed_by).options(options(branch)))?;
    Ok(JobOutcome::Removal { run: row.id.clone(), branch, notes: plan.notes })
}

/// Removes a run; work that is nowhere else is saved first.
pub(super) fn remove(agency: &mut Agency, row: &RunRow, branch: DeleteBranch) -> Result<String, Problem> {
    let needed_by = needing_session(agency.home());
    let removed = agency.remove(row, RemoveRequest::new(&needed_by).options(options(branch)))?;
    let mut said = vec![format!("{} is removed", label(row))];
    said.extend(removed.saved_ref.map(|_| format!("agency restore {} brings back what was not committed", removed.id)));
    said.extend(removed.branch.map(|branch| format!("the branch {branch} stays")));
    Ok(said.join("; "))
}

const fn options(branch: DeleteBranch) -> RemoveOptions {
    RemoveOptions { delete_branch: branch, force: false }
}
