//! `agency agent`: named agents, one file per verb below it.

pub(crate) mod kill_orphan;
pub(crate) mod ls;
pub(crate) mod orphans;
pub(crate) mod restart;
pub(crate) mod show;
pub(crate) mod shutdown;
pub(crate) mod spawn;
pub(crate) mod stop;

use std::process::ExitCode;

use agency_engine::agents::{AgentState, NamedAgent};
use agency_engine::home::Home;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;
use crate::view::RunView;

/// Manage named agents: each in its own workspace, restarted after a crash
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency agent spawn alice\n  \
    agency send alice \"Fix the failing test\"\n  \
    agency agent ls\n  \
    agency agent orphans\n  \
    agency agent shutdown")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Spawn(Box<spawn::Args>),
    Stop(stop::Args),
    Restart(restart::Args),
    Ls(ls::Args),
    Show(show::Args),
    Orphans(orphans::Args),
    KillOrphan(kill_orphan::Args),
    Shutdown(shutdown::Args),
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    match args.verb {
        Verb::Spawn(args) => spawn::run(*args, context),
        Verb::Stop(args) => stop::run(&args, context),
        Verb::Restart(args) => restart::run(args, context),
        Verb::Ls(args) => ls::run(&args, context),
        Verb::Show(args) => show::run(&args, context),
        Verb::Orphans(args) => orphans::run(&args, context),
        Verb::KillOrphan(args) => kill_orphan::run(&args, context),
        Verb::Shutdown(args) => shutdown::run(&args, context),
    }
}

/// What answers say about an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentView {
    pub(crate) name: String,
    /// What it is about: `idle`, `running`, `stopped` or `error`.
    pub(crate) agent_state: AgentState,
    /// Its newest run.
    pub(crate) run: RunView,
}

impl AgentView {
    fn new(agent: NamedAgent, home: &Home) -> Self {
        Self { name: agent.name, agent_state: agent.state, run: RunView::new(agent.run, home) }
    }

    /// The agent in one line.
    fn line(&self) -> String {
        let error = self.run.error.as_deref().map_or_else(String::new, |error| format!(" ({error})"));
        format!("{} is {}{error}", self.name, self.agent_state.as_str())
    }
}
