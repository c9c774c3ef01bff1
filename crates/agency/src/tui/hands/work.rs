//! What takes a while: each job as the command of the same name does it.

use std::sync::atomic::AtomicBool;

use crate::command::answer::who;
use crate::context::Context;
use crate::problem::Problem;
use crate::tui::effect::{Job, Outcome, label};

/// Does a job.
pub(super) fn work(context: &Context, job: Job, _interrupted: &AtomicBool) -> Result<Outcome, Problem> {
    let mut agency = context.agency()?;
    let said = match job {
        Job::Stop(row) => {
            let row = agency.stop(&row)?;
            format!("{} is {}", label(&row), row.state)
        }
        Job::Interrupt(row) => format!("{}: {}", label(&row), agency.interrupt(&row)?),
        Job::Answer { question, answer } => format!("{}: {}", question.id, agency.answer(&question, &answer, &who())?),
    };
    Ok(Outcome::Said(said))
}
