//! `agency resume`: continues the conversation of a finished run, in its workspace.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::runs::create::{ResumeFallback, ResumeRequest, SetupChoice};
use agency_engine::store::Purpose;
use agency_system::process::own_terminal_size;
use clap::builder::PossibleValuesParser;

use super::RUN_HELP;
use super::attach;
use super::run::{Afterwards, start};
use crate::context::Context;
use crate::problem::Problem;
use crate::typed_text::{file_text, given_text};

/// Continue the conversation of a finished run, in the same workspace
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency resume fix --prompt \"Now write the documentation\"\n  \
    agency resume fix --mode interactive --attach")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::ChangeFinished))]
    run: String,
    /// The next message to the agent, - from standard input; required for a headless agent
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// The same, from a file; - from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    prompt_file: Option<PathBuf>,
    /// A name for the new run [default: the one of the run before]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Run in a session of your tmux server, or without a terminal [default: as before]
    #[arg(long, value_parser = PossibleValuesParser::new(["tmux", "detached"]))]
    host: Option<String>,
    /// Give the agent a terminal of its own, or pipes for its structured output [default: as before]
    #[arg(long, value_parser = PossibleValuesParser::new(["interactive", "headless"]))]
    mode: Option<String>,
    /// Fail when max_agents are live already, instead of waiting for a slot
    #[arg(long)]
    no_queue: bool,
    /// Continue without the setup of the project, where it did not end before
    #[arg(long)]
    no_setup: bool,
    /// Stay until the run has finished, and exit as it did
    #[arg(long, conflicts_with = "attach")]
    wait: bool,
    /// Show the agent's terminal as soon as it runs
    #[arg(long, conflicts_with = "json")]
    attach: bool,
    /// Arguments for the agent, instead of those of the run before
    #[arg(last = true, value_name = "ARGS")]
    runner_args: Vec<String>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let parent = context.select_for(&mut agency, &args.run, Purpose::ChangeFinished)?;
    let repository = PathBuf::from(&parent.repo_path);
    let prompt_text = match (args.prompt, args.prompt_file) {
        (Some(text), _) => Some(given_text(text, "prompt")?),
        (None, Some(file)) => Some(file_text(&file, "prompt")?),
        (None, None) => None,
    };
    let planned = agency.plan_resume(ResumeRequest {
        fallback: ResumeFallback::Refuse,
        parent,
        prompt_text,
        mode: args.mode.as_deref().and_then(|text| text.parse().ok()),
        host: args.host.as_deref().and_then(|text| text.parse().ok()),
        name: args.name,
        args: args.runner_args,
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
        may_wait: !args.no_queue,
        terminal: own_terminal_size(std::io::stdout()),
        notify: context.is_at_terminal(),
        setup: if args.no_setup { SetupChoice::None } else { SetupChoice::Project },
    });
    let plan = planned.map_err(|error| {
        let problem = Problem::from(error);
        if repository.exists() {
            problem
        } else {
            problem.hint("if the repository was moved, put a link to it in its old place")
        }
    })?;
    if args.attach {
        attach::check_terminal()?;
        agency.check_attaching()?;
    }
    start(&mut agency, &plan, Afterwards { wait: args.wait, show: args.attach }, context)
}
