//! The command line and environment of the agent.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_adapters::{AdapterError, FirstInput, LaunchConfig, LaunchFile, LaunchRequest, Prompt};
use agency_model::policy::Policy;
use agency_model::{Host, Mode, RunKind};
use agency_system::process::{INDEPENDENT_VARIABLE, LOG_VARIABLE, RUN_ID_VARIABLE};
use agency_workspace::{REPOSITORY_VARIABLES, Scratch};

use super::{Plan, mcp_servers};
use crate::config::Config;
use crate::deadline::milliseconds;
use crate::home::RunDirectory;
use crate::own_program::CONFIG_OPTION;
use crate::runner::StdinPlan;
use crate::wire::{LaunchOrders, ORDERS_VERSION, RestartPlan, RestartRules, SESSION, Start, WORDS};
use crate::worktree::port_variables;

/// Where a planned run finds what is its own.
pub(super) struct RunPaths<'a> {
    /// Its workspace.
    pub(super) directory: &'a Path,
    /// The prompt, as the agent finds it.
    pub(super) prompt_file: &'a str,
    /// Its run directory.
    pub(super) run: &'a RunDirectory,
    /// What a commit writes to outside the workspace.
    pub(super) commit_roots: &'a [PathBuf],
    /// Its ports, by name.
    pub(super) ports: &'a BTreeMap<String, u16>,
}

/// What is needed to start a planned run.
pub(super) struct Launching {
    /// The orders for the supervisor.
    pub(super) orders: LaunchOrders,
    /// The environment of the agent.
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// Files that have to be there before.
    pub(super) files: Vec<LaunchFile>,
}

/// Says how a planned run is started.
pub(super) fn launch(plan: &Plan, config: &Config, found: &RunPaths<'_>) -> Result<Launching, AdapterError> {
    let RunPaths { directory, prompt_file, run, commit_roots, ports } = *found;
    let servers = mcp_servers::request(plan, directory, run);
    let request = LaunchRequest {
        mode: plan.spec.mode,
        one_shot: plan.spec.one_shot,
        prompt: plan.prompt.as_ref().map(|prompt| Prompt { text: prompt.text(), file: prompt_file }),
        extra_args: &plan.spec.runner.args,
        directory,
        session: plan.session.as_deref(),
        resume: plan.origin.resume().and_then(|resume| resume.session.as_deref()),
        trusted: plan.trusts_worktree(config),
        mcp: &servers,
        commit_roots,
    };
    let LaunchConfig { args, env, stream, first_input, mcp_env, files } = plan.agent.launch_config(&request)?;
    let start = started(with_config(plan, run, args), first_input);
    let limits = plan.spec.limits;
    let orders = LaunchOrders {
        version: ORDERS_VERSION,
        program: plan.program.clone(),
        restart_plan: restart_plan(plan, &request),
        adapter: plan.agent.registered_adapter().map(str::to_owned),
        restart: RestartRules {
            failures_allowed: plan.spec.restart.failures_allowed(config.restart.failures),
            pauses_ms: config.restart.pauses.iter().map(in_milliseconds).collect(),
            healthy_ms: milliseconds(config.restart.healthy_minutes),
        },
        stays: plan.kind == RunKind::Agent && start.opening.is_some(),
        start,
        directory: directory.to_owned(),
        mode: plan.spec.mode,
        stream,
        spent: plan.origin.resume().map(|resume| resume.spent).unwrap_or_default(),
        screen: plan.agent.screen.clone(),
        host: plan.spec.host,
        size: plan.size,
        wall_time_ms: limits.max_minutes.map(milliseconds),
        no_progress_ms: limits.no_progress_minutes.map(milliseconds),
        question_ms: limits.question_minutes.map(milliseconds),
        unknown_ms: limits.unknown_minutes.map(milliseconds),
        grace_ms: in_milliseconds(&config.stop_grace),
        max_agents: most_agents(plan, config),
        may_wait: plan.may_wait,
        lock_timeout_ms: in_milliseconds(&config.lock_timeout),
        pid_dir: config.pid_dir.clone(),
        policy: Policy::of_run(&plan.spec.approval_policy.rules(), &config.approval_policy),
        notify: plan.notify.clone(),
        parent_lock: plan.origin.scratch().map(Scratch::lock_file),
        uncommitted: None,
        worktree: None,
    };
    let mut environment = environment(plan, run, &env);
    environment.extend(port_variables(ports));
    environment.extend(mcp_env.into_iter().map(|(name, value)| (name.into(), value.into())));
    Ok(Launching { orders, environment, files })
}

