//! The adapter of Codex.

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

use super::{
    Adjusted, AgentAdapter, Conversations, LaunchRequest, McpClient, PassServers, ReadOnlyMode, SandboxSettings,
    Variables, variable,
};

pub(super) use self::app_server::AppServer;

pub(super) struct Codex;

impl AgentAdapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["codex_cli"]
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

    /// Its server takes no option for it, but a setting.
    fn model_arguments(&self, model: &str) -> Vec<String> {
        vec!["-c".to_owned(), format!("model={model:?}")]
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

    fn sandbox_settings(&self) -> Option<SandboxSettings> {
        Some(sandbox::SETTINGS)
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

    fn conversations(&self, environment: &Variables) -> Option<Conversations> {
        Some(conversations::files(home(environment)?.join("sessions")))
    }
}

/// Where Codex keeps its settings and conversations.
fn home(environment: &Variables) -> Option<PathBuf> {
    variable(environment, "CODEX_HOME").or_else(|| variable(environment, "HOME").map(|home| home.join(".codex")))
}
