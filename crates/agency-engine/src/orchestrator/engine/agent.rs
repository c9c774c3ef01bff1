//! The agents of a session: each is a run like any other, whose id is on disk before there is one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::RunId;
use agency_model::run::{Reason, State};
use agency_model::workflow::{Contract, StepResult, judge};
use agency_workspace::{GitWorktree, Workspace, WorkspaceError};

use super::DriverContext;
use super::final_answer::final_answer;
use crate::agency::Agency;
use crate::runs::create::{CreateError, RunRequest};
use crate::store::{RunRow, StoreError};

/// An agent to start, or to wait for.
#[derive(Debug)]
pub(super) struct AgentTask {
    /// Its run.
    pub(super) run: RunId,
    /// What its final answer has to contain.
    pub(super) contract: Contract,
    /// Set to stop it.
    pub(super) stopped: Arc<AtomicBool>,
    /// What to do with it.
    pub(super) action: AgentAction,
}

/// What to do with an agent.
#[derive(Debug)]
pub(super) enum AgentAction {
    /// Start it.
    Start {
        /// The run to create.
        request: Box<RunRequest>,
        /// The worktree whose state it begins with, if it gets one of its own.
        copies: Option<GitWorktree>,
    },
    /// Another driver started it, or died meanwhile.
    Find,
}

impl AgentTask {
    /// Starts the agent if need be, waits for its end, and returns the result; none if it was never started, and no process
    /// is about to start it.
    pub(super) fn run(self, place: &DriverContext) -> Option<StepResult> {
        let mut agency = match place.agency() {
            Ok(agency) => agency,
            Err(error) => return Some(failed(&error)),
        };
        let Self { run, contract, stopped, action } = self;
        let found = matches!(action, AgentAction::Find);
        if let AgentAction::Start { request, copies } = action
            && let Err(error) = create(&mut agency, *request, copies, &stopped)
        {
            return Some(failed(&error));
        }
        if stopped.load(Ordering::Relaxed) {
            // It was requested while the run was being made.
            stop(&mut agency, &run);
        }
        let row = match agency.wait(&run, None, State::is_terminal) {
            Ok(row) => row,
            Err(error) => return Some(failed(&error)),
        };
        if found && row.attempt == 0 && row.reason == Some(Reason::Disappeared) {
            return None;
        }
        Some(result(&agency, &row, contract))
    }
}

fn create(
    agency: &mut Agency,
    mut request: RunRequest,
    copies: Option<GitWorktree>,
    stopped: &AtomicBool,
) -> Result<(), CreateError> {
    if let Some(worktree) = copies {
        request.flags.base_ref = Some(state_of(&worktree)?);
    }
    let plan = agency.plan(request)?;
    agency.create(&plan, stopped).map(|_| ())
}

/// The commit that holds everything in a worktree, committed or not.
fn state_of(worktree: &GitWorktree) -> Result<String, CreateError> {
    if let Some(saved) = worktree.snapshot()? {
        return Ok(saved.commit.to_string());
    }
    let root = worktree.path.clone();
    let commit = worktree.checked_out()?.ok_or(WorkspaceError::NoCommit { root })?;
    Ok(commit.to_string())
}

/// Whether a run was ever made.
pub(super) fn exists(agency: &Agency, run: &RunId) -> Result<bool, StoreError> {
    agency.store.knows(run)
}

/// Stops a run that is live. The thread that waits for it gets its end.
pub(super) fn stop(agency: &mut Agency, run: &RunId) {
    let Ok(row) = agency.store.run(run) else { return };
    if !row.state.is_terminal() {
        // One that does not stop keeps its step running, which the user sees.
        let _ = agency.stop(&row);
    }
}

fn result(agency: &Agency, row: &RunRow, contract: Contract) -> StepResult {
    let words = final_answer(agency, row);
    let result = match row.state {
        State::Completed => judge(&words, contract),
        State::Failed => {
            let why = row.error.clone().unwrap_or_else(|| "the agent failed".to_owned());
            StepResult::failure(why).with_output(&words)
        }
        State::Killed => StepResult::failure(format!("{} was stopped", row.id)).with_output(&words),
        State::Queued | State::Running => StepResult::failure(format!("{} is {}", row.id, row.state)),
    };
    StepResult { exit_code: row.exit_code, ..result }
}

fn failed(error: &dyn std::fmt::Display) -> StepResult {
    StepResult::failure(error.to_string())
}
