//! The MCP servers of an agent step: those of the workflow, and its own, which win.

use agency_model::workflow::{self, AgentStep, Plan};
use agency_model::{McpPreset, McpServer, McpServers};

/// The servers of an agent step.
pub(super) fn servers_of(plan: &Plan, step: &AgentStep) -> McpServers {
    let all = plan.mcp_servers.iter().chain(&step.mcp_servers);
    all.map(|(name, server)| (name.clone(), server_of(&server.value))).collect()
}

fn server_of(server: &workflow::McpServer) -> McpServer {
    match server {
        workflow::McpServer::Preset(preset) => {
            let preset = match preset {
                workflow::McpPreset::Filesystem => McpPreset::Filesystem,
                workflow::McpPreset::Puppeteer => McpPreset::Puppeteer,
                workflow::McpPreset::Github => McpPreset::Github,
            };
            preset.server()
        }
        workflow::McpServer::Command { command, args, env } => McpServer {
            command: Some(command.clone()),
            args: Some(args.clone()),
            env: env.clone(),
            ..McpServer::default()
        },
        workflow::McpServer::Remote { url, headers } => {
            McpServer { url: Some(url.clone()), headers: headers.clone(), ..McpServer::default() }
        }
    }
}
