//! A question about sources as a plan: an ordinary run in a scratch directory, without a repository.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use agency_model::run::RestartPolicy;
use agency_model::spec::{PromptSpec, Reserved, RunSpec, RunnerSpec, StoredRules};
use agency_model::{Host, McpServers, Mode, RunId, RunKind, Vcs, WorkspaceKind};
use agency_system::process::TerminalSize;
use agency_workspace::{Commit, Repository, Scratch, Workspace};

use super::complete::AskedFrom;
use super::origin::RunOrigin;
use super::plan::PlannedPrompt;
use super::{CreateError, Plan, SetupChoice};
use crate::agency::Agency;
use crate::config::AgentConfig;
use crate::wire::Notify;

/// A question that is ready to be asked.
pub(crate) struct AskPlan {
    /// The run that it becomes.
    pub(crate) id: RunId,
    /// The name of the agent.
    pub(crate) runner: String,
    /// The agent, whose one-shot form is the one that answers.
    pub(crate) agent: AgentConfig,
    /// Its executable.
    pub(crate) program: PathBuf,
    /// What is asked.
    pub(crate) question: String,
    /// What it receives on its standard input; none if its arguments name the file.
    pub(crate) words: Option<String>,
    /// Where it works.
    pub(crate) scratch: Scratch,
    /// The environment it gets.
    pub(crate) environment: BTreeMap<OsString, OsString>,
}

impl Agency {
    /// The run that answers a question. Nothing is created.
    pub(crate) fn plan_ask(&self, ask: AskPlan) -> Result<Plan, CreateError> {
        let AskPlan { id, runner, agent, program, question, words, scratch, environment } = ask;
        let spec = RunSpec {
            repo: scratch.directory().display().to_string(),
            base_ref: String::new(),
            runner: RunnerSpec { kind: runner, args: vec![] },
            prompt: Some(PromptSpec { path: scratch.prompt_file().display().to_string() }),
            new_branch: None,
            inputs: vec![],
            limits: self.config.limits,
            name: None,
            mode: Mode::Headless,
            host: Host::Detached,
            workspace: WorkspaceKind::Scratch,
            vcs: Vcs::Git.into(),
            restart: RestartPolicy::Never,
            one_shot: true,
            approval_policy: StoredRules::Rules(vec![]),
            mcp_servers: McpServers::default(),
            reserved: Reserved::default(),
        };
        let name = self.planned_name(None, Some(&question), &spec.runner.kind)?;
        let current_directory = scratch.directory().to_owned();
        let plan = Plan {
            id,
            name,
            kind: RunKind::Ask,
            vcs: Vcs::Git,
            spec,
            repository: Repository::from_root(scratch.directory().to_owned()),
            base: Commit::none(),
            inputs: vec![],
            prompt: words.map(PlannedPrompt::File),
            agent,
            program,
            environment,
            may_wait: true,
            size: TerminalSize::UNSEEN,
            directory: None,
            workflow_session: None,
            session: None,
            agent_version: None,
            notices: vec![],
            notify: Notify::default(),
            race: None,
            worktree_setup: None,
            origin: RunOrigin::Ask(scratch),
        };
        let setup = SetupChoice::None;
        self.complete(plan, AskedFrom { current_directory: &current_directory, notify: false, setup })
    }
}
