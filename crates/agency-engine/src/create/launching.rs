//! The command line and environment of the agent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use agency_model::{Host, Mode};

use super::Plan;
use crate::adapter::StreamFormat;
use crate::config::{Config, PromptDelivery};
use crate::home::RunDirectory;
use crate::process::{INDEPENDENT_VARIABLE, RUN_ID_VARIABLE};
use crate::runner::StdinPlan;
use crate::supervise::Launch;

/// The orders for the supervisor of a planned run whose workspace is at `directory`.
pub(super) fn launch(plan: &Plan, config: &Config, directory: &Path, prompt_file: &str) -> Launch {
    let mode = plan.agent.mode(plan.spec.mode);
    let mut args = mode.args.clone();
    args.extend(plan.agent.args.iter().cloned());
    args.extend(plan.spec.runner.args.iter().cloned());
    let mut stdin = StdinPlan::Keyboard;
    match &mode.prompt {
        PromptDelivery::Stdin => stdin = StdinPlan::Text(plan.prompt.clone()),
        PromptDelivery::Argument => {
            // The built-in agents all end their options at `--`; of others we do not know.
            if plan.agent.built_in && plan.prompt.starts_with('-') {
                args.push("--".to_owned());
            }
            args.push(plan.prompt.clone());
        }
        PromptDelivery::Flag(flag) => args.extend([flag.clone(), plan.prompt.clone()]),
        PromptDelivery::File => args.push(prompt_file.to_owned()),
    }
    Launch {
        program: plan.program.clone(),
        args,
        directory: directory.to_owned(),
        mode: plan.spec.mode,
        stream: match plan.spec.mode {
            Mode::Interactive => StreamFormat::Text,
            Mode::Headless => plan.agent.stream,
        },
        host: plan.spec.host,
        stdin,
        size: plan.size,
        wall_time_ms: plan.spec.limits.max_minutes.map(wall_time_ms),
        grace_ms: u64::try_from(config.stop_grace.as_millis()).unwrap_or(u64::MAX),
        max_agents: config.max_agents,
        may_wait: plan.may_wait,
        lock_timeout_ms: u64::try_from(config.lock_timeout.as_millis()).unwrap_or(u64::MAX),
    }
}

/// A test may shorten the minute; nobody else can.
fn wall_time_ms(minutes: u32) -> u64 {
    #[cfg(feature = "fault-points")]
    if let Some(minute) = std::env::var("AGENCY_MINUTE_MS").ok().and_then(|text| text.parse::<u64>().ok()) {
        return u64::from(minutes) * minute;
    }
    u64::from(minutes) * 60_000
}

/// The environment of the agent: the caller's, the agent's own settings, and the name of the run.
pub(super) fn environment(plan: &Plan, directory: &RunDirectory) -> BTreeMap<OsString, OsString> {
    let mut environment = plan.environment.clone();
    for name in [INDEPENDENT_VARIABLE, "AGENCY_BIN", "TMUX", "TMUX_PANE"] {
        environment.remove(&OsString::from(name));
    }
    if (plan.spec.mode, plan.spec.host) == (Mode::Interactive, Host::Detached) {
        // Nobody's terminal yet: what attaches later is a modern one.
        environment.entry("TERM".into()).or_insert_with(|| "xterm-256color".into());
    }
    environment.extend(plan.agent.env.iter().map(|(name, value)| (name.into(), value.into())));
    environment.insert(RUN_ID_VARIABLE.into(), plan.id.as_str().into());
    environment.insert("AGENCY_RUN_DIR".into(), directory.path().into());
    environment
}
