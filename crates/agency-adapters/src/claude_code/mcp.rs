//! MCP servers by a file that an argument names.

use agency_model::McpTransport;
use serde_json::json;

use crate::mcp::named;
use crate::mcp_client::{AddCommand, McpClient, ServerNotation, program_and_arguments, settings_path};
use crate::variable;
use crate::{AdapterError, FileContent, LaunchFile, McpRequest, PassedServers};

/// How it is registered as a client of a server.
pub(super) const CLIENT: McpClient = McpClient {
    name: "claude",
    settings_file: |environment| settings_path(environment, variable(environment, "CLAUDE_CONFIG_DIR"), ".claude.json"),
    notation: ServerNotation::Json("mcpServers"),
    entry: |command_line| {
        let (program, arguments) = program_and_arguments(command_line);
        json!({ "type": "stdio", "command": program, "args": arguments })
    },
    env_field: "env",
    // Its option for variables takes several values, so the name comes before it.
    command: Some(AddCommand { template: "claude mcp add --scope user {name}{env} -- {line}", takes_options: true }),
};

pub(super) fn pass(request: &McpRequest) -> Result<PassedServers, AdapterError> {
    let servers = named(&request.servers, |transport| match transport {
        McpTransport::Program { command, args, env } => json!({ "command": command, "args": args, "env": env }),
        McpTransport::Address { url, headers } => json!({ "type": "http", "url": url, "headers": headers }),
    });
    let path = request.directory.join("mcp.json");
    // The option takes any number of files: the next one ends the list.
    let args = vec!["--mcp-config".to_owned(), path.display().to_string(), "--strict-mcp-config".to_owned()];
    let content = FileContent::Text(json!({ "mcpServers": servers }).to_string());
    Ok(PassedServers { args, files: vec![LaunchFile { path, content }], ..PassedServers::default() })
}
