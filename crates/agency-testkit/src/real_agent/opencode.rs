//! opencode.

use super::{API_KEY, AgentSetup, Variables};
use crate::Turn;
use serde_json::json;
use std::fs;

/// It asks for nothing unless it is configured to.
pub(super) const PERMISSIVE: &[&str] = &[];

pub(super) fn write_file(name: &str, text: &str) -> Turn {
    Turn::new().tool("write", json!({ "filePath": name, "content": text }))
}

pub(super) fn run_command(command: &str) -> Turn {
    Turn::new().tool("bash", json!({ "command": command, "description": "Run a command" }))
}

#[track_caller]
pub(super) fn seed(place: &AgentSetup<'_>) -> Variables {
    let config = json!({
        "model": "scripted/m1",
        "small_model": "scripted/m1",
        "autoupdate": false,
        "share": "disabled",
        "permission": { "bash": if place.asks { "ask" } else { "allow" } },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": { "baseURL": format!("{}/v1", place.model_url), "apiKey": API_KEY },
            "models": { "m1": { "name": "m1", "tool_call": true, "limit": { "context": 400_000, "output": 8_000 } } },
        } },
    });
    // It checks its catalogue of all models of the world at each start, for two seconds.
    let catalogue = place.home.join("models.json");
    fs::write(&catalogue, "{}").unwrap();
    vec![
        ("OPENCODE_MODELS_PATH", catalogue.into()),
        ("OPENCODE_CONFIG_CONTENT", config.to_string().into()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".into()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".into()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".into()),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".into()),
    ]
}
