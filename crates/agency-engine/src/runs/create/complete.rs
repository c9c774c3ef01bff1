//! Completes a plan: what all runs have in common, whatever they are made for.
//!
//! The one rule: every plan passes here, so that its spec names the workspace that its origin means.

use std::path::Path;

use agency_model::Mode;
use agency_model::spec::RunSpec;
use agency_system::uuid::random_uuid;

use super::find_agent::SearchPath;
use super::notify::notify_targets;
use super::origin::RunOrigin;
use super::validate::{check_environment, check_host};
use super::{CreateError, Plan, SetupChoice, mcp_servers};
use crate::agency::Agency;
use crate::config::AgentConfig;
use crate::wire::Notify;

/// What a plan does not keep of how its run is asked for.
#[derive(Clone, Copy)]
pub(super) struct AskedFrom<'a> {
    pub(super) current_directory: &'a Path,
    /// Whether the user is to be notified.
    pub(super) notify: bool,
    pub(super) setup: SetupChoice,
}

impl Agency {
    /// Checks what all runs need, and fills in `session`, `agent_version`, `notify`, `worktree_setup` and the notices about them.
    pub(super) fn complete(&self, mut plan: Plan, from: AskedFrom<'_>) -> Result<Plan, CreateError> {
        check_environment(&plan.environment)?;
        let worktree_setup = self.worktree_setup(&plan.origin, &plan.repository, from.setup)?;
        plan.spec.workspace = plan.origin.workspace_kind();
        let search_path = SearchPath { current_directory: from.current_directory, environment: &plan.environment };
        check_host(plan.spec.host, &search_path)?;
        let (agent_version, mut notices) = match (&plan.origin, &plan.prompt) {
            // A user with a command of their own has chosen the version.
            (RunOrigin::Ask(_), None) => (None, vec![]),
            (_, _) => self.probe_version(&plan.agent, &plan.program, &plan.environment),
        };
        let (notify, trouble) = match &plan.origin {
            RunOrigin::Ask(_) => (Notify::default(), None),
            RunOrigin::NewWorktree { .. } | RunOrigin::InPlace | RunOrigin::Beside(_) | RunOrigin::Resumes(_) => {
                notify_targets(&self.config.notify, from.notify, &search_path)
            }
        };
        notices.extend(trouble);
        notices.append(&mut plan.notices);
        notices.extend(mcp_servers::check(&plan.spec, &plan.agent, &search_path)?);
        let session = match &plan.origin {
            RunOrigin::NewWorktree { .. } | RunOrigin::InPlace | RunOrigin::Beside(_) => {
                new_session(&plan.agent, &plan.spec)
            }
            RunOrigin::Resumes(resume) => resume.session.clone().filter(|_| plan.spec.mode == Mode::Interactive),
            RunOrigin::Ask(_) => None,
        };
        Ok(Plan { session, agent_version, notices, notify, worktree_setup, ..plan })
    }
}

/// A name for the conversation that begins on the agent's screen, unless the user's arguments say which one it is.
fn new_session(agent: &AgentConfig, spec: &RunSpec) -> Option<String> {
    const CHOSEN: [&str; 7] = ["--session-id", "--resume", "-r", "--continue", "-c", "--fork-session", "--from-pr"];
    let mut args = agent.args.iter().chain(&spec.runner.args);
    let chosen = args.any(|arg| CHOSEN.contains(&arg.split('=').next().unwrap_or(arg)));
    if chosen || spec.mode == Mode::Headless || agent.adapter.session_args().is_none() {
        return None;
    }
    Some(random_uuid())
}
