//! A run as answers show it.

use agency_engine::forecast::RunConflicts;
use agency_engine::home::Home;
use agency_engine::store::RunRow;
use agency_model::run::{Reason, RestartPolicy, State};
use agency_model::{Activity, Host, Mode, RunId, RunKind, SessionId, Usage, Vcs, WorkspaceKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Status;

/// What every command says about a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RunView {
    pub(crate) id: RunId,
    pub(crate) name: Option<String>,
    pub(crate) state: State,
    /// How it stands, by state, phase and activity.
    pub(crate) status: Status,
    pub(crate) phase: Option<String>,
    pub(crate) attempt: u32,
    pub(crate) repo: String,
    pub(crate) base_ref: String,
    pub(crate) base_commit: String,
    pub(crate) new_branch: Option<String>,
    pub(crate) worktree_path: Option<String>,
    pub(crate) workspace: WorkspaceKind,
    pub(crate) runner: String,
    pub(crate) runner_args: Vec<String>,
    pub(crate) mode: Mode,
    pub(crate) host: Host,
    pub(crate) restart: RestartPolicy,
    pub(crate) tmux_session: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) reason: Option<Reason>,
    pub(crate) error: Option<String>,
    pub(crate) run_dir: String,
    pub(crate) stdout_log: String,
    pub(crate) stderr_log: String,
    pub(crate) saved_ref: Option<String>,
    pub(crate) removed_at: Option<Timestamp>,
    pub(crate) agent_session: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) parent_id: Option<RunId>,
    pub(crate) agent_version: Option<String>,
    pub(crate) activity: Option<Activity>,
    pub(crate) activity_at: Option<Timestamp>,
    pub(crate) kind: RunKind,
    pub(crate) vcs: Vcs,
    pub(crate) workflow_session: Option<SessionId>,
    /// What the last forecast says about the run; only `agency ls` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forecast: Option<RunConflicts>,
    /// When its work was brought into a branch.
    pub(crate) landed_at: Option<Timestamp>,
    pub(crate) landed_into: Option<String>,
    pub(crate) landed_commit: Option<String>,
}

impl RunView {
    pub(crate) fn new(row: RunRow, home: &Home) -> Self {
        let run_dir = home.run(&row.id).path().display().to_string();
        Self {
            id: row.id,
            name: row.name,
            state: row.state,
            status: Status::of(row.state, row.phase.as_deref(), row.activity),
            phase: row.phase,
            attempt: row.attempt,
            repo: row.repo_path,
            base_ref: row.base_ref,
            base_commit: row.base_commit,
            new_branch: row.new_branch,
            worktree_path: row.worktree_path,
            workspace: row.workspace,
            runner: row.runner_kind,
            runner_args: row.runner_args,
            mode: row.mode,
            host: row.host,
            restart: row.restart_policy,
            tmux_session: row.tmux_session_name,
            created_at: row.created_at,
            updated_at: row.updated_at,
            started_at: row.started_at,
            ended_at: row.ended_at,
            exit_code: row.exit_code,
            signal: row.signal,
            reason: row.reason,
            error: row.error,
            run_dir,
            stdout_log: row.stdout_log_path,
            stderr_log: row.stderr_log_path,
            saved_ref: row.saved_ref,
            removed_at: row.removed_at,
            agent_session: row.agent_session,
            usage: (!row.usage.is_empty()).then_some(row.usage),
            parent_id: row.parent_id,
            agent_version: row.agent_version,
            activity: row.activity,
            activity_at: row.activity_at,
            kind: row.kind,
            vcs: row.vcs,
            workflow_session: row.workflow_session,
            forecast: None,
            landed_at: row.landed_at,
            landed_into: row.landed_into,
            landed_commit: row.landed_commit,
        }
    }
}

/// Several runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Runs {
    pub(crate) runs: Vec<RunView>,
}
