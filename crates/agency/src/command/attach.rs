//! `agency attach`: shows a run in this terminal.

use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runs::attach::Attachment;
use agency_engine::store::{Purpose, RunRow};
use agency_model::ErrorCode;
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;
use crate::run_names::called;
use crate::terminal::{AttachEnd, attach_terminal, tell_how_to_leave, tell_how_to_return};

/// Show the agent's terminal here; Ctrl-b d leaves tmux, Ctrl-\ leaves a detached run
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The agent continues when you detach. Inside tmux, the client is switched to the run's session,\nand the prefix and L switch it back.\n\n\
    Examples:\n  agency attach fix\n  agency attach --direct fix"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::ChangeLive))]
    run: String,
    /// Go through the supervisor, not through tmux; a detached run is always reached so
    #[arg(long)]
    direct: bool,
}

/// The answer: how to attach, since JSON and a terminal do not go together.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HowToAttach {
    id: agency_model::RunId,
    tmux_session: Option<String>,
    command: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select_for(&mut agency, &args.run, Purpose::ChangeLive)?;
    attach(&agency, &row, args.direct, context)
}

/// Shows a run that was just started.
pub(super) fn show(agency: &Agency, row: &RunRow, context: &Context) -> Result<ExitCode, Problem> {
    attach(agency, row, false, context)
}

/// Refuses where there is no terminal to show anything in.
pub(super) fn check_terminal() -> Result<(), Problem> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::Usage, "attaching needs a terminal").hint("run it in a terminal, without pipes"))
}

fn attach(agency: &Agency, row: &RunRow, direct: bool, context: &Context) -> Result<ExitCode, Problem> {
    let attachment = agency.attach(row, std::env::var_os("TMUX").as_deref(), direct)?;
    if context.json() {
        let command = match &attachment {
            Attachment::Tmux(command) | Attachment::Switch { command, .. } => std::iter::once(command.get_program())
                .chain(command.get_args())
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            Attachment::Direct(_) => vec!["agency".into(), "attach".into(), row.id.to_string()],
        };
        let answer = HowToAttach { id: row.id.clone(), tmux_session: row.tmux_session_name.clone(), command };
        return context.answer(&answer, |_| Ok(()));
    }
    match attachment {
        Attachment::Tmux(mut command) => {
            check_terminal()?;
            tell_how_to_leave(&mut command, "leaves the agent running");
            // Only a failure comes back from here.
            let error = command.exec();
            Err(Problem::new(ErrorCode::TmuxNotFound, format!("tmux could not be started: {error}")))
        }
        Attachment::Switch { mut command, tell } => {
            check_terminal()?;
            let switched = command.status().map_err(|error| {
                Problem::new(ErrorCode::TmuxNotFound, format!("tmux could not be started: {error}"))
            })?;
            if switched.success() {
                tell_how_to_return(tell, "goes back to your session, and the agent continues");
                return Ok(ExitCode::SUCCESS);
            }
            // tmux has said why.
            Ok(ExitCode::FAILURE)
        }
        Attachment::Direct(connection) => {
            check_terminal()?;
            let name = called(agency, &row.id);
            context.say(&format!("{name}: Ctrl-\\ leaves the agent running"));
            match attach_terminal(connection)? {
                AttachEnd::Detached => context.say(&format!("\ndetached from {name}; it is still running")),
                AttachEnd::Ended => context.say(&format!("\n{name} has finished: agency show {name}")),
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}
