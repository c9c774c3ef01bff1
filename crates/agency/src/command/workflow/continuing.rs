//! Continues a session, and follows it.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use agency_engine::orchestrator::{CallerEnv, Orchestrator, OrchestratorError, WorkflowSession};
use agency_model::SessionId;

use super::{SESSION_HELP, answer, orchestrator, selected, watching};
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;

/// Which session continues.
#[derive(Debug, clap::Args)]
pub(super) struct SessionArgs {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates(crate::command::completions::open_session))]
    session: String,
    /// Do not follow it
    #[arg(long)]
    detach: bool,
}

/// Starts a driver for a session again by way of `drive`, and follows new facts unless the user asked not to.
pub(super) fn continue_session(
    which: &SessionArgs,
    context: &Context,
    drive: impl FnOnce(&mut Orchestrator, &SessionId, CallerEnv, &AtomicBool) -> Result<WorkflowSession, OrchestratorError>,
) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &which.session)?;
    let interrupts = Interrupts::listen()?;
    let before = orchestrator.show(&id)?.entries.last().map_or(0, |entry| entry.seq);
    let caller_env = context.caller_env()?;
    let session = interrupts.while_creating(|asked| drive(&mut orchestrator, &id, caller_env, asked))?;
    if which.detach {
        return answer(&mut orchestrator, &session, context);
    }
    watching::watch(&mut orchestrator, &id, before, interrupts.asked(), context)
}
