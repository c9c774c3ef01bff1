//! `agency resume`: a new run that continues the conversation of another, in the same workspace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agency_model::spec::{PromptSpec, RunSpec};
use agency_model::{ErrorCode, Host, Mode, RunId, RunKind, Usage, WorkspaceKind};
use agency_system::lock::Lock;
use agency_system::process::TerminalSize;
use jiff::Timestamp;
use ulid::Ulid;

use super::assemble::{AskedFrom, PlanParts};
use super::naming::inherited;
use super::new_run::root_text;
use super::origin::{Resume, RunOrigin};
use super::plan::PlannedPrompt;
use super::validate::{check_name, check_prompt, check_promptless};
use super::vcs::open_again;
use super::{CreateError, PROMPT_IN_WORKTREE, PathUse, Plan};
use crate::agency::Agency;
use crate::agent_files::{ConversationSearch, find_conversation};
use crate::config::environment_of_process;
use crate::home::{read_text, read_whole};
use crate::runs::orphans::Orphan;
use crate::store::RunRow;

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
    /// Where the user stands.
    pub current_directory: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the run may wait for a free slot.
    pub may_wait: bool,
    /// The size of the user's terminal, if there is one.
    pub terminal: Option<TerminalSize>,
    /// Whether the user is notified when the agent asks and when the run has finished, as configured.
    pub notify: bool,
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

