//! Starts sessions, and continues those without a driver.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_model::policy::Rule;
use agency_model::run::{RestartPolicy, State};
use agency_model::spec::{LimitsDraft, RunnerDraft, SpecDraft};
use agency_model::template::{Spell, Spellbook};
use agency_model::workflow::{Fact, Plan, SessionState, Task};
use agency_model::{Host, Mode, RunId, RunKind, SessionId, VcsChoice, WorkspaceKind};
use agency_system::fault;
use agency_workspace::lies_in;
use ulid::Ulid;

use super::{NewSession, Orchestrator, OrchestratorError, WorkflowSession};
use crate::config::{WORKFLOW_DRIVER, environment_of_process};
use crate::orchestrator::state::Journal;
use crate::runs::create::{CreateError, ResumeFallback, ResumeRequest, RunRequest, SetupChoice, WorkflowMember};
use crate::workflow::Loaded;

/// How long another process may hold a session.
const SESSION_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a driver may take to exit after its session is settled.
const DRIVER_EXIT_TIMEOUT: Duration = Duration::from_secs(20);

/// What is to be done.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StartRequest {
    /// How it is done.
    pub plan: Arc<Plan>,
    /// The spells of the project.
    pub spells: Arc<Spellbook>,
    /// The system prompt around every spell.
    pub system_prompt: Spell,
    /// The repository.
    pub repo: PathBuf,
    /// The ref that the work begins with.
    pub base_ref: Option<String>,
    /// The goal; that of the plan, if absent.
    pub goal: Option<String>,
    /// What is to be done.
    pub task: Task,
    /// The caller that starts it.
    pub caller_env: CallerEnv,
}

/// The environment of the process that starts a driver.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct CallerEnv {
    /// The working directory of the user.
    pub current_directory: PathBuf,
    /// The environment that the driver and everything it starts gets.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whether the user is notified of questions and of the end of the session, as configured.
    pub notify: bool,
}

impl StartRequest {
    /// A session of a [loaded](crate::workflow::load) workflow over a task, in a repository, from its `HEAD`, with the
    /// environment of this process and without notifications.
    pub fn new(workflow: Loaded, repository: impl Into<PathBuf>, task: Task) -> Self {
        let Loaded { plan, spells, system_prompt } = workflow;
        let repo = repository.into();
        let caller_env = CallerEnv::of_process(&repo);
        Self { plan, spells, system_prompt, repo, base_ref: None, goal: None, task, caller_env }
    }

    /// The ref that the work begins with.
    #[must_use]
    pub fn base(mut self, base_ref: impl Into<String>) -> Self {
        self.base_ref = Some(base_ref.into());
        self
    }

    /// The goal; replaces that of the workflow.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.goal = Some(goal.into());
        self
    }

    /// Who starts it.
    #[must_use]
    pub fn caller_env(mut self, caller_env: CallerEnv) -> Self {
        self.caller_env = caller_env;
        self
    }
}

impl CallerEnv {
    /// The environment of this process, in a directory, without notifications.
    pub fn of_process(directory: impl Into<PathBuf>) -> Self {
        Self { current_directory: directory.into(), environment: environment_of_process(), notify: false }
    }
}

