//! `agency agent spawn`: a named agent in a workspace of its own.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agency_engine::agents::{AgentEventKind, AgentEvents, AgentManager, NamedAgent};
use agency_engine::runs::create::{RunRequest, SetupChoice};
use agency_model::spec::{PromptDraft, RunnerDraft, SpecDraft};
use agency_model::{Event, EventLine, RunKind};
use agency_system::process::own_terminal_size;
use clap::builder::PossibleValuesParser;

use super::AgentView;
use crate::command::completions::runner_candidates;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::{Spinner, readable};
use crate::problem::Problem;

/// The interval of the check whether the user has pressed Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Start a named agent in a workspace of its own; without a prompt it waits for its first message
#[derive(Debug, clap::Args)]
#[command(after_help = "It restarts after a crash, with its conversation.\n\nExamples:\n  \
    agency agent spawn alice\n  \
    agency agent spawn bob --runner codex --prompt \"Review the last commit\"\n  \
    agency agent spawn carol --mode interactive && agency attach carol")]
pub(crate) struct Args {
    /// Its name: letters, digits, - and _; no other live agent has it
    name: String,
    /// The repository [default: the one of the current directory]
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// What its workspace begins with [default: where you are]
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    base: Option<String>,
    /// Version control of the workspace: jj in a jj repository, or always git or jj [default: the configuration's]
    #[arg(long, value_parser = PossibleValuesParser::new(["auto", "git", "jj"]))]
    vcs: Option<String>,
    /// The agent: claude-code, codex, gemini, opencode, cursor, or one of your own [default: default_agent]
    #[arg(short = 'a', long, visible_alias = "agent", value_name = "AGENT", add = runner_candidates())]
    runner: Option<String>,
    /// The first prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// The same, as a file in the repository; relative to its root
    #[arg(long, value_name = "FILE", conflicts_with = "prompt", allow_hyphen_values = true)]
    prompt_file: Option<String>,
    /// Give it pipes for its structured output, or a terminal of its own [default: headless]
    #[arg(long, value_parser = PossibleValuesParser::new(["headless", "interactive"]))]
    mode: Option<String>,
    /// Run in a session of your tmux server, or without a terminal [default: the configuration's]
    #[arg(long, value_parser = PossibleValuesParser::new(["tmux", "detached"]))]
    host: Option<String>,
    /// Stay and print what happens; Ctrl-C stops the agent, a second one kills it
    #[arg(long, conflicts_with = "json")]
    foreground: bool,
    /// Further arguments for the agent
    #[arg(last = true, value_name = "ARGS")]
    runner_args: Vec<String>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut manager = context.agent_manager()?;
    let foreground = args.foreground;
    let interrupts = Interrupts::listen()?;
    let events = foreground.then(|| manager.events()).transpose()?;
    let name = args.name.clone();
    let request = request(args, context)?;
    let agent = {
        let _spinner = Spinner::begin(format!("spawning {name}"), context.is_watched());
        interrupts.while_creating(|asked| manager.spawn_agent(&name, request, asked))?
    };
    match events {
        Some(events) => {
            Foreground { agent: &agent, events: &events, interrupts: &interrupts }.stay(&mut manager, context)
        }
        None => {
            let view = AgentView::new(agent, manager.agency().home());
            context.answer(&view, |out| print_agent(out, &view))
        }
    }
}

fn request(args: Args, context: &Context) -> Result<RunRequest, Problem> {
    let flags = SpecDraft {
        repo: args.repo.map(|path| path.display().to_string()),
        base_ref: args.base,
        runner: Some(RunnerDraft { kind: args.runner, args: Some(args.runner_args) }),
        prompt: args.prompt_file.map(|path| PromptDraft { path: Some(path) }),
        mode: args.mode.as_deref().and_then(|text| text.parse().ok()),
        host: args.host.as_deref().and_then(|text| text.parse().ok()),
        vcs: args.vcs.as_deref().and_then(|text| text.parse().ok()),
        ..SpecDraft::default()
    };
    Ok(RunRequest {
        kind: RunKind::Agent,
        spec_file: None,
        flags,
        prompt_text: args.prompt,
        include_changes: false,
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
        may_wait: false,
        terminal: own_terminal_size(std::io::stdout()),
        notify: context.is_at_terminal(),
        workflow: None,
        setup: SetupChoice::Project,
    })
}

/// An agent that the terminal follows.
struct Foreground<'a> {
    agent: &'a NamedAgent,
    events: &'a AgentEvents,
    interrupts: &'a Interrupts,
}

impl Foreground<'_> {
    /// Prints the events of the agent until it has finished or the user presses Ctrl-C.
    fn stay(&self, manager: &mut AgentManager, context: &Context) -> Result<ExitCode, Problem> {
        let name = &self.agent.name;
        context.say(&format!("{name} is running; Ctrl-C stops it, a second Ctrl-C kills it"));
        while !self.interrupts.asked().load(Ordering::Relaxed) {
            let event = self.events.wait(POLL_INTERVAL).filter(|event| event.run == self.agent.run.id);
            if let Some(event) = event
                && self.print(event.happened, context)?
            {
                return Ok(ExitCode::SUCCESS);
            }
        }
        context.say(&format!("stopping {name}; Ctrl-C again kills it at once"));
        let ended = manager.shut_down_agent(name, self.interrupts.hurried())?;
        super::shutdown::answer(ended, manager, context)
    }

    /// Prints one thing that happened, and says whether it was the end.
    fn print(&self, happened: AgentEventKind, context: &Context) -> Result<bool, Problem> {
        match happened {
            AgentEventKind::Event { seq, event } => {
                let over = matches!(*event, Event::Completed { .. });
                let line = EventLine { seq, at: jiff::Timestamp::now(), attempt: 0, event: *event };
                context.print(|out| writeln!(out, "{}", readable(&line, false)))?;
                Ok(over)
            }
            AgentEventKind::Output { text, .. } => {
                context.print(|out| write!(out, "{text}"))?;
                Ok(false)
            }
            AgentEventKind::Missed(missed) => {
                let (first, last, name) = (missed.first, missed.last, &self.agent.name);
                context.say(&format!("too fast to print: events {first} to {last}; agency events {name} has them"));
                Ok(false)
            }
            AgentEventKind::StateChange { .. } => Ok(false),
        }
    }
}

fn print_agent(out: &mut dyn Write, view: &AgentView) -> std::io::Result<()> {
    writeln!(out, "{}  {}", view.line(), view.run.id)?;
    writeln!(out, "  directory {}", view.run.worktree_path.as_deref().unwrap_or(&view.run.repo))?;
    writeln!(out, "  message   agency send {0} \"…\"   agency events -f {0}", view.name)
}
