//! What is done with workflow sessions, as the commands of `agency workflow` do it.

use std::sync::atomic::AtomicBool;

use agency_engine::orchestrator::{CallerEnv, Orchestrator, WorkflowSession};
use agency_model::SessionId;

use crate::context::{Context, user_name};
use crate::problem::Problem;
use crate::tui::effect::JobOutcome;

/// How a session stands.
pub(super) fn read(context: &Context, id: &SessionId) -> Result<JobOutcome, Problem> {
    let mut orchestrator = Orchestrator::new(context.agency()?);
    let session = orchestrator.show(id)?;
    Ok(JobOutcome::Session(Box::new(orchestrator.overview(&session)?)))
}

/// Agrees to what a session asks for.
pub(super) fn approve(context: &Context, id: &SessionId) -> Result<String, Problem> {
    let session = Orchestrator::new(context.agency()?).approve(id, None, &user_name())?;
    Ok(format!("approved; {}", stands(&session)))
}

/// Does not agree.
pub(super) fn reject(context: &Context, id: &SessionId, reason: &str) -> Result<String, Problem> {
    let reason = Some(reason).filter(|reason| !reason.trim().is_empty());
    let session = Orchestrator::new(context.agency()?).reject(id, reason, &user_name())?;
    Ok(format!("rejected; {}", stands(&session)))
}

/// Continues a session from what failed, or from a step.
pub(super) fn retry(
    context: &Context,
    id: &SessionId,
    from: Option<&str>,
    interrupted: &AtomicBool,
) -> Result<String, Problem> {
    let caller_env = CallerEnv { notify: true, ..context.caller_env()? };
    let session = Orchestrator::new(context.agency()?).retry(id, from, caller_env, interrupted)?;
    Ok(format!("retried; {}", stands(&session)))
}

fn stands(session: &WorkflowSession) -> String {
    format!("{} is {}", session.record.plan.name, session.state())
}
