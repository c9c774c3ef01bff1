//! MCP servers by a home of the run's own, in which everything but the settings is linked to the user's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agency_model::McpTransport;
use serde_json::json;

use crate::mcp::{named, with_servers};
use crate::mcp_client::{AddCommand, McpClient, ServerNotation, plain_entry, settings_path};
use crate::{AdapterError, FileContent, LaunchFile, McpRequest, McpSettings, PassedServers};

/// How it is registered as a client of a server.
pub(super) const CLIENT: McpClient = McpClient {
    name: "gemini",
    settings_file: |environment| settings_path(environment, None, ".gemini/settings.json"),
    notation: ServerNotation::Json("mcpServers"),
    entry: plain_entry,
    env_field: "env",
    command: Some(AddCommand { template: "gemini mcp add --scope user{env} {name} {line}", takes_options: false }),
};

/// Gemini reads servers only from settings in its home, in the project, or of the administrator.
pub(super) fn pass(request: &McpRequest) -> Result<PassedServers, AdapterError> {
    let servers = named(&request.servers, |transport| match transport {
        McpTransport::Program { command, args, env } => json!({ "command": command, "args": args, "env": env }),
        McpTransport::Address { url, headers } => json!({ "httpUrl": url, "headers": headers }),
    });
    let settings = with_servers(request.settings.as_deref(), "mcpServers", servers)?;
    let home = request.directory.join("gemini");
    let folder = home.join(".gemini");
    let beside = request.beside_settings.iter().filter_map(|target| {
        let content = FileContent::Link(target.clone());
        Some(LaunchFile { path: folder.join(target.file_name()?), content })
    });
    let settings = LaunchFile { path: folder.join("settings.json"), content: FileContent::Text(settings) };
    let env = BTreeMap::from([("GEMINI_CLI_HOME".to_owned(), home.display().to_string())]);
    Ok(PassedServers { env, files: beside.chain([settings]).collect(), ..PassedServers::default() })
}

/// The user's settings, and what lies beside them. Gemini makes the directories of its conversations itself, but then in
/// the run's own home, where no other run finds the conversation.
pub(super) fn settings(folder: PathBuf) -> McpSettings {
    McpSettings::File { directory: folder, name: "settings.json", shared: &["tmp", "history"] }
}
