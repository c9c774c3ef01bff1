//! The adapter of Claude Code.

mod background;
mod content;
mod control;
mod finished;
mod limits;
mod mcp;
mod message_ids;
mod plans;
mod read_only;
pub(super) mod stream;
mod trust;

use super::{AgentAdapter, McpClient, PassServers, ReadOnlyMode, TrustSettings};

pub(super) struct ClaudeCode;

impl AgentAdapter for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude_code"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["claude"]
    }

    fn defaults(&self) -> &'static str {
        include_str!("claude_code/agent.toml")
    }

    fn tested_version(&self) -> Option<&'static str> {
        Some("2.1.325")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("npm install -g @anthropic-ai/claude-code")
    }

    fn screen_rules(&self) -> Option<&'static str> {
        Some(include_str!("claude_code/screen.toml"))
    }

    fn mcp_servers(&self) -> Option<PassServers> {
        Some(mcp::pass)
    }

    fn mcp_client(&self) -> Option<McpClient> {
        Some(mcp::CLIENT)
    }

    fn read_only(&self) -> Option<ReadOnlyMode> {
        Some(read_only::MODE)
    }

    fn trust_settings(&self) -> Option<TrustSettings> {
        Some(trust::SETTINGS)
    }

    fn session_args(&self) -> Option<&'static [&'static str]> {
        Some(&["--session-id", "{session}"])
    }
}
