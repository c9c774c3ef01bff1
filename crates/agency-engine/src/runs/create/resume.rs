//! `agency resume`: a new run that continues the conversation of another, in the same workspace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agency_model::spec::{PromptSpec, RunSpec};
use agency_model::{ErrorCode, Host, Mode, RunId, RunKind, Usage, WorkspaceKind};
use agency_system::process::TerminalSize;
use jiff::Timestamp;
use ulid::Ulid;

use super::complete::AskedFrom;
use super::find_agent::SearchPath;
use super::naming::inherited;
use super::new_run::root_text;
use super::origin::{Resume, RunOrigin};
use super::plan::PlannedPrompt;
use super::validate::{check_name, check_prompt, check_promptless};
use super::vcs::open_again;
use super::{CreateError, PROMPT_IN_WORKTREE, PathUse, Plan, SetupChoice};
use crate::agency::Agency;
use crate::agent_files::{ConversationSearch, find_conversation};
use crate::config::{AgentConfig, environment_of_process};
use crate::home::{read_text, read_whole};
use crate::store::RunRow;
use crate::wire::Notify;

/// What a user asked for.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ResumeRequest {
    /// The run whose conversation continues.
    pub parent: RunRow,
    /// The next message to the agent.
    pub prompt_text: Option<String>,
    /// What happens if the agent cannot resume its conversation.
    pub fallback: ResumeFallback,
    /// What the agent is connected to; as before, if absent.
    pub mode: Option<Mode>,
    /// What the supervisor runs in; as before, if absent.
    pub host: Option<Host>,
    /// The label of the new run; as before, if absent.
    pub name: Option<String>,
    /// Further arguments for the agent; as before, if empty.
    pub args: Vec<String>,
    /// The working directory of the user.
    pub current_directory: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the run may wait for a free slot.
    pub may_wait: bool,
    /// The size of the user's terminal, if there is one.
    pub terminal: Option<TerminalSize>,
    /// Whether the user is notified when the agent asks and when the run has finished, as configured.
    pub notify: bool,
    /// What a worktree gets beside the files of its commit, where its setup did not end before.
    pub setup: SetupChoice,
}

impl ResumeRequest {
    /// Continues the conversation of a run as it was, with the environment of this process; it is refused where the agent
    /// cannot continue. The run waits for a free slot if need be, and sends no notifications.
    #[must_use]
    pub fn new(parent: RunRow) -> Self {
        Self {
            current_directory: PathBuf::from(&parent.repo_path),
            parent,
            prompt_text: None,
            fallback: ResumeFallback::Refuse,
            mode: None,
            host: None,
            name: None,
            args: vec![],
            environment: environment_of_process(),
            may_wait: true,
            terminal: None,
            notify: false,
            setup: SetupChoice::Project,
        }
    }

    /// The next message to the agent.
    #[must_use]
    pub fn prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt_text = Some(text.into());
        self
    }
}

/// What happens if an agent cannot resume its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ResumeFallback {
    /// The resumption is refused.
    Refuse,
    /// It begins another one in the same workspace, with its first prompt.
    BeginAnother,
}

/// The first moment of the minute after this one.
fn next_minute(at: Timestamp) -> Timestamp {
    let seconds = (at.as_second().div_euclid(60) + 1) * 60;
    Timestamp::from_second(seconds).unwrap_or(at)
}

/// When the run may start, with a notice for the user if that is not now.
fn earliest_start(parent: &RunRow, agent: &AgentConfig, spec: &RunSpec) -> (Option<Timestamp>, Option<String>) {
    let loses_conversation =
        agent.adapter.loses_conversation_within_minute() && agent.form(spec.mode, spec.one_shot).is_two_way();
    let not_before = parent.ended_at.filter(|_| loses_conversation).map(next_minute);
    let notice = not_before.filter(|at| *at > Timestamp::now()).map(|_| {
        format!(
            "{} loses a conversation that is resumed twice within a minute; waiting for the next minute",
            spec.runner.kind
        )
    });
    (not_before, notice)
}