impl Orchestrator {
    /// Begins a session. If its driver cannot be started, nothing is left.
    pub fn start(
        &mut self,
        request: StartRequest,
        interrupted: &AtomicBool,
    ) -> Result<WorkflowSession, OrchestratorError> {
        self.agency.refuse_within_ask(&request.caller_env.environment)?;
        let id = SessionId::from_ulid(Ulid::generate());
        let StartRequest { plan, spells, system_prompt, repo, base_ref, goal, task, caller_env } = request;
        // An agent writes the file of its workflow, too, and does not bring its work into the user's branches.
        let is_agents = self.agency.starter()?.agent;
        let plan = if is_agents { Arc::new(Arc::unwrap_or_clone(plan).with_reviewed_merges()) } else { plan };
        let base_ref = base_ref.unwrap_or_else(|| "HEAD".to_owned());
        let repository = self.agency.repository_at(&repo).map_err(CreateError::Workspace)?;
        // From the worktree of a run, no branch of the user's is meant.
        let is_users = !lies_in(&repo, &self.agency.home.worktrees());
        let checked_out = is_users.then(|| repository.branch_to_merge_into()).transpose();
        let checked_out = checked_out.map_err(CreateError::Workspace)?.flatten();
        let asked_in = if is_users { repository.root() } else { &repo };
        let asked_in = asked_in.display().to_string();
        let caller_env =
            CallerEnv { environment: with_home(self.agency.home.root(), caller_env.environment), ..caller_env };
        let planned = self.agency.plan(driver(&id, &plan.name, &asked_in, &base_ref, caller_env))?;
        let repo = planned.spec.repo.clone();
        // What HEAD is there is not known in the repository itself.
        let base_ref = if is_users { base_ref } else { planned.base.to_string() };
        self.sessions.create(NewSession {
            id: id.clone(),
            repo,
            base_ref,
            checked_out,
            goal,
            task,
            plan,
            spells,
            system_prompt,
        })?;
        if let Err(error) = self.agency.create(&planned, interrupted) {
            self.sessions.discard(&id);
            return Err(error.into());
        }
        fault::point("session.hosted");
        self.show(&id)
    }

    /// Continues a session whose driver died.
    pub fn resume(
        &mut self,
        id: &SessionId,
        caller_env: CallerEnv,
        interrupted: &AtomicBool,
    ) -> Result<WorkflowSession, OrchestratorError> {
        self.agency.refuse_within_ask(&caller_env.environment)?;
        let session = self.show(id)?;
        let state = session.state();
        if state.is_settled() {
            let why = match state {
                SessionState::Completed => "there is nothing left to do",
                SessionState::Running
                | SessionState::Waiting
                | SessionState::PendingMerge
                | SessionState::Blocked
                | SessionState::Failed
                | SessionState::Cancelled => "agency workflow retry continues it",
            };
            return Err(OrchestratorError::WrongState { id: id.clone(), state, why });
        }
        self.host(&session, caller_env, interrupted)
    }

    /// Continues a session that is settled: from what failed, or from a step.
    pub fn retry(
        &mut self,
        id: &SessionId,
        from: Option<&str>,
        caller_env: CallerEnv,
        interrupted: &AtomicBool,
    ) -> Result<WorkflowSession, OrchestratorError> {
        // This asks once more for what the user rejected.
        self.agency.check_answering()?;
        self.agency.refuse_within_ask(&caller_env.environment)?;
        let state = self.show(id)?.state();
        if !state.is_settled() {
            let why = "only a session that is not running can be retried";
            return Err(OrchestratorError::WrongState { id: id.clone(), state, why });
        }
        if state == SessionState::Completed && from.is_none() {
            let why = "nothing in it failed, so there is nothing to try again; --from STEP does a step and all after it again";
            return Err(OrchestratorError::WrongState { id: id.clone(), state, why });
        }
        let planned = self.plan_driver(id, state, caller_env)?;
        // The driver waits for the lock, so that it finds the fact or a session as it was.
        let _lock = self.sessions.lock(id, SESSION_LOCK_TIMEOUT)?;
        let mut session = self.show(id)?;
        let fact = Fact::RetryAsked { from: from.map(str::to_owned) };
        session.flow.record(&fact)?;
        let (mut journal, _) = Journal::open(&session.directory().history())?;
        let before = journal.length()?;
        journal.append_with_clock(fact, Some(super::engine::fresh_reading()))?;
        if let Err(error) = self.agency.create(&planned, interrupted) {
            journal.shorten(before)?;
            return Err(error.into());
        }
        fault::point("session.hosted");
        self.show(id)
    }

    /// Starts a run that drives the session.
    fn host(
        &mut self,
        session: &WorkflowSession,
        caller_env: CallerEnv,
        interrupted: &AtomicBool,
    ) -> Result<WorkflowSession, OrchestratorError> {
        let id = session.id();
        let planned = self.plan_driver(id, session.state(), caller_env)?;
        self.agency.create(&planned, interrupted)?;
        fault::point("session.hosted");
        self.show(id)
    }

