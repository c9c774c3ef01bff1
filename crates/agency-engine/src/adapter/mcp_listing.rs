//! Asks an agent which MCP servers it would start: each of them is switched off for an agent that
//! can only read.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::{AdapterError, Variables};
use crate::process::output_with_timeout;

/// How long an agent may take to print its configuration.
const LISTING_TIMEOUT: Duration = Duration::from_secs(60);
/// A configuration is never longer.
const MAX_OUTPUT_BYTES: u64 = 16 * 1024 * 1024;

/// What the program prints, as JSON. It runs in the root directory, where no project is.
pub(super) fn json_output(program: &Path, args: &[&str], environment: &Variables) -> Option<Value> {
    let mut command = Command::new(program);
    command.args(args).current_dir("/").env_clear().envs(environment);
    let output = output_with_timeout(&mut command, LISTING_TIMEOUT, MAX_OUTPUT_BYTES)?;
    serde_json::from_slice(&output).ok()
}

/// Servers that are not known cannot be switched off.
pub(super) fn unlisted(agent: &str, command: &str) -> AdapterError {
    AdapterError::ReadOnly {
        message: format!("{agent} does not say which MCP servers it would start"),
        hint: format!("`{command}` says what is wrong; an `ask` command of your own is started as it is"),
    }
}
