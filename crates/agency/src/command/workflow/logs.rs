//! `agency workflow logs`: what the steps of a session said.

use std::io::{self, Write};
use std::process::ExitCode;

use agency_engine::runner::AnsiStripper;
use agency_engine::watch::Tail;
use agency_model::{ErrorCode, RunId, SessionId};
use schemars::JsonSchema;
use serde::Serialize;

use super::{SESSION_HELP, orchestrator, selected};
use crate::context::Context;
use crate::problem::Problem;

/// Print the output of a session's agents and commands, in order of start
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow logs last\n  agency workflow logs last tests")]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates(crate::command::completions::any_session))]
    session: String,
    /// Only this step, by its name or its path
    step: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Logs {
    session: SessionId,
    logs: Vec<Log>,
}

/// What one attempt of a step said.
#[derive(Debug, Serialize, JsonSchema)]
struct Log {
    /// The path of the step.
    step: String,
    attempt: u32,
    /// The run of an agent.
    run_id: Option<RunId>,
    /// The file that holds it.
    file: String,
    /// Without colours and cursor movements; bytes that are not UTF-8 are replaced.
    text: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let orchestrator = orchestrator(context)?;
    let session = selected(&orchestrator, &args.session)?;
    let mut logs = vec![];
    for log in orchestrator.logs(&session, args.step.as_deref())? {
        let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", log.file.display()));
        let mut cleaner = AnsiStripper::new();
        let mut text = String::new();
        let mut cursor = Tail::at(&log.file, 0).map_err(broken)?;
        let read = cursor.read(|piece| {
            text.push_str(&cleaner.feed(piece));
            Ok(())
        });
        read.map_err(broken)?;
        text.push_str(&cleaner.finish());
        let (step, file) = (log.path.to_string(), log.file.display().to_string());
        logs.push(Log { step, attempt: log.attempt, run_id: log.run_id, file, text });
    }
    let answer = Logs { session, logs };
    context.answer(&answer, |out| answer.logs.iter().try_for_each(|log| print(out, log)))
}

fn print(out: &mut dyn Write, log: &Log) -> io::Result<()> {
    let run = log.run_id.as_ref().map_or_else(String::new, |run| format!(", {run}"));
    writeln!(out, "==> {} (attempt {}{run})", log.step, log.attempt)?;
    write!(out, "{}", log.text)?;
    if log.text.is_empty() || log.text.ends_with('\n') { Ok(()) } else { writeln!(out) }
}