    /// Checks whether a run can drive the session, and how. Nothing is changed.
    fn plan_driver(
        &mut self,
        id: &SessionId,
        state: SessionState,
        caller_env: CallerEnv,
    ) -> Result<crate::runs::create::Plan, OrchestratorError> {
        if let Some(driver) = self.driver(id)? {
            let limit = if state.is_settled() { DRIVER_EXIT_TIMEOUT } else { Duration::ZERO };
            let driver = self.agency.wait(&driver.id, Some(limit), State::is_terminal)?;
            if !driver.state.is_terminal() {
                let why = "it is being driven; agency workflow show -f follows it";
                return Err(OrchestratorError::WrongState { id: id.clone(), state, why });
            }
        }
        let caller_env =
            CallerEnv { environment: with_home(self.agency.home.root(), caller_env.environment), ..caller_env };
        let mut drivers = self.agency.drivers_of(id)?;
        // The worktree stays as long as one of the runs in it is not removed.
        let kept = drivers.iter().rposition(|driver| driver.removed_at.is_none());
        let parent = kept.map(|kept| drivers.swap_remove(kept)).or_else(|| drivers.pop());
        Ok(match parent {
            Some(parent) => self.agency.plan_resume(ResumeRequest {
                parent,
                prompt_text: None,
                fallback: ResumeFallback::BeginAnother,
                mode: None,
                host: None,
                name: None,
                args: vec![],
                environment: caller_env.environment,
                current_directory: caller_env.current_directory,
                may_wait: true,
                terminal: None,
                notify: caller_env.notify,
                setup: SetupChoice::Project,
            })?,
            // The process that began the session died before it had a driver.
            None => {
                let session = self.show(id)?;
                let record = &session.record;
                self.agency.plan(driver(id, &record.plan.name, &record.repo, &record.base_ref, caller_env))?
            }
        })
    }
}

/// The run that drives a session.
fn driver(session: &SessionId, name: &str, repo: &str, base_ref: &str, caller_env: CallerEnv) -> RunRequest {
    let none = Some(0);
    RunRequest {
        kind: RunKind::Workflow,
        spec_file: None,
        flags: SpecDraft {
            repo: Some(repo.to_owned()),
            base_ref: Some(base_ref.to_owned()),
            runner: Some(RunnerDraft { kind: Some(WORKFLOW_DRIVER.to_owned()), args: Some(vec![session.to_string()]) }),
            name: Some(label(name)),
            mode: Some(Mode::Headless),
            host: Some(Host::Detached),
            workspace: Some(WorkspaceKind::Worktree),
            // Merges are git's.
            vcs: Some(VcsChoice::Git),
            restart: Some(RestartPolicy::OnCrash),
            // Its own limits are in the workflow, and users take their time.
            limits: Some(LimitsDraft {
                max_minutes: none,
                no_progress_minutes: none,
                question_minutes: none,
                unknown_minutes: none,
            }),
            approval_policy: Some(vec![Rule::ask_everything("approvals are for users")]),
            ..SpecDraft::default()
        },
        prompt_text: None,
        include_changes: false,
        current_directory: caller_env.current_directory,
        environment: caller_env.environment,
        may_wait: true,
        terminal: None,
        notify: caller_env.notify,
        workflow: Some(WorkflowMember {
            session: session.clone(),
            id: RunId::from_ulid(Ulid::generate()),
            beside: None,
            directory: None,
        }),
        setup: SetupChoice::Project,
    }
}

/// The name of a workflow as that of a run.
fn label(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control()).take(200).collect()
}

/// The driver finds the same home, wherever it stands.
fn with_home(home: &Path, mut environment: BTreeMap<OsString, OsString>) -> BTreeMap<OsString, OsString> {
    environment.insert("AGENCY_HOME".into(), home.into());
    environment
}
