//! The adapter of opencode.

mod conversations;
mod mcp;
mod read_only;
pub(super) mod stream;

use super::{AgentAdapter, Conversations, McpClient, McpSettings, PassServers, ReadOnlyMode, Variables};

/// The variable that holds settings.
const SETTINGS_VARIABLE: &str = "OPENCODE_CONFIG_CONTENT";

pub(super) struct Opencode;

impl AgentAdapter for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["open_code"]
    }

    fn defaults(&self) -> &'static str {
        include_str!("opencode/agent.toml")
    }

    fn tested_version(&self) -> Option<&'static str> {
        Some("1.18.33")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("npm install -g opencode-ai")
    }

    fn screen_rules(&self) -> Option<&'static str> {
        Some(include_str!("opencode/screen.toml"))
    }

    fn mcp_servers(&self) -> Option<PassServers> {
        Some(mcp::pass)
    }

    fn mcp_settings(&self, environment: &Variables) -> McpSettings {
        let text = environment.get(std::ffi::OsStr::new(SETTINGS_VARIABLE)).and_then(|text| text.to_str());
        text.map_or(McpSettings::None, |text| McpSettings::Text(text.to_owned()))
    }

    fn mcp_client(&self) -> Option<McpClient> {
        Some(mcp::CLIENT)
    }

    fn read_only(&self) -> Option<ReadOnlyMode> {
        Some(read_only::MODE)
    }

    fn conversations(&self, _environment: &Variables) -> Option<Conversations> {
        Some(conversations::LISTING)
    }
}
