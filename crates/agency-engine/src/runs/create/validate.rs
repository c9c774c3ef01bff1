//! What is checked about a request before anything is created.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use agency_model::spec::RunSpec;
use agency_model::{Host, Mode};

use super::CreateError;
use super::find_agent::{SearchPath, find_program};
use crate::config::{AgentConfig, PromptDelivery};
use crate::host::TmuxError;

/// The kernel takes no longer argument.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;
/// A label is for a table, not for an essay.
const MAX_NAME_CHARS: usize = 200;

/// Whether the agent can be started as the spec describes it.
pub(super) fn check_form(agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    if spec.one_shot && agent.form(spec.mode, true).is_two_way() {
        return Err(CreateError::Value {
            field: "one_shot",
            message: format!("{} has no one-shot form", spec.runner.kind),
            hint: "add [agents.<name>.one_shot] to the configuration, or leave `one_shot` out",
        });
    }
    Ok(())
}

pub(super) fn check_host(host: Host, search_path: &SearchPath<'_>) -> Result<(), CreateError> {
    if host == Host::Tmux && find_program(OsStr::new("tmux"), search_path).is_err() {
        return Err(TmuxError::Missing.into());
    }
    Ok(())
}

pub(super) fn check_name(name: Option<&str>) -> Result<(), CreateError> {
    let Some(name) = name else { return Ok(()) };
    if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > MAX_NAME_CHARS {
        return Err(CreateError::Value {
            field: "name",
            message: format!("`name` {name:?} cannot be used: a name has 1 to {MAX_NAME_CHARS} characters on one line"),
            hint: "choose a short label; what the agent is to do belongs into the prompt",
        });
    }
    Ok(())
}

/// Whether an agent can have this environment. Values may be secrets, so they are not repeated.
pub(super) fn check_environment(environment: &BTreeMap<OsString, OsString>) -> Result<(), CreateError> {
    let has = |text: &OsStr, byte: u8| text.as_bytes().contains(&byte);
    for (name, value) in environment {
        // The system takes a '=' at the beginning for a part of the name.
        let has_equals = name.as_bytes().iter().skip(1).any(|byte| *byte == b'=');
        let why = match name.is_empty() {
            true => "its name is empty",
            false if has(name, 0) || has(value, 0) => "it contains a NUL character",
            false if has_equals => "its name contains '='",
            false => continue,
        };
        return Err(CreateError::Value {
            field: "environment",
            message: format!("the environment variable {name:?} cannot be passed to an agent: {why}"),
            hint: "correct its name or its value, or leave it out",
        });
    }
    Ok(())
}

/// Whether the agent can be started without a prompt.
pub(super) fn check_promptless(agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    if spec.mode == Mode::Interactive || agent.form(spec.mode, spec.one_shot).is_two_way() {
        return Ok(());
    }
    Err(CreateError::Value {
        field: "prompt",
        message: format!("{} does not accept messages while it runs, so it needs a prompt", spec.runner.kind),
        hint: "add --prompt TEXT, or start it with --mode interactive",
    })
}

pub(super) fn check_prompt(prompt: &str, agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    let path = spec.prompt.as_ref().map_or("", |prompt| &prompt.path);
    let refuse = |message, hint| CreateError::Value { field: "prompt.path", message, hint };
    if prompt.trim().is_empty() {
        let message = format!("the prompt '{path}' is empty");
        return Err(refuse(message, "describe the task in the prompt"));
    }
    let launch = agent.form(spec.mode, spec.one_shot);
    let as_argument = matches!(launch.prompt, PromptDelivery::Argument | PromptDelivery::Flag(_));
    if as_argument && prompt.len() > MAX_ARGUMENT_BYTES {
        let (kind, length) = (&spec.runner.kind, prompt.len());
        let message = format!(
            "the prompt '{path}' has {length} bytes, and {kind} takes it as an argument of at most {MAX_ARGUMENT_BYTES}"
        );
        let hint = "let the prompt name a file that holds the text, or use an agent that takes it on stdin";
        return Err(refuse(message, hint));
    }
    if prompt.contains('\0') {
        let message = format!("the prompt '{path}' contains a NUL character");
        return Err(refuse(message, "a prompt is plain text"));
    }
    Ok(())
}
