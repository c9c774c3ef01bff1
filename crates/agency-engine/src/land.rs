//! `agency land`: brings the work of runs into a branch, after it was merged and the merge was checked.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, _place) = start(PLAIN)?;
//! use std::path::Path;
//!
//! use agency_engine::land::{LandError, LandRequest};
//!
//! let ended = agency.wait(&run.id, None, State::is_terminal)?;
//! let request = LandRequest::new().message("Add a note").check("grep -q x note");
//! std::fs::write(Path::new(ended.worktree_path.as_deref().unwrap()).join("note"), "x")?;
//! let landed = agency.land(&ended, &request, &mut |_| {}, &AtomicBool::new(false))?;
//! assert_eq!(agency.list(&Default::default())?[0].landed_commit, landed.commit);
//! # Ok(())
//! # }
//! ```
//!
//! The one rule: the target moves to a commit that was checked, and only if both it and the branch are as they were then.
//! Each step can be repeated: after a crash, the same call completes the landing or finds it complete.

mod all_ready;
mod attempt;
mod checks;
mod error;
mod message;
mod order;
mod outcome;
mod permission;
mod plan;
mod publish;
mod ready;
mod record;
mod request;
mod resolve;
mod target;

use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::RunId;
use tracing::warn;

use crate::agency::Agency;
use crate::project::ProjectError;
use crate::store::RunRow;

pub use self::all_ready::{HeldRun, PlannedRun, ReadyPlan};
pub(crate) use self::attempt::CHECK_LIMIT;
pub(crate) use self::checks::{Checks, empty_log, marker_of};
pub use self::error::{FailedCheck, LandError};
pub use self::outcome::{FailedLanding, LandProgress, Landed, LandedRuns};
pub use self::plan::{LandPlan, PlannedOutcome};
pub use self::publish::{Publish, Published};
pub(crate) use self::record::Intent;
pub use self::request::{DirtyChoice, LandChecks, LandRequest, OnConflict};
pub(crate) use self::target::target_of;
pub use crate::worktree::CommandEnd as CheckEnd;

impl Agency {
    /// Brings the work of one run into a branch. `progress` is called for what takes time; `stop` ends a check that runs.
    /// Agents may not.
    pub fn land(
        &mut self,
        row: &RunRow,
        request: &LandRequest,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<Landed, LandError> {
        self.permitted_caller()?;
        self.land_permitted(row, request, progress, stop)
    }

    /// The same without a look at the caller, whom the user permitted. Commands that are not approved are asked about in the inbox.
    fn land_permitted(
        &mut self,
        row: &RunRow,
        request: &LandRequest,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<Landed, LandError> {
        let mut id = row.id.clone();
        let mut left = match request.on_conflict {
            OnConflict::Report => 0,
            OnConflict::Agent { attempts } => attempts,
        };
        loop {
            let landed = attempt::Attempt { agency: self, request, progress, stop }.land(&id);
            match landed {
                Err(error) if left > 0 && error.is_for_agent() => {
                    let row = self.store.run(&id)?;
                    id = self.let_agent_resolve(&row, &error, progress, stop)?;
                    left -= 1;
                }
                landed => {
                    match &landed {
                        Ok(_) => self.forecast_after_landing(row),
                        Err(error) => self.ask_about_refusal(row, error),
                    }
                    return landed;
                }
            }
        }
    }

    /// Leaves a question in the inbox where the commands of the project are not approved. The error says the same.
    fn ask_about_refusal(&mut self, row: &RunRow, error: &LandError) {
        let LandError::Project(ProjectError::NotTrusted { repository, .. }) = error else { return };
        if let Ok(Some(project)) = self.project(repository)
            && let Err(error) = self.ask_for_trust(&row.id, &project)
        {
            warn!(run = %row.id, %error, "the question about the project could not be stored");
        }
    }

    /// Brings the work of several runs into a branch, one after the other in this order. It stops at the first that
    /// cannot land; those before it have landed.
    pub fn land_in_order(
        &mut self,
        runs: &[RunId],
        request: &LandRequest,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> LandedRuns {
        let mut landed = vec![];
        for (position, id) in runs.iter().enumerate() {
            let left = || runs.iter().skip(position + 1).cloned().collect();
            let result = match stop.load(Ordering::Relaxed) {
                true => Err(LandError::Interrupted),
                false => {
                    self.store.run(id).map_err(LandError::from).and_then(|row| self.land(&row, request, progress, stop))
                }
            };
            match result {
                Ok(done) => landed.push(done),
                Err(error) => {
                    return LandedRuns { landed, failed: Some(FailedLanding { id: id.clone(), error }), left: left() };
                }
            }
        }
        LandedRuns { landed, failed: None, left: vec![] }
    }
}