impl Agency {
    /// Checks whether a conversation can be resumed, and how. Nothing is created.
    pub fn plan_resume(&mut self, request: ResumeRequest) -> Result<Plan, CreateError> {
        self.refuse_within_ask(&request.environment)?;
        self.adopt_missing()?;
        let parent = self.store.run(&request.parent.id)?;
        self.check_conversation(&parent)?;
        let id = RunId::from_ulid(Ulid::generate());
        let before = self.spec_of(&parent)?;
        let mut spec = RunSpec {
            mode: request.mode.unwrap_or(before.mode),
            host: request.host.unwrap_or(before.host),
            name: request.name.clone().or(before.name.clone()),
            inputs: vec![],
            ..before
        };
        if !request.args.is_empty() {
            spec.runner.args.clone_from(&request.args);
        }
        check_name(spec.name.as_deref())?;
        let from = AskedFrom {
            current_directory: request.current_directory,
            environment: request.environment,
            may_wait: request.may_wait,
            terminal: request.terminal,
            notify: request.notify,
        };
        let (agent, program) = self.agent_of(parent.kind, &spec, &from.search_path())?;
        let directory = PathBuf::from(parent.directory());
        let search = ConversationSearch {
            program: &program,
            directory: &directory,
            environment: &from.environment,
            during: (parent.created_at, parent.ended_at),
        };
        let kept = || find_conversation(agent.adapter, &search);
        let known = parent.agent_session.clone().or_else(kept);
        let goes_on = agent.form(spec.mode, spec.one_shot).resume.is_some();
        let (session, prompt) = match (known, goes_on, request.fallback) {
            (Some(session), true, _) => (Some(session), request.prompt_text.clone()),
            (None, _, ResumeFallback::Refuse) => {
                return Err(CreateError::State {
                    message: format!("the agent of {} named no conversation, and keeps none that is known", parent.id),
                    hint: "start a new run instead",
                });
            }
            (Some(_), false, ResumeFallback::Refuse) => {
                return Err(CreateError::Value {
                    field: "runner.kind",
                    message: format!("{} cannot resume a conversation in {} mode", spec.runner.kind, spec.mode),
                    hint: "choose the other mode with --mode, or set `resume` for this form of the agent in the \
                           configuration",
                });
            }
            (_, _, ResumeFallback::BeginAnother) => {
                (None, request.prompt_text.clone().or_else(|| self.first_prompt(&parent)))
            }
        };
        if prompt.is_some() {
            let path = match parent.workspace {
                WorkspaceKind::Worktree => PROMPT_IN_WORKTREE.to_owned(),
                WorkspaceKind::None | WorkspaceKind::Shared | WorkspaceKind::Scratch => {
                    self.home.run(&id).file("prompt.md").display().to_string()
                }
            };
            spec.prompt = Some(PromptSpec { path });
        }
        match (&prompt, spec.mode, parent.kind) {
            (Some(prompt), _, _) => check_prompt(prompt, &agent, &spec)?,
            (None, Mode::Interactive, _) => {}
            (None, Mode::Headless, RunKind::Agent | RunKind::Workflow) => check_promptless(&agent, &spec)?,
            (None, Mode::Headless, RunKind::Run | RunKind::Task | RunKind::Ask) => {
                return Err(CreateError::Value {
                    field: "prompt",
                    message: "a headless agent needs a prompt to continue".to_owned(),
                    hint: "add --prompt TEXT, or --mode interactive to talk to it yourself",
                });
            }
        }
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
        let form = agent.form(spec.mode, spec.one_shot);
        let not_before = parent
            .ended_at
            .filter(|_| agent.adapter.loses_conversation_within_minute() && form.is_two_way())
            .map(next_minute);
        let mut notices = vec![];
        if not_before.is_some_and(|at| at > Timestamp::now()) {
            notices.push(format!(
                "{} loses a conversation that is resumed twice within a minute; waiting for the next minute",
                spec.runner.kind
            ));
        }
        let given = inherited(spec.name.as_deref(), &parent);
        let name = self.planned_name(given, prompt.as_deref(), &spec.runner.kind)?;
        let parts = PlanParts {
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
            directory: None,
            workflow_session: parent.workflow_session.clone(),
            notices,
            origin: RunOrigin::Resumes(Box::new(Resume {
                spent: self.spent_by(&parent)?,
                parent,
                session,
                not_before,
            })),
        };
        self.assemble(parts, from)
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

    /// Checks again, just before the run is created: no other run continues the conversation or removes its workspace
    /// as long as the lock is held.
    pub(super) fn claim_conversation(&self, parent: &RunRow) -> Result<Option<Lock>, CreateError> {
        let lock = self.worktree_lock(parent).map_err(|error| CreateError::State {
            message: error.to_string(),
            hint: "try again when the other command is done",
        })?;
        self.check_conversation(&self.store.run(&parent.id)?)?;
        Ok(lock)
    }

    /// Whether the conversation of a run has ended, and no other run continues it.
    fn check_conversation(&self, parent: &RunRow) -> Result<(), CreateError> {
        let refuse = |message: String, hint| Err(CreateError::State { message, hint });
        let id = &parent.id;
        if !parent.state.is_terminal() {
            return refuse(format!("{id} is {}", parent.state), "send it a message with agency send, or stop it first");
        }
        if parent.removed_at.is_some() {
            let others = self.store.runs_in_worktree(parent.worktree_path.as_deref())?;
            if let Some(other) = others.iter().find(|other| other.id != *id) {
                return refuse(
                    format!("{id} was removed, and {} has its workspace", other.id),
                    "resume that run instead",
                );
            }
            return refuse(
                format!("{id} was removed, and its workspace with it"),
                "agency restore brings saved work back",
            );
        }
        if parent.kind == RunKind::Ask {
            return refuse(format!("{id} is an ask and has no conversation to resume"), "ask again with agency ask");
        }
        // The tasks of a workflow may outlive what drives it, which then finds them again.
        let is_own_task = |other: &RunRow| parent.kind == RunKind::Workflow && other.kind == RunKind::Task;
        let goes_on = |other: &&RunRow| {
            other.parent_id.as_ref() == Some(id)
                || (other.worktree_path.is_some() && other.worktree_path == parent.worktree_path && !is_own_task(other))
        };
        if let Some(other) = self.store.live()?.iter().find(goes_on) {
            return refuse(format!("{} is at work in the same workspace", other.id), "wait for it, or stop it first");
        }
        let is_there = |orphan: &&Orphan| orphan.row.id == *id || goes_on(&&orphan.row);
        if let Some(orphan) = self.orphans()?.iter().find(is_there) {
            let processes: Vec<String> = orphan.processes.iter().map(|process| process.pid().to_string()).collect();
            let message = format!(
                "{} lost its supervisor; its processes {} are still running",
                orphan.row.id,
                processes.join(", ")
            );
            return refuse(message, "agency agent orphans lists what is left of it, with the command that ends it");
        }
        Ok(())
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
