//! Codex.

use super::{API_KEY, AgentSetup, Variables};
use crate::Turn;
use serde_json::json;
use std::fs;

/// Its sandbox needs rights that a container does not always give.
pub(super) const PERMISSIVE: &[&str] = &["--dangerously-bypass-approvals-and-sandbox"];

/// The same for its server, which has no such flag.
pub(super) const PERMISSIVE_SERVER: &[&str] =
    &["-c", "approval_policy=\"never\"", "-c", "sandbox_mode=\"danger-full-access\""];

/// It offers its question tool only on request.
pub(super) const ASKING: &[&str] = &["--enable", "default_mode_request_user_input"];

/// It asks only for what its sandbox does not allow.
pub(super) fn run_command_if_allowed(command: &str) -> Turn {
    let input = json!({
        "cmd": command,
        "sandbox_permissions": "require_escalated",
        "justification": "It has to be done.",
    });
    Turn::new().tool("exec_command", input)
}

pub(super) fn write_file(name: &str, text: &str) -> Turn {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    Turn::new().custom_tool("apply_patch", &format!("*** Begin Patch\n*** Add File: {name}\n{lines}*** End Patch\n"))
}

pub(super) fn run_command(command: &str) -> Turn {
    Turn::new().tool("exec_command", json!({ "cmd": command }))
}

#[track_caller]
pub(super) fn seed(place: &AgentSetup<'_>) -> Variables {
    // Not below TMPDIR: there it does without its own helper programs, and the sandbox breaks.
    let home = place.home.join(".codex");
    fs::create_dir_all(&home).unwrap();
    // Each text is a JSON string, which is a TOML string too.
    let config = format!(
        r#"model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = {url}
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
# More by default, with growing pauses.
request_max_retries = 1
stream_max_retries = 1

# On a terminal it would ask about the folder, whose worktrees it trusts too, and whether to take a newer model.
[projects.{repo}]
trust_level = "trusted"

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
"#,
        url = json!(format!("{}/v1", place.model_url)),
        repo = json!(place.repo),
    );
    fs::write(home.join("config.toml"), config).unwrap();
    vec![("CODEX_HOME", home.into()), ("SCRIPTED_API_KEY", API_KEY.into())]
}
