//! `agency tui`: all runs on one screen.

use std::process::ExitCode;

use agency_model::ErrorCode;

use crate::context::Context;
use crate::problem::Problem;
use crate::tui::{Choices, open};

/// Open the TUI: all runs, their output and questions; the same as agency without arguments
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(
    after_help = "Keys: ? lists them all. Leaving (q) leaves every run alone.\n\nExamples:\n  agency\n  agency tui --no-mouse"
)]
pub(crate) struct Args {
    /// Leave the mouse to the terminal, so that it selects text as usual
    #[arg(long)]
    no_mouse: bool,
}

/// Whether there is a terminal for it.
pub(super) fn can_open(context: &Context) -> bool {
    context.has_screen() && can_move_cursor()
}

/// Whether the terminal is of a kind that knows more than lines.
pub(super) fn can_move_cursor() -> bool {
    std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    if context.json() {
        return Err(
            Problem::new(ErrorCode::Usage, "the TUI has no JSON output").hint("agency ls --json lists the runs")
        );
    }
    if !can_open(context) {
        return Err(Problem::new(ErrorCode::Usage, "the TUI needs a terminal that can move its cursor")
            .hint("agency ls lists the runs; agency --help has all commands"));
    }
    open(context, Choices { mouse: !args.no_mouse, new_run: false })
}

/// The same with the form for a new run.
pub(super) fn ask_for_run(context: &Context) -> Result<ExitCode, Problem> {
    open(context, Choices { mouse: true, new_run: true })
}
