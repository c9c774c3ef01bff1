//! One row of the table `runs`.

use agency_model::run::{Ending, Exit, FAILURES_ALLOWED, Phase, Progress, Reason, RestartPolicy, Run, State};
use agency_model::spec::RunSpec;
use agency_model::{Activity, ErrorCode, Host, Mode, RunId, RunKind, SessionId, Usage, Vcs, WorkspaceKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything the database knows about a run; `meta.json` is a snapshot of it. Fields that earlier versions did not
/// write have defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Its name: the one that the user gave it, or one that is made of its prompt. Runs of earlier versions get it when
    /// they are read.
    pub name: Option<String>,
    /// Where it stands.
    pub state: State,
    /// What its supervisor is doing, inside `running`.
    pub phase: Option<String>,
    /// Counts the processes started for it.
    pub attempt: u32,
    /// The root of the repository.
    pub repo_path: String,
    /// Names the repository's folder under the worktree root.
    pub repo_fingerprint: String,
    /// The ref it branched from.
    pub base_ref: String,
    /// The commit that ref meant.
    pub base_commit: String,
    /// Its branch, if it has a workspace of its own.
    pub new_branch: Option<String>,
    /// Its worktree, if it has one.
    pub worktree_path: Option<String>,
    /// Where the agent works.
    pub workspace: WorkspaceKind,
    /// The agent.
    pub runner_kind: String,
    /// Further arguments of the agent.
    pub runner_args: Vec<String>,
    /// What the agent is connected to: a screen or a stream.
    pub mode: Mode,
    /// What its supervisor runs in.
    pub host: Host,
    /// What happens when the agent crashes.
    pub restart_policy: RestartPolicy,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the row last changed.
    pub updated_at: Timestamp,
    /// When it became `running`.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The exit code of the last process.
    pub exit_code: Option<i32>,
    /// The signal that ended the last process.
    pub signal: Option<i32>,
    /// Why it has finished.
    pub reason: Option<Reason>,
    /// The last fatal error, beginning with its code.
    pub error: Option<String>,
    /// The log of its standard output.
    pub stdout_log_path: String,
    /// The log of its standard error.
    pub stderr_log_path: String,
    /// Its tmux session, if it has one.
    pub tmux_session_name: Option<String>,
    /// The tmux server of that session; absent for the user's own.
    pub tmux_socket: Option<String>,
    /// The ref that keeps the work `agency rm` found uncommitted.
    pub saved_ref: Option<String>,
    /// When `agency rm` removed its resources.
    pub removed_at: Option<Timestamp>,
    /// The agent's own name for the conversation.
    pub agent_session: Option<String>,
    /// What the agent has used.
    #[serde(default)]
    pub usage: Usage,
    /// The run whose conversation and workspace this one continues.
    pub parent_id: Option<RunId>,
    /// The version that the agent names.
    pub agent_version: Option<String>,
    /// What the agent is doing, inside `running`.
    pub activity: Option<Activity>,
    /// Since when.
    pub activity_at: Option<Timestamp>,
    /// What it is for.
    #[serde(default = "plain_run")]
    pub kind: RunKind,
    /// What made its workspace.
    #[serde(default = "by_git")]
    pub vcs: Vcs,
    /// The workflow session that it is a task of.
    pub workflow_session: Option<SessionId>,
    /// When its work was brought into a branch.
    #[serde(default)]
    pub landed_at: Option<Timestamp>,
    /// The commit of that branch that holds the work.
    #[serde(default)]
    pub landed_commit: Option<String>,
    /// That branch.
    #[serde(default)]
    pub landed_into: Option<String>,
    /// What the runs of one race have in common.
    #[serde(default)]
    pub race_id: Option<String>,
}

const fn plain_run() -> RunKind {
    RunKind::Run
}

const fn by_git() -> Vcs {
    Vcs::Git
}

impl RunRow {
    /// A run that is queued, as far as its spec describes it.
    #[must_use]
    pub fn queued(id: RunId, created_at: Timestamp, spec: &RunSpec) -> Self {
        Self {
            tmux_session_name: (spec.host == Host::Tmux).then(|| id.tmux_session()),
            id,
            name: spec.name.clone(),
            state: State::Queued,
            phase: None,
            attempt: 0,
            repo_path: spec.repo.clone(),
            repo_fingerprint: String::new(),
            base_ref: spec.base_ref.clone(),
            base_commit: String::new(),
            new_branch: None,
            worktree_path: None,
            workspace: spec.workspace,
            runner_kind: spec.runner.kind.clone(),
            runner_args: spec.runner.args.clone(),
            mode: spec.mode,
            host: spec.host,
            restart_policy: spec.restart,
            created_at,
            updated_at: created_at,
            started_at: None,
            ended_at: None,
            exit_code: None,
            signal: None,
            reason: None,
            error: None,
            stdout_log_path: String::new(),
            stderr_log_path: String::new(),
            tmux_socket: None,
            saved_ref: None,
            removed_at: None,
            agent_session: None,
            usage: Usage::default(),
            parent_id: None,
            agent_version: None,
            activity: None,
            activity_at: None,
            kind: RunKind::Run,
            vcs: Vcs::Git,
            workflow_session: None,
            landed_at: None,
            landed_commit: None,
            landed_into: None,
            race_id: None,
        }
    }

    /// The run as the state machine has it. The phase inside `running` belongs to the supervisor,
    /// which keeps it in memory; from outside a running run is `working`.
    pub(super) fn machine(&self) -> Run {
        let progress = match self.state {
            State::Queued => Progress::Queued,
            State::Running => Progress::Running { attempt: self.attempt, failures: 0, phase: Phase::Working },
            State::Completed | State::Failed | State::Killed => Progress::Ended(Ending {
                state: self.state,
                exit: Some(Exit { exit_code: self.exit_code, signal: self.signal }),
                reason: self.reason.unwrap_or(Reason::Exited),
                code: self.error_code(),
                attempts: self.attempt,
            }),
        };
        Run { progress, failures_allowed: self.restart_policy.failures_allowed(FAILURES_ALLOWED) }
    }

    /// The code that the stored error begins with.
    #[must_use]
    pub fn error_code(&self) -> Option<ErrorCode> {
        self.error.as_deref().and_then(|error| error.split(':').next()).and_then(|text| text.parse().ok())
    }

    /// The run that made its worktree, after which that is named: itself, or the first of those it continues.
    #[must_use]
    pub fn worktree_owner(&self) -> RunId {
        let name = self.worktree_path.as_deref().and_then(|path| path.rsplit('/').next());
        name.and_then(|name| name.parse().ok()).unwrap_or_else(|| self.id.clone())
    }

    /// What it is called where users read: its name.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.id.as_str())
    }

    /// Where the agent works.
    #[must_use]
    pub fn directory(&self) -> &str {
        self.worktree_path.as_deref().unwrap_or(&self.repo_path)
    }
}
