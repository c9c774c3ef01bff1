//! Gemini CLI.

use super::{API_KEY, AgentSetup, Variables};
use crate::Turn;
use serde_json::json;
use std::fs;

/// In other modes the tools that change something are not even offered to the model.
pub(super) const PERMISSIVE: &[&str] = &["--approval-mode", "yolo"];

pub(super) fn write_file(name: &str, text: &str) -> Turn {
    Turn::new().tool("write_file", json!({ "file_path": name, "content": text }))
}

pub(super) fn run_command(command: &str) -> Turn {
    Turn::new().tool("run_shell_command", json!({ "command": command, "description": "Run a command" }))
}

#[track_caller]
pub(super) fn seed(place: &AgentSetup<'_>) -> Variables {
    let folder = place.home.join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "general": {
            "enableAutoUpdate": false,
            "enableAutoUpdateNotification": false,
            // Ten by default, with growing pauses: almost four minutes.
            "maxAttempts": 1,
        },
        "privacy": { "usageStatisticsEnabled": false },
    });
    fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    vec![
        ("GEMINI_API_KEY", API_KEY.into()),
        ("GOOGLE_GEMINI_BASE_URL", place.model_url.into()),
        // With the default, `auto`, a model is asked which model to ask.
        ("GEMINI_MODEL", "gemini-2.5-pro".into()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".into()),
        // Otherwise it starts itself once more.
        ("GEMINI_CLI_NO_RELAUNCH", "true".into()),
    ]
}