/// The spec of the run before with what the user changes.
fn changed_spec(before: RunSpec, request: &ResumeRequest) -> RunSpec {
    let mut spec = RunSpec {
        mode: request.mode.unwrap_or(before.mode),
        host: request.host.unwrap_or(before.host),
        name: request.name.clone().or_else(|| before.name.clone()),
        inputs: vec![],
        ..before
    };
    if !request.args.is_empty() {
        spec.runner.args.clone_from(&request.args);
    }
    spec
}

/// Why the agent cannot resume the conversation, whose id may be known.
fn not_resumable(parent: &RunRow, spec: &RunSpec, is_known: bool) -> CreateError {
    if is_known {
        CreateError::Value {
            field: "runner.kind",
            message: format!("{} cannot resume a conversation in {} mode", spec.runner.kind, spec.mode),
            hint: "choose the other mode with --mode, or set `resume` for this form of the agent in the configuration",
        }
    } else {
        CreateError::State {
            message: format!("the agent of {} named no conversation, and keeps none that is known", parent.id),
            hint: "start a new run instead",
        }
    }
}

/// The agent of a run that another program started, with an adapter of its own, or with another configuration.
fn unknown_agent(parent: &RunRow, kind: &str) -> CreateError {
    CreateError::Runner {
        message: format!("the agent of {}, '{kind}', is not known in this process", parent.id),
        hint: format!(
            "add [agents.{kind}] to the configuration; a program with an adapter for '{kind}' passes it to \
             Agency::builder().adapter and to Init::adapter"
        ),
    }
}

/// Whether the agent can continue with this prompt, or without one.
fn check_next_prompt(
    prompt: Option<&str>,
    kind: RunKind,
    agent: &AgentConfig,
    spec: &RunSpec,
) -> Result<(), CreateError> {
    match (prompt, spec.mode, kind) {
        (Some(prompt), _, _) => check_prompt(prompt, agent, spec),
        (None, Mode::Interactive, _) => Ok(()),
        (None, Mode::Headless, RunKind::Agent | RunKind::Workflow) => check_promptless(agent, spec),
        (None, Mode::Headless, RunKind::Run | RunKind::Task | RunKind::Ask) => Err(CreateError::Value {
            field: "prompt",
            message: "a headless agent needs a prompt to continue".to_owned(),
            hint: "add --prompt TEXT, or --mode interactive to talk to it yourself",
        }),
    }
}

impl Agency {
    /// Checks whether a conversation can be resumed, and how. Nothing is created.
    pub fn plan_resume(&mut self, request: ResumeRequest) -> Result<Plan, CreateError> {
        self.refuse_within_ask(&request.environment)?;
        self.adopt_missing()?;
        let parent = self.store.run(&request.parent.id)?;
        self.check_conversation(&parent)?;
        self.plan_continuation(parent, request)
    }

    /// Checks whether a live run can be started again once it is stopped. Nothing is changed.
    pub fn check_restart(&mut self, request: ResumeRequest) -> Result<(), CreateError> {
        self.refuse_within_ask(&request.environment)?;
        self.adopt_missing()?;
        let parent = self.store.run(&request.parent.id)?;
        self.check_continuable(&parent)?;
        self.plan_continuation(parent, request).map(drop)
    }

