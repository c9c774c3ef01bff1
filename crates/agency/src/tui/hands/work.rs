//! What takes a while: each job as the command of the same name does it.

mod again;
mod removal;

use std::sync::atomic::AtomicBool;

use crate::command::answer::who;
use crate::command::inbox::words;
use crate::context::Context;
use crate::problem::Problem;
use crate::tui::effect::{Job, Outcome, label};

/// Does a job. What is being created is taken back when `interrupted` is set.
pub(super) fn work(context: &Context, job: Job, interrupted: &AtomicBool) -> Result<Outcome, Problem> {
    let mut agency = context.agency()?;
    let said = match job {
        Job::Stop(row) => {
            let row = agency.stop(&row)?;
            format!("{} is {}", label(&row), row.state)
        }
        Job::Interrupt(row) => format!("{}: {}", label(&row), agency.interrupt(&row)?),
        Job::Answer { question, answer } => {
            format!("{}: {}", words(&answer), agency.answer(&question, &answer, &who())?)
        }
        Job::Send { row, text } => format!("{}: {}", label(&row), agency.send(&row, &text)?),
        Job::Resume { row, text } => again::resume(context, &mut agency, row, text, interrupted)?,
        Job::Restart(row) => again::restart(context, &mut agency, row, interrupted)?,
        Job::PlanRemoval { row, branch } => return removal::plan(&agency, &row, branch),
        Job::Remove { row, branch } => removal::remove(&mut agency, &row, branch)?,
    };
    Ok(Outcome::Said(said))
}
