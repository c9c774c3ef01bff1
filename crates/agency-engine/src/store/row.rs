//! One row of the table `runs`.

use agency_model::run::{Ending, Exit, FAILURES_ALLOWED, Phase, Progress, Reason, RestartPolicy, Run, State};
use agency_model::{Activity, ErrorCode, Host, Mode, RunId, RunKind, SessionId, Usage, Vcs, WorkspaceKind};
use jiff::Timestamp;
use rusqlite::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StoreError;

/// Everything the database knows about a run; `meta.json` is a snapshot of it. Fields that earlier versions did not
/// write have defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// The label a person gave it.
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
    /// What the agent talks to.
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
    /// Why it is over.
    pub reason: Option<Reason>,
    /// The last fatal error, beginning with its code.
    pub error: Option<String>,
    /// The log of its standard output.
    pub stdout_log_path: String,
    /// The log of its standard error.
    pub stderr_log_path: String,
    /// Its tmux session, if it has one.
    pub tmux_session_name: Option<String>,
    /// The tmux server that session lives on; absent for the user's own.
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
    /// Who made its workspace.
    #[serde(default = "by_git")]
    pub vcs: Vcs,
    /// The workflow session that it is a task of.
    pub workflow_session: Option<SessionId>,
}

const fn plain_run() -> RunKind {
    RunKind::Run
}

const fn by_git() -> Vcs {
    Vcs::Git
}

/// The fields of a row that are known when a run is created.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The run.
    pub id: RunId,
    /// The label a person gave it.
    pub name: Option<String>,
    /// The root of the repository.
    pub repo_path: String,
    /// Names the repository's folder under the worktree root.
    pub repo_fingerprint: String,
    /// The ref it branches from.
    pub base_ref: String,
    /// The commit that ref means.
    pub base_commit: String,
    /// Its branch.
    pub new_branch: Option<String>,
    /// Its worktree.
    pub worktree_path: Option<String>,
    /// Where the agent works.
    pub workspace: WorkspaceKind,
    /// The agent.
    pub runner_kind: String,
    /// Further arguments of the agent.
    pub runner_args: Vec<String>,
    /// What the agent talks to.
    pub mode: Mode,
    /// What its supervisor runs in.
    pub host: Host,
    /// What happens when the agent crashes.
    pub restart_policy: RestartPolicy,
    /// The log of its standard output.
    pub stdout_log_path: String,
    /// The log of its standard error.
    pub stderr_log_path: String,
    /// Its tmux session.
    pub tmux_session_name: Option<String>,
    /// The tmux server for it.
    pub tmux_socket: Option<String>,
    /// The run whose conversation and workspace it continues.
    pub parent_id: Option<RunId>,
    /// The version that the agent names.
    pub agent_version: Option<String>,
    /// The agent's own name for the conversation, where it is known beforehand.
    pub agent_session: Option<String>,
    /// What it is for.
    pub kind: RunKind,
    /// Who makes its workspace.
    pub vcs: Vcs,
    /// The workflow session that it is a task of.
    pub workflow_session: Option<SessionId>,
    /// Whether its agent may answer questions.
    pub allow_self_answer: bool,
}

/// The columns in the order in which [`RunRow::read`] takes them.
pub(super) const COLUMNS: &str = "id, name, state, phase, attempt, repo_path, repo_fingerprint, base_ref, base_commit, \
    new_branch, worktree_path, workspace, runner_kind, runner_args_json, mode, host, restart_policy, created_at, \
    updated_at, started_at, ended_at, exit_code, signal, reason, error, stdout_log_path, stderr_log_path, \
    tmux_session_name, tmux_socket, saved_ref, removed_at, agent_session, input_tokens, output_tokens, cached_tokens, \
    cost_usd, parent_id, agent_version, activity, activity_at, kind, vcs, workflow_session";

impl RunRow {
    pub(super) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            id: parsed(row, 0, "id", |text| text.parse().ok())?,
            name: row.get(1)?,
            state: parsed(row, 2, "state", |text| text.parse().ok())?,
            phase: row.get(3)?,
            attempt: row.get(4)?,
            repo_path: row.get(5)?,
            repo_fingerprint: row.get(6)?,
            base_ref: row.get(7)?,
            base_commit: row.get(8)?,
            new_branch: row.get(9)?,
            worktree_path: row.get(10)?,
            workspace: parsed(row, 11, "workspace", |text| text.parse().ok())?,
            runner_kind: row.get(12)?,
            runner_args: parsed(row, 13, "runner_args_json", |text| serde_json::from_str(text).ok())?,
            mode: parsed(row, 14, "mode", |text| text.parse().ok())?,
            host: parsed(row, 15, "host", |text| text.parse().ok())?,
            restart_policy: parsed(row, 16, "restart_policy", |text| text.parse().ok())?,
            created_at: parsed(row, 17, "created_at", |text| text.parse().ok())?,
            updated_at: parsed(row, 18, "updated_at", |text| text.parse().ok())?,
            started_at: optional_parsed(row, 19, "started_at", |text| text.parse().ok())?,
            ended_at: optional_parsed(row, 20, "ended_at", |text| text.parse().ok())?,
            exit_code: row.get(21)?,
            signal: row.get(22)?,
            reason: optional_parsed(row, 23, "reason", |text| text.parse().ok())?,
            error: row.get(24)?,
            stdout_log_path: row.get(25)?,
            stderr_log_path: row.get(26)?,
            tmux_session_name: row.get(27)?,
            tmux_socket: row.get(28)?,
            saved_ref: row.get(29)?,
            removed_at: optional_parsed(row, 30, "removed_at", |text| text.parse().ok())?,
            agent_session: row.get(31)?,
            usage: Usage {
                input_tokens: count(row, 32)?,
                output_tokens: count(row, 33)?,
                cached_tokens: count(row, 34)?,
                cost_usd: row.get(35)?,
            },
            parent_id: optional_parsed(row, 36, "parent_id", |text| text.parse().ok())?,
            agent_version: row.get(37)?,
            activity: optional_parsed(row, 38, "activity", |text| text.parse().ok())?,
            activity_at: optional_parsed(row, 39, "activity_at", |text| text.parse().ok())?,
            kind: parsed(row, 40, "kind", |text| text.parse().ok())?,
            vcs: parsed(row, 41, "vcs", |text| text.parse().ok())?,
            workflow_session: optional_parsed(row, 42, "workflow_session", |text| text.parse().ok())?,
        })
    }

    /// The run as the state machine sees it. The phase inside `running` belongs to the supervisor,
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

    /// Where the agent works.
    #[must_use]
    pub fn directory(&self) -> &str {
        self.worktree_path.as_deref().unwrap_or(&self.repo_path)
    }
}

/// SQLite has no unsigned numbers.
fn count(row: &Row<'_>, index: usize) -> Result<Option<u64>, StoreError> {
    Ok(row.get::<_, Option<i64>>(index)?.map(i64::unsigned_abs))
}

pub(super) fn parsed<T>(
    row: &Row<'_>,
    index: usize,
    column: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, StoreError> {
    let text = row.get_ref(index)?.as_str().map_err(|_| StoreError::BadValue { column, value: "no text".into() })?;
    read(text).ok_or_else(|| StoreError::BadValue { column, value: text.to_owned() })
}

pub(super) fn optional_parsed<T>(
    row: &Row<'_>,
    index: usize,
    column: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    if row.get_ref(index)? == rusqlite::types::ValueRef::Null {
        return Ok(None);
    }
    parsed(row, index, column, read).map(Some)
}
