//! Following a session on the screen, and what its end means for our exit code.

use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use agency_engine::orchestrator::{FollowEnd, Orchestrator, SessionEvent, describe_fact};
use agency_model::SessionId;
use agency_model::workflow::SessionState;

use super::tree;
use crate::context::Context;
use crate::output::field;
use crate::problem::Problem;

/// The terminal's other screen, and back.
const ENTER: &[u8] = b"\x1b[?1049h";
const LEAVE: &[u8] = b"\x1b[?1049l";
const CLEAR: &[u8] = b"\x1b[H\x1b[2J";

/// Prints what happens until the session stops, then its state. An interrupt leaves the session running.
pub(super) fn watch(
    orchestrator: &mut Orchestrator,
    id: &SessionId,
    after: u64,
    left: &AtomicBool,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let mut closed = None;
    let followed = orchestrator.follow(id, after, left, |happened| {
        if context.json() {
            return ControlFlow::Continue(());
        }
        match context.print_text(line(&happened).as_bytes()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                closed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    match closed {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
        Some(error) => return Err(Problem::output(&error)),
        None => {}
    }
    conclude(orchestrator, id, followed?, context)
}

/// Redraws the steps with every change, on the alternate screen, until the session stops.
pub(super) fn watch_tree(
    orchestrator: &mut Orchestrator,
    id: &SessionId,
    after: u64,
    left: &AtomicBool,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let mut viewer = super::orchestrator(context)?;
    let mut draw = || -> io::Result<()> {
        // What cannot be read now is drawn at the next change.
        let overview = viewer.show(id).ok().and_then(|session| viewer.overview(&session).ok());
        let Some(overview) = overview else { return Ok(()) };
        context.print_raw(CLEAR)?;
        let drawn = context.print(|out| {
            tree::print_table(out, &overview)?;
            writeln!(out, "\nCtrl-C leaves it running")
        });
        drawn.map_err(|_| io::ErrorKind::BrokenPipe.into())
    };
    let shut = |error: io::Error| Problem::output(&error);
    context.print_raw(ENTER).map_err(shut)?;
    let mut drawn = draw();
    let followed = drawn.is_ok().then(|| {
        orchestrator.follow(id, after, left, |_| {
            drawn = draw();
            if drawn.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    });
    // Whatever happened, the user gets the old screen back.
    context.print_raw(LEAVE).map_err(shut)?;
    drawn.map_err(shut)?;
    let Some(followed) = followed else { return Ok(ExitCode::SUCCESS) };
    conclude(orchestrator, id, followed?, context)
}

/// Prints the state of the session when it is not followed any more.
fn conclude(
    orchestrator: &mut Orchestrator,
    id: &SessionId,
    followed: FollowEnd,
    context: &Context,
) -> Result<ExitCode, Problem> {
    match followed {
        FollowEnd::Interrupted => {
            context.say(&format!("{id} continues; agency workflow show -f {id} follows it again"));
            Err(Problem::silent(130))
        }
        FollowEnd::Over(state) | FollowEnd::NotDriven(state) => {
            let session = orchestrator.show(id)?;
            let overview = orchestrator.overview(&session)?;
            context.answer(&overview, |out| {
                writeln!(out)?;
                tree::print(out, &overview)
            })?;
            Ok(exit_code(state))
        }
    }
}

/// What the end of a session means for a script.
fn exit_code(state: SessionState) -> ExitCode {
    ExitCode::from(match state {
        SessionState::Completed => 0,
        SessionState::Cancelled => 137,
        SessionState::Blocked
        | SessionState::Failed
        | SessionState::Running
        | SessionState::Waiting
        | SessionState::PendingMerge => 1,
    })
}

fn line(happened: &SessionEvent) -> String {
    match happened {
        SessionEvent::Fact(entry) => {
            format!("{} {}\n", entry.at.strftime("%H:%M:%S"), field(&describe_fact(&entry.fact)))
        }
        SessionEvent::Interaction(question) => {
            let at = question.asked_at.strftime("%H:%M:%S");
            format!(
                "{at} {} asks: {}; agency inbox show {}\n",
                question.run_id,
                field(&question.question.title),
                question.id
            )
        }
    }
}
