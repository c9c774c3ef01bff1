//! MCP servers by a file that an argument names.

use agency_model::McpTransport;
use serde_json::json;

use crate::adapter::mcp::named;
use crate::adapter::{AdapterError, FileContent, LaunchFile, McpRequest, PassedServers};

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
