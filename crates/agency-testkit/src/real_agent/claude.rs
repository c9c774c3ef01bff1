//! Claude Code.

use super::{API_KEY, AgentSetup, Variables};
use crate::Turn;
use serde_json::json;
use std::fs;

/// The modes that ask for nothing at all are refused to root.
pub(super) const PERMISSIVE: &[&str] = &["--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Bash"];

/// Tools of MCP servers need a permission each.
pub(super) const PERMISSIVE_OF_TOOLS: &[&str] = &["--allowedTools", "mcp__probe__remember"];

/// Without it, a model decides what needs a permission.
pub(super) const ASKING: &[&str] = &["--permission-mode", "manual"];

pub(super) fn write_file(name: &str, text: &str) -> Turn {
    Turn::new().tool("Write", json!({ "file_path": name, "content": text }))
}

pub(super) fn run_command(command: &str) -> Turn {
    Turn::new().tool("Bash", json!({ "command": command, "description": "Run a command" }))
}

#[track_caller]
pub(super) fn seed(place: &AgentSetup<'_>) -> Variables {
    // On a terminal it would ask about its looks, the key and the folder; worktrees of a trusted folder are trusted.
    let answered = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": { "approved": [&API_KEY[API_KEY.len() - 20..]], "rejected": [] },
        "projects": { place.repo.to_str().unwrap(): { "hasTrustDialogAccepted": true } },
    });
    fs::write(place.home.join(".claude.json"), answered.to_string()).unwrap();
    vec![
        ("ANTHROPIC_BASE_URL", place.model_url.into()),
        ("ANTHROPIC_API_KEY", API_KEY.into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("DISABLE_AUTOUPDATER", "1".into()),
        ("DISABLE_TELEMETRY", "1".into()),
        // Ten by default, with growing pauses: three minutes.
        ("CLAUDE_CODE_MAX_RETRIES", "1".into()),
    ]
}
