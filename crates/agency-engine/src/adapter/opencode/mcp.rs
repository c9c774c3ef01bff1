//! MCP servers by a variable that holds settings.

use std::collections::BTreeMap;

use agency_model::McpTransport;
use serde_json::json;

use super::SETTINGS_VARIABLE;
use crate::adapter::mcp::{named, with_servers};
use crate::adapter::{AdapterError, McpRequest, PassedServers};

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
