//! The tool `run_agent`.

use agency_engine::runs::create::{RunRequest, SetupChoice};
use agency_model::spec::{RunnerDraft, SpecDraft};
use agency_model::{Mode, RunKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply::Reply;
use super::tool::Call;
use crate::problem::Problem;
use crate::view::RunView;

/// What `run_agent` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    /// What the agent is to do.
    prompt: String,
    /// The agent: claude-code, codex, gemini, opencode, cursor, or one of the user's own; the default one if absent.
    runner: Option<String>,
    /// The git or jj repository; the one that the server was started in if absent.
    repo: Option<String>,
    /// The git ref, or with jj the revset, to start from; HEAD or @ if absent.
    base: Option<String>,
    /// A label by which the run can be named.
    name: Option<String>,
    /// headless, which is the default, ends when the work is done; interactive waits for a user.
    mode: Option<Mode>,
}

/// A run that was started.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Started {
    /// The run.
    run: RunView,
    /// What its user should know about it.
    notices: Vec<String>,
}

/// Starts an agent.
pub(super) fn start(call: &Call) -> Result<Reply, Problem> {
    let task: Task = call.input()?;
    let mut agency = call.context.agency()?;
    let request = RunRequest {
        kind: RunKind::Run,
        spec_file: None,
        flags: SpecDraft {
            repo: task.repo,
            base_ref: task.base,
            runner: Some(RunnerDraft { kind: task.runner, args: None }),
            name: task.name,
            // No user at a terminal could end an interactive one.
            mode: Some(task.mode.unwrap_or(Mode::Headless)),
            ..SpecDraft::default()
        },
        prompt_text: Some(task.prompt),
        include_changes: false,
        current_directory: call.context.current_directory()?,
        environment: std::env::vars_os().collect(),
        may_wait: true,
        terminal: None,
        notify: false,
        workflow: None,
        setup: SetupChoice::Project,
    };
    let plan = agency.plan(request)?;
    let created = agency.create(&plan, &call.unwanted);
    let row = created.map_err(|error| Problem::from(error).detail("id", &plan.id))?;
    Reply::new(&Started { run: RunView::new(row, agency.home()), notices: plan.notices })
}
