//! Cursor's agent. Only its command line is known: it was not available for tests.

use super::agent_adapter::AgentAdapter;
use super::mcp_client::{McpClient, ServerNotation, plain_entry, settings_path};

pub(super) struct Cursor;

impl AgentAdapter for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["cursor_agent", "cursor_cli"]
    }

    fn defaults(&self) -> &'static str {
        include_str!("cursor/agent.toml")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("see Cursor's own documentation of its command line")
    }

    fn mcp_client(&self) -> Option<McpClient> {
        Some(McpClient {
            name: "cursor",
            settings_file: |environment| settings_path(environment, None, ".cursor/mcp.json"),
            notation: ServerNotation::Json("mcpServers"),
            entry: plain_entry,
            env_field: "env",
            command: None,
        })
    }
}
