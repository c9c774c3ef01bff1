//! Codex.

mod app_server;
mod client;
mod conversations;
pub(super) mod exec;
mod items;
mod mcp;
mod notifications;
mod open_tools;
mod questions;
mod read_only;
mod requests;
mod sandbox;

use std::path::PathBuf;

use super::agent_adapter::{AgentAdapter, PassServers, ReadOnlyMode, Search};
use super::launch::Adjusted;
use super::{LaunchRequest, McpClient, Variables, variable};

pub(super) use self::app_server::AppServer;

pub(super) struct Codex;

impl AgentAdapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn defaults(&self) -> &'static str {
        include_str!("codex/agent.toml")
    }

    fn tested_version(&self) -> Option<&'static str> {
        Some("0.166.0")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("npm install -g @openai/codex")
    }

    fn screen_rules(&self) -> Option<&'static str> {
        Some(include_str!("codex/screen.toml"))
    }

    fn adjust_launch(&self, request: &LaunchRequest<'_>, user_args: &[&String], launch: &mut Adjusted) {
        if request.trusted {
            let directory = toml::Value::String(request.directory.display().to_string());
            let projects = format!("projects={{{directory}={{trust_level=\"trusted\"}}}}");
            launch.args.extend(["-c".to_owned(), projects]);
        }
        sandbox::without_doubled_flags(&mut launch.args, user_args);
        launch.args.extend(sandbox::writable_roots(request.commit_roots, user_args).into_iter().flatten());
    }

    fn sandbox_roots(&self, environment: &Variables) -> Option<Vec<PathBuf>> {
        Some(sandbox::configured_roots(environment))
    }

    fn mcp_servers(&self) -> Option<PassServers> {
        Some(mcp::pass)
    }

    fn mcp_client(&self) -> Option<McpClient> {
        Some(mcp::CLIENT)
    }

    fn read_only(&self) -> Option<ReadOnlyMode> {
        Some(read_only::launch)
    }

    fn find_conversation(&self, search: &Search<'_>) -> Option<String> {
        conversations::newest(&home(search.environment)?.join("sessions"), search.directory)
    }
}

/// Where Codex keeps its settings and conversations.
fn home(environment: &Variables) -> Option<PathBuf> {
    variable(environment, "CODEX_HOME").or_else(|| variable(environment, "HOME").map(|home| home.join(".codex")))
}
