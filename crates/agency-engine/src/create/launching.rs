//! The command line and environment of the agent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use agency_model::policy::Policy;
use agency_model::{Host, Mode};

use super::Plan;
use crate::adapter::{AdapterError, AgentAdapter, FirstWords, LaunchConfig, LaunchRequest, Prompt};
use crate::config::Config;
use crate::home::RunDirectory;
use crate::process::{INDEPENDENT_VARIABLE, RUN_ID_VARIABLE};
use crate::runner::StdinPlan;
use crate::supervise::Launch;

/// The orders for the supervisor of a planned run whose workspace is at `directory`, and what the agent's environment
/// gets beside the caller's.
pub(super) fn launch(
    plan: &Plan,
    config: &Config,
    directory: &Path,
    prompt_file: &str,
) -> Result<(Launch, BTreeMap<String, String>), AdapterError> {
    let LaunchConfig { args, env, stream, first_words } = plan.agent.launch_config(&LaunchRequest {
        mode: plan.spec.mode,
        one_shot: plan.spec.one_shot,
        prompt: plan.prompt.as_deref().map(|text| Prompt { text, file: prompt_file }),
        extra_args: &plan.spec.runner.args,
        directory,
        session: plan.session.as_deref(),
        resume: plan.resume.as_ref().map(|resume| resume.session.as_str()),
        trusted: plan.trusts_worktree(config),
    })?;
    let (stdin, opening) = match first_words {
        FirstWords::None => (StdinPlan::Keyboard, None),
        FirstWords::Text(text) => (StdinPlan::Text(text), None),
        FirstWords::Conversation(opening) => (StdinPlan::Open, Some(opening)),
    };
    let limits = plan.spec.limits;
    let launch = Launch {
        program: plan.program.clone(),
        args,
        directory: directory.to_owned(),
        mode: plan.spec.mode,
        stream,
        opening,
        spent: plan.resume.as_ref().map(|resume| resume.spent).unwrap_or_default(),
        screen: plan.agent.screen.clone(),
        host: plan.spec.host,
        stdin,
        size: plan.size,
        wall_time_ms: limits.max_minutes.map(milliseconds),
        no_progress_ms: limits.no_progress_minutes.map(milliseconds),
        question_ms: limits.question_minutes.map(milliseconds),
        grace_ms: u64::try_from(config.stop_grace.as_millis()).unwrap_or(u64::MAX),
        max_agents: config.max_agents,
        may_wait: plan.may_wait,
        lock_timeout_ms: u64::try_from(config.lock_timeout.as_millis()).unwrap_or(u64::MAX),
        policy: Policy::of_run(&plan.spec.approval_policy.rules(), &config.approval_policy),
        notify: plan.notify.clone(),
    };
    Ok((launch, env))
}

/// A test may shorten the minute; nobody else can.
fn milliseconds(minutes: u32) -> u64 {
    #[cfg(feature = "fault-points")]
    if let Some(minute) = std::env::var("AGENCY_MINUTE_MS").ok().and_then(|text| text.parse::<u64>().ok()) {
        return u64::from(minutes) * minute;
    }
    u64::from(minutes) * 60_000
}

/// The environment of the agent: the caller's, the agent's own settings, and the name of the run.
pub(super) fn environment(
    plan: &Plan,
    directory: &RunDirectory,
    of_form: &BTreeMap<String, String>,
) -> BTreeMap<OsString, OsString> {
    let mut environment = plan.environment.clone();
    for name in [INDEPENDENT_VARIABLE, "AGENCY_BIN", "TMUX", "TMUX_PANE"] {
        environment.remove(&OsString::from(name));
    }
    if (plan.spec.mode, plan.spec.host) == (Mode::Interactive, Host::Detached) {
        // Nobody's terminal yet: what attaches later is a modern one.
        environment.entry("TERM".into()).or_insert_with(|| "xterm-256color".into());
    }
    environment.extend(of_form.iter().map(|(name, value)| (name.into(), value.into())));
    environment.extend(plan.agent.env.iter().map(|(name, value)| (name.into(), value.into())));
    environment.insert(RUN_ID_VARIABLE.into(), plan.id.as_str().into());
    environment.insert("AGENCY_RUN_DIR".into(), directory.path().into());
    environment
}
