//! Ends a session that no run drives.
//!
//! The one rule: it needs nothing but the files of the session, so that a session whose worktree is gone, or that never
//! had a driver, can be ended too.

use agency_model::SessionId;
use agency_model::workflow::{Action, Fact, Flow, Recorded, Running, SessionState, StepPath, StepResult};

use super::super::state::{Journal, SessionManager};
use super::{DriveError, DriverContext, PREDECESSOR_TIMEOUT, agent, leftovers};
use crate::agency::Agency;

/// Stops what the session left running, and stores that it is cancelled.
pub(crate) fn cancel(place: &DriverContext, id: &SessionId) -> Result<SessionState, DriveError> {
    let manager = SessionManager::new(place.home.clone());
    let _lock = manager.lock(id, PREDECESSOR_TIMEOUT)?;
    let session = manager.load(id)?;
    let (mut journal, _) = Journal::open(&session.directory().history())?;
    let mut agency = place.agency()?;
    let mut flow = session.flow;
    note(&mut flow, &mut journal, Fact::CancelAsked)?;
    let running = flow.running();
    while !flow.state().is_settled() {
        let actions = flow.advance();
        // What a stopped session asks for next is an end of each step under way, then of itself.
        if actions.is_empty() {
            break;
        }
        for action in actions {
            match action {
                Action::Note(fact) => {
                    journal.append(fact)?;
                }
                Action::Stop { path, attempt, .. }
                | Action::Start { path, attempt }
                | Action::Ask { path, attempt }
                | Action::Merge { path, attempt } => {
                    let result = stop(&mut agency, &running, &path);
                    note(&mut flow, &mut journal, Fact::StepEnded { path, attempt, result })?;
                }
            }
        }
    }
    leftovers::end(&manager.directory(id));
    Ok(flow.state())
}

fn note(flow: &mut Flow, journal: &mut Journal, fact: Fact) -> Result<(), DriveError> {
    if flow.record(&fact)? == Recorded::Noted {
        journal.append(fact)?;
    }
    Ok(())
}

/// Ends the run of an agent step. Commands are ended with the session.
fn stop(agency: &mut Agency, running: &[Running], path: &StepPath) -> StepResult {
    let run = running.iter().find(|leaf| leaf.path == *path).and_then(|leaf| leaf.run_id.as_ref());
    if let Some(run) = run {
        agent::stop(agency, run);
    }
    StepResult::failure("the session was cancelled")
}