/// An agent that asks holds a slot of its own and waits: if its question waited for another, both might wait for ever.
fn most_agents(plan: &Plan, config: &Config) -> u32 {
    let within_a_run = plan.environment.contains_key(OsStr::new(RUN_ID_VARIABLE));
    if plan.kind == RunKind::Ask && within_a_run { u32::MAX } else { config.max_agents }
}

fn started(args: Vec<String>, first_input: FirstInput) -> Start {
    let (stdin, opening) = match first_input {
        FirstInput::None => (StdinPlan::Keyboard, None),
        FirstInput::Text(text) => (StdinPlan::Text(text), None),
        FirstInput::Conversation(opening) => (StdinPlan::Open, Some(opening)),
    };
    Start { args, stdin, opening }
}

/// The driver of a workflow uses the configuration of the process that started it.
fn with_config(plan: &Plan, run: &RunDirectory, mut args: Vec<String>) -> Vec<String> {
    if plan.kind == RunKind::Workflow {
        args.extend([CONFIG_OPTION.to_owned(), run.driver_config().display().to_string()]);
    }
    args
}

/// What a process after a crash is started with; none for an agent that cannot resume.
fn restart_plan(plan: &Plan, first: &LaunchRequest<'_>) -> Option<RestartPlan> {
    let with = |prompt: Option<Prompt<'_>>| {
        let LaunchConfig { args, first_input, env: _, stream: _, mcp_env: _, files: _ } =
            plan.agent.launch_config(&LaunchRequest { prompt, resume: Some(SESSION), ..*first }).ok()?;
        Some(started(args, first_input))
    };
    Some(RestartPlan {
        mid_turn: with(Some(Prompt { text: WORDS, file: WORDS }))?,
        idle: with(None)?,
        adapter: plan.agent.adapter.name().to_owned(),
    })
}

fn in_milliseconds(duration: &Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The environment of the agent: the caller's, the agent's own settings, and the name of the run. Its git works in its
/// workspace, also where the caller is a hook of another repository or checkout.
fn environment(
    plan: &Plan,
    directory: &RunDirectory,
    of_form: &BTreeMap<String, String>,
) -> BTreeMap<OsString, OsString> {
    let mut environment = plan.environment.clone();
    for name in [INDEPENDENT_VARIABLE, "AGENCY_BIN", "TMUX", "TMUX_PANE"].into_iter().chain(REPOSITORY_VARIABLES) {
        environment.remove(OsStr::new(name));
    }
    // The driver of a workflow is this program, and writes diagnostics to a file.
    if plan.kind != RunKind::Workflow {
        environment.remove(OsStr::new(LOG_VARIABLE));
    }
    if (plan.spec.mode, plan.spec.host) == (Mode::Interactive, Host::Detached) {
        // No terminal is attached yet; a later one is assumed to be modern.
        environment.entry("TERM".into()).or_insert_with(|| "xterm-256color".into());
    }
    environment.extend(of_form.iter().map(|(name, value)| (name.into(), value.into())));
    environment.extend(plan.agent.env.iter().map(|(name, value)| (name.into(), value.into())));
    environment.insert(RUN_ID_VARIABLE.into(), plan.id.as_str().into());
    environment.insert("AGENCY_RUN_DIR".into(), directory.path().into());
    environment
}
