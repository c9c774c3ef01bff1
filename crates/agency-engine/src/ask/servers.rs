//! Which MCP servers an agent would start, as it says itself: what it does not start must be named.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::create::CreateError;
use crate::process::output_with_timeout;

/// How long an agent may take to say what it is configured to.
const LIMIT: Duration = Duration::from_secs(60);
/// A configuration is never longer.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The servers that Codex knows.
pub(super) fn of_codex(program: &Path, environment: &BTreeMap<OsString, OsString>) -> Result<Vec<String>, CreateError> {
    let listed = asked(program, &["mcp", "list", "--json"], environment);
    let names = listed
        .as_ref()
        .and_then(Value::as_array)
        .map(|servers| servers.iter().filter_map(|server| server.get("name")?.as_str().map(str::to_owned)).collect());
    names.ok_or_else(|| unknown("codex", "codex mcp list --json"))
}

/// The servers that opencode knows, wherever it is told of them.
pub(super) fn of_opencode(
    program: &Path,
    environment: &BTreeMap<OsString, OsString>,
) -> Result<Vec<String>, CreateError> {
    let config = asked(program, &["debug", "config"], environment);
    let names = config.as_ref().and_then(Value::as_object).map(|config| {
        let servers = config.get("mcp").and_then(Value::as_object);
        servers.map(|servers| servers.keys().cloned().collect()).unwrap_or_default()
    });
    names.ok_or_else(|| unknown("opencode", "opencode debug config"))
}

/// Asks from the top of the file system, where no project is.
fn asked(program: &Path, words: &[&str], environment: &BTreeMap<OsString, OsString>) -> Option<Value> {
    let mut command = Command::new(program);
    command.args(words).current_dir("/").env_clear().envs(environment);
    let said = output_with_timeout(&mut command, LIMIT, MOST_BYTES)?;
    serde_json::from_slice(&said).ok()
}

/// Who does not know which servers there are cannot keep them out.
fn unknown(agent: &str, command: &str) -> CreateError {
    CreateError::Runner {
        message: format!("{agent} does not say which MCP servers it would start"),
        hint: format!("`{command}` says what is wrong; an `ask` command of your own is started as it is"),
    }
}
