//! Completes a plan: what all runs have in common, whatever they are made for.
//!
//! The one rule: every plan is made here, so that its spec names the workspace that its origin means.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use agency_model::spec::RunSpec;
use agency_model::{Mode, RunId, RunKind, SessionId, Vcs};
use agency_system::process::TerminalSize;
use agency_system::uuid::random_uuid;
use agency_workspace::{Commit, Repository};

use super::find_agent::SearchPath;
use super::naming::RunName;
use super::notify::notify_targets;
use super::origin::RunOrigin;
use super::plan::PlannedPrompt;
use super::validate::{check_environment, check_host};
use super::{CreateError, InputFingerprint, Plan, SetupChoice, mcp_servers};
use crate::agency::Agency;
use crate::config::AgentConfig;
use crate::wire::Notify;

/// What was decided by what a run is made for.
pub(super) struct PlanParts {
    pub(super) id: RunId,
    pub(super) name: RunName,
    pub(super) kind: RunKind,
    pub(super) origin: RunOrigin,
    pub(super) vcs: Vcs,
    pub(super) spec: RunSpec,
    pub(super) repository: Repository,
    pub(super) base: Commit,
    pub(super) inputs: Vec<InputFingerprint>,
    pub(super) prompt: Option<PlannedPrompt>,
    pub(super) agent: AgentConfig,
    pub(super) program: PathBuf,
    pub(super) directory: Option<PathBuf>,
    pub(super) workflow_session: Option<SessionId>,
    /// What the user should know about these decisions.
    pub(super) notices: Vec<String>,
}

/// Where and how a run is asked for.
pub(super) struct AskedFrom {
    pub(super) current_directory: PathBuf,
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) may_wait: bool,
    pub(super) terminal: Option<TerminalSize>,
    pub(super) notify: bool,
    pub(super) setup: SetupChoice,
}

impl AskedFrom {
    pub(super) fn search_path(&self) -> SearchPath<'_> {
        SearchPath { current_directory: &self.current_directory, environment: &self.environment }
    }
}

impl Agency {
    /// Checks what all runs need, and puts the plan together.
    pub(super) fn assemble(&self, parts: PlanParts, from: AskedFrom) -> Result<Plan, CreateError> {
        check_environment(&from.environment)?;
        let worktree_setup = self.worktree_setup(&parts.origin, &parts.repository, from.setup)?;
        let spec = RunSpec { workspace: parts.origin.workspace_kind(), ..parts.spec };
        check_host(spec.host, &from.search_path())?;
        let (agent_version, mut notices) = match (&parts.origin, &parts.prompt) {
            // A user with a command of their own has chosen the version.
            (RunOrigin::Ask(_), None) => (None, vec![]),
            (_, _) => self.probe_version(&parts.agent, &parts.program, &from.environment),
        };
        let (notify, trouble) = match &parts.origin {
            RunOrigin::Ask(_) => (Notify::default(), None),
            RunOrigin::NewWorktree { .. } | RunOrigin::InPlace | RunOrigin::Beside(_) | RunOrigin::Resumes(_) => {
                notify_targets(&self.config.notify, from.notify, &from.search_path())
            }
        };
        notices.extend(trouble);
        notices.extend(parts.notices);
        notices.extend(mcp_servers::check(&spec, &parts.agent, &from.search_path())?);
        let session = match &parts.origin {
            RunOrigin::NewWorktree { .. } | RunOrigin::InPlace | RunOrigin::Beside(_) => {
                new_session(&parts.agent, &spec)
            }
            RunOrigin::Resumes(resume) => resume.session.clone().filter(|_| spec.mode == Mode::Interactive),
            RunOrigin::Ask(_) => None,
        };
        Ok(Plan {
            id: parts.id,
            name: parts.name,
            kind: parts.kind,
            origin: parts.origin,
            vcs: parts.vcs,
            spec,
            repository: parts.repository,
            base: parts.base,
            inputs: parts.inputs,
            prompt: parts.prompt,
            agent: parts.agent,
            program: parts.program,
            environment: from.environment,
            may_wait: from.may_wait,
            size: from.terminal.unwrap_or(TerminalSize::UNSEEN),
            directory: parts.directory,
            workflow_session: parts.workflow_session,
            session,
            agent_version,
            notices,
            notify,
            race: None,
            worktree_setup,
        })
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
