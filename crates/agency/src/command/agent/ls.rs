//! `agency agent ls`: the agents by name.

use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use super::AgentView;
use crate::context::Context;
use crate::output::{ago, columns};
use crate::problem::Problem;

/// List the named agents that are not removed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency agent ls\n  agency agent ls --json")]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Agents {
    agents: Vec<AgentView>,
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut manager = context.agent_manager()?;
    let listed = manager.list_agents()?;
    let home = manager.agency().home();
    let agents = Agents { agents: listed.into_iter().map(|agent| AgentView::new(agent, home)).collect() };
    context.answer(&agents, |out| {
        if agents.agents.is_empty() {
            return writeln!(out, "No agents. Start one with agency agent spawn NAME.");
        }
        write!(out, "{}", table(&agents.agents))
    })
}

fn table(agents: &[AgentView]) -> String {
    let now = jiff::Timestamp::now();
    let row = |agent: &AgentView| {
        let run = &agent.run;
        vec![
            agent.name.clone(),
            agent.agent_state.as_str().to_owned(),
            run.activity.map_or_else(String::new, |activity| activity.to_string()),
            run.runner.clone(),
            run.attempt.to_string(),
            ago(now, run.created_at),
            run.worktree_path.clone().unwrap_or_else(|| run.repo.clone()),
        ]
    };
    columns(&["NAME", "STATE", "ACTIVITY", "AGENT", "ATTEMPT", "AGE", "DIRECTORY"], agents.iter().map(row).collect())
}
