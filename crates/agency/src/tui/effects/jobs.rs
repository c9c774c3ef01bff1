//! What takes a while: each job as the command of the same name does it.

mod removal;
mod restart;

use std::sync::atomic::AtomicBool;

use super::{create, session};
use crate::context::{Context, user_name};
use crate::problem::Problem;
use crate::tui::effect::{Job, JobOutcome, label};
use crate::view::answer_words;

/// Does a job. What is being created is taken back when `interrupted` is set.
pub(super) fn run(context: &Context, job: Job, interrupted: &AtomicBool) -> Result<JobOutcome, Problem> {
    let said = match job {
        Job::Stop(row) => {
            let row = context.agency()?.stop(&row)?;
            format!("{} is {}", label(&row), row.state)
        }
        Job::Interrupt(row) => format!("{}: {}", label(&row), context.agency()?.interrupt(&row)?),
        Job::Answer { question, answer } => {
            format!("{}: {}", answer_words(&answer), context.agency()?.answer(&question, &answer, &user_name())?)
        }
        Job::Send { row, text } => format!("{}: {}", label(&row), context.agency()?.send(&row, &text)?),
        Job::Resume { row, text } => return restart::resume(context, &mut context.agency()?, row, text, interrupted),
        Job::Restart(row) => return restart::restart(context, &mut context.agency()?, row, interrupted),
        Job::PlanRemoval { row, branch } => return removal::plan(&context.agency()?, &row, branch),
        Job::Remove { row, branch } => removal::remove(&mut context.agency()?, &row, branch)?,
        Job::Agents => return create::agents(context),
        Job::Create(wanted) => return create::create(context, *wanted, interrupted),
        Job::Session(id) => return session::read(context, &id),
        Job::Approve(id) => session::approve(context, &id)?,
        Job::Reject { session, reason } => session::reject(context, &session, &reason)?,
        Job::Retry { session, from } => session::retry(context, &session, from.as_deref(), interrupted)?,
    };
    Ok(JobOutcome::Said(said))
}
