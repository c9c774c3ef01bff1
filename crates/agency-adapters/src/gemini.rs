//! The adapter of Gemini CLI.

mod conversations;
mod mcp;
mod read_only;
pub(super) mod stream;

use std::path::PathBuf;

use agency_model::Mode;

use super::{
    Adjusted, AgentAdapter, Conversations, LaunchRequest, McpClient, McpSettings, PassServers, ReadOnlyMode, Variables,
    variable,
};

/// The variable that makes it trust its working directory.
const TRUST_VARIABLE: &str = "GEMINI_CLI_TRUST_WORKSPACE";

pub(super) struct Gemini;

impl AgentAdapter for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["gemini_cli"]
    }

    fn defaults(&self) -> &'static str {
        include_str!("gemini/agent.toml")
    }

    fn tested_version(&self) -> Option<&'static str> {
        Some("0.61.0")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("npm install -g @google/gemini-cli")
    }

    fn screen_rules(&self) -> Option<&'static str> {
        Some(include_str!("gemini/screen.toml"))
    }

    fn adjust_launch(&self, request: &LaunchRequest<'_>, _: &[&String], launch: &mut Adjusted) {
        match (request.trusted, request.mode) {
            (true, _) => {
                launch.env.insert(TRUST_VARIABLE.to_owned(), "true".to_owned());
            }
            // On pipes there is no user to ask, and it would exit at once.
            (false, Mode::Headless) => launch.args.push("--skip-trust".to_owned()),
            (false, Mode::Interactive) => {}
        }
        if request.mode == Mode::Interactive {
            // Inside another Gemini it is set, and then an answer to the trust question ends this one.
            launch.env.insert("GEMINI_CLI_NO_RELAUNCH".to_owned(), String::new());
        }
    }

    fn mcp_servers(&self) -> Option<PassServers> {
        Some(mcp::pass)
    }

    fn mcp_settings(&self, environment: &Variables) -> McpSettings {
        folder(environment).map_or(McpSettings::None, mcp::settings)
    }

    fn mcp_client(&self) -> Option<McpClient> {
        Some(mcp::CLIENT)
    }

    fn read_only(&self) -> Option<ReadOnlyMode> {
        Some(read_only::MODE)
    }

    fn conversations(&self, environment: &Variables) -> Option<Conversations> {
        Some(conversations::files(folder(environment)?))
    }

    /// It names the file of a conversation by the minute, and writes it anew when it loads it.
    fn loses_conversation_within_minute(&self) -> bool {
        true
    }
}

/// Where it keeps its settings and conversations.
fn folder(environment: &Variables) -> Option<PathBuf> {
    let home = variable(environment, "GEMINI_CLI_HOME").or_else(|| variable(environment, "HOME"))?;
    Some(home.join(".gemini"))
}
