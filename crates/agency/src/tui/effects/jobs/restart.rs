//! Continuing a finished run, and restarting one.

use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::agents::RestartRequest;
use agency_engine::runs::create::{CreateError, Plan, ResumeFallback, ResumeRequest, SetupChoice};
use agency_engine::runs::stop::StopError;
use agency_engine::store::RunRow;
use agency_model::{ErrorCode, RunKind};
use agency_system::process::own_terminal_size;

use crate::context::Context;
use crate::problem::Problem;
use crate::tui::effect::{JobOutcome, label};

/// The prompt of an agent that needs one when it is restarted.
const GO_ON: &str = "You were stopped and started again. The conversation so far is still yours, and the files are as \
    you left them. Check the current state, then continue your work.";

/// Continues the conversation of a finished run.
pub(super) fn resume(
    context: &Context,
    agency: &mut Agency,
    row: RunRow,
    text: String,
    interrupted: &AtomicBool,
) -> Result<JobOutcome, Problem> {
    let plan = agency.plan_resume(request(context, row, Some(text), ResumeFallback::Refuse)?)?;
    create(agency, &plan, "continues as", interrupted)
}

/// Stops a run if it is live, and starts it again where it was, with its conversation where that can be resumed.
pub(super) fn restart(
    context: &Context,
    agency: &mut Agency,
    row: RunRow,
    interrupted: &AtomicBool,
) -> Result<JobOutcome, Problem> {
    if let (RunKind::Agent, Some(name)) = (row.kind, &row.name) {
        return restart_agent(context, name, &row, interrupted);
    }
    let again = |row: &RunRow, prompt| request(context, row.clone(), prompt, ResumeFallback::BeginAnother);
    // What cannot be started again is not stopped.
    match agency.check_restart(again(&row, None)?) {
        Err(CreateError::Value { field: "prompt", .. }) => agency.check_restart(again(&row, Some(GO_ON.to_owned()))?),
        checked => checked,
    }?;
    let over = match agency.stop(&row) {
        Ok(over) => over,
        Err(StopError::NotRunning { .. }) => row,
        Err(error) => return Err(error.into()),
    };
    let plan = match agency.plan_resume(again(&over, None)?) {
        // Only a run that resumes a conversation needs a prompt; a new conversation has the first one.
        Err(CreateError::Value { field: "prompt", .. }) => agency.plan_resume(again(&over, Some(GO_ON.to_owned()))?),
        plan => plan,
    }?;
    create(agency, &plan, "was restarted as", interrupted)
}

/// A named agent is its newest run; an older one is not meant by its name.
fn restart_agent(context: &Context, name: &str, row: &RunRow, interrupted: &AtomicBool) -> Result<JobOutcome, Problem> {
    let mut manager = context.agent_manager()?;
    let newest = manager.agent(name)?.run;
    if newest.id != row.id {
        let message = format!("{name} has a newer run: {}, which is {}", newest.id, newest.state);
        return Err(Problem::new(ErrorCode::InvalidState, message).hint("select that one"));
    }
    let request = RestartRequest {
        prompt: None,
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
    };
    let agent = manager.restart_agent(name, request, interrupted)?;
    let said = format!("{name} was restarted as {}", agent.run.id);
    Ok(JobOutcome::Created { id: agent.run.id, said })
}

fn request(
    context: &Context,
    parent: RunRow,
    prompt_text: Option<String>,
    fallback: ResumeFallback,
) -> Result<ResumeRequest, Problem> {
    Ok(ResumeRequest {
        parent,
        prompt_text,
        fallback,
        mode: None,
        host: None,
        name: None,
        args: vec![],
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
        may_wait: true,
        terminal: own_terminal_size(std::io::stdout()),
        notify: context.is_at_terminal(),
        setup: SetupChoice::Project,
    })
}

fn create(agency: &mut Agency, plan: &Plan, how: &str, interrupted: &AtomicBool) -> Result<JobOutcome, Problem> {
    let row = agency.create(plan, interrupted)?;
    let mut said = vec![format!("{} {how} {}", label(&row), row.id)];
    said.extend(plan.notices.iter().cloned());
    Ok(JobOutcome::Created { said: said.join("; "), id: row.id })
}
