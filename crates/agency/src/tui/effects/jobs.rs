//! What takes a while: each job as the command of the same name does it.

mod removal;
mod restart;

use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::land::{LandRequest, Landed};
use agency_engine::store::{QuestionRow, RunRow};
use agency_model::ErrorCode;
use agency_model::review::NewComment;
use agency_workspace::DeleteBranch;

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
        Job::AnswerAll { questions, answer } => {
            let mut agency = context.agency()?;
            let user = user_name();
            let name = |question: &QuestionRow| question.run_id.to_string();
            let done = format!("answered with {}", answer_words(&answer));
            several("questions", &done, &questions, name, |question| {
                agency.answer(question, &answer, &user)?;
                Ok(())
            })?
        }
        Job::Send { row, text } => format!("{}: {}", label(&row), context.agency()?.send(&row, &text)?),
        Job::Resume { row, text } => return restart::resume(context, &mut context.agency()?, row, text, interrupted),
        Job::Comment { row, about, text } => {
            let comment = NewComment { place: about.place, body: text };
            context.agency()?.comment(&row, &user_name(), &[comment])?;
            format!("the comment on {} is stored; S sends all open ones", label(&row))
        }
        Job::SendComments(row) => {
            let sent = context.agency()?.send_review(&row, interrupted)?;
            let comments = if sent.comments == 1 { "comment" } else { "comments" };
            format!("{} {comments} to {}: {}", sent.comments, label(&row), sent.outcome)
        }
        Job::Restart(row) => return restart::restart(context, &mut context.agency()?, row, interrupted),
        Job::Land(row) => land(&mut context.agency()?, &row, interrupted)?,
        Job::PlanRemoval { row, branch } => return removal::plan(&context.agency()?, &row, branch),
        Job::Remove { row, branch } => removal::remove(&mut context.agency()?, &row, branch)?,
        Job::FindRemoved => {
            return Ok(JobOutcome::Removed(context.agency()?.last_restorable()?.map(Box::new)));
        }
        Job::Restore(row) => {
            let mut agency = context.agency()?;
            // The row before the removal does not have what was saved.
            let row = context.select(&mut agency, row.id.as_str())?;
            let restored = agency.restore(&row, None)?;
            format!("the work of {} is on the branch {}", label(&row), restored.branch)
        }
        Job::StopAll(rows) => several("runs", "stopped", &rows, label, |row| {
            context.agency()?.stop(row)?;
            Ok(())
        })?,
        Job::RemoveAll(rows) => several("runs", "removed", &rows, label, |row| {
            removal::remove(&mut context.agency()?, row, DeleteBranch::No)?;
            Ok(())
        })?,
        Job::Agents => return create::agents(context),
        Job::Create(wanted) => return create::create(context, *wanted, interrupted),
        Job::Session(id) => return session::read(context, &id),
        Job::Approve(id) => session::approve(context, &id)?,
        Job::Reject { session, reason } => session::reject(context, &session, &reason)?,
        Job::Retry { session, from } => session::retry(context, &session, from.as_deref(), interrupted)?,
    };
    Ok(JobOutcome::Said(said))
}

/// Lands a run as `agency land` does it without options.
fn land(agency: &mut Agency, row: &RunRow, interrupted: &AtomicBool) -> Result<String, Problem> {
    let Landed { target, commit, already, .. } = agency.land(row, &LandRequest::new(), &mut |_| {}, interrupted)?;
    let commit = commit.unwrap_or_default();
    Ok(match already {
        true => format!("{target} has the work of {} already", label(row)),
        false => format!("{} landed on {target} as {commit:.12}", label(row)),
    })
}

/// Does the same with each. One that refuses does not stop the others, and is named with its reason.
fn several<T>(
    what: &str,
    done: &str,
    all: &[T],
    name: impl Fn(&T) -> String,
    mut each: impl FnMut(&T) -> Result<(), Problem>,
) -> Result<String, Problem> {
    let failed: Vec<(String, Problem)> =
        all.iter().filter_map(|one| each(one).err().map(|problem| (name(one), problem))).collect();
    let count = all.len() - failed.len();
    let Some((name, problem)) = failed.into_iter().next() else { return Ok(format!("{count} {what} are {done}")) };
    let (message, hint) = problem.into_words();
    let refused =
        Problem::new(ErrorCode::NotAllowed, format!("{count} of {} {what} are {done}; {name}: {message}", all.len()));
    Err(match hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    })
}