    fn plan_continuation(&self, parent: RunRow, request: ResumeRequest) -> Result<Plan, CreateError> {
        let id = RunId::from_ulid(Ulid::generate());
        let before = self.spec_of(&parent)?;
        let mut spec = changed_spec(before, &request);
        check_name(spec.name.as_deref())?;
        let search_path =
            SearchPath { current_directory: &request.current_directory, environment: &request.environment };
        let (agent, program) = self.agent_of(parent.kind, &spec, &search_path).map_err(|error| {
            let kind = &spec.runner.kind;
            if self.config.agent(kind).is_some() { error } else { unknown_agent(&parent, kind) }
        })?;
        let directory = PathBuf::from(parent.directory());
        let search = ConversationSearch {
            program: &program,
            directory: &directory,
            environment: &request.environment,
            during: (parent.created_at, parent.ended_at),
        };
        let kept = || find_conversation(agent.adapter, &search);
        let known = parent.agent_session.clone().or_else(kept);
        let (session, prompt) = match (known, request.fallback) {
            (Some(session), _) if agent.form(spec.mode, spec.one_shot).resume.is_some() => {
                (Some(session), request.prompt_text)
            }
            (known, ResumeFallback::Refuse) => return Err(not_resumable(&parent, &spec, known.is_some())),
            (_, ResumeFallback::BeginAnother) => (None, request.prompt_text.or_else(|| self.first_prompt(&parent))),
        };
        if prompt.is_some() {
            spec.prompt = Some(PromptSpec { path: self.prompt_path(&parent, &id) });
        }
        check_next_prompt(prompt.as_deref(), parent.kind, &agent, &spec)?;
        let (repository, base) = open_again(&self.home, &parent)?;
        spec.repo = root_text(&repository)?;
        if !directory.is_dir() {
            return Err(CreateError::Path {
                what: PathUse::Workspace,
                path: directory,
                why: "the workspace of the run is gone".to_owned(),
                code: ErrorCode::InvalidPath,
            });
        }
        let (not_before, notice) = earliest_start(&parent, &agent, &spec);
        let given = inherited(spec.name.as_deref(), &parent);
        let name = self.planned_name(given, prompt.as_deref(), &spec.runner.kind)?;
        let plan = Plan {
            id,
            name,
            kind: parent.kind,
            vcs: parent.vcs,
            spec,
            repository,
            base,
            inputs: vec![],
            prompt: prompt.map(PlannedPrompt::Text),
            agent,
            program,
            environment: request.environment,
            may_wait: request.may_wait,
            size: request.terminal.unwrap_or(TerminalSize::UNSEEN),
            directory: None,
            workflow_session: parent.workflow_session.clone(),
            session: None,
            agent_version: None,
            notices: notice.into_iter().collect(),
            notify: Notify::default(),
            race: None,
            worktree_setup: None,
            origin: RunOrigin::Resumes(Box::new(Resume {
                spent: self.spent_by(&parent)?,
                parent,
                session,
                not_before,
            })),
        };
        let from =
            AskedFrom { current_directory: &request.current_directory, notify: request.notify, setup: request.setup };
        self.complete(plan, from)
    }

    /// Where the next prompt of a conversation is kept.
    fn prompt_path(&self, parent: &RunRow, id: &RunId) -> String {
        match parent.workspace {
            WorkspaceKind::Worktree => PROMPT_IN_WORKTREE.to_owned(),
            WorkspaceKind::None | WorkspaceKind::Shared | WorkspaceKind::Scratch => {
                self.home.run(id).file("prompt.md").display().to_string()
            }
        }
    }

    /// The prompt of the first run of a conversation.
    fn first_prompt(&self, run: &RunRow) -> Option<String> {
        let mut first = run.clone();
        while let Some(parent) = first.parent_id.clone().and_then(|id| self.store.run(&id).ok()) {
            first = parent;
        }
        let kept = read_text(&self.home.run(&first.id).file("prompt.md")).ok();
        let named = || {
            let path = self.spec_of(&first).ok()?.prompt?.path;
            read_text(&Path::new(first.directory()).join(path)).ok()
        };
        kept.or_else(named)
    }

    /// What the runs of a conversation have used, this one and those before it.
    fn spent_by(&self, last: &RunRow) -> Result<Usage, CreateError> {
        let mut spent = last.usage;
        let mut before = last.parent_id.clone();
        while let Some(id) = before {
            let row = self.store.run(&id)?;
            spent = spent.plus(row.usage);
            before = row.parent_id;
        }
        Ok(spent)
    }

    pub(crate) fn spec_of(&self, parent: &RunRow) -> Result<RunSpec, CreateError> {
        let path = self.home.run(&parent.id).file("spec.json");
        let unusable = |why: String| CreateError::Path {
            what: PathUse::Spec,
            path: path.clone(),
            why,
            code: ErrorCode::InvalidPath,
        };
        let text = read_whole(&path).map_err(|error| unusable(error.to_string()))?;
        serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))
    }
}
