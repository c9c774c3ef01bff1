//! MCP servers by a variable that holds settings.

use std::collections::BTreeMap;

use agency_model::McpTransport;
use serde_json::json;

use super::SETTINGS_VARIABLE;
use crate::mcp::{named, with_servers};
use crate::mcp_client::{McpClient, ServerNotation, settings_path};
use crate::variable;
use crate::{AdapterError, McpRequest, PassedServers};

/// How it is registered as a client of a server.
pub(super) const CLIENT: McpClient = McpClient {
    name: "opencode",
    settings_file: |environment| {
        let directory = variable(environment, "XDG_CONFIG_HOME").map(|path| path.join("opencode"));
        settings_path(environment, directory, ".config/opencode/opencode.json")
    },
    notation: ServerNotation::Json("mcp"),
    entry: |command_line| json!({ "type": "local", "command": command_line, "enabled": true }),
    env_field: "environment",
    command: None,
};

pub(super) fn pass(request: &McpRequest) -> Result<PassedServers, AdapterError> {
    let servers = named(&request.servers, |transport| match transport {
        McpTransport::Program { command, args, env } => {
            let command: Vec<&String> = std::iter::once(command).chain(args).collect();
            json!({ "type": "local", "command": command, "environment": env, "enabled": true })
        }
        McpTransport::Address { url, headers } => {
            json!({ "type": "remote", "url": url, "headers": headers, "enabled": true })
        }
    });
    let settings = with_servers(request.settings.as_deref(), "mcp", servers)?;
    Ok(PassedServers { env: BTreeMap::from([(SETTINGS_VARIABLE.to_owned(), settings)]), ..PassedServers::default() })
}
